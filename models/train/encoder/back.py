"""Read the networks of a bundle back into float weights, so that training can go on from them.

    python back.py --base FOLDER --model BUNDLE --out FOLDER

It writes weights.pt and joint.pt, as learn.py and joint.py do. What eight bits
lost stays lost; what levelling moved from states into matrices is moved back.
"""

import argparse
import os

import onnx
import torch
from onnx import numpy_helper

import joint
import model as network


class Graph:
    """A quantised graph, and where its values come from and go to."""

    def __init__(self, path):
        graph = onnx.load(path, load_external_data=False).graph
        self.nodes = graph.node
        self.there = {t.name: t for t in graph.initializer}
        self.there |= {n.output[0]: n.attribute[0].t for n in graph.node if n.op_type == "Constant"}
        self.made = {out: n for n in graph.node for out in n.output}
        self.read = {name: n for n in graph.node for name in n.input}

    def number(self, name):
        return torch.from_numpy(numpy_helper.to_array(self.there[name]).copy())

    def vectors(self, node):
        """Constant vectors that a node reads."""
        return [name for name in node.input if name in self.there and len(self.there[name].dims) == 1]

    def weights(self):
        """In floating point, by the names that the network has for them."""
        out = {name: self.number(name) for name in self.there if name.endswith((".bias", "LayerNorm.weight"))}
        for name in self.there:
            # The vectors of words stay the base's.
            if name.endswith("embeddings.weight_quantized") and ".word_embeddings." not in name:
                plain = name.removesuffix("_quantized")
                out[plain] = (self.number(name).float() - self.number(plain + "_zero_point").float()) * self.number(plain + "_scale")
        for node in self.nodes:
            if node.op_type == "MatMulInteger":
                own = node.input[1].removesuffix("_quantized")
                weight = (self.number(own + "_quantized") * self.number(own + "_scale")).T
                levelled = self.made[self.made[node.input[0]].input[0]]
                if levelled.op_type == "Mul" and (by := self.vectors(levelled)):
                    weight = weight * self.number(by[0])
                while node.op_type != "Add":
                    node = self.read[node.output[0]]
                out[self.vectors(node)[0].removesuffix("bias") + "weight"] = weight
        return out

    def heads(self):
        """The weights that turn a token's state into its scores, in their order."""
        return [self.number(name)[None] for name in self.there if name.startswith("onnx::Mul_")]


def load(module, learned):
    """Put weights into a module that has no others, but for vectors of words and what shapes the encoder's training."""
    missing, unexpected = module.load_state_dict(learned, strict=False)
    lacking = [k for k in missing if ".word_embeddings." not in k and not k.startswith("put.") and k != "none"]
    if lacking or unexpected:
        raise SystemExit(f"the graph lacks {lacking[:3]}, and has {unexpected[:3]}")


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--model", required=True, help="folder of the bundle")
    a.add_argument("--out", required=True)
    options = a.parse_args()
    os.makedirs(options.out, exist_ok=True)
    net = network.Encoder(options.base)
    second = joint.Joint(network.Encoder(options.base).bert)
    base = {k: v.clone() for k, v in net.state_dict().items()}
    load(net, Graph(os.path.join(options.model, "model.onnx")).weights())
    # What is written is cut back towards the base again when it is read.
    network.save(network.between(base, net.state_dict(), 1 / network.SHARE), os.path.join(options.out, "weights.pt"))
    graph = Graph(os.path.join(options.model, "joint.onnx"))
    learned = {k.removeprefix("joint."): v for k, v in graph.weights().items()}
    learned["candidate.weight"], learned["none.weight"] = graph.heads()
    load(second, learned)
    network.save(second.state_dict(), os.path.join(options.out, "joint.pt"))


if __name__ == "__main__":
    main()
