"""What the encoder is trained on, in one form.

A Field is a set of things that a request may ask for, each with texts (a card
first, then requests that it answers), and rows: requests with the things that
they ask for. A tap is a field, and so is a corpus of tools.
"""

import dataclasses
import glob
import hashlib
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
REQUEST, TAIL = 84, 42  # tokens that the joint network reads of a request, and how many of them are a longer one's end
CARD, TRIGGER = 11, 9  # tokens that the joint network reads of a candidate's card, and of its trigger


@dataclasses.dataclass
class Row:
    text: str
    expect: list  # indices of things
    near: list  # indices of things that are wrong and come close
    kind: str
    key: str  # names the row, for splits
    helps: list = dataclasses.field(default_factory=list)  # indices of things that are neither right nor wrong


@dataclasses.dataclass
class Field:
    name: str
    source: str  # "routing", "tools", "public"
    names: list  # of the things
    texts: list  # per thing: its card, then its triggers
    rows: list
    said: list = dataclasses.field(default_factory=list)  # per thing, what the joint network reads of it beside a trigger; none: its card


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def clean(text):
    """The words of the user's own, nearly as core/activate/prompt.go takes them."""
    return re.sub(r"(```|~~~).*?(\1|$)", " ", text, flags=re.S).strip()[:8192]


def draw(key, salt):
    """A number in [0, 1) that depends on nothing but the key."""
    return int(hashlib.sha256(f"{salt} {key}".encode()).hexdigest()[:12], 16) / 16**12


def words(name):
    return re.sub(r"[_\-.]+", " ", re.sub(r"([a-z])([A-Z])", r"\1 \2", name))


def cut(text, size):
    return text.encode()[:size].decode("utf-8", "ignore")


def tool_text(server, name, description):
    """As core/search gives a tool to the model."""
    return f"{server} {words(name)}: {cut(description or '', 300)}"


def card(title, description):
    return f"{title}. {description}" if title else description


def capability(x):
    """(name, texts, what is read of it) of a capability, as core/activate/candidate.go has them."""
    title, description = x.get("title", ""), x["description"]
    return x["capability"], [card(title, description)] + x["triggers"], description or title


def tap_folder(path):
    """The capabilities with triggers of a tap on disk, as the product reads them: see capability."""
    go = ["go", "run", "./features", "-candidates", "-tap", os.path.abspath(path)]
    out = subprocess.run(go, cwd=os.path.dirname(HERE), check=True, stdout=subprocess.PIPE, text=True).stdout
    found = [json.loads(line) for line in out.splitlines()]
    return [capability(x) for x in found]


def routing(paths, known):
    """Fields of files with capabilities and rows; rows without a tap ask about the known one."""
    things, rows = {"": known}, {"": []}
    for path in paths:
        for x in lines(path):
            tap = x.get("tap", "")
            if "capability" in x:
                things.setdefault(tap, []).append(capability(x))
            else:
                rows.setdefault(tap, []).append(x)
    out = []
    for tap, mine in rows.items():
        names, texts, said = ([x[i] for x in things[tap]] for i in range(3))
        at = {name: i for i, name in enumerate(names)}
        field = Field(tap, "routing", names, texts, [], said)
        for x in mine:
            near = x.get("near") or []
            near = [at[n] for n in ([near] if isinstance(near, str) else near) if n in at]
            field.rows.append(Row(clean(x["text"]), [at[n] for n in x["expect"]], near, x["kind"], f"{tap}/{x['id']}"))
        out.append(field)
    return out


def tools(path):
    """A field of one file of tools and questions."""
    field, at = Field(os.path.basename(path), "tools", [], [], []), {}
    found = lines(path)
    for x in found:
        if "tool" in x and "query" not in x:
            at[x["tool"]] = len(field.names)
            field.names.append(x["tool"])
            field.texts.append([tool_text(x["server"], x["name"], x["description"])])
    for x in found:
        if "labels" in x:
            right, helps = ([at[y["tool"]] for y in x["labels"] if y["relevance"] == r] for r in (2, 1))
            field.rows.append(Row(x["query"], right, [], "tools", f"{field.name}/{x['id']}", helps))
    return field


def metatool(tools_path, rows_path):
    field, at = Field("metatool", "tools", [], [], []), {}
    for x in lines(tools_path):
        at[f"{x['server']}:{x['name']}"] = len(field.names)
        field.names.append(x["name"])
        field.texts.append([tool_text(x["server"], x["name"], x["description"])])
    for i, x in enumerate(lines(rows_path)):
        field.rows.append(Row(x["query"], [at[x["tool"]]], [], "tools", f"metatool/{i}"))
    return field


def public(path):
    """Fields by set; what a row offers beside the right ones is near."""
    fields, at = {}, {}
    for x in lines(path):
        f = fields.setdefault(x["set"], Field(x["set"], "public", [], [], []))

        def index(t):
            text = tool_text(t.get("server") or "", t["name"], t["description"])
            if (x["set"], text) not in at:
                at[x["set"], text] = len(f.names)
                f.names.append(t["name"])
                f.texts.append([text])
            return at[x["set"], text]

        f.rows.append(Row(x["query"], [index(t) for t in x["pos"]], [index(t) for t in x["neg"]], x["kind"], f"{x['set']}/{x['id']}"))
    return list(fields.values())


def load(given, here, extra=None):
    """All fields. given: the data folder (CTX_DATA) or None; here: models/train/data;
    extra: the file that public/convert.py wrote, or None."""
    known = tap_folder(os.path.join(given, "taps", "octomind-tap")) if given else []
    files = sorted(glob.glob(os.path.join(here, "routing", "*.jsonl")))
    if given:
        files += [os.path.join(given, "routing", f) for f in ("train.jsonl", "train_tap.jsonl")]
        files += sorted(glob.glob(os.path.join(here, "known", "*.jsonl")))
    fields = routing(files, known)
    fields += [tools(p) for p in sorted(glob.glob(os.path.join(here, "retrieval", "*.jsonl")))]
    if given:
        fields.append(metatool(*(os.path.join(given, "retrieval", f) for f in ("metatool_tools.jsonl", "metatool_train.jsonl"))))
    if extra:
        fields += public(extra)
    return [f for f in fields if f.rows]


LEAVE = ["known", "invented"]  # what without can leave out


def without(fields, leave):
    """The fields but the known tap's, or but the invented taps'; all of them where leave is None."""
    return [f for f in fields if not leave or f.source != "routing" or (f.name == "") != (leave == "known")]


class Spare:
    """What the encoder must not see: a fold, and rows that the scorer is fitted on."""

    def __init__(self, fold):
        with open(os.path.join(HERE, "../folds.json")) as f:
            folds = json.load(f)
        self.taps, self.known = set(folds["taps"][fold]), set(folds["known"][fold])
        self.tools = set(folds["metatool"])

    def thing(self, field, name):
        """Whether a capability or tool is left out."""
        match field:
            case Field(name="metatool"):
                return name in self.tools
            case Field(source="routing", name=""):
                return name in self.known
        return field.name in self.taps

    def row(self, field, row):
        """Whether a row is: it is about what is left out, or may be, or one of a fifth of those on the known tap."""
        if any(self.thing(field, field.names[i]) for i in row.expect + row.near):
            return True
        if field.name != "":
            return field.name in self.taps
        unknown = not row.expect + row.near and row.kind != "chitchat/ack"
        return unknown or draw(row.key, "spare") < 0.2


class Nothing:
    """What a network cannot learn from even if nothing is kept from it: requests for
    something that their domain excludes, which do not say for what. Networks read no domain."""

    def thing(self, field, name):
        return False

    def row(self, field, row):
        return row.kind == "out-of-domain" and not row.near
