package skill

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var shelf = func() map[string]string {
	m := map[string]string{}
	for _, n := range []string{"content-voice", "social-x", "social-reddit", "video-hooks", "tap-deps", "Release-Notes", "review", "browser", "orch-plan", "v2.0"} {
		m[strings.ToLower(n)] = n
	}
	return m
}()

// leads are the skills that a text leads to, with the kind of each.
func leadsTo(text string) string {
	var list []string
	for _, m := range mentionsIn(text, shelf) {
		list = append(list, fmt.Sprintf("%s %s:%d", m.kind, m.name, m.line))
	}
	return strings.Join(list, ", ")
}

func TestWhatSendsAReaderToAnotherSkill(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Use the content-voice skill.":                                                                "phrase content-voice:1",
		"Pair with `content-voice` for copy.":                                                         "phrase content-voice:1",
		"Pair this with `content-voice` for human voice rules.":                                       "phrase content-voice:1",
		"- Pairs with `social-x` (content domain) for writing.":                                       "phrase social-x:1",
		"(see content-voice skill for full lists)":                                                    "phrase content-voice:1",
		"| Hook | First 1.5s (see `video-hooks`) |":                                                   "phrase video-hooks:1",
		"locale-specific — see social-x).":                                                            "phrase social-x:1",
		"Apply content-voice's rules: no dead phrases":                                                "phrase content-voice:1",
		"Invoke `orch-plan` panel, then run `social-x`.":                                              "phrase orch-plan:1, phrase social-x:1",
		"Load the `tap-deps` skill":                                                                   "phrase tap-deps:1",
		"then run content-voice":                                                                      "phrase content-voice:1",
		"See release-notes.":                                                                          "phrase Release-Notes:1",
		"are covered in full by the `tap-deps` skill":                                                 "phrase tap-deps:1",
		"structural rules live in `tap-deps` (order)":                                                 "phrase tap-deps:1",
		"hand the localization to the workflow / content-voice":                                       "phrase content-voice:1",
		"The `social-x` skill should be running instead.":                                             "phrase social-x:1",
		"Cross-cutting skills always loaded: `content-voice`, `social-x`, and `tap-deps`.":            "phrase content-voice:1, phrase social-x:1, phrase tap-deps:1",
		"- Companion skills: `content-voice` (kill the AI markers), `social-x` (octoweb) for what is": "phrase content-voice:1, phrase social-x:1",
		"Load both: content-voice and social-x":                                                       "phrase content-voice:1, phrase social-x:1",
		"run `review` first":                                                                          "phrase review:1",
		"run the review skill":                                                                        "phrase review:1",
		"Use v2.0 of it":                                                                              "phrase v2.0:1",
		`skill(action="use", name="tap-deps")`:                                                        "call tap-deps:1",
		"```\nskill(action=\"use\", name=\"tap-deps\")\n```":                                          "call tap-deps:2",
		"Type /content-voice to begin":                                                                "call content-voice:1",
		"`/content-voice`, then $social-x":                                                            "call content-voice:1, call social-x:1",
		"capability enable skill:content-voice":                                                       "call content-voice:1",
		"Full reference: `skills/tap-deps/reference/a.md`":                                            "call tap-deps:1",
		"---\ncompatibility: \"Use alongside social-x.\"\n---\n":                                      "phrase social-x:2",
		"## Composition\n\n- content-voice — carry voice\n- x\n":                                      "list content-voice:3",
		"Use with:\n- content-voice — carry voice\n":                                                  "list content-voice:2",
		"Skills the harness composes with:\n- `social-x`, `social-reddit` — rulebooks\n":              "list social-x:2, list social-reddit:2",
		"| Signature | Routed skills |\n|---|---|\n| short | `social-x` + rest |\n":                   "table social-x:3",
		"## Injection Points\n\n### Mandatory\n\n| Panel | When |\n|---|---|\n| `orch-plan` (always) | release |\n": "table orch-plan:7",
		"See `social-x`. See `social-x` again.": "phrase social-x:1",
	} {
		if got := leadsTo(text); got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
	}
}

func TestWhatOnlyHasTheWord(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"`social-x` knows what good X looks like", "the English list in `content-voice` had to be refreshed", "content-voice",
		"Do not use `social-x` for this", "Never run content-voice here", "use your own words instead of `content-voice`", "don't load `social-x`",
		"use social-xy and asocial-x and social-x-y", "see https://example.com/docs/social-x/intro", "see docs/social-x.md", "use ./social-x/run",
		"use the `social-*` family", "use social-x.toml", "run social-x/scripts/a.sh",
		"open the browser and review the page", "use browser", "run review", "see the review",
		"load the `tap-deps` capability", "use the social-x agent", "capabilities = [\"tap-deps\"]",
		"```\nuse `social-x`\nname: social-x\n```", "---\nname: social-x\nrules:\n  - content(use social-x)\n---\n",
		"| What | Why |\n|---|---|\n| `social-x` | it is |\n", "## Notes\n\n- social-x — a note\n",
	} {
		if got := leadsTo(text); got != "" {
			t.Errorf("%q leads to %q", text, got)
		}
	}
}

// chain are skills that lead to one another: "a": "b c".
func chain(t testing.TB, leads map[string]string) *Library {
	t.Helper()
	root := t.TempDir()
	for name, to := range leads {
		body := "Body.\n"
		for _, n := range strings.Fields(to) {
			body += "Then use the " + n + " skill.\n"
		}
		put(t, root, name, "---\nname: "+name+"\ndescription: D\n---\n"+body)
	}
	return NewLibrary(func() []Root { return []Root{{root, FromUser, ""}} })
}

func steps(g Graph, name string, transitive ...string) string {
	var list []string
	for _, s := range g.Next(name, transitive...) {
		list = append(list, s.Skill)
	}
	return strings.Join(list, " ")
}

func TestNextStepsGoOnFromThoseThatAreAllowedAlone(t *testing.T) {
	t.Parallel()
	g := chain(t, map[string]string{"s1": "s2", "s2": "s3 s1", "s3": "s4", "s4": "s5", "s5": "s6", "s6": "s7", "s7": "", "lone": ""}).Graph("")
	if g.Skills != 8 || g.Linked != 7 || len(g.Edges) != 7 {
		t.Errorf("%d skills, %d linked, %d edges", g.Skills, g.Linked, len(g.Edges))
	}
	for name, want := range map[string]string{"s1": "s2", "s2": "s3 s1", "s7": "", "lone": "", "none": ""} {
		if got := steps(g, name, "other"); got != want {
			t.Errorf("%s leads to %s, want %s", name, got, want)
		}
	}
	if got := steps(g, "s1", "s1"); got != "s2 s3 s4 s5 s6" { // five steps, and back is no step
		t.Errorf("s1 leads to %s", got)
	}
	next := g.Next("s1", "s1")
	if r := next[0].Reason; r != "SKILL.md:6: Then use the s2 skill." {
		t.Errorf("reason %q", r)
	}
	if r := next[2].Reason; !strings.HasPrefix(r, "by way of s2, s3; SKILL.md:6: ") {
		t.Errorf("reason %q", r)
	}
}

func TestCirclesAreFound(t *testing.T) {
	t.Parallel()
	g := chain(t, map[string]string{"c1": "c2", "c2": "c3", "c3": "c1 c2", "d1": "d2", "d2": "d1", "e1": "c1", "self": "self"}).Graph("")
	want := [][]string{{"c1", "c2", "c3"}, {"c2", "c3"}, {"d1", "d2"}}
	if fmt.Sprint(g.Cycles) != fmt.Sprint(want) {
		t.Errorf("circles %v", g.Cycles)
	}
	if len(g.Edges) != 7 {
		t.Errorf("edges %+v", g.Edges)
	}
}

func TestAGraphIsKeptAndMadeAnewWhereFilesHaveChanged(t *testing.T) {
	t.Parallel()
	l := chain(t, map[string]string{"k1": "k2", "k2": ""})
	for _, s := range l.Load().Skills { // long enough ago to be believed
		old := s.mustStat(t).ModTime().Add(-settled * 2)
		if err := os.Chtimes(s.File, old, old); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	fresh := func() *Library { return NewLibrary(l.roots) }
	fresh().Load()
	first := fresh().Graph(dir)
	path := filepath.Join(dir, GraphFile)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	kept := func() (k keptGraph) {
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &k)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if k := kept(); k.Schema != "ctx.skill-graph/v1" || len(k.Edges) != 1 {
		t.Errorf("kept %+v", k)
	}
	if again := fresh().Graph(dir); !slices.Equal(again.Edges, first.Edges) {
		t.Errorf("read again %+v", again)
	}
	// What somebody else writes there is only taken where it fits the files, and
	// what does not parse costs nothing.
	for _, text := range []string{"{", `{"schema":"other"}`, strings.Replace(string(mustRead(t, path)), `"to":"k2"`, `"to":"k9"`, 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if g := fresh().Graph(dir); len(g.Edges) != 1 || g.Edges[0].To != "k2" {
			t.Errorf("of %.40s: %+v", text, g.Edges)
		}
	}
	s := l.Load().Skills[0]
	if err := os.WriteFile(s.File, []byte("---\nname: k1\ndescription: D\n---\nNothing.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if g := fresh().Graph(dir); len(g.Edges) != 0 {
		t.Errorf("after a change %+v", g.Edges)
	}
	if g := fresh().Graph(filepath.Join(dir, "none", "such")); len(g.Edges) != 0 {
		t.Errorf("without a place %+v", g.Edges)
	}
}

func (s Skill) mustStat(t testing.TB) os.FileInfo {
	t.Helper()
	info, err := os.Stat(s.File)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
