package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// put writes root/name/SKILL.md.
func put(t testing.TB, root, name, text string) (file string) {
	t.Helper()
	file = filepath.Join(root, name, FileName)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// read reads one skill named "x".
func read(t testing.TB, text string) (Skill, []string) {
	t.Helper()
	root := t.TempDir()
	put(t, root, "x", text)
	c := load(root)
	if len(c.Skills) != 1 {
		t.Fatalf("%d skills", len(c.Skills))
	}
	return c.Skills[0], told(root, c.Problems)
}

func load(roots ...string) *Catalog {
	return NewLibrary(func() []Root {
		var list []Root
		for _, dir := range roots {
			list = append(list, Root{Dir: dir, Origin: FromUser})
		}
		return list
	}).Load()
}

// told are problems as "FILE:LINE rule".
func told(root string, problems []Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, strings.TrimPrefix(p.Position(), root+"/")+" "+p.Rule)
	}
	return list
}

func TestFrontMatterAsSkillsHaveIt(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		text  string
		want  Skill
		rules string
		told  []string
	}{
		"all of it": {
			"---\nname: x\ntitle: \"T: with a colon\"\ndescription: \"D\"\nlicense: Apache-2.0\ncompatibility: any\nallowed-tools: Bash(git add:*) Read\n" +
				"capabilities: octoweb memory-read\ndomains: [developer, devops]\nmetadata:\n  a: b\nrules:\n  - content(rust)\n  # why\n\n  - match(a: b) file(@x)\n---\n\nBody\n",
			Skill{Name: "x", Title: "T: with a colon", Description: "D", License: "Apache-2.0", Compatibility: "any", AllowedTools: []string{"Bash(git add:*)", "Read"},
				Capabilities: []string{"octoweb", "memory-read"}, Domains: []string{"developer", "devops"}},
			"13: content(rust) | 16: match(a: b) file(@x)", nil,
		},
		"lists in every form": {
			"---\nname: x\ndescription: D\ncapabilities: \"[a, 'b']\"\ndomains:\n  - one\n  - two\nallowed-tools: [Read, \"Bash(x y)\"]\n---\nBody",
			Skill{Name: "x", Description: "D", Capabilities: []string{"a", "b"}, Domains: []string{"one", "two"}, AllowedTools: []string{"Read", "Bash(x y)"}},
			"", nil,
		},
		"rules in every form": {
			"---\nname: x\ndescription: D\nrules:\n- content(a)\n- 'content(it''s)'\n- \"match(\\\\bb)\"\n---\nBody",
			Skill{Name: "x", Description: "D"}, "5: content(a) | 6: content(it's) | 7: match(\\bb)", nil,
		},
		"rules in a row":     {"---\nname: x\ndescription: D\nrules: [content(a), 'content(b)']\n---\nBody", Skill{Name: "x", Description: "D"}, "4: content(a) | 4: content(b)", nil},
		"one rule":           {"---\nname: x\ndescription: D\nrules: content(a)\n---\nBody", Skill{Name: "x", Description: "D"}, "4: content(a)", nil},
		"windows":            {"\ufeff---\r\nname: x\r\ndescription: D\r\nrules:\r\n  - content(a)\r\n---\r\nBody\r\n", Skill{Name: "x", Description: "D"}, "5: content(a)", nil},
		"a colon too many":   {"---\nname: x\ndescription: Use when: always\ndomains: one two\n---\nBody", Skill{Name: "x", Description: "Use when: always", Domains: []string{"one", "two"}}, "", []string{"x/SKILL.md:3 syntax"}},
		"folded":             {"---\nname: x\ndescription: >-\n  one\n  two\n---\nBody", Skill{Name: "x", Description: "one two"}, "", nil},
		"bad rules":          {"---\nname: x\ndescription: D\nrules:\n  - developer(a)\n  - content(a) developer(b)\n  content(c)\n  - content(d)\n---\nBody", Skill{Name: "x", Description: "D"}, "8: content(d)", []string{"x/SKILL.md:5 bad-rule", "x/SKILL.md:6 bad-rule", "x/SKILL.md:7 bad-rule"}},
		"no name":            {"---\ndescription: D\n---\nBody", Skill{Name: "x", Description: "D"}, "", []string{"x/SKILL.md:1 no-name"}},
		"a name of its own":  {"---\nname: y\ndescription: D\n---\nBody", Skill{Name: "y", Description: "D"}, "", []string{"x/SKILL.md:2 other-name"}},
		"a name of words":    {"---\ndescription: D\nname: Do this now\n---\nBody", Skill{Name: "x", Description: "D"}, "", []string{"x/SKILL.md:3 bad-name"}},
		"wrong types":        {"---\nname: x\ndescription: [D]\ndomains: {a: b}\n---\nBody", Skill{Name: "x", Broken: "the skill x has no description"}, "", []string{"x/SKILL.md:3 wrong-type", "x/SKILL.md:3 no-description", "x/SKILL.md:4 wrong-type"}},
		"no description":     {"---\nname: x\n---\nBody", Skill{Name: "x", Broken: "the skill x has no description"}, "", []string{"x/SKILL.md:1 no-description"}},
		"no body":            {"---\nname: x\ndescription: D\n---\n \n", Skill{Name: "x", Description: "D", Broken: "the skill x has nothing to read"}, "", []string{"x/SKILL.md:4 no-body"}},
		"no front matter":    {"# Title\n", Skill{Name: "x", Broken: `it does not begin with front matter between two lines "---"`}, "", []string{"x/SKILL.md:1 no-front-matter"}},
		"an open one":        {"---\nname: x\n", Skill{Name: "x", Broken: `it does not begin with front matter between two lines "---"`}, "", []string{"x/SKILL.md:1 no-front-matter"}},
		"nothing":            {"", Skill{Name: "x", Broken: `it does not begin with front matter between two lines "---"`}, "", []string{"x/SKILL.md:1 no-front-matter"}},
		"aliases of aliases": {"---\nname: x\ndescription: D\n" + bomb() + "domains: *i\n---\nBody", Skill{Name: "x", Description: "D"}, "", []string{"x/SKILL.md:13 wrong-type"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got, problems := read(t, test.text)
			var rules []string
			for _, r := range got.Rules {
				rules = append(rules, fmt.Sprintf("%d: %s", r.Line, r))
			}
			test.want.Origin, test.want.Dir, test.want.File = FromUser, got.Dir, got.File
			got.Rules, got.real = nil, ""
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Skill{})); diff != "" {
				t.Error(diff)
			}
			if all := strings.Join(rules, " | "); all != test.rules {
				t.Errorf("rules %s, want %s", all, test.rules)
			}
			if diff := cmp.Diff(test.told, problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// bomb is YAML that stands for a billion words if aliases are followed.
func bomb() string {
	text := "a: &a [x, x]\n"
	for c := 'b'; c <= 'i'; c++ {
		text += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 9), ", "))
	}
	return text
}

func TestDeepAndLongFrontMatterIsRefused(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"deep":  "---\nname: x\ndescription: D\nq: " + strings.Repeat("[", 30000) + "\n---\nBody",
		"flow":  "---\nname: x\ndescription: D\nq: " + strings.Repeat("{a: ", 15000) + "\n---\nBody",
		"large": "---\nname: x\ndescription: D\nq: " + strings.Repeat("x", mostFront) + "\n---\nBody",
	} {
		start := time.Now()
		_, problems := read(t, text)
		if len(problems) == 0 {
			t.Errorf("%s: nothing is told", what)
		}
		if time.Since(start) > 20*time.Second {
			t.Errorf("%s takes %v", what, time.Since(start))
		}
	}
}

func FuzzFrontMatter(f *testing.F) {
	for _, seed := range []string{
		"---\nname: x\ndescription: D\nrules:\n  - content(a)\n---\nBody", "---\nrules:\n- x\n  y\n---\n", "---\n\xff: a\n---\nb", "---\nrules: {a: b}\n---\nb", "---\n- a\n---\nb", "---\nname: &a x\ndescription: *a\n---\nb",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := parse(Skill{Dir: "/s/x", File: "/s/x/SKILL.md"}, text)
		lines := strings.Count(text, "\n") + 1
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines+1 || p.Text == "" || p.Rule == "" {
				t.Fatalf("%q: %+v in a file of %d lines", text, p, lines)
			}
			if p.Severity == tap.Error && s.Broken == "" {
				t.Fatalf("%q: usable in spite of %v", text, p)
			}
		}
		for _, r := range s.Rules {
			if r.Line < 1 || r.Line > lines+1 {
				t.Fatalf("%q: a rule on line %d", text, r.Line)
			}
		}
		if s.Broken == "" && (!plainName().MatchString(s.Name) || s.Description == "") {
			t.Fatalf("%q: usable as %+v", text, s)
		}
	})
}
