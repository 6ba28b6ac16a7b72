"""How well prompts are routed on the held-out rows, of which nothing is ever trained or tuned.

    python heldout.py --data DATA [--model FOLDER]

Of each file of data/heldout, `ctx eval routing` prints the rates at the model's
own thresholds, by kind too. A file without capabilities asks about the tap in
DATA. Of the others the rates come a second time, without the rows that ask for a
capability which a tap that was trained on has too, by its name or a trigger.
CTX_ORT_LIB names the ONNX Runtime library.
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


def trained(given):
    """Names and triggers of the capabilities that were trained on, the known tap's aside."""
    files = [*glob.glob(os.path.join(HERE, "data", "routing", "*.jsonl")), os.path.join(given, "routing", "train_tap.jsonl")]
    return {x.lower() for path in files for c in data.lines(path) if "capability" in c for x in (c["capability"], *c["triggers"])}


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
        seen = trained(options.data)

        def measure(name, folder, rows):
            path = os.path.join(scratch, "rows.jsonl")
            with open(path, "w") as f:
                f.writelines(json.dumps(x) + "\n" for x in rows)
            print(f"\n{name}", flush=True)
            subprocess.run(
                [program, "eval", "routing", "--tap", folder, "--set", path], cwd=home, check=True,
                env=os.environ | {"HOME": home, "XDG_DATA_HOME": os.path.join(scratch, "share")})

        for path in sorted(glob.glob(os.path.join(HERE, "data", "heldout", "*.jsonl"))):
            lines, name = data.lines(path), os.path.basename(path).removesuffix(".jsonl")
            capabilities, rows = ([x for x in lines if ("capability" in x) == which] for which in (True, False))
            if not capabilities:
                measure(name, os.path.join(os.path.abspath(options.data), "taps", "octomind-tap"), rows)
                continue
            folder = os.path.join(scratch, name)
            tap(folder, capabilities)
            measure(name, folder, rows)
            shared = {c["capability"] for c in capabilities if seen & {x.lower() for x in (c["capability"], *c["triggers"])}}
            own = [x for x in rows if not shared & set(x["expect"])]
            measure(f"{name}, {len(capabilities) - len(shared)} of {len(capabilities)} capabilities, which no other tap has", folder, own)


if __name__ == "__main__":
    main()
