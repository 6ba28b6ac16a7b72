"""Train the scorers of a sentence model, and the one that needs no model.

    python train.py --data DATA --model ../all-minilm-l6-v2-q

CTX_ORT_LIB names the ONNX Runtime library. Nothing is drawn at random: the same
data give the same weights.
"""

import argparse
import base64
import json
import os
import subprocess
import tempfile

import numpy as np

import rows as labelled
from measure import baselines, calibrate, report
from scorer import RELATIVES, SUMMARIES, Block, fit

SEMANTIC = [
    "trigger best", "trigger top3", "trigger mean", "card",
    "token cover best", "token cover top3", "token fit best", "token fit top3", "token fit all", "token fit all top5",
]
LEXICAL = ["word best", "word top3", "word card", "word cover", "gram best", "gram top3", "gram card"]
PENALTY = {"candidate": 2e-3, "field": 3e-3, "vector": 5e-3, "wording": 3e-2}
DIMS = 64


def packed(x):
    return base64.b64encode(np.asarray(x, "<f4").tobytes()).decode()


def projection(program, model, files):
    """The directions in which token vectors differ most."""
    out = subprocess.run([program, "-tokens", "-model", model] + files, check=True, stdout=subprocess.PIPE, text=True).stdout
    tokens = np.array([json.loads(line) for line in out.splitlines()])
    mean = tokens.mean(0)
    _, vectors = np.linalg.eigh(np.cov((tokens - mean).T))
    basis = vectors[:, ::-1][:, :DIMS].T
    basis *= np.sign(basis[np.arange(DIMS), np.abs(basis).argmax(1)])[:, None]
    return {"dims": DIMS, "mean": packed(mean), "basis": packed(basis)}, len(mean)


def document(model, features, vector=0, **more):
    n = len(features)
    return {
        "schema": "ctx.scorer/v1", "model": model, "version": 1, "features": features,
        "candidate": [0.0] * (RELATIVES * n), "out_of_domain": 0.0,
        "none": {"bias": 0.0, "field": [0.0] * (SUMMARIES * n), "vector": [0.0] * vector, "wording": {}},
        "calibration": {"activate_at": 1.0, "suggest_at": 1.0},
    } | more


def train(groups):
    words = labelled.vocabulary(groups, least=12, taps=3)
    blocks = [Block(r, words) for r in groups.values()]
    return fit(blocks, PENALTY), words


def predict(weights, words, r):
    return weights.probabilities(Block(r, words))


def study(name, training, dev):
    """Print what the recipe reaches, and return the weights and the calibration."""
    print(f"\n{name}")
    held = {}
    for key in training:
        weights, words = train({k: r for k, r in training.items() if k != key})
        held[key] = (training[key], predict(weights, words, training[key]))
        report(f"without tap {key[1] or 'given'}", *held[key])
    weights, words = train(training)
    p = predict(weights, words, dev)
    report("dev", dev, p)
    others = [v for k, v in held.items() if k[1]]
    # To activate is rarely to be wrong, also on a tap that was never seen: these
    # have a third of the weight. To suggest is cheap: there the known tap decides.
    calibration = {
        "activate_at": calibrate([(dev, p)] * 2 * len(others) + others)["activate_at"],
        "suggest_at": calibrate([(dev, p)])["suggest_at"],
    }
    report("dev, calibrated", dev, p, calibration)
    for key in training:
        report(f"without tap {key[1] or 'given'}, calibrated", *held[key], calibration)
    return weights, words, calibration


def write(path, doc, weights, words, calibration):
    def short(x):
        return [float(f"{v:.7g}") for v in x]

    kept = [(w, v) for w, v in zip(words, short(weights.wording)) if v]
    doc["candidate"], doc["out_of_domain"] = short(weights.candidate[:-1]), short(weights.candidate[-1:])[0]
    doc["none"] = {
        "bias": short([weights.bias])[0], "field": short(weights.field),
        "vector": short(weights.vector), "wording": dict(kept),
    }
    doc["calibration"] = calibration
    with open(path, "w") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")


def compare(command, path, weights, words):
    """The product's probabilities must be the ones computed here."""
    worst = 0.0
    for r in labelled.observe(command + ["-scorer", path] + FILES).values():
        here = predict(weights, words, r)
        there = np.array([x["probabilities"] + [x["none"]] for x in r.lines])
        worst = max(worst, np.abs(here - there).max())
    print(f"largest difference to the product's probabilities: {worst:.2e}")
    if worst > 1e-5:
        raise SystemExit("the product computes something else")


def fixture(command, path, weights, words, shop, out):
    """What the product's own tests compare with."""
    (r,) = labelled.observe(command + ["-scorer", path, shop]).values()
    with open(out, "w") as f:
        for line, p in zip(r.lines, predict(weights, words, r)):
            f.write(json.dumps({"text": line["text"], "domain": line["domain"], "probabilities": [round(x, 6) for x in p]}) + "\n")


def main():
    global FILES
    here = os.path.dirname(os.path.abspath(__file__))
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True, help="folder with routing/ and taps/octomind-tap")
    a.add_argument("--model", required=True, help="folder of the model's bundle; scorer.json is written there")
    a.add_argument("--lexical", default=os.path.join(here, "../../core/activate/lexical.json"))
    args = a.parse_args()
    FILES = [os.path.join(args.data, "routing", f) for f in ("train.jsonl", "train_tap.jsonl", "dev.jsonl")]
    tap = ["-tap", os.path.join(args.data, "taps", "octomind-tap")]
    with open(os.path.join(args.model, "bundle.json")) as f:
        name = json.load(f)["name"]
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "features")
        subprocess.run(["go", "build", "-o", program, "./features"], cwd=here, check=True)
        project, size = projection(program, args.model, tap + FILES)
        tests = os.path.join(here, "../../core/activate/testdata")
        for kind, model, features, path, flags in (
            ("model", name, SEMANTIC + LEXICAL, os.path.join(args.model, "scorer.json"), ["-model", args.model]),
            ("lexical", "", LEXICAL, args.lexical, []),
        ):
            doc = document(model, features, size if model else 0, **({"projection": project} if model else {}))
            blank = os.path.join(scratch, "blank.json")
            with open(blank, "w") as f:
                json.dump(doc, f)
            command = [program] + tap + flags
            groups = labelled.observe(command + ["-scorer", blank] + FILES)
            dev = groups.pop(("dev.jsonl", ""))
            weights, words, calibration = study(model or "lexical", groups, dev)
            doc["baselines"] = baselines(groups, features)
            write(path, doc, weights, words, calibration)
            compare(command, path, weights, words)
            fixture(command, path, weights, words, os.path.join(tests, "shop.jsonl"), os.path.join(tests, f"{kind}.jsonl"))


if __name__ == "__main__":
    main()
