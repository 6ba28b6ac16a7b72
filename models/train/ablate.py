"""What each step of the recipe is worth: short trainings of fold 0, each without one of them.

    python ablate.py --data DATA --public FILE [--steps N] [--only NAME,...]

Judged as encoder/unseen.py does. With few steps the differences are smaller
than those of the whole training, and one of two points is chance.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import build
from build import HERE

WITHOUT = {
    "all": [],
    "the token loss": ["--tokens", 0],
    "typing errors": ["--typos", 0],
    "dropped names": ["--dropped", 0],
    "public sets": ["--public", ""],
    "rows on the known tap": ["--leave", "known"],
    "invented taps": ["--leave", "invented"],
    "tools": ["--routing", 1],
    "routing": ["--routing", 0],
}


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True)
    a.add_argument("--public", required=True)
    a.add_argument("--base")
    a.add_argument("--steps", type=int, default=250)
    a.add_argument("--only", help="names of rows, with commas between")
    options = a.parse_args()
    base = options.base or build.base()

    def judged(name, *args):
        out = subprocess.run(
            [sys.executable, os.path.join(HERE, "encoder/unseen.py"), "--base", base, "--given", options.data, *args],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        print(f"{name:28s}{out.strip()}", flush=True)

    judged("the base as it is")
    for name, more in WITHOUT.items():
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            learn = [sys.executable, os.path.join(HERE, "encoder/learn.py"), "--base", base, "--given", options.data, "--public", options.public,
                     "--fold", "0", "--steps", str(options.steps), "--out", scratch, *map(str, more)]
            subprocess.run(learn, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            judged(name if name == "all" else f"without {name}", "--weights", os.path.join(scratch, "weights.pt"))


if __name__ == "__main__":
    main()
