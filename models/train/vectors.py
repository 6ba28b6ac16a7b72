"""Write the vectors that the product's are compared with: by ONNX Runtime and the reference tokenizer in Python.

    python vectors.py --model ../ctx-minilm --out ../../core/embed/testdata/ctx-minilm.json

No part of the recipe. The texts are those that the file holds already.
"""

import argparse
import json
import os

import numpy as np
import onnxruntime
from tokenizers import Tokenizer


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--model", required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--choices", help="the same for the joint network; its requests and candidates are those that the file holds")
    options = a.parse_args()
    with open(options.out) as f:
        texts = [x["text"] for x in json.load(f)]
    tokenizer = Tokenizer.from_file(os.path.join(options.model, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    one = onnxruntime.SessionOptions()
    one.intra_op_num_threads = 1
    one.add_session_config_entry("optimization.disable_specified_optimizers", "SkipLayerNormFusion")  # as core/embed/ort.go has it
    session = onnxruntime.InferenceSession(os.path.join(options.model, "model.onnx"), one)
    out = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        (states,) = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})
        mean = states[0].mean(0)
        out.append({"text": text, "vector": [round(float(x), 6) for x in mean / np.linalg.norm(mean)]})
    with open(options.out, "w") as f:
        json.dump(out, f, ensure_ascii=False)
        f.write("\n")
    if options.choices:
        chosen(options, tokenizer, one)


def chosen(options, tokenizer, one):
    """The same of the joint network: scores of candidates and of none."""
    tokenizer.no_truncation()
    session = onnxruntime.InferenceSession(os.path.join(options.model, "joint.onnx"), one)

    def tokens(text, most, tail=0):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        return ids if len(ids) <= most else ids[: most - tail] + (ids[-tail:] if tail else [])

    with open(os.path.join(options.model, "bundle.json")) as f:
        said = json.load(f)
    card, trigger = said.get("joint_card", 16), said.get("joint_trigger", 10)
    most, tail = said.get("joint_request", 42), said.get("joint_tail", 13)
    with open(options.choices) as f:
        rows = json.load(f)
    for row in rows:
        ids = [101, *tokens(row["request"], most, tail), 102]
        spans, asked = [], len(ids)
        for c in row["candidates"]:
            own = tokens(c["card"], card + trigger) if not c["trigger"] else [*tokens(c["card"], card), 1012, *tokens(c["trigger"], trigger)]
            spans.append((len(ids), len(ids) + len(own) + 1))
            ids += [*own, 102]
        all_ids = np.array([ids], dtype=np.int64)
        types = np.array([[0] * asked + [1] * (len(ids) - asked)], dtype=np.int64)
        (scores,) = session.run(None, {"input_ids": all_ids, "attention_mask": np.ones_like(all_ids), "token_type_ids": types})
        row["each"] = [round(float(scores[0, a:b, 0].mean()), 5) for a, b in spans]
        row["none"] = round(float(scores[0, 0, 1]), 5)
    with open(options.choices, "w") as f:
        json.dump(rows, f, ensure_ascii=False, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
