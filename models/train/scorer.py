"""The scorer: linear in its features, a softmax over candidates and "none"."""

import numpy as np
from scipy.optimize import minimize

RELATIVES, SUMMARIES = 6, 5


def relate(raw, outside):
    """raw [rows, candidates, features], outside [rows, candidates] -> candidate and field features.

    The same numbers as core/activate/relative.go computes; the last one of a
    candidate is whether the session's domain excludes it.
    """
    mean = raw.mean(1, keepdims=True)
    deviation = raw.std(1, keepdims=True) + 1e-3
    best = raw.max(1, keepdims=True)
    second = np.sort(raw, 1)[:, -2:-1] if raw.shape[1] > 1 else mean
    rival = np.where(raw == best, second, best)
    outside = outside[:, :, None]
    inside = np.where(outside, -np.inf, raw).max(1, keepdims=True)
    lead = raw - np.where(np.isinf(inside), 0, inside)
    candidate = [raw, raw - mean, (raw - mean) / deviation / 4, raw - rival,
                 np.where(outside, 0, lead), np.where(outside, lead, 0), outside.astype(float)]
    field = [best, best - second, (best - mean) / deviation / 4, mean, deviation]
    return np.concatenate(candidate, 2), np.concatenate([x[:, 0] for x in field], 1)


class Block:
    """Rows of one tap: what the scorer sees, and what it should answer."""

    def __init__(self, rows, words):
        self.candidate, self.field = relate(rows.raw, rows.gated)
        self.vector, self.wording = rows.vector, rows.wording(words)
        self.accept = rows.accept()  # [rows, candidates + 1], the last is none


class Weights:
    def __init__(self, candidate, field, vector, wording, bias):
        self.candidate, self.field = candidate, field
        self.vector, self.wording, self.bias = vector, wording, bias

    def probabilities(self, b):
        none = b.field @ self.field + b.vector @ self.vector + b.wording @ self.wording + self.bias
        z = np.concatenate([b.candidate @ self.candidate, none[:, None]], 1)
        z = np.exp(z - z.max(1, keepdims=True))
        return z / z.sum(1, keepdims=True)


def fit(blocks, penalty):
    """Minimise the mean negative log probability of what is accepted.

    penalty: L2 for "candidate", "field", "vector" and "wording".
    """

    def pooled(part):
        return np.concatenate([x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1]) for x in (getattr(b, part) for b in blocks)])

    parts = ["candidate", "field", "vector", "wording"]
    shift, scale = {}, {}
    for part in parts:
        x = pooled(part)
        shift[part] = x.mean(0)
        scale[part] = x.std(0) + 1e-6 if part in ("candidate", "field") else np.ones(x.shape[1])
    scale["vector"] = scale["vector"] / 8  # its entries are small: 384 of them make length 1
    data = [{p: (getattr(b, p) - shift[p]) / scale[p] for p in parts} | {"accept": b.accept} for b in blocks]
    total = sum(len(b.accept) for b in blocks)
    sizes = [len(shift[p]) for p in parts]
    ends = np.cumsum([0] + sizes)
    l2 = np.concatenate([np.full(n, penalty[p]) for p, n in zip(parts, sizes)] + [[0.0]])

    def loss(theta):
        w = {p: theta[a:b] for p, a, b in zip(parts, ends, ends[1:])}
        g = {p: np.zeros(n) for p, n in zip(parts, sizes)}
        bias, value = 0.0, 0.0
        for d in data:
            none = d["field"] @ w["field"] + d["vector"] @ w["vector"] + d["wording"] @ w["wording"] + theta[-1]
            z = np.concatenate([d["candidate"] @ w["candidate"], none[:, None]], 1)
            e = np.exp(z - z.max(1, keepdims=True))
            accepted = e * d["accept"]
            all_sum, accepted_sum = e.sum(1, keepdims=True), accepted.sum(1, keepdims=True) + 1e-30
            value -= np.log(accepted_sum / all_sum).sum()
            dz = (e / all_sum - accepted / accepted_sum) / total
            g["candidate"] += np.tensordot(dz[:, :-1], d["candidate"], 2)
            for p in parts[1:]:
                g[p] += dz[:, -1] @ d[p]
            bias += dz[:, -1].sum()
        gradient = np.concatenate([g[p] for p in parts] + [[bias]])
        return value / total + 0.5 * (l2 * theta * theta).sum(), gradient + l2 * theta

    theta = minimize(loss, np.zeros(ends[-1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    plain = {p: theta[a:b] / scale[p] for p, a, b in zip(parts, ends, ends[1:])}
    bias = theta[-1] - sum(plain[p] @ shift[p] for p in parts[1:]) + plain["candidate"] @ shift["candidate"]
    return Weights(plain["candidate"], plain["field"], plain["vector"], plain["wording"], bias)
