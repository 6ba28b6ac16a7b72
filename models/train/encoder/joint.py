"""Train the second network: it reads a request together with the few capabilities
that come into question, in one go, and says which is asked for, or none.

    python joint.py --base FOLDER --given DATA --encoder FILE --out FOLDER [--public FILE] [--fold N]

It starts from the encoder, whose order decides which candidates a row is shown
with. What is read: [CLS] request [SEP] candidate [SEP] candidate [SEP] ..., a
candidate being the beginning of its description and the trigger that is nearest to the
request. A candidate's score is read from the mean of its states, that of "none"
from the state of [CLS].
"""

import argparse
import json
import os
import random
import time

import numpy as np
import torch
from torch.nn.functional import log_softmax

import data
import learn
import model as network
from unseen import vectors

CARD, TRIGGER = data.CARD, data.TRIGGER  # tokens at most
CLS, SEP, STOP = 101, 102, 1012
LONG = 44  # from so many tokens on a request is long
MOST = 4000  # rows of one set of tools
PART = 8  # rows that are read at once
SHOWN = [4, 4, 4, 4, 3, 5, 2, 1]  # how many candidates a row is trained with
BRIEF = 8, 8, 0.5  # a search reads so many tools, so many tokens of each; the share of their rows that are trained so


class Joint(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert
        self.candidate, self.none = (torch.nn.Linear(bert.config.hidden_size, 1) for _ in range(2))
        for part in (self.candidate, self.none):
            torch.nn.init.normal_(part.weight, std=0.02)
            torch.nn.init.zeros_(part.bias)

    def forward(self, sequences):
        """Per sequence the scores of its candidates, and that of none."""
        width = max(len(ids) for ids, _, _ in sequences)
        ids, mask, types = (torch.zeros(len(sequences), width, dtype=torch.long) for _ in range(3))
        for i, (row, kinds, _) in enumerate(sequences):
            ids[i, : len(row)], mask[i, : len(row)], types[i, : len(row)] = torch.tensor(row), 1, torch.tensor(kinds)
        with network.short(), network.attention():
            states = self.bert(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state
        out = []
        for own, (_, _, spans) in zip(states.float(), sequences):
            means = torch.stack([own[start:end].mean(0) for start, end in spans])
            out.append((self.candidate(means)[:, 0], self.none(own[0])))
        return out


def read(net, text):
    """The tokens of a request that are read: of a long one, its beginning and its end."""
    return net.tokens(text, data.REQUEST + 2, data.TAIL + 1)[1:-1]


def sequence(request, candidates):
    """Token ids, types, and where each candidate stands, its [SEP] included."""
    ids, spans = [CLS, *request, SEP], []
    types = [0] * len(ids)
    for c in candidates:
        spans.append((len(ids), len(ids) + len(c) + 1))
        ids += [*c, SEP]
    return ids, types + [1] * (len(ids) - len(types)), spans


class Ranked:
    """Rows of a field with its things in the encoder's order for each."""

    def __init__(self, net, field, rows):
        self.field, self.rows = field, rows
        asked = vectors(net, [r.text for r in rows], "request")
        score = asked @ vectors(net, [t[0] for t in field.texts], "card" if field.source == "routing" else "tool").T
        self.triggers = [None] * len(field.names)  # per thing: its triggers, nearest first, per row
        for i, texts in enumerate(field.texts):
            if len(texts) > 1:
                near = asked @ vectors(net, texts[1:], "trigger").T
                best = np.sort(near, 1)[:, ::-1]
                score[:, i] += best[:, 0] + best[:, :3].mean(1)
                self.triggers[i] = np.argsort(-near, 1)[:, :4]
        self.order = np.argsort(-score, 1)[:, :12]
        self.requests = [read(net, r.text) for r in rows]
        # What may stand around a request in a long one: talk that asks for nothing that is there.
        self.talk = [i for i, r in enumerate(rows) if r.kind in ("no-capability", "chitchat/ack") and len(self.requests[i]) < LONG]
        said = field.said or [t[0] for t in field.texts]
        self.tokens = [[net.tokens(t, 64)[1:-1] for t in [first, *texts[1:]]] for first, texts in zip(said, field.texts)]
        # Tools as a search has them read: by name, since the server's can take all the room there is.
        self.brief = [net.tokens(texts[0].split(" ", 1)[-1], 64)[1:-1][: BRIEF[1]] for texts in field.texts]

    def candidate(self, row, thing, chance=None):
        """The text of a candidate; with chance, now and then only a part of it or with another trigger."""
        card = self.tokens[thing][0]
        if self.triggers[thing] is None:
            return card[: CARD + TRIGGER]
        near = self.triggers[thing][row]
        trigger = self.tokens[thing][1 + (chance.choice(near) if chance and chance.random() < 0.15 else near[0])][:TRIGGER]
        x = chance.random() if chance else 1
        if x < 0.07:
            return card[: CARD + TRIGGER]
        return trigger if x < 0.14 else [*card[:CARD], STOP, *trigger]


class Draw:
    """Draws rows with candidates."""

    def __init__(self, ranked, spare, net, options):
        self.net, self.options, self.chance = net, options, random.Random(options.seed)
        self.groups = [[r for r in ranked if (r.field.source == "routing") == routing] for routing in (True, False)]
        self.spare = {id(r): {i for i, n in enumerate(r.field.names) if spare.thing(r.field, n)} for r in ranked}
        self.left = {}

    def field(self, group, power):
        """One of these, drawn by its rows; the known tap as often as was said, where that was said."""
        known = [r for r in group if r.field.source == "routing" and not r.field.name]
        if known and self.options.known is not None:
            others = [r for r in group if r not in known]
            group = known if not others or self.chance.random() < self.options.known else others
        return self.chance.choices(group, [len(r.rows) ** power for r in group])[0]

    def next(self):
        """A sequence, which of its candidates or none is right, and what the row counts."""
        while True:
            routing = not self.groups[1] or bool(self.groups[0]) and self.chance.random() < self.options.routing
            ranked = self.field(self.groups[0 if routing else 1], 0.9 if routing else 0.5)
            left = self.left.setdefault(id(ranked), [])
            if not left:
                long = [i for i, r in enumerate(ranked.requests) if len(r) >= LONG] if routing else []
                left.extend([*range(len(ranked.rows)), *long * (self.options.long - 1)])
                self.chance.shuffle(left)
            i = left.pop()
            row = ranked.rows[i]
            want = list(row.expect or (row.near if row.kind == "out-of-domain" else []))
            pool = [t for t in ranked.order[i] if t not in self.spare[id(ranked)]]
            if not routing:
                pool = row.near[:3] + pool
            wrong = [t for t in dict.fromkeys(pool) if t not in want and t not in row.expect and t not in row.helps]
            # With what it asks for taken away, a request asks for nothing that is there.
            if routing and self.chance.random() < self.options.gone:
                want = []
            right = self.chance.sample(want, min(len(want), 1 if self.chance.random() < 0.8 else 2))
            many, _, share = BRIEF
            brief = not routing and self.chance.random() < share
            shown = (many if brief else self.chance.choice(SHOWN)) - len(right)
            wrong = wrong[: shown + 2]
            if self.chance.random() < 0.5:
                self.chance.shuffle(wrong)
            use = right + wrong[: max(0, shown)]
            if not use:
                continue
            self.chance.shuffle(use)
            request = ranked.requests[i]
            if self.chance.random() < self.options.typos:
                request = read(self.net, learn.noisy(row.text, self.chance))
            elif routing and len(request) < LONG and self.chance.random() < self.options.among:
                request = self.among(ranked, row)
            accept = torch.tensor([t in right for t in use] + [not want])
            texts = [ranked.brief[t] if brief else ranked.candidate(i, t, self.chance) for t in use]
            return sequence(request, texts), accept, self.options.ambiguous if row.kind == "ambiguous" else 1.0

    def among(self, ranked, row):
        """A request in the middle of talk that asks for nothing, as the tokens of one text."""
        talk = [ranked.rows[i].text for i in self.chance.sample(ranked.talk, min(len(ranked.talk), self.chance.choice([1, 1, 2, 3])))]
        talk.insert(self.chance.randint(0, len(talk)), row.text)
        return read(self.net, self.chance.choice([" ", "\n", "\n\n"]).join(talk))


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--base", required=True)
    a.add_argument("--given")
    a.add_argument("--public")
    a.add_argument("--encoder", required=True, help="weights of the first network, as learn.py wrote them")
    a.add_argument("--start", help="weights to go on from; none: those of the encoder")
    a.add_argument("--out", required=True)
    a.add_argument("--fold", type=int, help="leave this fold of folds.json out; none: nothing")
    a.add_argument("--steps", type=int, nargs="+", default=[800], help="of one course after the other; of what a later one has learned half is kept")
    a.add_argument("--batch", type=int, default=32)
    a.add_argument("--lr", type=float, nargs="+", default=[8e-5], help="at most, of each course; one: of all")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--routing", type=float, default=0.7, help="share of rows that are routing")
    a.add_argument("--known", type=float, help="share of these that are on the known tap; none: by its rows")
    a.add_argument("--typos", type=float, default=0.12)
    a.add_argument("--among", type=float, default=0.08, help="share of short routing requests that are put among talk")
    a.add_argument("--long", type=int, default=3, help="how many times as often long routing requests are read")
    a.add_argument("--ambiguous", type=float, default=1.0, help="what a request counts that could be of two")
    a.add_argument("--gone", type=float, default=0.12, help="share of requests that are not shown what they ask for")
    a.add_argument("--leave", choices=data.LEAVE, help="rows to leave out, to see what they are worth")
    options = a.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(2)
    fields = data.without(data.load(options.given, os.path.join(data.HERE, "../data"), options.public), options.leave)
    spare = data.Nothing() if options.fold is None else data.Spare(options.fold)
    net = network.Encoder(options.base)
    net.load_state_dict(network.between(net.state_dict(), torch.load(options.encoder), network.SHARE))
    net.eval()
    start, ranked = time.time(), []
    for f in fields:
        rows = [r for r in f.rows if not spare.row(f, r)]
        if f.source != "routing" and len(rows) > MOST:
            rows = random.Random(options.seed).sample(rows, MOST)
        if rows:
            ranked.append(Ranked(net, f, rows))
    print(f"{sum(len(r.rows) for r in ranked)} rows in order  {time.time() - start:.0f} s", flush=True)
    joint = Joint(net.bert)
    if options.start:
        joint.load_state_dict(torch.load(options.start))
    joint.train()
    joint.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    new = [p for n, p in joint.named_parameters() if not n.startswith("bert.")]
    old = [p for n, p in joint.named_parameters() if p.requires_grad and n.startswith("bert.")]
    draw = Draw(ranked, spare, net, options)
    for i, steps in enumerate(options.steps):
        before = {k: v.detach().clone() for k, v in joint.state_dict().items()}
        course(joint, draw, old, new, steps, options.lr[min(i, len(options.lr) - 1)], options.batch)
        if i:
            joint.load_state_dict(network.between(before, joint.state_dict(), 0.5))
    os.makedirs(options.out, exist_ok=True)
    network.save(joint.state_dict(), os.path.join(options.out, "joint.pt"))
    with open(os.path.join(options.out, "joint.json"), "w") as f:
        json.dump(vars(options) | {"seconds": round(time.time() - start)}, f, indent=1)


def course(joint, draw, old, new, steps, lr, batch):
    """Train so many steps, from a rate that rises quickly to one that has come to nothing."""
    optimizer = torch.optim.AdamW([{"params": old, "rate": lr}, {"params": new, "rate": 12 * lr, "weight_decay": 0.0}], lr=lr, weight_decay=0.01)
    start, seen = time.time(), 0.0
    for step in range(steps):
        ramp = min((step + 1) / (0.06 * steps + 1), 1.0) * max(0.02, 1 - step / steps)
        for g in optimizer.param_groups:
            g["lr"] = g["rate"] * ramp
        optimizer.zero_grad(set_to_none=True)
        rows, total = sorted((draw.next() for _ in range(batch)), key=lambda r: len(r[0][0])), 0.0
        # Rows of like length together: less to pad, and the same step.
        for part in (rows[i : i + PART] for i in range(0, len(rows), PART)):
            loss = 0.0
            for (each, none), (_, accept, weight) in zip(joint([s for s, _, _ in part]), part):
                loss = loss - weight * torch.logsumexp(log_softmax(torch.cat([each, none]), 0)[accept], 0)
            loss = loss / len(rows)
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_([*old, *new], 1.0)
        optimizer.step()
        seen = 0.97 * seen + 0.03 * total
        if (step + 1) % 20 == 0:
            print(f"step {step + 1}/{steps}  {time.time() - start:.0f} s  {seen / (1 - 0.97 ** (step + 1)):.4f}", flush=True)


if __name__ == "__main__":
    main()
