"""Readers of sets of functions that belong to no server. Each yields rows: id, kind, query, pos, neg (what was offered), all raw."""

import csv
import io
import re

from form import pick, row, tool
from text import spell_out


def seal_tools(repo):
    """Wrong are tools of the same field: those of one field were made to differ, those of two often do the same."""
    tools, fields, field = {}, {}, {}
    for t in repo.lines("Seal-Tools_Dataset/tool.jsonl"):
        name = t["api_name"]
        tools[name], field[name] = tool(name, t["api_description"]), t["field"]
        fields.setdefault(t["field"], []).append(name)
    for part in ("dev", "test_in_domain", "test_out_domain"):
        for r in repo.lines(f"Seal-Tools_Dataset/{part}.jsonl"):
            right = list(dict.fromkeys(c["api"] for c in r["calling"]))
            if set(right) <= set(tools):
                near = dict.fromkeys(n for x in right for n in fields[field[x]] if n not in right)
                yield row(r["id"].replace("_", "-"), r["query"], [tools[n] for n in right], [tools[n] for n in near])


BFCL = "berkeley-function-call-leaderboard/bfcl_eval/data/"


BFCL_CLASSES = {
    "GorillaFileSystem": "gorilla_file_system", "MathAPI": "math_api", "MessageAPI": "message_api", "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api", "TradingBot": "trading_bot", "TravelAPI": "travel_booking", "VehicleControlAPI": "vehicle_control",
}


def bfcl(repo):
    single = ("live_multiple", "live_simple", "live_parallel", "live_parallel_multiple", "multiple", "parallel", "parallel_multiple", "simple_python")
    for part in single + ("live_irrelevance", "irrelevance"):
        abstain = part.endswith("irrelevance")
        answers = {} if abstain else {a["id"]: a["ground_truth"] for a in repo.lines(f"{BFCL}possible_answer/BFCL_v4_{part}.json")}
        for r in repo.lines(f"{BFCL}BFCL_v4_{part}.json"):
            said = [m for turn in r["question"] for m in turn]
            if len(said) != 1 or said[0]["role"] != "user":
                continue
            tools = {f["name"]: tool(f["name"], f["description"]) for f in r["function"]}
            if abstain:
                if tools:
                    yield row(r["id"], said[0]["content"], [], tools.values(), "abstain")
            else:
                yield pick(r["id"], said[0]["content"], tools, [n for call in answers.get(r["id"], []) for n in call])


def bfcl_turns(repo):
    """The first turn of conversations with a service or two."""
    docs = {}
    for name, file in BFCL_CLASSES.items():
        docs[name] = {}
        for f in repo.lines(f"{BFCL}multi_turn_func_doc/{file}.json"):
            docs[name][f["name"]] = tool(f["name"], f["description"].split("Tool description:")[-1], spell_out(file))
    answers = {a["id"]: a["ground_truth"] for a in repo.lines(BFCL + "possible_answer/BFCL_v4_multi_turn_base.json")}
    for r in repo.lines(BFCL + "BFCL_v4_multi_turn_base.json"):
        first = r["question"][0]
        tools = {n: t for c in r["involved_classes"] for n, t in docs.get(c, {}).items()}
        if len(first) == 1:
            yield pick(r["id"], first[0]["content"], tools, [call.split("(")[0] for call in answers[r["id"]][0]])


def apibench(repo):
    for part in ("torchhub_train", "torchhub_eval", "tensorflow_eval", "huggingface_eval"):
        for n, r in enumerate(repo.lines(f"data/apibench/{part}.json")):
            said = re.search(r"(?:###\s*Instruction:|'Instruction':)\s*(.+?)(?:\n|, 'Output':)", r["code"])
            api = r["api_data"]
            if said and api.get("api_name"):
                what = f"{api.get('functionality', '')}. {api.get('description', '')}"
                yield row(f"{part}-{n}", said[1].strip("'\" "), [tool(api["api_name"], what, api.get("framework", ""))])


def toolrl(repo):
    for n, r in enumerate(repo.json("dataset/rlla_4k_raw/rlla_sft.json")):
        said = re.findall(r"<user>(.*?)</user>", r["input"], re.DOTALL)
        calls = re.search(r"<tool_call>(.*?)</tool_call>", r["output"], re.DOTALL)
        if len(said) != 1 or not calls or "<obs>" in r["input"]:
            continue
        listed = re.findall(r"^\d+\. Name: (.*)\nDescription: (.*)\nParameters:", r["instruction"], re.MULTILINE)
        names = re.findall(r'^\{"name": "([^"]+)"', calls[1].strip(), re.MULTILINE)
        yield pick(f"sft-{n}", said[0].strip(), {name: tool(name, what) for name, what in listed}, names)


def acebench(repo):
    kinds = ["normal_single_turn_single_function", "normal_single_turn_parallel_function", "normal_similar_api", "normal_preference"]
    kinds += ["normal_atom_" + x for x in ("bool", "enum", "list", "number", "object_deep", "object_short")] + ["special_irrelevant"]
    for language in ("en", "zh"):
        for kind in kinds:
            at = f"data_all/data_{language}/"
            answers = {a["id"]: a["ground_truth"] for a in repo.lines(f"{at}possible_answer/data_{kind}.json")}
            for r in repo.lines(f"{at}data_{kind}.json"):
                turns = re.split(r"^(user|system):\s*", r["question"], flags=re.MULTILINE)
                if len(turns) != 3:
                    continue
                id, tools = f"{language}-{r['id']}", {f["name"]: tool(f["name"], f["description"]) for f in r["function"]}
                if kind == "special_irrelevant":
                    yield row(id, turns[2], [], tools.values(), "abstain")
                    continue
                right = answers.get(r["id"])
                right = [n for part in (right if isinstance(right, list) else [right]) for n in part or {}]
                right = [n if n in tools else re.sub(r"_\d+$", "", n) for n in right]  # one called more than once is numbered
                yield pick(id, turns[2], tools, right)


def nestful(repo):
    for part in ("executable/executable", "non-executable/non-executable-glaive"):
        tools = {t["name"]: tool(t["name"], t["description"]) for t in repo.json(f"data/{part}-spec.json")}
        for n, r in enumerate(repo.json(f"data/{part}-data.json")):
            right = list(dict.fromkeys(x["name"] for x in r["output"] if x["name"] != "var_result"))
            if right and set(right) <= set(tools):
                yield row(f"{part.split('-')[-1].split('/')[-1]}-{n}", r["input"], [tools[x] for x in right])


def functionchat(repo):
    """Korean. Refused questions are asked elsewhere with the right function: only one of the two is kept."""
    for r in repo.lines("data/FunctionChat-Singlecall.jsonl"):
        offered = next((t["content"] for t in r["tools"] if t["type"] == "8_close"), r["tools"][-1]["content"])
        tools = {f["function"]["name"]: tool(f["function"]["name"], f["function"]["description"]) for f in offered}
        for q in r["query"]:
            yield pick(f"single-{r['function_num']}-{q['serial_num']}", q["content"], tools, [r["function_name"]])
    for n, r in enumerate(repo.lines("data/FunctionChat-CallDecision.jsonl")):
        said = [m["content"] for m in r["input_messages"] if m["role"] != "system"]
        if len(said) != 1 or r["category"] not in ("CALL", "REJECT"):
            continue
        tools = {f["function"]["name"]: tool(f["function"]["name"], f["function"]["description"]) for f in r["input_tools"]}
        if (r["serial_num"] % 2 == 0) != (r["category"] == "REJECT"):
            continue
        if r["category"] == "REJECT":
            yield row(f"reject-{n}", said[0], [], tools.values(), "abstain")
        else:
            yield pick(f"call-{n}", said[0], tools, [c["function"]["name"] for c in r["ground_truth"]["tool_calls"]])


def api_bank(repo):
    """What a user says before the first call, where that is one or two turns."""
    tools = {}
    for r in csv.DictReader(io.StringIO(repo.text("api-bank/data/all_apis.csv"))):
        what = re.search(r"description = (['\"]+)(.*?)\1", r["api_info"], re.DOTALL)
        if what:
            tools[r["类名"]] = tool(r["类名"], re.sub(r"\s*\(?Parameters?:.*", "", what[2], flags=re.DOTALL))
    for path in repo.names("api-bank/lv1-lv2-samples/level-1-given-desc"):
        said, called = [], []
        for turn in repo.lines(path):
            if turn["role"] == "User":
                if called:
                    break
                said.append(turn["text"])
            elif turn["role"] == "API" and turn["api_name"] != "GetUserToken":
                called.append(turn["api_name"])
        if called and len(said) <= 2 and set(called) <= set(tools):
            yield row(path.rsplit("/", 1)[1].removesuffix(".jsonl"), " ".join(said), [tools[x] for x in dict.fromkeys(called)])
