"""Write the networks for the product: ONNX, their weights in eight bits.

    python export.py --base FOLDER --weights FILE [--joint FILE] --out FOLDER

Both have the base's vectors of words, which are kept once, beside them.
"""

import argparse
import os
import shutil
import tempfile

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

import data
import eight
import joint
import model as network
from level import level

LEVELLED = 64  # texts that networks are levelled by, of the rows here


class States(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state


class Scores(torch.nn.Module):
    """Of the joint network: per token its score as a part of a candidate, and one for none."""

    def __init__(self, joint):
        super().__init__()
        self.joint = joint

    def forward(self, input_ids, attention_mask, token_type_ids):
        states = States(self.joint.bert)(input_ids, attention_mask, token_type_ids)
        # Sums of products, so that these two vectors are not cut to eight bits.
        return torch.stack([(states * part.weight[0]).sum(-1) + part.bias for part in (self.joint.candidate, self.joint.none)], -1)


def texts(net):
    """Token ids of a few requests, and of requests with three candidates."""
    fields = data.load(None, os.path.join(data.HERE, "../data"))
    pairs = sorted(((f, r) for f in fields if f.source == "routing" for r in f.rows), key=lambda x: data.draw(x[1].key, "level"))
    for field, row in pairs[:LEVELLED]:
        shown = sorted(range(len(field.texts)), key=lambda i: data.draw(f"{row.key} {i}", "level"))
        shown = [*row.expect[:1], *row.near[:1], *(i for i in shown if i not in row.expect + row.near)][:3]
        card, trigger = ([net.tokens(t[i], 64)[1:-1] for i in shown] for t in (field.said, [t[1] for t in field.texts]))
        yield [joint.CLS, *joint.read(net, row.text), joint.SEP], [[*c[: joint.CARD], joint.STOP, *t[: joint.TRIGGER]] for c, t in zip(card, trigger)]


def read(bert, ids, types):
    States(bert)(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long), torch.tensor([types]))


def apart(path, words):
    """Move the vectors of words out of a graph, into a file that several graphs read."""
    graph = onnx.load(path)
    table = max(graph.graph.initializer, key=lambda t: len(t.raw_data))
    if os.path.exists(words):
        with open(words, "rb") as f:
            if f.read() != table.raw_data:
                raise SystemExit(f"{path}: its vectors of words are others than those in {words}")
    else:
        with open(words, "wb") as f:
            f.write(table.raw_data)
    onnx.external_data_helper.set_external_data(table, os.path.basename(words), 0, len(table.raw_data))
    table.ClearField("raw_data")
    with open(path, "wb") as f:
        f.write(graph.SerializeToString())


def write(module, inputs, names, output, path):
    """One graph, quantised: weights of matrices by channel, and the vectors of words."""
    axes = {n: {0: "rows", 1: "tokens"} for n in [*names, output]}
    with tempfile.TemporaryDirectory() as scratch:
        plain = os.path.join(scratch, "plain.onnx")
        torch.onnx.export(module, inputs, plain, input_names=names, output_names=[output], dynamic_axes=axes, opset_version=17, dynamo=False)
        quantize_dynamic(plain, path, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"])
        eight.safe(path, plain)
    onnx.checker.check_model(path)


def encoder(base):
    net = network.Encoder(base).eval()
    net.bert.config._attn_implementation = "eager"
    return net


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--weights", help="as learn.py wrote it; none: the base as it is")
    a.add_argument("--share", type=float, default=network.SHARE, help="of what was learned; the rest stays the base's")
    a.add_argument("--joint", help="as joint.py wrote it; none: a bundle that cannot choose")
    a.add_argument("--out", required=True)
    options = a.parse_args()
    net = encoder(options.base)
    if options.weights:
        net.load_state_dict(network.between(net.state_dict(), torch.load(options.weights), options.share))
    os.makedirs(options.out, exist_ok=True)
    ids = torch.tensor([[101, 2023, 2003, 102]])
    inputs = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    model, second, words = (os.path.join(options.out, n) for n in ("model.onnx", "joint.onnx", "words.bin"))
    for old in (second, words):
        if os.path.exists(old):
            os.remove(old)
    some = list(texts(net))
    level(net.bert, lambda: [read(net.bert, ids, [0] * len(ids)) for ids, _ in some])
    write(States(net.bert), inputs, names, "last_hidden_state", model)
    if options.joint:
        learned = joint.Joint(encoder(options.base).bert)
        learned.load_state_dict(torch.load(options.joint))
        level(learned.bert, lambda: [read(learned.bert, *joint.sequence(ids[1:-1], shown)[:2]) for ids, shown in some])
        write(Scores(learned.eval()), inputs, names, "scores", second)
        apart(model, words)
        apart(second, words)
    shutil.copyfile(os.path.join(options.base, "tokenizer.json"), os.path.join(options.out, "tokenizer.json"))


if __name__ == "__main__":
    main()
