"""What each step of the recipe is worth: short trainings of fold 0, each without one of them.

    python ablate.py --data DATA --public FILE [--steps N] [--only NAME,...] [--encoder FILE]

With an encoder, which learn.py trained without fold 0, the network that reads
jointly is trained; else the encoder. Judged as encoder/chosen.py and
encoder/unseen.py do. With few steps the differences are smaller than those of
the whole training, and one of two points is chance.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import build
from build import HERE

BOTH = {
    "all": [],
    "typing errors": ["--typos", 0],
    "public sets": ["--public", ""],
    "rows on the known tap": ["--leave", "known"],
    "invented taps": ["--leave", "invented"],
    "tools": ["--routing", 1],
    "routing": ["--routing", 0],
}
ENCODER = {"the token loss": ["--tokens", 0], "dropped names": ["--dropped", 0]}
JOINT = {"rows whose answer is taken away": ["--gone", 0]}


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True)
    a.add_argument("--public", required=True)
    a.add_argument("--base")
    a.add_argument("--steps", type=int, default=250)
    a.add_argument("--only", help="names of rows, with commas between")
    a.add_argument("--encoder")
    options = a.parse_args()
    common = ["--base", options.base or build.base(), "--given", options.data]
    learn, weights, judge, flag, own = "learn.py", "weights.pt", "unseen.py", "--weights", ENCODER
    if options.encoder:
        learn, weights, judge, flag, own = "joint.py", "joint.pt", "chosen.py", "--joint", JOINT
        common += ["--encoder", options.encoder]

    def program(name, *args):
        return [sys.executable, os.path.join(HERE, "encoder", name), *common, *map(str, args)]

    def judged(name, *args):
        out = subprocess.run(program(judge, *args), check=True, stdout=subprocess.PIPE, text=True).stdout
        print(f"{name:40s}{out.strip()}", flush=True)

    judged("the encoder alone" if options.encoder else "the base as it is")
    for name, more in (BOTH | own).items():
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run(
                program(learn, "--public", options.public, "--fold", 0, "--steps", options.steps, "--out", scratch, *more),
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            judged(name if name == "all" else f"without {name}", flag, os.path.join(scratch, weights))


if __name__ == "__main__":
    main()
