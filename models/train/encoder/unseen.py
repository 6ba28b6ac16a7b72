"""How well an encoder orders what its fold left out, without a scorer.

    python unseen.py --base FOLDER --given DATA [--weights FILE] [--share S] [--fold N]

Printed: the share of requests whose capability stands first, by the sum of the
best trigger, the mean of the best three and the card, among those of its tap:
on the known tap and on taps never seen; and recall@5 of MetaTool's training
questions for tools never seen, 700 of them.
"""

import argparse
import os
import random

import numpy as np
import torch

import data
import learn
import model as network


@torch.no_grad()
def vectors(net, texts, kind):
    with network.short():
        states = net.states([net.tokens(t, learn.LONGEST[kind]) for t in texts])
    return network.pooled(states).numpy()


def first(net, field, rows):
    """Per row, whether what stands first is what it asks for."""
    asked = vectors(net, [r.text for r in rows], "request")
    columns = []
    for texts in field.texts:
        card, triggers = vectors(net, texts[:1], "card"), vectors(net, texts[1:], "trigger")
        near = np.sort(asked @ triggers.T, 1)[:, ::-1]
        columns.append(near[:, 0] + near[:, :3].mean(1) + asked @ card[0])
    return [int(s.argmax() in r.expect) for s, r in zip(np.stack(columns, 1), rows)]


def measure(net, fields, spare):
    known, taps, tools = [], [], 0.0
    for field in fields:
        if field.source == "routing" and (field.name == "" or field.name in spare.taps):
            rows = [r for r in field.rows if r.expect and spare.row(field, r)]
            (known if field.name == "" else taps).extend(first(net, field, rows))
        elif field.name == "metatool":
            rows = [r for r in field.rows if spare.thing(field, field.names[r.expect[0]])]
            rows = random.Random(3).sample(rows, 700)
            near = vectors(net, [r.text for r in rows], "request") @ vectors(net, [t[0] for t in field.texts], "tool").T
            tools = np.mean([r.expect[0] in order[:5] for r, order in zip(rows, np.argsort(-near, 1))])
    return {"known": np.mean(known), "taps": np.mean(taps), "tools": tools}


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--given", required=True)
    a.add_argument("--weights")
    a.add_argument("--share", type=float, default=1.0)
    a.add_argument("--fold", type=int, default=0)
    options = a.parse_args()
    net = network.Encoder(options.base)
    if options.weights:
        net.load_state_dict(network.between(net.state_dict(), torch.load(options.weights), options.share))
    net.eval()
    fields = data.load(options.given, os.path.join(data.HERE, "../data"))
    got = measure(net, fields, data.Spare(options.fold))
    print(f"known tap {got['known']:.3f}  taps never seen {got['taps']:.3f}  tools never seen {got['tools']:.3f}", flush=True)


if __name__ == "__main__":
    main()
