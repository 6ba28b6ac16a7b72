"""Train the scorer of a sentence model, or the one that needs no model.

    python train.py --data DATA --model ../all-minilm-l6-v2-q [--fold N]
    python train.py --data DATA --lexical ../../core/activate/lexical.json

CTX_ORT_LIB names the ONNX Runtime library. With a fold, the scorer is fitted on
the rows alone that an encoder of that fold has not seen: of rows that it knows
by heart, a scorer would learn to trust it too much. Nothing is drawn at random
but parts of taps, with a fixed seed.
"""

import argparse
import base64
import glob
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

import rows as labelled
from measure import baselines, calibrate, curve, pooled, raised, report, settle, worth
from scorer import RELATIVES, SUMMARIES, Block, Scale, fit, read

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "encoder"))
import data  # noqa: E402

SEMANTIC = [
    "trigger best", "trigger top3", "trigger mean", "card",
    "token cover best", "token cover top3", "token fit best", "token fit top3", "token fit all", "token fit all top5",
]
LEXICAL = ["word best", "word top3", "word card", "word cover", "gram best", "gram top3", "gram card", "named", "negated"]
PENALTY = {"candidate": 2e-3, "field": 3e-3, "vector": 2.5e-2, "wording": 3e-2}
DIMS = 64
CLEAR = 0  # from this probability on nothing would be read jointly; 0: all is read, since on a tap of another kind the features can be sure and wrong
FAINT = 1e-3  # of the leading one's probability: what has less cannot win, and is not read
CANDIDATES = 4  # that the joint network reads, all in one go; more of each, or a fifth, would take longer than a prompt may
DEV = "dev.jsonl"
PARTS = [1, 2, 3, 5, 8, 13]  # sizes of parts of taps
PART_WEIGHT = 0.05  # of a row on a part, against one on the whole tap


def packed(x):
    return base64.b64encode(np.asarray(x, "<f4").tobytes()).decode()


def projection(program, model, files):
    """The directions in which token vectors differ most."""
    n, total, squares = 0, 0.0, 0.0
    with subprocess.Popen([program, "-tokens", "-model", model] + files, stdout=subprocess.PIPE, text=True) as p:
        while some := [json.loads(line) for line in itertools.islice(p.stdout, 4096)]:
            tokens = np.array(some)
            n, total, squares = n + len(tokens), total + tokens.sum(0), squares + tokens.T @ tokens
    if p.returncode:
        raise SystemExit(f"features ended with {p.returncode}")
    mean = total / n
    _, vectors = np.linalg.eigh(squares / n - np.outer(mean, mean))
    basis = vectors[:, ::-1][:, :DIMS].T
    basis *= np.sign(basis[np.arange(DIMS), np.abs(basis).argmax(1)])[:, None]
    return {"dims": DIMS, "mean": packed(mean), "basis": packed(basis)}, len(mean)


def document(model, features, vector=0, **more):
    n = len(features)
    return {
        "schema": "ctx.scorer/v1", "model": model, "version": 1, "features": features,
        "candidate": [0.0] * (RELATIVES * n), "out_of_domain": 0.0,
        "none": {"bias": 0.0, "field": [0.0] * (SUMMARIES * n), "vector": [0.0] * vector, "wording": {}},
        "few": {"candidate": [0.0] * (RELATIVES * n), "out_of_domain": 0.0, "field": [0.0] * (SUMMARIES * n), "bias": 0.0},
        "calibration": {"activate_at": 1.0, "suggest_at": 1.0, "discover_at": 0.0},
    } | more


class Taps:
    """The training rows by tap, whole and in parts, and the rows to choose on."""

    def __init__(self, groups):
        whole = {}
        self.dev, self.parts = None, {}
        for (name, tap, size), r in groups.items():
            if name == DEV:
                self.dev = self.dev or Block(r)
            elif size:
                self.parts[name, tap, size] = Block(r, PART_WEIGHT)
            else:
                whole.setdefault(tap, []).extend(r.lines)
        self.whole = {tap: Block(labelled.Rows(lines)) for tap, lines in whole.items()}
        self.scale = Scale(self.whole.values())
        for b in [*self.whole.values(), *self.parts.values()]:
            self.scale.apply(b)

    def train(self, without=()):
        return self.fit({tap: b for tap, b in self.whole.items() if tap not in without}, without)

    def fit(self, whole, without=()):
        words = labelled.vocabulary({tap: b.rows for tap, b in whole.items()}, least=12, taps=3)
        foreign = {f"foreign-{tap}" for tap in without}
        blocks = [*whole.values(), *(
            b for (name, tap, _), b in self.parts.items() if tap not in without and name not in foreign)]
        return fit(blocks, words, self.scale, PENALTY), words

    def folds(self, most=8):
        """Taps that are left out together: each alone, or dealt into so many hands where there are more."""
        taps = sorted((tap for tap in self.whole if tap), key=lambda tap: data.draw(tap, "deal"))
        return [taps[i::most] for i in range(min(most, len(taps)))]

    def crossed(self, tap, shares=3):
        """The rows of a tap, each judged by weights that saw the others: per share (rows, probabilities, weights, words)."""
        lines = self.whole[tap].rows.lines
        share = [int(data.draw(f"{tap}/{r['id']}", "share") * shares) for r in lines]
        out = []
        for i in range(shares):
            split = [Block(labelled.Rows([r for r, x in zip(lines, share) if (x == i) == mine])) for mine in (False, True)]
            self.scale.apply(split[0])
            # Parts are made of the same rows, and would tell; so are requests that are put to other taps.
            keep, self.parts = self.parts, {k: b for k, b in self.parts.items() if k[1] != tap and k[0] != f"foreign-{tap}"}
            weights, words = self.fit(self.whole | {tap: split[0]})
            self.parts = keep
            out.append((split[1].rows, weights.probabilities(split[1], words), weights, words))
        return out


def about(names, rows, p):
    """The rows that ask for one of these capabilities, and those that ask for nothing but come
    close to one of them, as far as a row says what it comes close to."""
    keep = [i for i, r in enumerate(rows.lines) if (set(r["expect"]) & names if r["expect"] else r.get("near", "") in names | {""})]
    return labelled.Rows([rows.lines[i] for i in keep]), p[keep]


def fresh(rows, p, shared):
    """The rows that ask for none of these (tap, capability), or for nothing."""
    keep = [i for i, r in enumerate(rows.lines) if not {(r["tap"], e) for e in r["expect"] or []} & shared]
    return labelled.Rows([rows.lines[i] for i in keep]), p[keep]


def study(title, taps, folds, spare, shared, read=None):
    """Print what the recipe reaches, and return the weights and the calibration.

    shared: the capabilities of taps never seen that another tap has too; read:
    see reader, none where there is no joint network."""
    print(f"\n{title}", flush=True)
    held, few, said = {}, {}, {}
    for fold in folds:
        weights, words = taps.train(without=fold)
        for tap in fold:
            b = taps.whole[tap]
            held[tap] = (b.rows, weights.probabilities(b, words))
            report(f"without tap {tap or 'given'}", *held[tap])
        for (name, tap, size), b in taps.parts.items():
            if tap in fold and name != "triggers" and not name.startswith("foreign"):
                few.setdefault(size, []).append((b.rows, weights.probabilities(b, words)))
        if read:
            said |= read(weights, words, [taps.whole[tap].rows for tap in fold], PARTS)
    others = [v for tap, v in held.items() if tap]
    pooled("taps never seen, together", others)
    weights, words = taps.train()
    known = []
    if taps.dev:
        thirds = taps.crossed("")
        if read:
            said |= read(weights, words, [taps.dev.rows])
            for rows, _, judges, own in thirds:
                said |= read(judges, own, [rows])
        crossed = labelled.Rows([r for rows, *_ in thirds for r in rows.lines]), np.concatenate([p for _, p, *_ in thirds])
        known = [(taps.dev.rows, weights.probabilities(taps.dev, words)), crossed]
        told(("dev", "the known tap, rows never seen"), known, spare)
    # Each tap is judged on rows that had no part in the weights that judge them.
    joint = None
    if read:
        joint, known, others, few = choose(known, others, few, lambda rows: [said[key(x)] for x in rows.lines], spare)
        if shared:
            pooled(f"  but for {len(shared)} that others have", [fresh(*pair, shared) for pair in others])
    calibration = calibrate(known or others[:1], others)
    print(f"  {calibration}", flush=True)
    for name, pair in zip(("dev, calibrated", "the known tap, calibrated"), known):
        report(name, *pair, calibration)
    pooled("taps never seen, calibrated", others, calibration)
    for size, pairs in sorted(few.items()):
        curve(f"parts of {size}, taps never seen", pairs, calibration)
    return weights, words, calibration, joint


def told(names, pairs, spare):
    for name, pair in zip(names, pairs):
        report(name, *pair)
        if spare:
            report("  its capabilities never seen", *about(spare.known, *pair))


def choose(known, others, few, joint, spare):
    """Weigh what the joint network says into probabilities: as much as gets most
    right at few false fires and little noise, on the rows that neither it nor these
    weights have seen. The likelihood of these rows would have it count half as
    much: it asks for probabilities that are right, also of what is clear without it.
    dev, the first of known, has no say."""
    def asked(rows, p):
        return [None if CLEAR and q.max() >= CLEAR else j for q, j in zip(p, joint(rows))]

    heard = [(rows, p, asked(rows, p)) for rows, p in known + others]
    fitted = [heard[1:2], heard[2:]] if known else [heard]

    def right(weight, beyond):
        return np.mean([worth([np.concatenate(x) for x in zip(*(settle(r, mixed(p, j, weight, beyond)) for r, p, j in part))]) for part in fitted])

    tried = {(w, b): right(w, b) for w in np.arange(0, 1.51, 0.05).round(2) for b in (0.0, 0.5, 1.0)}
    weight, beyond = max(tried, key=tried.get)
    print(f"  joint: weight {weight} beyond {beyond}, {tried[0.0, 0.0]:.4f} without, {tried[weight, beyond]:.4f} with", flush=True)
    both = [(rows, mixed(p, j, weight, beyond)) for rows, p, j in heard]
    known, others = both[: len(known)], both[len(known):]
    told(("dev, joint", "the known tap, joint"), known, spare)
    pooled("taps never seen, joint", others)
    few = {size: [(rows, mixed(p, asked(rows, p), weight, beyond)) for rows, p in pairs] for size, pairs in few.items()}
    return {"candidates": CANDIDATES, "weight": float(weight), "beyond": beyond, "faint": FAINT, "clear": CLEAR}, known, others, few


def mixed(p, joint, weight, beyond):
    """As core/activate/joint.go mixes them. joint: per row what was observed, or None."""
    out = np.log(p + 1e-9)
    for row, j in zip(out, joint):
        if not j:
            continue
        logits = np.full(len(row), min(j["each"]) - beyond)
        logits[j["read"]], logits[-1] = j["each"], j["none"]
        row += weight * logits
    out = np.exp(out - out.max(1, keepdims=True))
    return out / out.sum(1, keepdims=True)


def key(x):
    return x["set"], x["tap"], x["size"], x["id"]


def reader(command, doc, files, scratch):
    """What the joint network says of rows, where these weights choose what it reads, by key."""

    def read(weights, words, groups, parts=()):
        path = os.path.join(scratch, "reading.json")
        write(path, doc | {"joint": {"candidates": CANDIDATES, "weight": 0.0, "beyond": 0.0, "faint": FAINT}}, weights, words, doc["calibration"])
        asked = {(x["set"], x["tap"], x["id"]) for rows in groups for x in rows.lines}
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            of = [only(file, folder, lambda x: (os.path.basename(file), x.get("tap", ""), x["id"]) in asked) for file in files]
            said = labelled.observe(command + ["-scorer", path, "-own", "-parts", ",".join(map(str, parts)), *of])
        return {key(x): x["joint"] for rows in said.values() for x in rows.lines}

    return read


def write(path, doc, weights, words, calibration):
    def short(x):
        return [float(f"{v:.7g}") for v in x]

    kept = [(w, v) for w, v in zip(words, short(weights.wording)) if v]
    doc["candidate"], doc["out_of_domain"] = short(weights.candidate[:-1]), short(weights.candidate[-1:])[0]
    doc["few"] = {
        "candidate": short(weights.few_candidate[:-1]), "out_of_domain": short(weights.few_candidate[-1:])[0],
        "field": short(weights.few_field), "bias": short([weights.few_bias])[0],
    }
    doc["none"] = {
        "bias": short([weights.bias])[0], "field": short(weights.field),
        "vector": short(weights.vector), "wording": dict(kept),
    }
    doc["calibration"] = calibration
    with open(path, "w") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")


def seal(model):
    """Write the sums of what has changed into the bundle."""

    def digest(name):
        with open(os.path.join(model, name), "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    for file, pattern, names in (
        ("bundle.json", r'("%s": ")[0-9a-f]{64}()', ["scorer.json"]),
        ("SHA256SUMS", r"(?m)^()[0-9a-f]{64}(  %s)$", ["scorer.json", "bundle.json"]),
    ):
        with open(os.path.join(model, file)) as f:
            text = f.read()
        for name in names:
            text = re.sub(pattern % re.escape(name), lambda m: m[1] + digest(name) + m[2], text)
        with open(os.path.join(model, file), "w") as f:
            f.write(text)


def compare(command, path, weights, words, files):
    """The product's probabilities must be the ones computed here."""
    worst = 0.0
    with open(path) as f:
        mix = json.load(f).get("joint")
    for r in labelled.observe(command + ["-scorer", path, "-parts", "1,8", *files]).values():
        here = weights.probabilities(Block(r), words)
        there = np.array([x["probabilities"] + [x["none"]] for x in r.lines])
        worst = max(worst, np.abs(here - there).max())
        if mix:
            here = mixed(there, [x.get("joint") for x in r.lines], mix["weight"], mix["beyond"])
            worst = max(worst, np.abs(here - np.array([x.get("mixed") or [*x["probabilities"], x["none"]] for x in r.lines])).max())
    print(f"largest difference to the product's probabilities: {worst:.2e}")
    if worst > 1e-5:
        raise SystemExit("the product computes something else")


def fixture(command, path, weights, words, shop, out):
    """What the product's own tests compare with."""
    (r,) = labelled.observe(command + ["-scorer", path, shop]).values()
    with open(path) as f:
        mix = json.load(f).get("joint")
    own = weights.probabilities(Block(r), words)
    both = mixed(own, [x.get("joint") for x in r.lines], mix["weight"], mix["beyond"]) if mix else own
    with open(out, "w") as f:
        for line, p, q in zip(r.lines, own, both):
            said = {"text": line["text"], "domain": line["domain"], "probabilities": [round(x, 6) for x in p]}
            if line.get("joint"):
                said["mixed"] = [round(x, 6) for x in q]
            f.write(json.dumps(said) + "\n")


def refit(path, project, observe):
    """Give a scorer the directions of tokens of another encoder, which saw its
    rows: only the known tap's dev can still move its thresholds, and only up. Returns the
    weights, the wording and the thresholds."""
    with open(path) as f:
        doc = json.load(f)
    doc["projection"] = project

    def keep():
        with open(path, "w") as f:
            json.dump(doc, f, indent=1)
            f.write("\n")

    keep()
    weights, words = read(doc)
    for (name, _, _), r in observe().items():
        p = weights.probabilities(Block(r), words)
        if mix := doc.get("joint"):
            p = mixed(p, [x.get("joint") for x in r.lines], mix["weight"], mix["beyond"])
        report(f"refitted, {name}", r, p)
        if name == DEV:
            # What dev has room for would be paid for on other taps, whose rows this encoder has seen.
            doc["calibration"] = raised(doc["calibration"], r, p)
            keep()
        report(f"refitted, {name}, calibrated", r, p, doc["calibration"])
    return weights, words, doc["calibration"]


def finish(kind, command, path, weights, words, files, fixtures):
    compare(command, path, weights, words, files)
    if fixtures:
        tests = os.path.join(HERE, "../../core/activate/testdata")
        fixture(command, path, weights, words, os.path.join(tests, "shop.jsonl"), os.path.join(tests, f"{kind}.jsonl"))


def only(path, folder, want):
    """A copy of a file of rows in another folder, with the rows alone that are wanted, and all capabilities."""
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w") as f:
        f.writelines(json.dumps(x) + "\n" for x in data.lines(path) if "capability" in x or want(x))
    return copy


def with_rows(files):
    """The first file with rows, alone."""
    return next(([f] for f in files if any("capability" not in x for x in data.lines(f))), [])


def kept(files, spare, known, scratch):
    """Copies of row files with the rows alone that an encoder has not seen, and the
    capabilities of the taps that it has not seen which another tap has too, by their
    name or a trigger."""
    fields = data.routing(files, known)
    unseen = {r.key for f in fields for r in f.rows if spare.row(f, r)}
    seen = {x.lower() for f in fields if f.name not in spare.taps for name, texts in zip(f.names, f.texts) for x in (name, *texts[1:])}
    shared = {(f.name, name) for f in fields if f.name in spare.taps for name, texts in zip(f.names, f.texts) if seen & {x.lower() for x in (name, *texts[1:])}}
    return [only(path, scratch, lambda x: f"{x.get('tap', '')}/{x['id']}" in unseen) for path in files], shared


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--data", help="folder with routing/ and taps/octomind-tap; none: the rows here alone")
    a.add_argument("--model", help="folder of a model's bundle; scorer.json is written there")
    a.add_argument("--fold", type=int, help="of folds.json, which the encoder has not seen; none: it has seen no row")
    a.add_argument("--refit", action="store_true", help="keep the weights of scorer.json: only what depends on the encoder's own directions is made anew")
    a.add_argument("--lexical", help="file to write the scorer to that needs no model")
    a.add_argument("--fixture", action="store_true", help="write what the product's tests compare with, too")
    args = a.parse_args()
    if not (args.model or args.lexical):
        a.error("name what to train: --model or --lexical")
    args.data = args.data and os.path.abspath(args.data)
    tap, given, dev = [], [], []
    if args.data:
        tap = ["-tap", os.path.join(args.data, "taps", "octomind-tap")]
        given = [os.path.join(args.data, "routing", f) for f in ("train.jsonl", "train_tap.jsonl")]
        given += sorted(glob.glob(os.path.join(HERE, "data", "known", "*.jsonl")))
        dev = [os.path.join(args.data, "routing", DEV)]
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "features")
        subprocess.run(["go", "build", "-o", program, "./features"], cwd=HERE, check=True)
        spare = None
        for kind, path in (("model", args.model), ("lexical", args.lexical)):
            if not path:
                continue
            files = given + sorted(glob.glob(os.path.join(HERE, "data", "routing", "*.jsonl")))
            name, features, flags, out, more, size, shared = "", LEXICAL, [], path, {}, 0, set()
            if kind == "model":
                if args.fold is not None:
                    spare = data.Spare(args.fold)
                    files, shared = kept(files, spare, data.tap_folder(tap[1]) if tap else [], scratch)
                with open(os.path.join(path, "bundle.json")) as f:
                    said = json.load(f)
                name, joint = said["name"], said.get("joint")
                features, flags, out = SEMANTIC + LEXICAL, ["-model", path], os.path.join(path, "scorer.json")
                project, size = projection(program, path, tap + files)
                more = {"projection": project}
                if args.refit:
                    command = [program] + tap + flags
                    rows = dev or with_rows(files)
                    weights, words, _ = refit(out, project, lambda: labelled.observe(command + ["-scorer", out, *rows]))
                    seal(path)
                    finish(kind, command, out, weights, words, rows, args.fixture)
                    continue
            doc = document(name, features, size, **more)
            blank = os.path.join(scratch, "blank.json")
            with open(blank, "w") as f:
                json.dump(doc, f)
            command = [program] + tap + flags
            taps = Taps(labelled.observe(command + ["-scorer", blank, "-parts", ",".join(map(str, PARTS)), *files, *dev]))
            read = reader(command, doc, files + dev, scratch) if kind == "model" and joint else None
            weights, words, calibration, mix = study(name or "lexical", taps, taps.folds(), spare if kind == "model" else None, shared, read)
            if mix:
                doc["joint"] = mix
            doc["baselines"] = baselines([b.rows for b in taps.whole.values()], features)
            write(out, doc, weights, words, calibration)
            if kind == "model":
                seal(path)
            finish(kind, command, out, weights, words, dev or with_rows(files), args.fixture)


if __name__ == "__main__":
    main()
