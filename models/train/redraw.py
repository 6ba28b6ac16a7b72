"""Draw activate_at of a bundle anew, after one of its networks has changed alone.

    python redraw.py --data DATA --model ../ctx-minilm

As train.py draws it, on rows that no weight of the bundle was trained on: dev and
the validation rows. DATA is the data folder (CTX_DATA). The other thresholds stay.
"""

import argparse
import glob
import json
import os
import subprocess
import tempfile

import rows as labelled
import train
from measure import calibrate, pooled, raised

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True)
    a.add_argument("--model", required=True)
    options = a.parse_args()
    data, model = os.path.abspath(options.data), os.path.abspath(options.model)
    path = os.path.join(model, "scorer.json")
    with open(path) as f:
        doc = json.load(f)
    weights, words = train.read(doc)
    files = [os.path.join(data, "routing", "dev.jsonl"), *sorted(glob.glob(os.path.join(HERE, "data", "validation", "*.jsonl")))]
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "features")
        subprocess.run(["go", "build", "-o", program, "./features"], cwd=HERE, check=True)
        tap = os.path.join(data, "taps", "octomind-tap")
        found = labelled.observe([program, "-tap", tap, "-model", model, "-scorer", path, *files])
    mix, pairs = doc["joint"], {}
    for (_, name, _), r in found.items():
        p = train.mixed(weights.probabilities(train.Block(r), words), [x.get("joint") for x in r.lines], mix["weight"], mix["beyond"])
        pairs.setdefault(bool(name), []).append((r, p))
    known, others = pairs[False], pairs[True]
    at = raised(doc["calibration"] | {"activate_at": calibrate(known, others)["activate_at"]}, *known[0])
    print(f"  {at}")
    for name, some in (("dev", known[:1]), ("the known tap", known[1:]), ("taps", others)):
        pooled(name, some)
        pooled(name, some, at)
    train.write(path, doc, weights, words, at)
    train.seal(model)


if __name__ == "__main__":
    main()
