"""Turn public sets of requests into one file of training rows.

    python3 convert.py --from DIR --out FILE.jsonl [--only SET ...] [--against FILE.jsonl ...]
    python3 convert.py --from DIR --measure FOLDER

DIR holds a git directory or a checkout of every repository of sources.json, named OWNER+NAME. Files are read at the commit
noted there. FILE is written whole or not at all; the counts of README.md are printed. Files given with --against are only
compared with: of them nothing is printed but how many of their texts come close to rows here, and the ids of these rows.
The second form writes the sets that nothing trains on as FOLDER/SET_tools.jsonl and SET_queries.jsonl, for `ctx eval retrieval`.
"""

import argparse
import collections
import json
import os
import random
import sys

import intent_sets
import service_sets
import tool_sets
from repos import Missing, Repo
from text import TWIN, Doubles, Neighbours, jaccard, one_line, spell_out, tokens, usable

HERE = os.path.dirname(os.path.abspath(__file__))
MOST, PER_TOOL, NEGATIVES = 4000, 12, 5


def reader(name):
    """The function that reads a set; its name is the set's."""
    return next(getattr(m, name) for m in (tool_sets, service_sets, intent_sets) if hasattr(m, name))


def same(t):
    return t["server"], t["name"], t["description"]


def clean(rows):
    """Rows with a query and tools that say something, each query once."""
    for r in rows:
        if r is None:
            continue
        r["query"] = one_line(r["query"], 4000)
        tools = r["pos"] + r["neg"]
        if usable(r["query"]) and all(t["name"] and t["description"] for t in tools):
            yield r


def distinct(rows, seen):
    """Without what nearly repeats a row, of this set with the same tools, or of any set with whatever tools, word for word."""
    near = collections.defaultdict(Doubles)
    for r in rows:
        key, right = " ".join(sorted(tokens(r["query"]))), tuple(sorted(map(same, r["pos"])))
        if key in seen or near[right].find(r["query"]) is not None:
            continue
        seen.add(key)
        near[right].add(r["query"], r["id"])
        yield r


def capped(rows, name, per_tool):
    """At most MOST rows, and none whose tools all have their share already; those with several tools come first."""
    rows, used, kept = sorted(rows, key=lambda r: r["id"]), collections.Counter(), []
    random.Random(name).shuffle(rows)
    for r in sorted(rows, key=lambda r: -min(len(r["pos"]), 2)):
        if len(kept) == MOST:
            break
        names = [(t["server"], t["name"]) for t in r["pos"]]
        if names and all(used[n] >= per_tool for n in names):
            continue
        used.update(names)
        kept.append(r)
    return kept


def negatives(r, neighbours):
    """Wrong ones: the offered that are nearest, or the nearest of the set; none that does the same job as a right one."""
    text = " ".join([r["query"]] + [spell_out(t["name"]) + " " + t["description"] for t in r["pos"]])
    if r["neg"]:
        ranked = Neighbours(r["neg"]).nearest(text, len(r["neg"]))
        ranked += [t for t in r["neg"] if t not in ranked]
    elif neighbours:
        ranked = neighbours.nearest(text, 60)
        ranked += random.Random(r["id"]).sample(neighbours.tools, min(2 * NEGATIVES, len(neighbours.tools)))
    else:
        ranked = []
    right, found = r["pos"] + r.get("also", []), []
    said = [tokens(t["description"]) for t in right]
    for t in ranked:
        s = tokens(t["description"])
        if t in found or any(same(t) == same(x) or spell_out(t["name"]).lower() == spell_out(x["name"]).lower() for x in right):
            continue
        if not any(jaccard(s, x) >= TWIN for x in said):
            found.append(t)
        if len(found) == NEGATIVES:
            break
    return found


def convert(sources, folder, left_out):
    """All rows of the sets in the order of `sources`, sorted by set and id."""
    seen, out = set(), []
    for s in sources:
        repos = [Repo(folder, r["repository"], r["commit"]) for r in [s] + s.get("with", [])]
        rows = [r for r in clean(reader(s["set"])(*repos)) if f"{s['set']}/{r['id']}" not in left_out]
        catalogue = list({same(t): t for r in rows for t in r["pos"] + r["neg"]}.values())
        neighbours = Neighbours(catalogue) if s.get("neighbours", True) else None
        for r in capped(distinct(rows, seen), s["set"], s.get("per_tool", PER_TOOL)):
            neg = negatives(r, neighbours)
            if r["kind"] != "abstain" or neg:
                out.append({"set": s["set"], "id": r["id"], "kind": r["kind"], "query": r["query"], "pos": r["pos"], "neg": neg})
    return sorted(out, key=lambda r: (r["set"], r["id"]))


def counts(rows):
    """Lines of the table of README.md: rows, kinds, rows with several right tools, different tools."""
    yield "| set | rows | tool | intent | abstain | several tools | different tools | servers | words, median and most |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for name in sorted({r["set"] for r in rows}) + ["all"]:
        part = [r for r in rows if name in (r["set"], "all")]
        kinds = collections.Counter(r["kind"] for r in part)
        tools = {same(t) for r in part for t in r["pos"]}
        sizes = sorted(len(r["query"].split()) for r in part)
        cells = [name, len(part), kinds["tool"], kinds["intent"], kinds["abstain"], sum(len(r["pos"]) > 1 for r in part), len(tools)]
        cells += [len({t["server"] for r in part for t in r["pos"]} - {""}), f"{sizes[len(sizes) // 2]}, {sizes[-1]}" if sizes else "0, 0"]
        yield "| " + " | ".join(map(str, cells)) + " |"


def against(rows, path):
    """How many texts of a file come close to rows here, and the ids of these rows."""
    doubles, close, count = Doubles(), set(), 0
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f):
            text = json.loads(line) if line.strip() else {}
            text = text.get("text") or text.get("query")
            if text:
                doubles.add(text, n)
                count += 1
    for r in rows:
        if doubles.find(r["query"]) is not None:
            close.add(f"{r['set']}/{r['id']}")
    return count, sorted(close)


def write(path, rows):
    """The whole file or none of it."""
    part = path + ".part"
    with open(part, "w", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    os.replace(part, path)


def measure(sources, folder, out):
    """Write tools and questions of each set as `ctx eval retrieval` reads them; yield their counts."""
    for s in sources:
        repo = Repo(folder, s["repository"], s["commit"])
        tools = reader(s["set"] + "_tools")(repo).values()
        ids = {t["name"]: f"{t['server']}:{t['name']}" for t in tools}
        write(
            os.path.join(out, s["set"] + "_tools.jsonl"),
            ({"tool": ids[t["name"]], **t, "inputSchema": {"type": "object", "properties": {}}} for t in tools),
        )
        rows = sorted(clean(reader(s["set"])(repo)), key=lambda r: r["id"])
        queries = [
            {"id": r["id"], "query": r["query"], "labels": [{"tool": ids[t["name"]], "relevance": 2} for t in r["pos"]]} for r in rows
        ]
        write(os.path.join(out, s["set"] + "_queries.jsonl"), queries)
        yield f"{s['set']}: {len(tools)} tools, {len(queries)} queries, {sum(len(q['labels']) > 1 for q in queries)} with several tools"


def main(argv=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--from", dest="folder", required=True, help="the folder with the repositories")
    p.add_argument("--out", metavar="FILE", help="write the training rows there")
    p.add_argument("--measure", metavar="FOLDER", help="write the sets kept for measuring there")
    p.add_argument("--only", nargs="+", default=[], metavar="SET", help="these sets alone")
    p.add_argument("--against", nargs="+", default=[], metavar="FILE", help="files to compare the rows with")
    args = p.parse_args(argv)
    if bool(args.out) == bool(args.measure):
        p.error("one of --out and --measure is needed")
    with open(os.path.join(HERE, "sources.json"), encoding="utf-8") as f:
        facts = json.load(f)
    use = "train" if args.out else "measure"
    sources = [s for s in facts["sets"] if s["use"] == use and (not args.only or s["set"] in args.only)]
    unknown = set(args.only) - {s["set"] for s in sources}
    if unknown:
        print(f"no set named {', '.join(sorted(unknown))} among those to {use}", file=sys.stderr)
        return 2
    try:
        if args.measure:
            print("\n".join(measure(sources, args.folder, args.measure)))
            return 0
        rows = convert(sources, args.folder, set(facts["left_out"]))
    except Missing as e:
        print(e, file=sys.stderr)
        return 1
    write(args.out, rows)
    print("\n".join(counts(rows)))
    for path in args.against:
        count, ids = against(rows, path)
        print(f"{path}: {count} texts, close to {len(ids)} rows here: {' '.join(ids)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
