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
    options = a.parse_args()
    with open(options.out) as f:
        texts = [x["text"] for x in json.load(f)]
    tokenizer = Tokenizer.from_file(os.path.join(options.model, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    one = onnxruntime.SessionOptions()
    one.intra_op_num_threads = 1
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


if __name__ == "__main__":
    main()
