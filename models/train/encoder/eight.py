"""Weights in eight bits that every processor adds alike.

    python eight.py GRAPH ...

Without VNNI an x86 processor multiplies eight bits by VPMADDUBSW: it adds the
products of two neighbours in 16 bits, and what does not fit is cut off. With
weights up to 127 one pair in fifty can come to that, and vectors then differ by
.02 from those of a processor that does not cut. So neighbours of one sign may
come to 128 together: 255 times that fits. Seven bits (ONNX Runtime's
reduce_range) would do as well, and move vectors five times as far.

A graph that is named is made so, from the eight bits that it has.
"""

import sys

import onnx
import torch
from onnx import numpy_helper

MOST = 128  # of two neighbours of one sign: 255 * 128 < 2^15
COARSER = [1 + i / 20 for i in range(17)]  # scales that are tried, as multiples of the one that has the largest weight at 127


def quantised(w):
    """Eight bits and a scale per output, of weights [outputs, inputs]: the scale that loses least."""
    finest = (w.abs().amax(1, keepdim=True) / 127).clamp(min=1e-12)
    best, scale, lost = torch.zeros_like(w), finest.clone(), torch.full_like(finest, torch.inf)
    for by in COARSER:
        q = fitted((w / (by * finest)).round())
        now = (q * (by * finest) - w).square().sum(1, keepdim=True)
        better = now < lost
        best, scale, lost = torch.where(better, q, best), torch.where(better, by * finest, scale), torch.where(better, now, lost)
    return best, scale


def fitted(q):
    """Whole numbers, with neighbours that come to too much brought down, each by half of what is over."""
    pairs = q.unflatten(1, (-1, 2))
    for sign in (1, -1):
        own = (sign * pairs).clamp(min=0)
        over = (own.sum(2) - MOST).clamp(min=0)
        larger = own[..., 0] >= own[..., 1]
        first = torch.where(larger, (over / 2).ceil(), (over / 2).floor())
        pairs = pairs - sign * torch.stack([first, over - first], 2)
    return pairs.flatten(1)


def pairs(q):
    """The most that two neighbours of one sign come to."""
    q = q.unflatten(1, (-1, 2)).int()
    return max((s * q).clamp(min=0).sum(2).max().item() for s in (1, -1))


def matrices(graph):
    """The matrices of a graph that are read in eight bits: name, and their initializers by suffix."""
    there = {t.name: t for t in graph.graph.initializer}
    for node in graph.graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            yield name, {s: there[f"{name}_{s}"] for s in ("quantized", "scale")}


def safe(path, plain=None):
    """Make a graph's matrices so, from those of a graph that is not quantised, or from its own."""
    graph = onnx.load(path, load_external_data=False)
    whole = {t.name: t for t in onnx.load(plain).graph.initializer} if plain else {}
    found = 0
    for name, own in matrices(graph):
        q, scale = (torch.from_numpy(numpy_helper.to_array(own[s]).copy()) for s in ("quantized", "scale"))
        if whole:
            w = torch.from_numpy(numpy_helper.to_array(whole[name]).copy()).T
        elif pairs(q.T) > MOST:
            w = (q * scale).T
        else:
            continue
        q, scale = quantised(w)
        if pairs(q) > MOST:
            raise SystemExit(f"{path}: {name} has neighbours that come to {pairs(q)}")
        own["quantized"].CopyFrom(numpy_helper.from_array(q.T.contiguous().to(torch.int8).numpy(), own["quantized"].name))
        own["scale"].CopyFrom(numpy_helper.from_array(scale[:, 0].numpy(), own["scale"].name))
        found += 1
    with open(path, "wb") as f:
        f.write(graph.SerializeToString())
    print(f"{path}: {found} matrices", flush=True)


if __name__ == "__main__":
    for graph in sys.argv[1:]:
        safe(graph)
