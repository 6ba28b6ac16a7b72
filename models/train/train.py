"""Train the scorers of a sentence model, and the one that needs no model.

    python train.py --data DATA --model ../all-minilm-l6-v2-q

CTX_ORT_LIB names the ONNX Runtime library. Nothing is drawn at random but
parts of taps, with a fixed seed.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import subprocess
import tempfile

import numpy as np

import rows as labelled
from measure import baselines, calibrate, curve, report
from scorer import RELATIVES, SUMMARIES, Block, Scale, fit

SEMANTIC = [
    "trigger best", "trigger top3", "trigger mean", "card",
    "token cover best", "token cover top3", "token fit best", "token fit top3", "token fit all", "token fit all top5",
]
LEXICAL = ["word best", "word top3", "word card", "word cover", "gram best", "gram top3", "gram card", "named", "negated"]
PENALTY = {"candidate": 2e-3, "field": 3e-3, "vector": 2.5e-2, "wording": 3e-2}
DIMS = 64
PARTS = [1, 2, 3, 5, 8, 13]  # sizes of parts of taps
PART_WEIGHT = 0.05  # of a row on a part, against one on the whole tap


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
        "few": {"candidate": [0.0] * (RELATIVES * n), "out_of_domain": 0.0, "field": [0.0] * (SUMMARIES * n), "bias": 0.0},
        "calibration": {"activate_at": 1.0, "suggest_at": 1.0, "discover_at": 0.0},
    } | more


class Taps:
    """The training rows by tap, whole and in parts, and the rows to choose on."""

    def __init__(self, groups):
        self.dev = {size: Block(r) for (name, _, size), r in groups.items() if name == "dev.jsonl"}
        self.whole, self.parts = {}, {}
        for (name, tap, size), r in groups.items():
            if size and name != "dev.jsonl":
                self.parts[name, tap, size] = Block(r, PART_WEIGHT)
            elif name != "dev.jsonl":
                self.whole[tap] = Block(r)
        self.scale = Scale(self.whole.values())
        for b in [*self.whole.values(), *self.parts.values()]:
            self.scale.apply(b)

    def train(self, without=None):
        whole = {tap: b for tap, b in self.whole.items() if tap != without}
        words = labelled.vocabulary({tap: b.rows for tap, b in whole.items()}, least=12, taps=3)
        blocks = [*whole.values(), *(
            b for (name, tap, _), b in self.parts.items() if tap != without and name != f"foreign-{without}")]
        return fit(blocks, words, self.scale, PENALTY), words


def study(title, taps):
    """Print what the recipe reaches, and return the weights and the calibration."""
    print(f"\n{title}", flush=True)
    held, few = {}, {}
    for tap in taps.whole:
        weights, words = taps.train(without=tap)
        b = taps.whole[tap]
        held[tap] = (b.rows, weights.probabilities(b, words))
        report(f"without tap {tap or 'given'}", *held[tap])
        for (name, other, size), b in taps.parts.items():
            if other == tap and name.startswith("train"):
                few.setdefault(size, []).append((b.rows, weights.probabilities(b, words)))
    weights, words = taps.train()
    dev = (taps.dev[0].rows, weights.probabilities(taps.dev[0], words))
    report("dev", *dev)
    others = [v for tap, v in held.items() if tap]
    # Each tap is judged on rows that had no part in the weights that judge them.
    calibration = calibrate(dev, others, aimed=title != "lexical")
    print(f"  {calibration}", flush=True)
    report("dev, calibrated", *dev, calibration)
    for tap in taps.whole:
        report(f"without tap {tap or 'given'}, calibrated", *held[tap], calibration)
    for size, pairs in sorted(few.items()):
        curve(f"parts of {size}, taps never seen", pairs, calibration)
    return weights, words, calibration


def write(path, doc, weights, words, calibration):
    def short(x):
        return [float(f"{v:.7g}") for v in x]

    kept = [(w, v) for w, v in zip(words, short(weights.wording)) if v]
    doc["candidate"], doc["out_of_domain"] = short(weights.candidate[:-1]), short(weights.candidate[-1:])[0]
    doc["few"] = {
        "candidate": short(weights.few_candidate[:-1]), "out_of_domain": short(weights.few_candidate[-1:])[0],
        "field": short(weights.few_field), "bias": short([weights.few_bias])[0],
    }
    doc["none"] = {
        "bias": short([weights.bias])[0], "field": short(weights.field),
        "vector": short(weights.vector), "wording": dict(kept),
    }
    doc["calibration"] = calibration
    with open(path, "w") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")


def seal(model):
    """Write the sums of what has changed into the bundle."""

    def digest(name):
        with open(os.path.join(model, name), "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    for file, pattern, names in (
        ("bundle.json", r'("%s": ")[0-9a-f]{64}()', ["scorer.json"]),
        ("SHA256SUMS", r"(?m)^()[0-9a-f]{64}(  %s)$", ["scorer.json", "bundle.json"]),
    ):
        with open(os.path.join(model, file)) as f:
            text = f.read()
        for name in names:
            text = re.sub(pattern % re.escape(name), lambda m: m[1] + digest(name) + m[2], text)
        with open(os.path.join(model, file), "w") as f:
            f.write(text)


def compare(command, path, weights, words):
    """The product's probabilities must be the ones computed here."""
    worst = 0.0
    for r in labelled.observe(command + ["-scorer", path, "-parts", "1,8", FILES[-1]]).values():
        here = weights.probabilities(Block(r), words)
        there = np.array([x["probabilities"] + [x["none"]] for x in r.lines])
        worst = max(worst, np.abs(here - there).max())
    print(f"largest difference to the product's probabilities: {worst:.2e}")
    if worst > 1e-5:
        raise SystemExit("the product computes something else")


def fixture(command, path, weights, words, shop, out):
    """What the product's own tests compare with."""
    (r,) = labelled.observe(command + ["-scorer", path, shop]).values()
    with open(out, "w") as f:
        for line, p in zip(r.lines, weights.probabilities(Block(r), words)):
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
            groups = labelled.observe(command + ["-scorer", blank, "-parts", ",".join(map(str, PARTS))] + FILES)
            taps = Taps(groups)
            weights, words, calibration = study(model or "lexical", taps)
            doc["baselines"] = baselines([b.rows for b in taps.whole.values()], features)
            write(path, doc, weights, words, calibration)
            compare(command, path, weights, words)
            if model:
                seal(args.model)
            fixture(command, path, weights, words, os.path.join(tests, "shop.jsonl"), os.path.join(tests, f"{kind}.jsonl"))


if __name__ == "__main__":
    main()
