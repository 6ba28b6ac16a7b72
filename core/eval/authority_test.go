package eval_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/eval"
)

// authorityData is the folder of the labelled tools; the test is skipped where
// it is absent.
func authorityData(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(cmp.Or(os.Getenv("CTX_DATA"), filepath.Join("..", "..", "..", "shared", "data")), "authority")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no evaluation data: %v (set CTX_DATA)", err)
	}
	return dir
}

func TestAuthorityOfRealToolsAndTraps(t *testing.T) {
	t.Parallel()
	dir := authorityData(t)
	for _, file := range []string{"dev.jsonl", "traps_dev.jsonl"} {
		tools, err := eval.ReadTools(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		got := eval.MeasureAuthority(tools)
		for _, tier := range authority.Tiers() {
			t.Logf("%s: %s %+v", file, tier, *got.Tiers[tier.String()])
		}
		if recall := got.Tiers["destructive"].Recall; got.Accuracy < 0.95 || recall < 0.97 {
			t.Errorf("%s: accuracy %.4f, is to reach 0.95; destructive recall %.4f, is to reach 0.97; wrong %+v", file, got.Accuracy, recall, got.Wrong)
		}
	}
}

func TestAByteOrderMarkIsNoPartOfATool(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.jsonl")
	text := "\ufeff" + `{"server":"notes","name":"read","authority":"read"}` + "\n\ufeff\n" + `{"server":"notes","name":"drop","authority":"destructive"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tools, err := eval.ReadTools(path)
	if err != nil || len(tools) != 2 || tools[0].Name != "read" || tools[0].Line != 1 || tools[1].Line != 3 {
		t.Errorf("%+v, %v", tools, err)
	}
}

// TestNoToolOfTheDataIsKnownByName holds the judge to words: no name of several
// words that the data has stands in anything it is made of.
func TestNoToolOfTheDataIsKnownByName(t *testing.T) {
	t.Parallel()
	dir := authorityData(t)
	names := map[string]bool{}
	for _, file := range []string{"dev.jsonl", "traps_dev.jsonl"} {
		tools, err := eval.ReadTools(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			if words := split(tool.Name); len(words) > 1 {
				names[strings.Join(words, " ")] = true
			}
		}
	}
	checked := 0
	for _, root := range []string{"../authority", "../leakage"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			checked++
			for _, identifier := range strings.FieldsFunc(string(text), func(r rune) bool {
				return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			}) {
				if words := split(identifier); len(words) > 1 && names[strings.Join(words, " ")] {
					t.Errorf("%s: %q is the name of a tool in the data", path, identifier)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if checked < 10 || len(names) < 200 {
		t.Errorf("%d files against %d names: too few to show anything", checked, len(names))
	}
}

// split is an identifier's words in lower case: at _, - and ., and where a
// small letter stands before a capital.
func split(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			b.WriteByte(' ')
			small = false
			continue
		case r >= 'A' && r <= 'Z' && small:
			b.WriteByte(' ')
		}
		small = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return strings.Fields(strings.ToLower(b.String()))
}
