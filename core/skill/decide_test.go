package skill

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { thinking, looking = time.Minute, time.Minute }

// ruled is a skill with rules, one a line.
func ruled(t testing.TB, name string, rules ...string) Skill {
	t.Helper()
	s := Skill{Name: name, Description: "D"}
	for i, text := range rules {
		checks, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Rules = append(s.Rules, Rule{checks, i + 1})
	}
	return s
}

// workspace has files with their texts; a name that ends with a slash is a
// folder.
func workspace(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		switch {
		case err != nil:
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o700)
		default:
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// deaf is a machine without a model.
func deaf(context.Context, string, []string) ([]float64, Thresholds, error) {
	return nil, Thresholds{}, nil
}

func nothingTaken(Skill) bool { return false }

func decide(t testing.TB, s Situation, similar Similar, list ...Skill) []string {
	t.Helper()
	d, err := Decide(t.Context(), list, nothingTaken, s, similar)
	if err != nil {
		t.Fatal(err)
	}
	return names(d)
}

func names(d Decision) []string {
	var names []string
	for _, f := range d.Fired {
		names = append(names, f.Skill.Name)
	}
	return names
}

func TestEveryCheckHoldsWhereItShould(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{
		"go.mod": "module x\n", "deps/": "", "app.xcodeproj/": "", "src/deep/a_test.go": "package a // [[steps]]", "package.json": `{"dependencies":{"@types/react":"1"}}`,
		".hidden/secret.toml": "x", "node_modules/react/package.json": "svelte", "flow.toml": "[[steps]]\n",
	})
	bin := workspace(t, map[string]string{"cargo": "", "plain": "", "sub/": ""})
	if err := os.Chmod(filepath.Join(bin, "cargo"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := Situation{
		Prompt: "Write Microsoft  Ads\ncopy in C++ and don't forget the rust-lang part: héllo 日本語で", Session: []string{"", "260421-Device-a1"},
		Env: []string{"CI=true", "EMPTY=", "PATH=" + bin + ":relative", "TWICE=1", "TWICE=2"}, Dir: ws, Workspace: ws, Domain: "developer",
	}
	for rule, want := range map[string]bool{
		"content(microsoft ads)": true, "content(MICROSOFT ADS)": true, "content(ads)": true, "content(ad)": false, "content(rust)": true, "content(c++)": true,
		"content(c)": false, "content(héllo)": true, "content(h)": false, "content(日本語)": true, "content(don't)": true, "content(copy in)": true,
		`match(\bcopy\b)`: true, `match(\bCOPY\b)`: false, `match((?i)\bCOPY\b)`: true, `match(^Write)`: true, "session(device)": true, "session(mobile)": false,
		"env(CI)": true, "env(CI=true)": true, "env(CI=false)": false, "env(EMPTY)": false, "env(EMPTY=)": true, "env(NONE)": false, "env(NONE=)": false, "env(TWICE=2)": true, "env(TWICE=1)": false,
		"bin(cargo)": true, "bin(plain)": false, "bin(sub)": false, "bin(rustc)": false,
		"file(go.mod)": true, "file(deps/)": true, "file(*.xcodeproj)": true, "file(a_test.go)": false, "file(src/*/a_test.go)": true, "file(**/*_test.go)": true, "file(**/secret.toml)": false,
		"file(**/package.json)": true, "file(*.mod)": true, "file(none)": false, "file(*.none)": false, "file(?o.mod)": true, "file([g]o.mod)": true,
		"grep(@types/react, package.json)": true, "grep(svelte, package.json)": false, `grep(\[\[steps\]\], *.toml)`: true, `grep(\[\[steps\]\])`: true, `grep(steps, src/*/*.go)`: true, `grep(steps, src/*.go)`: false, "grep(x, secret.toml)": false,
		"workdir(" + strings.ToUpper(filepath.Base(ws)) + ")": true, "workdir(none-such)": false,
		"file(go.mod) content(copy)": true, "file(go.mod) content(none)": false, "file(none) content(copy)": false,
		"semantic(anything)": false, "content(copy) semantic(anything)": false,
	} {
		if got := len(decide(t, s, deaf, ruled(t, "x", rule))) == 1; got != want {
			t.Errorf("%s holds: %v", rule, got)
		}
	}
}

func TestARuleIsAndAndRulesAreOr(t *testing.T) {
	t.Parallel()
	s := Situation{Prompt: "please deploy the site", Domain: "developer", Dir: t.TempDir()}
	s.Workspace = s.Dir
	list := []Skill{
		ruled(t, "both", "content(deploy) content(site)"), ruled(t, "half", "content(deploy) content(none)"),
		ruled(t, "either", "content(none)", "content(site)"), ruled(t, "none"), ruled(t, "folder", "workdir(/)"),
		{Name: "broken", Broken: "x", Rules: ruled(t, "", "content(site)").Rules},
		{Name: "lawyers", Domains: []string{"lawyer"}, Rules: ruled(t, "", "content(site)").Rules},
		{Name: "developers", Domains: []string{"lawyer", "developer"}, Rules: ruled(t, "", "content(site)").Rules},
	}
	// Those that know of the prompt come before those that know of the folder alone.
	if got := decide(t, s, deaf, list...); !slices.Equal(got, []string{"both", "developers", "either", "folder"}) {
		t.Errorf("fired %v", got)
	}
	s.Domain = ""
	if got := decide(t, s, deaf, list...); slices.Contains(got, "developers") {
		t.Errorf("a session of no domain has %v", got)
	}
}

// model answers with the cosines of phrases, 0 for those that it does not know.
func model(cosines map[string]float64) Similar {
	return func(_ context.Context, _ string, phrases []string) ([]float64, Thresholds, error) {
		var list []float64
		for _, p := range phrases {
			list = append(list, cosines[p])
		}
		return list, Thresholds{Floor: 0.5, Gap: 0.1}, nil
	}
}

func TestOfTheSkillsThatAModelMustHearTheClearWinnerFires(t *testing.T) {
	t.Parallel()
	s := Situation{Prompt: "please bring the site to the people", Dir: "/none", Workspace: "/none"}
	list := []Skill{
		ruled(t, "deploy", "semantic(ship to production)", "semantic(release the site)"),
		ruled(t, "write", "semantic(write copy)"),
		ruled(t, "strict", "semantic(own bar, 0.9)"),
		ruled(t, "both", "content(site) semantic(with a word)", "content(none) semantic(without)"),
		ruled(t, "sure", "content(people)", "semantic(ship to production)"),
	}
	for what, test := range map[string]struct {
		cosines map[string]float64
		want    []string
	}{
		"the best of its rules":         {map[string]float64{"release the site": 0.7, "ship to production": 0.2, "write copy": 0.5}, []string{"sure", "deploy"}},
		"below the floor":               {map[string]float64{"release the site": 0.49}, []string{"sure"}},
		"at the floor":                  {map[string]float64{"release the site": 0.5}, []string{"sure", "deploy"}},
		"too near":                      {map[string]float64{"release the site": 0.7, "write copy": 0.65}, []string{"sure"}},
		"too near to one that is below": {map[string]float64{"release the site": 0.52, "write copy": 0.48}, []string{"sure"}},
		"a bar of its own":              {map[string]float64{"own bar": 0.85}, []string{"sure"}},
		"which is met":                  {map[string]float64{"own bar": 0.95, "write copy": 0.8}, []string{"sure", "strict"}},
		"beside another check":          {map[string]float64{"with a word": 0.8}, []string{"sure", "both"}},
		"whose other check fails":       {map[string]float64{"without": 0.8}, []string{"sure"}},
	} {
		if got := decide(t, s, model(test.cosines), list...); !slices.Equal(got, test.want) {
			t.Errorf("%s: fired %v, want %v", what, got, test.want)
		}
	}
}

// What is there already can be what is meant: its runner-up is not.
func TestWhatIsThereAlreadyKeepsTheRunnerUpOut(t *testing.T) {
	t.Parallel()
	list := []Skill{ruled(t, "deploy", "content(site)", "semantic(release the site)"), ruled(t, "write", "semantic(write copy)")}
	taken := func(s Skill) bool { return s.Name == "deploy" }
	for _, cosines := range []map[string]float64{{"release the site": 0.9, "write copy": 0.6}, {"release the site": 0.65, "write copy": 0.6}} {
		d, err := Decide(t.Context(), list, taken, Situation{Prompt: "the site"}, model(cosines))
		if err != nil || len(d.Fired) != 0 {
			t.Errorf("%v: fired %v, %v", cosines, names(d), err)
		}
	}
	d, err := Decide(t.Context(), list, taken, Situation{Prompt: "the site"}, model(map[string]float64{"release the site": 0.3, "write copy": 0.6}))
	if err != nil || !slices.Equal(names(d), []string{"write"}) {
		t.Errorf("fired %v, %v", names(d), err)
	}
}

func TestWithoutAModelItIsCountedWhatIsNotHeard(t *testing.T) {
	t.Parallel()
	broken := func(context.Context, string, []string) ([]float64, Thresholds, error) {
		return nil, Thresholds{}, errors.New("no answer")
	}
	list := []Skill{ruled(t, "a", "content(site)"), ruled(t, "b", "semantic(x)", "content(none) semantic(y)", "semantic(z)")}
	for what, similar := range map[string]Similar{"deaf": deaf, "broken": broken} {
		d, err := Decide(t.Context(), list, nothingTaken, Situation{Prompt: "the site"}, similar)
		if d.Unheard != 2 || !slices.Equal(names(d), []string{"a"}) || (err != nil) != (what == "broken") {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
	if d, _ := Decide(t.Context(), list, nothingTaken, Situation{Prompt: "the site"}, model(nil)); d.Unheard != 0 {
		t.Errorf("with a model: %+v", d)
	}
}

func TestChecksStayWithinTheWorkspaceAndWaitForNobody(t *testing.T) {
	t.Parallel()
	outside := workspace(t, map[string]string{"secret.txt": "the secret"})
	ws := workspace(t, map[string]string{"sub/own.txt": "own", "big.txt": strings.Repeat("x", mostFile) + "needle"})
	for link, target := range map[string]string{"out": outside, "out.txt": filepath.Join(outside, "secret.txt"), "loop": ".", "sub/up": "..", "to-pipe": "pipe.txt"} {
		if err := os.Symlink(target, filepath.Join(ws, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(ws, "pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	hole, err := os.Create(filepath.Join(ws, "hole.txt"))
	if err == nil {
		err = hole.Truncate(1 << 40)
	}
	if err != nil {
		t.Skip("no file with a hole:", err)
	}
	hole.Close()
	s := Situation{Prompt: "x", Dir: filepath.Join(ws, "sub"), Workspace: ws}
	for rule, want := range map[string]bool{
		"file(out/secret.txt)": false, "file(out/*.txt)": false, "grep(secret)": false, "grep(secret, *.txt)": false, "grep(needle, big.txt)": false,
		"grep(own, *.txt)": true, "file(own.txt)": true, "file(big.txt)": true, "file(**/none)": false, "grep(none, pipe.txt)": false, "file(loop/big.txt)": true,
		"file(to-pipe/*.txt)": false, "file(pipe.txt/*)": false,
	} {
		if got := len(decide(t, s, deaf, ruled(t, "x", rule))) == 1; got != want {
			t.Errorf("%s holds: %v", rule, got)
		}
	}
	// A working folder that is no part of the workspace is not looked at.
	s.Dir = outside
	if got := decide(t, s, deaf, ruled(t, "x", "file(secret.txt)"), ruled(t, "y", "file(big.txt)")); !slices.Equal(got, []string{"y"}) {
		t.Errorf("fired %v", got)
	}
}

func TestALargeWorkspaceIsLookedAtInPart(t *testing.T) {
	t.Parallel()
	files := map[string]string{"z/needle.txt": "needle"}
	for i := range 30 {
		files["a/f"+string(rune('A'+i))+".txt"] = "x"
	}
	ws := workspace(t, files)
	look := func(rule string, entries int) bool {
		c := ruled(t, "x", rule).Rules[0].Checks[0]
		in := openTree(t.Context(), ws)
		defer in.close()
		in.entries = entries
		if c.Kind == File {
			return in.has(c.Arg)
		}
		return in.grep(c.re, c.Second)
	}
	for _, rule := range []string{"grep(needle, *.txt)", "file(**/needle.txt)"} {
		if !look(rule, 100) || look(rule, 20) {
			t.Errorf("%s: with all entries %v, with some %v", rule, look(rule, 100), look(rule, 20))
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	in := openTree(ended, ws)
	defer in.close()
	if in.has("*") || in.has("z") {
		t.Error("looked at after the time was over")
	}
	in = openTree(t.Context(), ws)
	defer in.close()
	if in.reads = 5; in.grep(regexp.MustCompile("needle"), "") || len(in.texts) != 5 {
		t.Errorf("%d files were read", len(in.texts))
	}
}

func TestOnlyTheBeginningOfAPromptIsRead(t *testing.T) {
	t.Parallel()
	s := Situation{Prompt: strings.Repeat("é", mostPrompt) + " needle", Dir: "/none", Workspace: "/none"}
	if got := decide(t, s, deaf, ruled(t, "x", "content(needle)"), ruled(t, "y", "match(needle)")); len(got) != 0 {
		t.Errorf("fired %v", got)
	}
}
