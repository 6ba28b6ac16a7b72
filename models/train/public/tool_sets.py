"""Readers of sets in which a question goes with tools. Each yields rows: id, kind, query, pos, neg (what was offered), all raw."""

import ast
import csv
import io
import json
import random
import re

from text import one_line, spell_out


def tool(name, description, server=""):
    return {"name": name, "server": server, "description": one_line(description)}


def row(id, query, pos, neg=(), kind="tool", **more):
    return {"id": id, "kind": kind, "query": query, "pos": list(pos), "neg": list(neg), **more}


def pick(id, query, tools, right):
    """A row on offered tools of which some, by name, are right; None where one of these was not offered."""
    if not right or not set(right) <= set(tools):
        return None
    return row(id, query, [tools[n] for n in dict.fromkeys(right)], [t for n, t in tools.items() if n not in right])


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


def etom(repo):
    """Wrong are other tools of the same servers: those of other servers often do the same."""
    tools, servers, equals = {}, {}, {}
    for s in repo.json("data/mcp_registry.json")["servers"]:
        for t in s.get("tools") or []:
            key = s["server_name"], t["tool_name"]
            tools[key] = tool(t["tool_name"], t["tool_description"], s["server_name"])
            servers.setdefault(s["server_name"], []).append(tools[key])
    for same in repo.json("src/tool_equivalence_sets.json"):
        keys = [(t["server_name"], t["tool_name"]) for t in same["tools"]]
        equals.update((k, [tools[x] for x in keys if x in tools]) for k in keys)
    for level in (1, 2, 3, 4, 5):
        for r in repo.json(f"data/queries/level_{level}.json"):
            id, pos, also = f"level{level}-{r['query_id']}", [], []
            for step in r["ground_truth_tools"]:
                equal = [tools.get((t["server_name"], t["tool_name"])) for t in (step if isinstance(step, list) else [step])]
                equal = [t for t in equal if t]
                if equal:
                    pos.append(random.Random(id).choice(equal))
                    also += equal + [x for t in equal for x in equals.get((t["server"], t["name"]), [])]
            if len(pos) == len(r["ground_truth_tools"]):
                near = [t for s in dict.fromkeys(t["server"] for t in pos) for t in servers[s] if t not in also]
                yield row(id, r["query"], pos, near, kind="tool" if pos else "abstain", also=also)


def toolbench_apis(repo):
    """Every API that the solvable questions were offered, by tool and name, and the questions."""
    tools, asked = {}, []
    for part in ("G1_category", "G1_instruction", "G1_tool", "G2_category", "G2_instruction", "G3_instruction"):
        for r in repo.json(f"solvable_queries/test_instruction/{part}.json"):
            offered = {}
            for a in r["api_list"]:
                key = a["tool_name"], a["api_name"]
                offered[key] = tools[key] = tool(a["api_name"], a["api_description"] or spell_out(a["api_name"]), a["tool_name"])
            asked.append((f"{part}-{r['query_id']}".replace("_", "-"), r["query"], offered, [tuple(x) for x in r["relevant APIs"]]))
    return tools, asked


def stable_toolbench(repo):
    for id, query, offered, right in toolbench_apis(repo)[1]:
        yield pick(id, query, offered, right)


def anytoolbench(repo, toolbench):
    tools = toolbench_apis(toolbench)[0]
    for r in repo.json("atb_data/anytoolbench.json"):
        right = list(dict.fromkeys((a["tool_name"], a["api_name"]) for a in r["gt_api_list"]))
        if set(right) <= set(tools):
            yield row(r["query_id"], r["query"], [tools[k] for k in right])


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


def toolalpaca(repo):
    for part in ("eval_simulated", "eval_real"):
        for s in repo.json(f"data/{part}.json"):
            tools = {n: tool(n, d.split("\n")[0], s["Name"]) for n, d in s["Function_Description"].items() if n != "components"}
            for n, (query, steps) in enumerate(zip(s["Instructions"], s["Golden_Answers"])):
                yield pick(f"{part}-{s['Name']}-{n}", query, tools, [x["Action"] for x in steps])


def tooleyes(repo):
    """A question goes with a whole bundle of tools here."""
    bundles, asked = {}, repo.json("Test_Data/scenario_data_raw.json")
    for r in asked:
        at = r["path"].removeprefix("ToolEyes/")
        if at not in bundles:
            raw = repo.text(at + "/config_gpt4.json")
            listed = json.loads(raw) if raw.lstrip().startswith("[") else [json.loads(x) for x in raw.splitlines() if x.strip()]
            what = " ".join(f["description"].strip().rstrip(".") + "." for f in listed if f["name"] != "finish")
            bundles[at] = tool(spell_out(at.rsplit("/", 1)[1]), what)
    for n, r in enumerate(asked):
        yield row(f"raw-{n}", r["query"], [bundles[r["path"].removeprefix("ToolEyes/")]])


def nestful(repo):
    for part in ("executable/executable", "non-executable/non-executable-glaive"):
        tools = {t["name"]: tool(t["name"], t["description"]) for t in repo.json(f"data/{part}-spec.json")}
        for n, r in enumerate(repo.json(f"data/{part}-data.json")):
            right = list(dict.fromkeys(x["name"] for x in r["output"] if x["name"] != "var_result"))
            if right and set(right) <= set(tools):
                yield row(f"{part.split('-')[-1].split('/')[-1]}-{n}", r["input"], [tools[x] for x in right])


def restbench(repo):
    for part in ("tmdb", "spotify"):
        tools = {}
        for path, methods in repo.json(f"specs/{part}_oas.json")["paths"].items():
            for method, m in methods.items():
                if method in ("get", "post", "put", "delete"):
                    name = spell_out(m.get("summary") or m.get("operationId") or path).lower().replace(" ", "_")
                    what = (m.get("description") or m.get("summary") or "").split(" Supports `append_to_response`")[0]
                    tools[f"{method.upper()} {path}"] = tool(name, what, part)
        for n, r in enumerate(repo.json(f"datasets/{part}.json")):
            right = list(dict.fromkeys(r["solution"]))
            if set(right) <= set(tools):
                yield row(f"{part}-{n}", r["query"], [tools[x] for x in right])


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


def workbench(repo):
    """The answers name only calls that change something, so only such calls are wrong for certain."""
    tools = {}
    for path in repo.names("src/tools"):
        if path.endswith(".py"):
            for f in ast.walk(ast.parse(repo.text(path))):
                for d in getattr(f, "decorator_list", []):
                    if isinstance(d, ast.Call) and d.args and isinstance(d.args[0], ast.Constant):
                        name = d.args[0].value
                        what = (ast.get_docstring(f) or "").split("\n\n")[0]
                        tools[name] = tool(name.split(".")[1], what, spell_out(name.split(".")[0]))
    seen = {}
    for path in repo.names("data/processed/queries_and_answers"):
        part = path.rsplit("/", 1)[1].removesuffix("_queries_and_answers.csv")
        for n, r in enumerate(csv.DictReader(io.StringIO(repo.text(path)))):
            right = list(dict.fromkeys(re.findall(r"(\w+\.\w+)\.func\(", r["answer"])))
            seen[r["chosen_template"]] = seen.get(r["chosen_template"], 0) + 1
            if right and seen[r["chosen_template"]] <= 2 and set(right) <= set(tools):
                wrong = [t for x, t in tools.items() if x not in right and re.match("create|update|delete|send|forward|reply|add", t["name"])]
                yield row(f"{part}-{n}", r["query"], [tools[x] for x in right], wrong)


INVENTED = "orion harbor maple falcon cedar atlas juniper nova tundra willow quartz ember lagoon sierra pixel raven".split()


def azure(repo):
    """Test prompts of the Azure MCP server; what stands in angle brackets there becomes a made-up name."""
    docs, tools = repo.text("servers/Azure.Mcp.Server/docs/azmcp-commands.md"), {}
    for m in re.finditer(r"((?:^# .*\n)+)^azmcp ((?:[a-z][a-z0-9-]* )*[a-z][a-z0-9-]*)", docs, re.MULTILINE):
        notes = [x[2:].strip() for x in m[1].splitlines()]
        name = "_".join(m[2].split())
        tools.setdefault(name, tool(name, " ".join(x for x in notes if not re.match(r"[^\w\s(`'\"]", x)), "azure"))
    for n, m in enumerate(re.finditer(r"^\| ?(\w+) ?\| ?(.+?) ?\|(?: ?([a-z-]+) ?\|)?$", repo.text("servers/Azure.Mcp.Server/docs/e2eTestPrompts.md"), re.MULTILINE)):
        if m[1] not in tools:
            continue
        draw = random.Random(f"azure {n}")
        query = re.sub(r"\\?<([\w .-]+)\\?>", lambda x: draw.choice(INVENTED) + draw.choice(["", "-prod", "-dev", "-01"]), m[2])
        yield row(f"prompt-{n}", query.replace("\\", ""), [tools[m[1]]])


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


def livemcpbench_tools(repo):
    """Every tool on offer, by name; of those of one name the first."""
    tools = {}
    for s in repo.json("tools/LiveMCPTool/tools.json"):
        for t in (t for part in s["tools"].values() for t in part["tools"]):
            tools.setdefault(t["name"], tool(t["name"], t["description"], s["name"]))
    return tools


def livemcpbench(repo):
    tools = livemcpbench_tools(repo)
    for r in repo.json("annotated_data/all_annotations.json"):
        right = [re.sub(r"^\d+\.\s*", "", x).strip() for x in r["Annotator Metadata"]["Tools"].splitlines() if x.strip()]
        if right and set(right) <= set(tools):
            yield row(r["task_id"], r["Question"], [tools[x] for x in dict.fromkeys(right)])
