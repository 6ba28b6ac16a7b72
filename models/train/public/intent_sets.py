"""Readers of sets in which a request goes with an intent.

intents.json has a name and a description for each; null where what is said asks for nothing that a tool does (greetings,
thanks, yes and no): such a row abstains. An intent that is not listed there is left out.
"""

import csv
import io
import json
import os

from text import one_line

HERE = os.path.dirname(os.path.abspath(__file__))
OUT_OF_SCOPE = "oos"
HWU = "CrossValidation/autoGeneFromRealAnno/autoGene_2018_03_22-13_01_25_169/CrossValidation/KFold_1/trainset"
SMALL_TALK = 12  # rows kept of each intent that asks for nothing


def rows(name, labelled):
    """Rows of (id, text, intent); the neighbours among the intents are found later."""
    with open(os.path.join(HERE, "intents.json"), encoding="utf-8") as f:
        intents = json.load(f)[name]
    small = {}
    for id, text, intent in labelled:
        if intent not in intents and intent != OUT_OF_SCOPE:
            continue
        words = intents.get(intent)
        if words:
            pos = [{"name": words[0], "server": "", "description": one_line(words[1])}]
            yield {"id": id, "kind": "intent", "query": text, "pos": pos, "neg": []}
            continue
        small[intent] = small.get(intent, 0) + 1
        if intent == OUT_OF_SCOPE or small[intent] <= SMALL_TALK:
            yield {"id": id, "kind": "abstain", "query": text, "pos": [], "neg": []}


def clinc150(repo):
    data = repo.json("data/data_full.json")
    parts = ("train", "oos_train", "oos_val", "oos_test")
    return rows("clinc150", ((f"{p}-{n}", text, intent) for p in parts for n, (text, intent) in enumerate(data[p])))


def banking77(repo):
    table = csv.DictReader(io.StringIO(repo.text("banking_data/train.csv")))
    return rows("banking77", ((f"train-{n}", r["text"], r["category"]) for n, r in enumerate(table)))


def hwu64(repo):
    def labelled():
        for path in repo.names(HWU):
            for r in csv.DictReader(io.StringIO(repo.text(path)), delimiter=";"):
                yield r["answerid"], r["answer_from_user"] or r["answer"], f"{r['scenario']}_{r['intent']}"

    return rows("hwu64", labelled())
