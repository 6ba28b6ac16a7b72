package wiring

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Each case in testdata/splice is an archive: the text before, the ops (one JSON
// object a line), and the text after or the error. Taking the ops out gives the
// text before again; or, where the user's edit of the text is given ("edited"),
// what is left of that ("left") and what is said of it ("note").
//
// The archive's comment says what archives cannot hold: "no newline" at the end
// of the texts, "crlf", "bom".
func TestSplices(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/splice/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			runSplices(t, JSON, TOML, Lines)(filepath.Base(name), a)
		})
	}
}

func runSplices(t *testing.T, formats ...Format) func(string, *txtar.Archive) {
	return func(name string, a *txtar.Archive) {
		part := map[string]string{}
		for _, f := range a.Files {
			text := string(f.Data)
			if f.Name != "ops" && f.Name != "error" && f.Name != "note" {
				text = bent(text, string(a.Comment))
			}
			part[f.Name] = text
		}
		var format Format
		for _, f := range formats {
			if strings.HasPrefix(name, string(f)) {
				format = f
			}
		}
		text := []byte(part["before"])
		var in []placed
		var failed error
		for line := range strings.Lines(part["ops"]) {
			var op Op
			if err := json.Unmarshal([]byte(line), &op); err != nil {
				t.Fatal(err)
			}
			out, undo, err := put(format, text, op)
			if err != nil {
				failed = inFile("file", text, err)
				break
			}
			text, in = out, append(in, placed{op, undo})
		}
		if want := strings.TrimSpace(part["error"]); failed != nil || want != "" {
			if failed == nil || failed.Error() != want {
				t.Errorf("the error is\n%v\nand should be\n%s", failed, want)
			}
			return
		}
		same(t, "after", string(text), part["after"])
		left, ok := part["left"]
		if !ok {
			left = part["before"]
		}
		if edited, ok := part["edited"]; ok {
			text = []byte(edited)
		}
		var notes []string
		for i := len(in) - 1; i >= 0; i-- {
			out, note, err := take(format, text, in[i])
			if err != nil {
				t.Fatal(err)
			}
			if text = out; note != "" {
				notes = append(notes, note+"\n")
			}
		}
		same(t, "left", string(text), left)
		same(t, "note", strings.Join(notes, ""), part["note"])
	}
}

// bent makes of a text what the comment of an archive says.
func bent(text, how string) string {
	if strings.Contains(how, "no newline") {
		text = strings.TrimSuffix(text, "\n")
	}
	if strings.Contains(how, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.Contains(how, "bom") {
		text = "\ufeff" + text
	}
	return text
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nand should be\n%s\n(%q, %q)", what, got, want, got, want)
	}
}
