"""How well prompts are routed on the held-out rows, of which nothing is ever trained or tuned.

    python heldout.py --data DATA [--model FOLDER]

Of each file of data/heldout, `ctx eval routing` prints the rates at the model's
own thresholds, by kind too. A file without capabilities asks about the tap in
DATA. CTX_ORT_LIB names the ONNX Runtime library.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "encoder"))
import data  # noqa: E402


def tap(folder, capabilities):
    """Write capabilities as a tap. A list of strings in JSON is one in TOML."""
    for c in capabilities:
        at = os.path.join(folder, "capabilities", c["capability"])
        os.makedirs(at)
        with open(os.path.join(at, "config.toml"), "w") as f:
            f.write(f"triggers = {json.dumps(c['triggers'])}\ndomains = {json.dumps(c['domains'])}\n")
        with open(os.path.join(at, "default.toml"), "w") as f:
            f.write(f"# Capability: {c['capability']}\n# Title: {c.get('title', '')}\n# Description: {c['description']}\n")


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", required=True)
    a.add_argument("--model", default=os.path.join(HERE, "../ctx-minilm"))
    options = a.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        program, home = os.path.join(scratch, "ctx"), os.path.join(scratch, "home")
        subprocess.run(["go", "build", "-o", program, "../../cmd/ctx"], cwd=HERE, check=True)
        # No model is loaded that lies in a repository.
        shutil.copytree(options.model, os.path.join(scratch, "share", "ctx", "models", "ctx-minilm"))
        os.makedirs(home)
        for path in sorted(glob.glob(os.path.join(HERE, "data", "heldout", "*.jsonl"))):
            lines, name = data.lines(path), os.path.basename(path).removesuffix(".jsonl")
            folder, rows = os.path.join(scratch, name), os.path.join(scratch, name + ".jsonl")
            tap(folder, [x for x in lines if "capability" in x])
            with open(rows, "w") as f:
                f.writelines(json.dumps(x) + "\n" for x in lines if "capability" not in x)
            if not os.path.exists(folder):
                folder = os.path.join(os.path.abspath(options.data), "taps", "octomind-tap")
            print(f"\n{name}", flush=True)
            subprocess.run(
                [program, "eval", "routing", "--tap", folder, "--set", rows], cwd=home, check=True,
                env=os.environ | {"HOME": home, "XDG_DATA_HOME": os.path.join(scratch, "share")})


if __name__ == "__main__":
    main()
