"""Train the encoder.

    python learn.py --base FOLDER --given DATA --out FOLDER [--public FILE] [--steps N]

The base is a folder with the float weights of MiniLM. Everything that is drawn
is drawn from one seed.
"""

import argparse
import json
import math
import os
import random
import time

import torch
from torch.nn.functional import log_softmax, normalize
from torch.nn.utils.rnn import pad_sequence

import data
import model as network

SCALE = 20.0  # of a cosine, before a softmax
LEFT_OUT = -1e4  # the score of what is neither right nor wrong
LONGEST = {"request": 56, "card": 40, "tool": 64, "trigger": 16}


KEYS = {"a": "sq", "e": "wr", "i": "uo", "o": "ip", "n": "mb", "t": "ry", "s": "ad", "r": "et"}


def noisy(text, chance):
    """One to three typing errors, or all in lower case."""
    if chance.random() < 0.4:
        return text.lower()
    c = list(text)
    for _ in range(chance.randint(1, 3)):
        if len(c) < 8:
            break
        i = chance.randrange(1, len(c) - 1)
        kind = chance.random()
        if kind < 0.35:
            c[i], c[i + 1] = c[i + 1], c[i]
        elif kind < 0.7:
            del c[i]
        elif c[i].lower() in KEYS:
            c[i] = chance.choice(KEYS[c[i].lower()])
    return "".join(c)


class Batches:
    """Draws batches: parts of fields with rows that ask about them."""

    def __init__(self, fields, spare, options):
        self.chance = random.Random(options.seed)
        self.options = options
        self.rows = {id(f): [r for r in f.rows if not spare.row(f, r)] for f in fields}
        self.things = {id(f): [i for i, name in enumerate(f.names) if not spare.thing(f, name)] for f in fields}
        fields = [f for f in fields if self.rows[id(f)]]
        self.routing = [f for f in fields if f.source == "routing"]
        self.tools = [f for f in fields if f.source != "routing"]
        self.left = {}

    def take(self, field, n):
        """The next rows of a field, in an order that is drawn anew each time through."""
        out = []
        while len(out) < n:
            left = self.left.setdefault(id(field), [])
            if not left:
                left.extend(self.rows[id(field)])
                self.chance.shuffle(left)
            out.append(left.pop())
        return out

    def choose(self, fields, power):
        return self.chance.choices(fields, [len(self.rows[id(f)]) ** power for f in fields])[0]

    def part(self, field, n, things, triggers):
        rows = self.take(field, n)
        use = {i for r in rows for i in r.expect + r.near[:2]}
        rest = [i for i in self.things[id(field)] if i not in use]
        use = sorted(use | set(self.chance.sample(rest, max(0, min(len(rest), things - len(use))))))
        texts = []
        for i in use:
            mine = field.texts[i]
            card = mine[0] if len(mine) == 1 else self.dropped(mine[0], field.names[i])
            texts.append([card] + self.chance.sample(mine[1:], min(triggers, len(mine) - 1)))
        said = [noisy(r.text, self.chance) if self.chance.random() < self.options.typos else r.text for r in rows]
        return field, rows, said, use, texts

    def dropped(self, card, name):
        """A card with the capability's name before it now and then, or without its title."""
        x = self.chance.random()
        if x < self.options.dropped / 2:
            return f"{data.words(name)}. {card}"
        if x < self.options.dropped and ". " in card:
            return card.split(". ", 1)[1]
        return card

    def next(self):
        if self.chance.random() < self.options.routing:
            return [self.part(self.choose(self.routing, 0.8), 16, 16, 3) for _ in range(3)]
        big = [f for f in self.tools if len(self.rows[id(f)]) > 300]
        if big and self.chance.random() < 0.7:
            return [self.part(self.choose(big, 0.6), 32, 36, 0)]
        return [self.part(self.choose([f for f in self.tools if f not in big], 1), 16, 24, 0) for _ in range(2)]


def texts_of(net, parts):
    """Token rows of a batch without doubles, and where each text is in them."""
    at, rows = {}, []

    def add(text, kind):
        key = (text, kind)
        if key not in at:
            at[key] = len(rows)
            rows.append(net.tokens(text, LONGEST[kind]))
        return at[key]

    out = []
    for field, _, said, _, texts in parts:
        kind = "card" if field.source == "routing" else "tool"
        out.append(([add(s, "request") for s in said], [[add(t, kind if i == 0 else "trigger") for i, t in enumerate(own)] for own in texts]))
    return rows, out


def late(states, requests, owns):
    """How well each token of a request finds its like among those of a thing: [requests, things]."""
    def padded(rows):
        x = pad_sequence([normalize(r.float(), dim=1) for r in rows], batch_first=True)
        length = torch.tensor([len(r) for r in rows])
        return x, torch.arange(x.shape[1])[None] < length[:, None]

    q, q_mask = padded([states[i][1:-1] for i in requests])
    t, t_mask = padded([torch.cat([states[i][1:-1] for i in own]) for own in owns])
    like = torch.einsum("qid,tjd->qtij", q, t).masked_fill(~t_mask[None, :, None, :], -1.0).amax(3)
    return (like * q_mask[:, None, :]).sum(2) / q_mask.sum(1)[:, None].clamp(min=1)


def contrast(s, none, asked, right, several):
    """The mean negative log probability of what is right. s: [requests, things], none: [requests, 1]."""
    logp = log_softmax(torch.cat([s, none], 1), 1)
    out = []
    for i, r in enumerate(asked):
        if several and right[i, :-1].sum() > 1:
            # Several are needed: each for itself against what is wrong.
            wrong = torch.cat([s[i][~right[i, :-1]], none[i]])
            each = [-log_softmax(torch.cat([s[i, j : j + 1], wrong]), 0)[0] for j in right[i, :-1].nonzero()[:, 0]]
            out.append(torch.stack(each).mean())
        else:
            out.append(-torch.logsumexp(logp[i][right[i]], 0) * (0.5 if r.kind == "ambiguous" else 1.0))
    return torch.stack(out)


def losses(net, parts):
    """Of vectors and of tokens."""
    rows, places = texts_of(net, parts)
    with network.short():
        states = net.states(rows)
    vectors = network.pooled(states)
    whole, tokens = [], []
    for (field, asked, _, use, _), (requests, owns) in zip(parts, places):
        at = {thing: j for j, thing in enumerate(use)}
        q = vectors[requests]
        # What a thing is like is the best of its texts, softly.
        s = torch.stack([torch.logsumexp(SCALE * (q @ vectors[own].T), 1) - math.log(len(own)) for own in owns], 1)
        right, helps = (torch.zeros(len(asked), len(use) + more, dtype=torch.bool) for more in (1, 0))
        for i, r in enumerate(asked):
            want = r.expect or (r.near if r.kind == "out-of-domain" else [])
            for thing in want:
                right[i, at[thing]] = True
            right[i, -1] = not want
            helps[i, [at[t] for t in r.helps if t in at]] = True
        put = net.put(8 * q)
        several = field.source != "routing"
        whole.append(contrast(s.masked_fill(helps, LEFT_OUT), SCALE * net.none[0] + put, asked, right, several))
        tokens.append(contrast((SCALE * late(states, requests, owns)).masked_fill(helps, LEFT_OUT), SCALE * net.none[1] + put, asked, right, several))
    return torch.cat(whole).mean(), torch.cat(tokens).mean()


def groups(net, lr):
    """Parameters that learn; vectors of words stay as they are."""
    net.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    new = [p for n, p in net.named_parameters() if n == "none" or n.startswith("put.")]
    old = [p for n, p in net.named_parameters() if p.requires_grad and n.startswith("bert.")]
    return [{"params": old, "rate": lr}, {"params": new, "rate": 5e-3, "weight_decay": 0.0}]


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--given")
    a.add_argument("--public")
    a.add_argument("--out", required=True)
    a.add_argument("--start", help="weights to go on from; none: those of the base")
    a.add_argument("--fold", type=int, help="leave this fold of folds.json out; none: nothing")
    a.add_argument("--steps", type=int, default=2400)
    a.add_argument("--lr", type=float, default=5e-5)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--routing", type=float, default=0.6, help="share of batches that are routing")
    a.add_argument("--typos", type=float, default=0.12)
    a.add_argument("--dropped", type=float, default=0.3, help="share of cards with a name put before them, or the title left out")
    a.add_argument("--leave", choices=data.LEAVE, help="rows to leave out, to see what they are worth")
    a.add_argument("--tokens", type=float, default=0.5, help="weight of what tokens say")
    options = a.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(2)
    here = os.path.dirname(os.path.abspath(__file__))
    fields = data.without(data.load(options.given, os.path.join(here, "../data"), options.public), options.leave)
    net = network.Encoder(options.base)
    if options.start:
        net.load_state_dict(torch.load(options.start))
    net.train()
    batches = Batches(fields, data.Nothing() if options.fold is None else data.Spare(options.fold), options)
    optimizer = torch.optim.AdamW(groups(net, options.lr), lr=options.lr, weight_decay=0.01)
    start, seen = time.time(), [0.0, 0.0]
    os.makedirs(options.out, exist_ok=True)
    for step in range(options.steps):
        ramp = min((step + 1) / (0.06 * options.steps + 1), 1.0) * max(0.02, 1 - step / options.steps)
        for g in optimizer.param_groups:
            g["lr"] = g["rate"] * ramp
        whole, tokens = losses(net, batches.next())
        optimizer.zero_grad(set_to_none=True)
        (whole + options.tokens * tokens).backward()
        torch.nn.utils.clip_grad_norm_([p for g in optimizer.param_groups for p in g["params"]], 1.0)
        optimizer.step()
        seen = [0.97 * x + 0.03 * float(y.detach()) for x, y in zip(seen, (whole, tokens))]
        if (step + 1) % 20 == 0:
            fair = 1 - 0.97 ** (step + 1)
            print(f"step {step + 1}/{options.steps}  {time.time() - start:.0f} s  vectors {seen[0] / fair:.4f}  tokens {seen[1] / fair:.4f}  none at {net.none.tolist()}", flush=True)
    network.save(net.state_dict(), os.path.join(options.out, "weights.pt"))
    with open(os.path.join(options.out, "run.json"), "w") as f:
        json.dump(vars(options) | {"seconds": round(time.time() - start)}, f, indent=1)


if __name__ == "__main__":
    main()
