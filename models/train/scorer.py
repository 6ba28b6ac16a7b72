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
    """Rows with equally many candidates: what the scorer sees, and what it should answer."""

    def __init__(self, rows, weight=1.0):
        self.rows = rows
        self.candidate, self.field = relate(rows.raw, rows.gated)
        self.few = rows.raw.shape[1] ** -0.5  # how much the weights for few candidates count
        self.vector = rows.vector
        self.accept = rows.accept()  # [rows, candidates + 1], the last is none
        self.weight = weight * rows.weight()


class Weights:
    """candidate, field, vector, wording and bias, and those that are added for few candidates."""

    def probabilities(self, b, words):
        none = b.field @ (self.field + b.few * self.few_field) + self.bias + b.few * self.few_bias
        none += b.vector @ self.vector + b.rows.wording(words) @ self.wording
        z = np.concatenate([b.candidate @ (self.candidate + b.few * self.few_candidate), none[:, None]], 1)
        z = np.exp(z - z.max(1, keepdims=True))
        return z / z.sum(1, keepdims=True)


def read(doc):
    """The weights of a scorer's file, and the wording that they are of."""
    w = Weights()
    w.candidate = np.array([*doc["candidate"], doc["out_of_domain"]])
    w.few_candidate = np.array([*doc["few"]["candidate"], doc["few"]["out_of_domain"]])
    w.field, w.few_field = np.array(doc["none"]["field"]), np.array(doc["few"]["field"])
    w.bias, w.few_bias = doc["none"]["bias"], doc["few"]["bias"]
    w.vector, words = np.array(doc["none"]["vector"]), list(doc["none"]["wording"])
    w.wording = np.array([doc["none"]["wording"][x] for x in words])
    return w, words


class Scale:
    """Brings features to mean 0 and deviation 1 over whole taps."""

    def __init__(self, blocks):
        self.shift, self.scale = {}, {}
        for part in ("candidate", "field"):
            x = np.concatenate([y.reshape(-1, y.shape[-1]) for y in (getattr(b, part) for b in blocks)])
            self.shift[part], self.scale[part] = x.mean(0), x.std(0) + 1e-6

    def apply(self, b):
        b.scaled = {p: ((getattr(b, p) - self.shift[p]) / self.scale[p]).astype(np.float32) for p in ("candidate", "field")}


def fit(blocks, words, scale, penalty):
    """Minimise the mean negative log probability of what is accepted.

    penalty: L2 for "candidate", "field", "vector" and "wording"; the first two
    hold for the weights for few candidates too.
    """
    size = {"candidate": len(scale.shift["candidate"]), "field": len(scale.shift["field"]),
            "vector": blocks[0].vector.shape[1], "wording": len(words)}
    parts = ["candidate", "few_candidate", "field", "few_field", "vector", "wording", "bias", "few_bias"]
    width = {p: size.get(p.removeprefix("few_"), 1) for p in parts}
    ends = dict(zip(parts, np.cumsum([width[p] for p in parts])))
    l2 = np.concatenate([np.full(width[p], penalty.get(p.removeprefix("few_"), 0 if p == "bias" else penalty["field"])) for p in parts])
    # A vector's entries are small: 384 of them make length 1.
    data = [(b, (8 * b.vector).astype(np.float32), b.rows.wording(words).astype(np.float32),
             b.accept.astype(np.float32), b.weight.astype(np.float32)) for b in blocks]
    total = sum(b.weight.sum() for b in blocks)

    def loss(theta):
        w = {p: theta[ends[p] - width[p]:ends[p]].astype(np.float32) for p in parts}
        g = {p: np.zeros(width[p]) for p in parts}
        value = 0.0
        for b, vector, wording, accept, weight in data:
            few, c, f = np.float32(b.few), b.scaled["candidate"], b.scaled["field"]
            none = f @ (w["field"] + few * w["few_field"]) + vector @ w["vector"] + wording @ w["wording"]
            none += w["bias"] + few * w["few_bias"]
            z = np.concatenate([c @ (w["candidate"] + few * w["few_candidate"]), none[:, None]], 1)
            e = np.exp(z - z.max(1, keepdims=True))
            accepted = e * accept
            all_sum, accepted_sum = e.sum(1, keepdims=True), accepted.sum(1, keepdims=True) + 1e-30
            value -= float((weight * np.log(accepted_sum / all_sum)[:, 0]).sum(dtype=np.float64))
            dz = (e / all_sum - accepted / accepted_sum) * (weight / np.float32(total))[:, None]
            gc = dz[:, :-1].reshape(-1) @ c.reshape(-1, c.shape[-1])
            gf, gb = dz[:, -1] @ f, float(dz[:, -1].sum())
            for p, x in (("candidate", gc), ("field", gf), ("bias", gb)):
                g[p] += x
                g["few_" + p] += few * x
            g["vector"] += dz[:, -1] @ vector
            g["wording"] += dz[:, -1] @ wording
        gradient = np.concatenate([g[p] for p in parts])
        return value / total + 0.5 * (l2 * theta * theta).sum(), gradient + l2 * theta

    theta = minimize(loss, np.zeros(len(l2)), jac=True, method="L-BFGS-B", options={"maxiter": 250, "ftol": 1e-7}).x
    out = Weights()
    for p in parts:
        setattr(out, p, theta[ends[p] - width[p]:ends[p]])
    for few in ("", "few_"):
        bias = getattr(out, few + "bias")[0]
        for part, sign in (("candidate", 1), ("field", -1)):
            plain = getattr(out, few + part) / scale.scale[part]
            setattr(out, few + part, plain)
            bias += sign * plain @ scale.shift[part]
        setattr(out, few + "bias", bias)
    out.vector = 8 * out.vector
    return out
