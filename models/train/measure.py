"""What a set of probabilities is worth, and where to draw the line."""

import numpy as np

FALSE_FIRES, NOISE, MISSED = 0.03, 0.15, 0.1


def settle(rows, p):
    """Per row: the winner's confidence (0 if gated), whether it is right, the
    confidence of a suggestion, whether it names the right one, and what was
    asked for at all. Left out are rows that ask for what a session of their
    domain cannot have: nobody can get them right."""
    n = np.arange(len(p))
    each = p[:, :-1]
    winner = each.argmax(1)
    gated = rows.gated[n, winner]
    open_ = np.where(rows.gated, 0.0, each)
    three = np.argsort(-open_, 1, kind="stable")[:, :3]
    shares = np.take_along_axis(open_, three, 1)
    shares = np.where(shares < 0.05 * shares[:, :1], 0.0, shares)
    right = rows.expected[n, winner] & ~gated
    covered = (np.take_along_axis(rows.expected, three, 1) & (shares > 0)).any(1) & ~gated
    possible = can(rows) | ~rows.expected.any(1)
    return [x[possible] for x in (np.where(gated, 0, each[n, winner]), right, np.where(gated, 0, shares.sum(1)), covered, can(rows))]


def can(rows):
    """Per row, whether it asks for something that a session of its domain can have."""
    return (rows.expected & ~rows.gated).any(1)


def line(scores, abstain, allowed):
    """The least threshold at which at most that share of abstain rows passes."""
    s = np.sort(scores[abstain])[::-1]
    k = int(allowed * len(s) + 1e-9)
    return np.nextafter(s[k], 2) if k < len(s) else 0.0


def calibrate(known, others):
    """Thresholds for (rows, probabilities) of sets on the known tap, of which dev
    is the first, and of taps never seen: where so much of what asks for nothing
    passes as may. The unseen taps have a third of the weight."""
    parts = [settle(*x) for x in known * len(others) + others * len(known)]
    weight = np.concatenate([
        np.full((~x[4]).sum(), (2 if i < len(known) * len(others) else 1) / (~x[4]).sum()) for i, x in enumerate(parts)])
    weight /= weight.sum()

    def cut(score, allowed):
        nothing = np.concatenate([x[score][~x[4]] for x in parts])
        order = np.argsort(-nothing)
        k = np.searchsorted(np.cumsum(weight[order]), allowed, side="right")
        return round(round(float(nothing[order][k]), 4) + 1e-4, 4)

    return {"activate_at": cut(0, FALSE_FIRES), "suggest_at": cut(2, NOISE), "discover_at": found(known + others)}


def raised(at, rows, p):
    """Thresholds, raised where too much of what asks for nothing would pass on these rows."""
    confidence, _, share, _, asked = settle(rows, p)
    least = {"activate_at": line(confidence, ~asked, FALSE_FIRES), "suggest_at": line(share, ~asked, NOISE)}
    return at | {name: max(at[name], float(np.ceil(x * 1e4) / 1e4)) for name, x in least.items()}


def found(pairs):
    """The least probability that a right answer has in all but one of ten rows."""
    own = [np.where(r.expected, p[:, :-1], 0).max(1)[can(r)] for r, p in pairs]
    return round(float(np.mean([np.quantile(x, MISSED) for x in own])), 4)


def report(name, rows, p, at=None):
    """Print the rates of rows: at their own shares of what may be wrong, or at the thresholds at."""
    top1 = (rows.expected & ~rows.gated)[np.arange(len(p)), np.where(rows.gated, -1, p[:, :-1]).argmax(1)][can(rows)].mean()
    say(f"{name:32s} top1 {top1:.3f} ", settle(rows, p), at)


def worth(settled_rows):
    """One number: the mean of the shares fired at 2, 3 and 5 % false fires, and covered at 15 % noise."""
    confidence, right, share, covered, asked = settled_rows
    each = [(right & (confidence >= line(confidence, ~asked, x)))[asked].mean() for x in (0.02, 0.03, 0.05)]
    return np.mean([*each, (covered & (share >= line(share, ~asked, NOISE)))[asked].mean()])


def pooled(name, pairs, at=None):
    """The rates of the rows of several taps together."""
    say(f"{name:32s}            ", [np.concatenate(x) for x in zip(*(settle(*pair) for pair in pairs))], at)


def say(name, settled_rows, at):
    if at is not None:
        fired, false, hit, noise = rates(settled_rows, at)
        print(f"  {name} fired {fired:.3f} @ {false:.3f}  covered {hit:.3f} @ {noise:.3f}", flush=True)
        return
    confidence, right, share, covered, asked = settled_rows
    fire = [f"{(right & (confidence >= line(confidence, ~asked, x)))[asked].mean():.3f}" for x in (0.02, 0.03, 0.05, 0.08)]
    cover = [f"{(covered & (share >= line(share, ~asked, x)))[asked].mean():.3f}" for x in (0.10, 0.15)]
    print(f"  {name} fired at .02 .03 .05 .08: {' '.join(fire)}  covered at .10 .15: {' '.join(cover)}", flush=True)


def rates(settled_rows, at):
    """Fired and right, fired wrongly, covered, and answered wrongly at all."""
    confidence, right, share, covered, asked = settled_rows
    fires = confidence >= at["activate_at"]
    shows = fires | (share >= at["suggest_at"])
    hit = shows & covered  # beside a winner, too, those are named that come near it
    return (fires & right)[asked].mean(), fires[~asked].mean(), hit[asked].mean(), shows[~asked].mean()


def curve(name, pairs, at):
    """The rates of small parts of several taps, each tap counting the same."""
    fired, false, hit, noise = np.mean([rates(settle(*pair), at) for pair in pairs], 0)
    print(f"  {name:32s} fired {fired:.3f} @ {false:.3f}  covered {hit:.3f} @ {noise:.3f}", flush=True)


def baselines(groups, features):
    """Thresholds of the rankers that have no learned part, on the training rows."""
    at = {f: i for i, f in enumerate(features)}
    if "card" not in at:
        return {}

    def top3(raw):
        return raw[:, :, at["trigger top3"]]

    return {
        "semantic": thresholds(groups, lambda r: gated_best(r, r.raw[:, :, at["trigger best"]])),
        "unlearned": thresholds(groups, lambda r: gated_best(
            r, (top3(r.raw) + r.raw[:, :, at["card"]]) / 2 + 0.6 * r.raw[:, :, at["word top3"]])),
        "top3": thresholds(groups, lambda r: with_margin(r, top3(r.raw))),
    }


def gated_best(r, scores):
    n = np.arange(len(scores))
    return np.where(r.gated[n, scores.argmax(1)], -1, scores.max(1))


def with_margin(r, scores):
    """The predecessor's: what the domain excludes is not there, and the first has to lead."""
    s = np.sort(np.where(r.gated, -1, scores), 1)
    return np.where(s[:, -1] - s[:, -2] >= 0.06, s[:, -1], -1)


def thresholds(groups, score):
    nothing = [score(r)[~r.expected.any(1)] for r in groups]
    best = np.concatenate(nothing)
    weight = np.concatenate([np.full(len(x), 1 / len(x) / len(nothing)) for x in nothing])
    order = np.argsort(-best)
    passed = np.cumsum(weight[order])

    def cut(allowed):
        return round(float(best[order][np.searchsorted(passed, allowed, side="right")]) + 1e-4, 4)

    return {"activate_at": cut(FALSE_FIRES), "suggest_at": cut(NOISE)}
