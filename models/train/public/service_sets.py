"""Readers of sets whose tools belong to servers, services or bundles. Rows as in tool_sets.py; nothing where a right tool is unknown."""

import ast
import csv
import io
import json
import random
import re

from form import pick, row, tool
from text import spell_out


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


def callnavi(repo):
    """Ten services of as many businesses, each with dozens of functions."""
    for path in repo.names("Dataset/Questions"):
        part = path.rsplit("/", 1)[1].removesuffix(".json")
        tools = {t["name"]: tool(t["name"], t["description"], part) for t in repo.json(f"Dataset/APIs/{part}.json")["api_ports"]}
        for r in repo.json(path):
            right = r["ground_truth"]["API"]
            yield pick(f"{part}-{r['id']}", r["question"][0]["content"], tools, [right] if isinstance(right, str) else right)


def mongodb(repo):
    """Prompts of the accuracy tests of its MCP server; tests that add a shared list of calls are passed over."""
    listed = re.findall(r"^- `([a-z-]+)` - (.+)$", repo.text("README.md").split("\n## 📄 Supported Resources")[0], re.MULTILINE)
    tools = {name: tool(name, what, "mongodb") for name, what in listed}
    for path in repo.names("packages/accuracy-tests/src"):
        part = path.rsplit("/", 1)[1].removesuffix(".test.ts")
        for n, test in enumerate(re.split(r"\bprompt:\s*", repo.text(path))[1:]):
            said = re.match(r"(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|`([^`]*)`),", test)
            calls = test.split("mockedTools")[0]
            if said and "..." not in calls.split("expectedToolCalls")[-1]:
                query = (said[1] or said[2] or said[3] or "").replace('\\"', '"')
                yield pick(f"{part}-{n}", query, tools, re.findall(r"\btoolName: \"([a-z-]+)\"", calls))


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
