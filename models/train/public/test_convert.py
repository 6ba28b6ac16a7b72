"""Converts made-up repositories. Run with: python3 -m unittest"""

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from unittest import mock

import convert
import text
from repos import Missing, Repo

TOOLS = [
    {"api_name": "findFerry", "api_description": "Look up ferries between two islands", "field": "Sea", "parameters": {}},
    {"api_name": "bookCabin", "api_description": "Reserve a cabin on board", "field": "Sea", "parameters": {}},
    {"api_name": "tideTable", "api_description": "High and low water at a harbour", "field": "Sea", "parameters": {}},
    {"api_name": "findFerries", "api_description": "Look up ferries between two islands", "field": "Sea", "parameters": {}},
    {"api_name": "pruneTree", "api_description": "Plan the cutting of a fruit tree", "field": "Garden", "parameters": {}},
]
DEV = [
    ("d1", "When does the boat from Skye to Mallaig leave tomorrow?", ["findFerry"]),
    ("d2", "when does the boat from Skye to Mallaig leave tomorrow", ["findFerry"]),
    ("d3", "When does the next boat from Skye to Mallaig leave tomorrow?", ["findFerry"]),
    ("d4", "Find me a boat to Barra and get me a cabin with a window on it", ["findFerry", "bookCabin"]),
    ("d5", "What can <place> do for YOUR_NAME", ["tideTable"]),
    ("d6", "Who has the key?", ["noSuchTool"]),
    ("d7", " ".join(["far"] * 121), ["tideTable"]),
]


def git(folder, *args):
    env = {**os.environ, "GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z"}
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", "-C", folder, *who, *args], check=True, capture_output=True, text=True, env=env).stdout.strip()


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(subprocess.run, ["rm", "-rf", self.folder], check=True)
        self.out = os.path.join(self.folder, "out.jsonl")

    def repository(self, name, files):
        at = os.path.join(self.folder, name.replace("/", "+"))
        os.makedirs(at)
        git(at, "init", "-q")
        for path, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(at, path)), exist_ok=True)
            with open(os.path.join(at, path), "w", encoding="utf-8") as f:
                f.write(content)
        git(at, "add", ".")
        git(at, "commit", "-q", "-m", "all")
        return git(at, "rev-parse", "HEAD")

    def seal_tools(self, dev=DEV):
        rows = ({"id": i, "query": q, "calling": [{"api": n} for n in names]} for i, q, names in dev)
        lines = {"tool": TOOLS, "dev": rows, "test_in_domain": [], "test_out_domain": []}
        files = {f"Seal-Tools_Dataset/{k}.jsonl": "".join(json.dumps(x) + "\n" for x in v) for k, v in lines.items()}
        return self.source("seal_tools", "fairyshine/Seal-Tools", self.repository("fairyshine/Seal-Tools", files))

    @staticmethod
    def source(name, repository, commit, **more):
        return {"set": name, "repository": repository, "commit": commit, "use": "train", **more}

    def run_on(self, *sources, left_out=(), args=()):
        facts = os.path.join(self.folder, "sources.json")
        with open(facts, "w", encoding="utf-8") as f:
            json.dump({"sets": sources, "left_out": list(left_out)}, f)
        said, wrong = io.StringIO(), io.StringIO()
        with mock.patch.object(convert, "HERE", self.folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            code = convert.main(["--from", self.folder, "--out", self.out, *args])
        rows = []
        if os.path.exists(self.out):
            with open(self.out, encoding="utf-8") as f:
                rows = [json.loads(line) for line in f]
        return code, rows, said.getvalue(), wrong.getvalue()

    def test_one_of_a_text_and_its_near_doubles_is_kept_and_rubble_is_not(self):
        code, rows, _, _ = self.run_on(self.seal_tools())
        self.assertEqual(code, 0)
        self.assertEqual([r["id"] for r in rows], ["d1", "d4"])

    def test_several_right_tools_stay_together_and_none_that_does_the_same_is_wrong(self):
        _, rows, _, _ = self.run_on(self.seal_tools())
        row = rows[1]
        self.assertEqual([t["name"] for t in row["pos"]], ["findFerry", "bookCabin"])
        self.assertEqual([t["name"] for t in row["neg"]], ["tideTable"])  # findFerries is a twin, pruneTree of another field
        self.assertEqual(set(row), {"set", "id", "kind", "query", "pos", "neg"})
        self.assertEqual(set(row["neg"][0]), {"name", "server", "description"})

    def test_a_row_left_out_is_left_out(self):
        _, rows, _, _ = self.run_on(self.seal_tools(), left_out=["seal_tools/d4"])
        self.assertEqual([r["id"] for r in rows], ["d1"])

    def test_a_tool_has_no_more_rows_than_its_share_and_the_draw_is_the_same_every_time(self):
        nouns = "anchor beacon canvas dinghy engine flag gull hatch island jetty keel lantern mast net oar pier quay rope sail tiller".split()
        source = self.seal_tools([(f"n{n:02}", f"{x} {x}s tell me {x}ing", ["tideTable"]) for n, x in enumerate(nouns)])
        _, first, _, _ = self.run_on(source)
        _, second, _, _ = self.run_on(source)
        self.assertEqual(len(first), convert.PER_TOOL)
        self.assertEqual(first, second)
        self.assertEqual([r["id"] for r in first], sorted(r["id"] for r in first))

    def test_only_counts_and_own_ids_are_said_of_a_file_compared_with(self):
        other = os.path.join(self.folder, "other.jsonl")
        with open(other, "w", encoding="utf-8") as f:
            f.write(json.dumps({"query": "So when does the boat from Skye to Mallaig leave tomorrow?", "labels": ["hidden"]}) + "\n")
        _, _, said, _ = self.run_on(self.seal_tools(), args=["--against", other])
        self.assertIn("1 texts, close to 1 rows here: seal_tools/d1", said)
        self.assertNotIn("hidden", said)
        self.assertNotIn("Skye", said)

    def test_a_missing_repository_is_named_with_its_fetch_and_nothing_is_written(self):
        commit = "0123456789abcdef0123456789abcdef01234567"
        code, rows, _, wrong = self.run_on(self.source("seal_tools", "fairyshine/Seal-Tools", commit))
        self.assertEqual((code, rows), (1, []))
        for part in ("fairyshine/Seal-Tools is missing", "fairyshine+Seal-Tools", "git clone", commit):
            self.assertIn(part, wrong)

    def test_a_commit_that_is_not_there_is_named(self):
        source = {**self.seal_tools(), "commit": "0123456789abcdef0123456789abcdef01234567"}
        code, _, _, wrong = self.run_on(source)
        self.assertEqual(code, 1)
        self.assertIn("lacks commit 0123456789abcdef", wrong)

    def test_a_file_that_is_not_there_is_named_and_the_old_output_stays(self):
        with open(self.out, "w", encoding="utf-8") as f:
            f.write('{"id": "old"}\n')
        commit = self.repository("fairyshine/Seal-Tools", {"Seal-Tools_Dataset/dev.jsonl": ""})
        code, rows, _, wrong = self.run_on(self.source("seal_tools", "fairyshine/Seal-Tools", commit))
        self.assertEqual((code, rows), (1, [{"id": "old"}]))
        self.assertIn("has no Seal-Tools_Dataset/tool.jsonl", wrong)

    def test_a_bare_git_directory_does_as_well_as_a_checkout(self):
        source = self.seal_tools()
        _, rows, _, _ = self.run_on(source)
        at = os.path.join(self.folder, "fairyshine+Seal-Tools")
        for bare in (at, os.path.join(at, "repo")):
            with self.subTest(bare):
                moved = os.path.join(self.folder, "moved.git")
                git(self.folder, "clone", "-q", "--bare", at, moved)
                subprocess.run(["rm", "-rf", at], check=True)
                os.makedirs(os.path.dirname(bare), exist_ok=True)
                os.rename(moved, bare)
                self.assertEqual(self.run_on(source)[1], rows)
                if bare == at:
                    os.rename(at, moved)
                    git(self.folder, "clone", "-q", moved, at)
                    subprocess.run(["rm", "-rf", moved], check=True)

    def test_questions_out_of_scope_and_small_talk_abstain(self):
        train = [["what is the weather in Oslo today", "weather"], ["do I need a vaccine for Peru", "vaccines"], ["thank you so much", "thank_you"]]
        data = {"train": train, "oos_train": [["why is the sky blue", "oos"]], "oos_val": [], "oos_test": []}
        commit = self.repository("clinc/oos-eval", {"data/data_full.json": json.dumps(data)})
        _, rows, _, _ = self.run_on(self.source("clinc150", "clinc/oos-eval", commit))
        self.assertEqual([(r["id"], r["kind"]) for r in rows], [("oos_train-0", "abstain"), ("train-0", "intent"), ("train-1", "intent"), ("train-2", "abstain")])
        self.assertEqual({t["name"] for t in rows[0]["neg"]}, {"weather", "travel vaccinations"})
        self.assertEqual(rows[3]["pos"], [])

    def test_a_set_that_nobody_knows_is_an_error(self):
        code, _, _, wrong = self.run_on(self.seal_tools(), args=["--only", "seal_tool"])
        self.assertEqual(code, 2)
        self.assertIn("no set named seal_tool", wrong)


class Facts(unittest.TestCase):
    def test_every_set_has_its_facts_and_a_reader(self):
        with open(os.path.join(convert.HERE, "sources.json"), encoding="utf-8") as f:
            sets = json.load(f)["sets"]
        for s in sets:
            with self.subTest(s["set"]):
                self.assertRegex(s["commit"], "^[0-9a-f]{40}$")
                self.assertIn(s["licence"], {"MIT", "Apache-2.0", "CC-BY-3.0", "CC-BY-4.0"})
                self.assertTrue(s["files"] and s["what"] and s["licence_read_from"])
                self.assertTrue(callable(convert.reader(s["set"])))

    def test_no_set_is_made_from_what_is_evaluated_on(self):
        with open(os.path.join(convert.HERE, "sources.json"), encoding="utf-8") as f:
            said = f.read().lower()
        for name in ("howiehwong", "mcpproxy"):
            self.assertNotIn(name, said)


class Texts(unittest.TestCase):
    def test_names_are_spelled_out(self):
        for name in ("getFilmDetails", "get_film_details", "get-film-details", "get.film.details"):
            self.assertEqual(text.spell_out(name).lower(), "get film details")
        self.assertEqual(text.spell_out("parseHTMLPage"), "parse HTML Page")

    def test_placeholders_are_rubble(self):
        for query in ("Mail it to {recipient} now", "Open <file-name> please", "Ask [CITY NAME] about it", "use YOUR_KEY for it", "pay ${amount} now"):
            self.assertFalse(text.usable(query), query)
        for query in ("is 3 < 4 or 5 > 6", "what does a[0] hold here", "明天北京天气怎么样"):
            self.assertTrue(text.usable(query), query)

    def test_characters_count_where_a_script_has_no_spaces(self):
        self.assertEqual(len(text.tokens("天气怎么样")), 5)


class Repositories(unittest.TestCase):
    def test_the_fetch_is_part_of_the_error(self):
        with self.assertRaisesRegex(Missing, "git clone --no-checkout"):
            Repo("/nowhere", "a/b", "0" * 40)


if __name__ == "__main__":
    unittest.main()
