"""Labelled rows with the features that the product computes of them."""

import collections
import json
import subprocess

import numpy as np

NEAR_KIND = "out-of-domain"  # such a row may be won by a capability that its domain excludes


class Rows:
    """The rows of one tap and one set."""

    def __init__(self, lines, names):
        self.lines = lines
        self.names = names
        self.raw = np.array([r["features"] for r in lines])
        self.vector = np.array([r["vector"] or [] for r in lines]).reshape(len(lines), len(lines[0]["vector"] or []))
        self.gated = np.array([r["gated"] for r in lines])
        self.expected = np.array([[n in (r["expect"] or []) for n in names] for r in lines])
        self.near = np.array([r["kind"] == NEAR_KIND for r in lines])

    def wording(self, vocabulary):
        return np.array([[r["wording"].get(w, 0.0) for w in vocabulary] for r in self.lines]).reshape(len(self.lines), -1)

    def accept(self):
        """What may win: the expected; else none, or what the domain excludes."""
        nothing = ~self.expected.any(1)
        excluded = self.gated & (nothing & self.near)[:, None]
        return np.concatenate([self.expected | excluded, nothing[:, None]], 1)


def observe(command):
    """Run the features program and group its lines by (set, tap)."""
    groups = collections.OrderedDict()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as p:
        for line in p.stdout:
            r = json.loads(line)
            groups.setdefault((r["set"], r["tap"]), []).append(r)
    if p.returncode:
        raise SystemExit(f"features ended with {p.returncode}")
    return {key: Rows(lines, lines[0]["names"]) for key, lines in groups.items()}


def vocabulary(groups, least, taps):
    """The wording that comes at least `least` times and in `taps` of the taps."""
    count, where = collections.Counter(), collections.defaultdict(set)
    for (_, tap), rows in groups.items():
        for r in rows.lines:
            for w in r["wording"]:
                count[w] += 1
                where[w].add(tap)
    return sorted(w for w in count if count[w] >= least and len(where[w]) >= min(taps, len(groups)))
