"""What the recipe reaches on what it has not seen: one training a fold of folds.json.

    python loo.py --data DATA [--public FILE] [--folds 0,1,2,3,4] [--steps N]

Each fold leaves out eight taps (the first) or a quarter of the others, a fifth of
the capabilities of the known tap and half of MetaTool's tools. Printed are the rates of train.py ("taps
never seen", "its capabilities never seen") and recall@5 of questions for those
tools among all of MetaTool's. CTX_ORT_LIB names the ONNX Runtime library.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile

import build
from build import HERE


def unseen(given, out):
    """Write the questions that need a tool that was left out; returns how many."""
    with open(os.path.join(HERE, "folds.json")) as f:
        tools = {f"metatool:{name}" for name in json.load(f)["metatool"]}
    kept = 0
    with open(os.path.join(given, "retrieval", "metatool_queries.jsonl")) as f, open(out, "w") as g:
        for line in f:
            if any(x["tool"] in tools for x in json.loads(line)["labels"] if x["relevance"]):
                g.write(line)
                kept += 1
    return kept


def retrieval(bundle, options, scratch):
    home, share = os.path.join(scratch, "home"), os.path.join(scratch, "share", "ctx", "models")
    shutil.rmtree(share, ignore_errors=True)
    os.makedirs(home, exist_ok=True)
    shutil.copytree(bundle, os.path.join(share, options.name))
    subprocess.run(["go", "build", "-o", os.path.join(scratch, "ctx"), "../../cmd/ctx"], cwd=HERE, check=True)
    queries = os.path.join(scratch, "unseen.jsonl")
    print(f"tools never seen: {unseen(options.data, queries)} questions", flush=True)
    subprocess.run(
        [os.path.join(scratch, "ctx"), "eval", "retrieval", "--queries", queries, "--tools",
         os.path.join(options.data, "retrieval", "metatool_tools.jsonl")],
        cwd=home, check=True, env=os.environ | {"HOME": home, "XDG_DATA_HOME": os.path.join(scratch, "share")})


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True)
    a.add_argument("--public")
    a.add_argument("--base")
    a.add_argument("--name", default="ctx-minilm")
    a.add_argument("--folds", default="0,1,2,3,4")
    a.add_argument("--steps", type=int, default=build.STEPS["all"][0], help="of the encoder's training")
    a.add_argument("--joint-steps", type=int, nargs="+", default=build.STEPS["all"][1], help="of that of the network that reads jointly, of each course")
    a.add_argument("--seed", type=int, default=1)
    options = a.parse_args()
    options.base = options.base or build.base()
    options.data, options.public = os.path.abspath(options.data), options.public and os.path.abspath(options.public)
    for fold in map(int, options.folds.split(",")):
        print(f"\nfold {fold}", flush=True)
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, "bundle")
            build.networks(os.path.join(scratch, "run"), out, options, (options.steps, options.joint_steps), build.RATES, "--fold", fold)
            build.run("train.py", "--model", out, "--fold", fold, "--data", options.data)
            retrieval(out, options, scratch)


if __name__ == "__main__":
    main()
