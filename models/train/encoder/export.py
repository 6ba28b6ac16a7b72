"""Write the encoder for the product: ONNX, its weights in eight bits.

    python export.py --base FOLDER --weights FILE --out FOLDER
"""

import argparse
import os
import shutil
import tempfile

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

import model as network

# Between the base and what was learned lies what does best on taps and tools
# that were not seen (the idea is WiSE-FT, Wortsman et al. 2021). Chosen on the
# rows that fold 0 leaves out.
SHARE = 0.85


class States(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state


def write(module, inputs, names, output, path):
    """One graph, quantised: weights of matrices by channel, and the vectors of words."""
    axes = {n: {0: "rows", 1: "tokens"} for n in [*names, output]}
    with tempfile.TemporaryDirectory() as scratch:
        plain = os.path.join(scratch, "plain.onnx")
        torch.onnx.export(module, inputs, plain, input_names=names, output_names=[output], dynamic_axes=axes, opset_version=17, dynamo=False)
        quantize_dynamic(plain, path, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"])
    onnx.checker.check_model(path)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--weights", help="as learn.py wrote it; none: the base as it is")
    a.add_argument("--share", type=float, default=SHARE, help="of what was learned; the rest stays the base's")
    a.add_argument("--out", required=True)
    options = a.parse_args()
    net = network.Encoder(options.base)
    if options.weights:
        net.load_state_dict(network.between(net.state_dict(), torch.load(options.weights), options.share))
    net.eval()
    net.bert.config._attn_implementation = "eager"
    os.makedirs(options.out, exist_ok=True)
    ids = torch.tensor([[101, 2023, 2003, 102]])
    inputs = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    write(States(net.bert), inputs, ["input_ids", "attention_mask", "token_type_ids"], "last_hidden_state", os.path.join(options.out, "model.onnx"))
    shutil.copyfile(os.path.join(options.base, "tokenizer.json"), os.path.join(options.out, "tokenizer.json"))


if __name__ == "__main__":
    main()
