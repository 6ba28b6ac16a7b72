"""How well a joint network chooses among what its fold left out, without a scorer.

    python chosen.py --base FOLDER --given DATA --encoder FILE [--joint FILE] [--fold N]

Of the rows on the known tap and on taps never seen, the four capabilities that
the encoder puts first are read. Printed: the share of requests whose capability
is chosen, and the shares chosen rightly with so much confidence that of the rows
that ask for nothing 3 and 5 % are answered. Without a joint network the encoder's
order stands, and there is no confidence.
"""

import argparse
import os
import sys

import numpy as np
import torch

import data
import joint
import model as network

sys.path.insert(0, os.path.join(data.HERE, ".."))
from measure import line  # noqa: E402

READ, PART = 4, 64


@torch.no_grad()
def choose(chooser, ranked):
    """Per row, the thing that is chosen and its probability."""
    out = [None] * len(ranked.rows)
    rows = [(i, joint.sequence(ranked.requests[i], [ranked.candidate(i, t) for t in order[:READ]])) for i, order in enumerate(ranked.order)]
    rows.sort(key=lambda r: len(r[1][0]))
    for start in range(0, len(rows), PART):
        part = rows[start : start + PART]
        for (i, _), (each, none) in zip(part, chooser([s for _, s in part])):
            p = torch.softmax(torch.cat([each, none]), 0)[:-1]
            out[i] = int(ranked.order[i][int(p.argmax())]), float(p.max())
    return out


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--given", required=True)
    a.add_argument("--encoder", required=True)
    a.add_argument("--joint")
    a.add_argument("--fold", type=int, default=0)
    options = a.parse_args()
    net = network.Encoder(options.base)
    net.load_state_dict(network.between(net.state_dict(), torch.load(options.encoder), network.SHARE))
    net.eval()
    chooser = None
    if options.joint:
        chooser = joint.Joint(network.Encoder(options.base).bert)
        chooser.load_state_dict(torch.load(options.joint))
        chooser.eval()
    spare, found = data.Spare(options.fold), {"known tap": [], "taps never seen": []}
    for f in data.load(options.given, os.path.join(data.HERE, "../data")):
        # What a domain excludes is not judged: that is the scorer's.
        rows = [r for r in f.rows if f.source == "routing" and r.kind != "out-of-domain" and spare.row(f, r)]
        if not rows or f.name and f.name not in spare.taps:
            continue
        ranked = joint.Ranked(net, f, rows)
        made = choose(chooser, ranked) if chooser else [(order[0], 1.0) for order in ranked.order]
        found["taps never seen" if f.name else "known tap"] += [(t in r.expect, p, not r.expect) for r, (t, p) in zip(rows, made)]
    for name, rows in found.items():
        right, confidence, nothing = (np.array(x) for x in zip(*rows))
        said = f"{name}: {right[~nothing].mean():.3f}"
        if chooser:
            said += "".join(f" {(right & (confidence >= line(confidence, nothing, x)))[~nothing].mean():.3f}" for x in (0.03, 0.05))
        print(said, end="  ")
    print(flush=True)


if __name__ == "__main__":
    main()
