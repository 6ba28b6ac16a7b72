"""Labelled rows with the features that the product computes of them."""

import collections
import json
import subprocess

import numpy as np

NEAR_KIND = "out-of-domain"  # such a row may be won by a capability that its domain excludes
MISSING_KIND = "missing-capability"  # its capability is left out of a part of the tap
TRIGGER_KIND = "trigger"  # a trigger as a prompt


class Rows:
    """The rows of one set on one tap, or on parts of it of one size."""

    def __init__(self, lines):
        self.lines = lines
        self.raw = np.array([r["features"] for r in lines])
        self.vector = np.array([r["vector"] or [] for r in lines]).reshape(len(lines), len(lines[0]["vector"] or []))
        self.gated = np.array([r["gated"] for r in lines])
        self.expected = np.array([[n in (r["expect"] or []) for n in r["names"]] for r in lines])
        self.kind = np.array([r["kind"] for r in lines])

    def wording(self, vocabulary):
        at = {w: i for i, w in enumerate(vocabulary)}
        out = np.zeros((len(self.lines), len(vocabulary)))
        for i, r in enumerate(self.lines):
            for w, x in r["wording"].items():
                if w in at:
                    out[i, at[w]] = x
        return out

    def accept(self):
        """What may win: the expected; else none, or what the domain excludes."""
        nothing = ~self.expected.any(1)
        excluded = self.gated & (nothing & (self.kind == NEAR_KIND))[:, None]
        return np.concatenate([self.expected | excluded, nothing[:, None]], 1)

    def weight(self):
        """Rows that nobody wrote count less: whole taps have few like them."""
        return np.where(np.isin(self.kind, [MISSING_KIND, TRIGGER_KIND]), 0.3, 1.0)


def observe(command):
    """Run the features program and group its lines by (set, tap, size of the parts)."""
    groups = collections.OrderedDict()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            r = json.loads(line)
            groups.setdefault((r["set"], r["tap"], r["size"]), []).append(r)
    if p.returncode:
        raise SystemExit(f"features ended with {p.returncode}")
    return {key: Rows(lines) for key, lines in groups.items()}


def vocabulary(rows_by_tap, least, taps):
    """The wording that comes at least `least` times and in `taps` of the taps."""
    count, where = collections.Counter(), collections.defaultdict(set)
    for tap, rows in rows_by_tap.items():
        for r in rows.lines:
            for w in r["wording"]:
                count[w] += 1
                where[w].add(tap)
    return sorted(w for w in count if count[w] >= least and len(where[w]) >= min(taps, len(rows_by_tap)))
