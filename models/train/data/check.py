"""Check the form of the rows here, count them, and find doubles.

    python3 check.py [other.jsonl ...]

The files given are only compared with: of them nothing is printed but how many of their texts come close to a row here, and
the ids of the rows here. Ends with 1 where the form is broken or a text comes twice.
"""

import collections
import glob
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
POSITIVE = ["paraphrase", "direct", "noisy", "long", "followup"]
ABSTAIN = ["chitchat/ack", "no-capability", "ambiguous", "out-of-domain"]
NEAR = 0.8  # token Jaccard from which two texts count as doubles
SHARE = 5  # with as many others of the same first three words a row looks like a template
SHORT = 4  # texts of fewer words are doubles only when equal: "thanks a lot" is no copy

STOP = {
    "de": "der die das und ist nicht ich mir den dem ein eine für auf mit wir uns was wie wer wann bis noch bitte von im hat heißt eigentlich mach bei wird kann zum nach sie gefunden danke keine kein als dir",
    "fr": "le les des est pas je moi une dans pour sur avec que qui quels quelles quel combien du ça nous fais et c'est au aux merci peux cette ce ma trouve sont montre donne",
    "es": "el los las qué cuántas cuáles cuánto del una por para con está estado sus se ya cómo hay y hasta nos me mi apareció ponme dame",
    "pt": "os dos não uma para com em quando quais quantos até meu minha você que vamos quanto da na do um ao mais qual manda põe",
    "it": "il gli che di non per con una del della sulla come quanto potrei metti avere è si va da ci i nel alla al lo mi sono quali",
    "pl": "się nie jest na czy ile gdzie kiedy z do w od miała nam sprawdź które która czego tego już dla proszę po jak",
    "nl": "het een niet voor van met wat is hoeveel welke ik we zijn er op dat nog even naar aan hoe wie de te bij kan mijn deze staat",
    "tr": "bir ve bu için hangi kaç ne var mı mi mu da de ile çok olan şu en lütfen bana bizim kim nerede değil olarak sonra",
    "en": "the a is to of and in that it for on with what how i my we our this from at are be no not do does did you me by so but was who which all one get give put have has as can any there out they them if an or its up now",
}
STOP = {k: set(v.split()) for k, v in STOP.items()}


def words(text):
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text.lower())


def tokens(text):
    """Words; single characters where a script has no spaces."""
    return {t for w in words(text) for t in ([w] if w.isascii() or not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", w) else list(w))}


def language(text):
    """A guess that is good enough to count with."""
    for code, pattern in (("ja", "[\u3040-\u30ff]"), ("zh", "[\u4e00-\u9fff]"), ("ko", "[\uac00-\ud7a3]"), ("ru", "[\u0400-\u04ff]")):
        if len(re.findall(pattern, text)) >= 3 and len(re.findall(pattern, text)) * 4 > len(re.sub(r"\s", "", text)):
            return code
    w = words(text)
    score = {k: sum(x in v for x in w) for k, v in STOP.items()}
    for code, marks in (("de", "äöüß„"), ("fr", "àâçèêëîïôùûœ"), ("es", "¿¡ñáóú"), ("pt", "ãõáçêó"), ("it", "èòùì"), ("pl", "ąćęłńśźż"), ("tr", "ğışİç")):
        hits = sum(c in text.lower() for c in marks)
        score[code] += 1.2 * hits if score[code] or hits > 1 else 0
    best = max(score, key=lambda k: score[k])
    return best if score[best] > score["en"] and (score[best] >= 2 or not score["en"] and score[best] >= 1) else "en"


def alike(a, b):
    return len(a & b) >= NEAR * len(a | b)


def telling(tokens, count):
    """The rarest tokens, so many that two texts that are alike have one of them
    in common (prefix filtering, Chaudhuri et al. 2006)."""
    return sorted(tokens, key=lambda w: (count[w], w))[: len(tokens) - math.ceil(NEAR * len(tokens)) + 1]


def lines(path):
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            if line.strip():
                yield n, json.loads(line)


class Check:
    def __init__(self):
        self.wrong, self.texts = [], []
        self.said = []  # of tools, which may be alike here: two servers can offer the same

    def say(self, where, what):
        self.wrong.append(f"{where}: {what}")

    def routing(self, path):
        name = os.path.basename(path)
        caps, rows, phrases = {}, [], collections.Counter()
        for n, r in lines(path):
            at = f"{name}:{n}"
            if "capability" in r:
                if set(r) - {"title"} != {"tap", "capability", "description", "triggers", "domains"} or not r["description"]:
                    self.say(at, "fields of the capability")
                elif not 3 <= len(r["triggers"]) <= 12:
                    self.say(at, f"{len(r['triggers'])} triggers")
                elif r["capability"] in caps:
                    self.say(at, "capability comes twice")
                else:
                    caps[r["capability"]] = set(r["domains"])
                    phrases.update(t.lower() for t in r["triggers"])
                continue
            if set(r) != {"tap", "id", "text", "domain", "expect", "kind", "near"}:
                self.say(at, "fields of the row")
                continue
            rows.append(r)
            unknown = (set(r["expect"]) | ({r["near"]} - {None})) - set(caps)
            if unknown:
                self.say(at, f"unknown capability {unknown}")
                continue
            fits = lambda c: not caps[c] or r["domain"] in caps[c]
            if r["kind"] in POSITIVE:
                if not r["expect"] or not all(map(fits, r["expect"])):
                    self.say(at, "a positive row whose capability is missing or excluded by its domain")
            elif r["kind"] in ABSTAIN:
                if r["expect"]:
                    self.say(at, "an abstain row that expects something")
                if r["kind"] == "out-of-domain" and (not r["near"] or fits(r["near"])):
                    self.say(at, "out of domain, but the domain is not excluded")
            else:
                self.say(at, "kind")
            if r["text"].lower().strip(" .!?") in phrases:
                self.say(at, "the text is a trigger")
            self.texts.append((r["id"], r["text"]))
        for t, n in phrases.items():
            if n > 1:
                self.say(name, f"trigger comes twice: {t}")
        return caps, rows

    def known(self, path):
        """Rows on a tap that is not kept here, so that its capabilities are only names."""
        rows = []
        for n, r in lines(path):
            at = f"{os.path.basename(path)}:{n}"
            if set(r) != {"id", "text", "domain", "expect", "kind", "near"}:
                self.say(at, "fields of the row")
                continue
            rows.append(r)
            if r["kind"] not in POSITIVE + ABSTAIN:
                self.say(at, "kind")
            elif bool(r["expect"]) != (r["kind"] in POSITIVE):
                self.say(at, "what it expects does not fit its kind")
            self.texts.append((r["id"], r["text"]))
        return rows

    def retrieval(self, path):
        name = os.path.basename(path)
        tools, queries = {}, []
        for n, r in lines(path):
            at = f"{name}:{n}"
            if "query" not in r:
                if set(r) != {"tool", "server", "name", "description", "inputSchema"} or r["tool"] != f"{r['server']}:{r['name']}":
                    self.say(at, "fields of the tool")
                elif r["tool"] in tools:
                    self.say(at, "tool comes twice")
                elif r["inputSchema"].get("type") != "object" or set(r["inputSchema"].get("required", [])) - set(r["inputSchema"].get("properties", {})):
                    self.say(at, "schema")
                tools[r["tool"]] = r
                self.said.append((r["tool"], r["description"]))
                continue
            queries.append(r)
            if set(r) != {"id", "query", "labels"} or not r["labels"]:
                self.say(at, "fields of the query")
                continue
            labels = [x["tool"] for x in r["labels"]]
            if set(labels) - set(tools) or len(set(labels)) < len(labels):
                self.say(at, f"labels {set(labels) - set(tools)}")
            if {x["relevance"] for x in r["labels"]} - {1, 2} or all(x["relevance"] == 1 for x in r["labels"]):
                self.say(at, "relevance")
            self.texts.append((r["id"], r["query"]))
        return tools, queries

    def doubles(self):
        """Pairs of rows here that say the same in nearly the same words."""
        found, seen = [], {}
        sets = [(i, t, tokens(t)) for i, t in self.texts]
        count, index = collections.Counter(w for _, _, s in sets for w in s), collections.defaultdict(list)
        for k, (i, t, s) in enumerate(sets):
            same = " ".join(words(t))
            if same in seen:
                self.say(i, f"same text as {seen[same]}")
            seen.setdefault(same, i)
            some = telling(s, count)
            for j in sorted({j for w in some for j in index[w]}):
                if min(len(s), len(sets[j][2])) >= SHORT and alike(s, sets[j][2]):
                    found.append((i, sets[j][0]))
            for w in some:
                index[w].append(k)
        return found

    def against(self, path):
        """Own ids that come close to a text or a description of that file; nothing of the file itself."""
        own, index = [(i, tokens(t)) for i, t in self.texts + self.said], collections.defaultdict(list)
        rare = collections.Counter(w for _, s in own for w in s)
        for k, (_, s) in enumerate(own):
            for w in telling(s, rare):
                index[w].append(k)
        close, count = set(), 0
        for _, r in lines(path):
            text = r.get("text") or r.get("query") or r.get("description")
            if not text:
                continue
            s, hit = tokens(text), False
            for j in {j for w in telling(s, rare) for j in index[w]}:
                if alike(s, own[j][1]) and (min(len(s), len(own[j][1])) >= SHORT or s == own[j][1]):
                    close.add(own[j][0])
                    hit = True
            count += hit
        return count, sorted(close)

    def starts(self, texts):
        """The share of texts that begin with the same three words as five others or more."""
        starts = collections.Counter(tuple(words(t)[:3]) for t in texts)
        return sum(n for s, n in starts.items() if n > SHARE and len(s) == 3) / max(1, len(texts))


def main():
    c = Check()
    kinds, domains, langs, total = collections.Counter(), collections.Counter(), collections.Counter(), 0
    texts = []
    print("| tap | capabilities | rows | positive |\n| --- | --- | --- | --- |")
    for path in sorted(glob.glob(os.path.join(HERE, "routing", "*.jsonl"))):
        caps, rows = c.routing(path)
        total += len(caps)
        kinds.update(r["kind"] for r in rows)
        domains.update(r["domain"] or "none" for r in rows)
        langs.update(language(r["text"]) for r in rows)
        texts += [r["text"] for r in rows]
        yes = sum(r["kind"] in POSITIVE for r in rows)
        print(f"| {os.path.basename(path)[:-6]} | {len(caps)} | {len(rows)} | {yes} |")
    n = len(texts)
    if n:
        print(f"\nrouting: {total} capabilities, {n} rows, {sum(kinds[k] for k in POSITIVE) / n:.0%} positive")
        print("kinds: " + ", ".join(f"{k} {v}" for k, v in kinds.most_common()))
        print("domains: " + ", ".join(f"{k} {v}" for k, v in domains.most_common()))
        print("languages (guessed): " + ", ".join(f"{k} {v}" for k, v in langs.most_common()))
        print(f"same first three words as {SHARE} others or more: {c.starts(texts):.1%}; distinct first words: {len({words(t)[0] for t in texts if words(t)})}")
    rows = [r for path in sorted(glob.glob(os.path.join(HERE, "known", "*.jsonl"))) for r in c.known(path)]
    if rows:
        asked = {name for r in rows for name in r["expect"]}
        print(f"\nknown tap: {len(rows)} rows on {len(asked)} capabilities, {sum(r['kind'] in POSITIVE for r in rows) / len(rows):.0%} positive")
        print("kinds: " + ", ".join(f"{k} {v}" for k, v in collections.Counter(r["kind"] for r in rows).most_common()))
        print("languages (guessed): " + ", ".join(f"{k} {v}" for k, v in collections.Counter(language(r["text"]) for r in rows).most_common()))
        print(f"same first three words as {SHARE} others or more: {c.starts([r['text'] for r in rows]):.1%}")
    tools, queries, servers, langs = {}, [], set(), collections.Counter()
    print("\n| tools of | servers | tools | queries |\n| --- | --- | --- | --- |")
    for path in sorted(glob.glob(os.path.join(HERE, "retrieval", "*.jsonl"))):
        t, q = c.retrieval(path)
        tools.update(t)
        queries += q
        servers |= {x["server"] for x in t.values()}
        print(f"| {os.path.basename(path)[:-6]} | {len({x['server'] for x in t.values()})} | {len(t)} | {len(q)} |")
    if queries:
        texts = [q["query"] for q in queries]
        langs.update(map(language, texts))
        many = sum(len(q["labels"]) > 1 for q in queries)
        used = {x["tool"] for q in queries for x in q["labels"]}
        print(f"\nretrieval: {len(servers)} servers, {len(tools)} tools ({len(tools) - len(used)} that no query asks for), {len(queries)} queries, {many} with more than one tool")
        print("languages (guessed): " + ", ".join(f"{k} {v}" for k, v in langs.most_common()))
        print(f"same first three words as {SHARE} others or more: {c.starts(texts):.1%}")
    near = c.doubles()
    print(f"\nnear doubles here: {len(near)}" + "".join(f"\n  {a} {b}" for a, b in near))
    apart = {"validation": Check(), "heldout": Check()}  # rows that nothing is trained on
    for folder, own in apart.items():
        for path in sorted(glob.glob(os.path.join(HERE, folder, "*.jsonl"))):
            (own.known if os.path.basename(path) == "known.jsonl" else own.routing)(path)
            print(f"{folder}, {os.path.basename(path)}: {c.against(path)[0]} texts come close to a row here")
            if folder == "heldout":
                print(f"  and {apart['validation'].against(path)[0]} to a row for validation")
        c.wrong += own.wrong
    for path in sys.argv[1:]:
        for name, own in [("here", c), *apart.items()]:
            count, ids = own.against(path)
            print(f"{path}: {count} texts come close to {len(ids)} rows, {name} {' '.join(ids)}")
    print(f"form: {len(c.wrong)} wrong" + "".join(f"\n  {w}" for w in c.wrong))
    return 1 if c.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
