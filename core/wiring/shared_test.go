package wiring

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// user is one file of the user's that every workspace of a host shares.
func (h home) user(ops ...Op) Edit { return Edit{Path: h.path("config.toml"), Format: TOML, Ops: ops} }

const userConfig = "# mine\n[mcp_servers.x]\ncommand = 'c' # é\n"

func TestSeveralWorkspacesUnwrapInAnyOrder(t *testing.T) {
	t.Parallel()
	common := []Op{table(map[string]any{"command": "ctx"}, "mcp_servers", "ctx"), set(false, "mcp_servers", "x", "enabled")}
	own := map[Owner]Op{
		{Workspace: "/a", Host: "codex"}: add(map[string]any{"k": 1}, "hooks", "Start"),
		{Workspace: "/b", Host: "codex"}: add(map[string]any{"k": 2}, "hooks", "Start"),
		{Workspace: "/c", Host: "codex"}: set(3, "c", "d"),
	}
	owners := []Owner{{Workspace: "/a", Host: "codex"}, {Workspace: "/b", Host: "codex"}, {Workspace: "/c", Host: "codex"}}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for _, edited := range []bool{false, true} {
			h := newHome(t)
			h.write("config.toml", userConfig)
			for i, o := range owners {
				h.wrap(o, h.user(append([]Op{own[o]}, common...)...))
				if edited && i == 0 {
					h.prepend("config.toml", "by = 'hand'\n")
				}
			}
			for i, n := range order {
				h.unwrap(owners[n])
				if left := len(owners) - i - 1; (left > 0) != strings.Contains(h.read("config.toml"), "command = \"ctx\"") {
					t.Errorf("%v: with %d workspaces left:\n%s", order, left, h.read("config.toml"))
				}
			}
			want := userConfig
			if edited {
				want = "by = 'hand'\n" + userConfig
			}
			h.wants("config.toml", want)
			h.nothingKept()
		}
	}
}

func TestLaterValueCountsAndTheEarlierComesBack(t *testing.T) {
	t.Parallel()
	for _, last := range []Owner{wsA, wsB} {
		h := newHome(t)
		h.write("config.toml", userConfig)
		h.wrap(wsA, h.user(table(map[string]any{"env": []string{"A"}}, "mcp_servers", "ctx"), set(1, "v")))
		h.wrap(wsB, h.user(table(map[string]any{"env": []string{"B"}}, "mcp_servers", "ctx"), set(2, "v")))
		if got := h.read("config.toml"); strings.Contains(got, `"A"`) || !strings.Contains(got, `"B"`) || !strings.Contains(got, "v = 2") {
			t.Errorf("the later wrap does not count:\n%s", got)
		}
		c, err := h.store.Plan(wsA, []Edit{h.user(table(map[string]any{"env": []string{"A"}}, "mcp_servers", "ctx"), set(1, "v"))})
		if err != nil || !c.Empty() {
			t.Errorf("the earlier wrap again is not empty: %v\n%s", err, c.Diff())
		}
		first := wsA
		if last == wsA {
			first = wsB
		}
		h.unwrap(first)
		if got := h.read("config.toml"); strings.Contains(got, `"A"`) != (last == wsA) || strings.Contains(got, `"B"`) != (last == wsB) {
			t.Errorf("%v is left and the file says\n%s", last, got)
		}
		h.unwrap(last)
		h.wants("config.toml", userConfig)
	}
}

func TestWrapAgainWithAnotherSet(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("settings.json", "{\n  \"a\": 1\n}\n")
	h.write("other.json", "{}\n")
	deny := func(names ...string) Edit {
		e := Edit{Path: h.path("settings.json"), Format: JSON}
		for _, n := range names {
			e.Ops = append(e.Ops, add(map[string]string{"serverName": n}, "denied"))
		}
		return e
	}
	h.wrap(wsA, deny("x", "y"), Edit{Path: h.path("other.json"), Format: JSON, Ops: []Op{set(1, "k")}})
	h.wrap(wsA, deny("y", "z"))
	h.wants("settings.json", "{\n  \"a\": 1,\n  \"denied\": [\n    {\n      \"serverName\": \"y\"\n    },\n    {\n      \"serverName\": \"z\"\n    }\n  ]\n}\n")
	h.wants("other.json", "{}\n")
	h.unwrap(wsA)
	h.wants("settings.json", "{\n  \"a\": 1\n}\n")
	h.nothingKept()
}

func TestUserEditsBetweenWrapsSurvive(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("settings.json", "{\n  \"a\": 1\n}\n")
	edit := Edit{Path: h.path("settings.json"), Format: JSON, Ops: []Op{set(true, "p", "ctx"), add("x", "denied")}}
	h.wrap(wsA, edit)
	h.replace("settings.json", `"a": 1,`, `"a": 2, "mine": 1.0e3,`)
	c, err := h.store.Plan(wsA, []Edit{edit})
	if err != nil || c.Diff() != "" {
		t.Errorf("wrapping again changes %v\n%s", err, c.Diff())
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	h.unwrap(wsA)
	h.wants("settings.json", "{\n  \"a\": 2, \"mine\": 1.0e3\n}\n")
	h.nothingKept()
}

func TestWhatTheUserTookOutStaysOut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("settings.json", "{\n  \"a\": 1\n}\n")
	edit := Edit{Path: h.path("settings.json"), Format: JSON, Ops: []Op{set(true, "ctx"), set(true, "ctx2")}}
	h.wrap(wsA, edit)
	h.replace("settings.json", ",\n  \"ctx\": true", "")
	c := h.wrap(wsB, Edit{Path: h.path("settings.json"), Format: JSON, Ops: []Op{set(true, "b")}})
	h.wants("settings.json", "{\n  \"a\": 1,\n  \"ctx2\": true,\n  \"b\": true\n}\n")
	if note := c.Files()[0].Note; note != "ctx was removed since" {
		t.Errorf("the note is %q", note)
	}
	h.unwrap(wsB)
	h.unwrap(wsA)
	h.wants("settings.json", "{\n  \"a\": 1\n}\n")

	// Whoever asks for it again gets it again.
	h.wrap(wsA, edit)
	h.replace("settings.json", ",\n  \"ctx\": true", "")
	h.wrap(wsA, edit)
	h.wants("settings.json", "{\n  \"a\": 1,\n  \"ctx2\": true,\n  \"ctx\": true\n}\n")
	h.unwrap(wsA)
	h.wants("settings.json", "{\n  \"a\": 1\n}\n")
}

func TestDeletedFilesStayDeleted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("old.json", "{\"a\":1}")
	edits := []Edit{
		{Path: h.path("old.json"), Format: JSON, Ops: []Op{set(1, "k")}},
		{Path: h.path("d/new.json"), Format: JSON, Ops: []Op{set(1, "k")}},
		{Path: h.path("d/whole"), Format: Whole, Content: []byte("ours")},
	}
	h.wrap(wsA, edits...)
	for _, name := range []string{"old.json", "d/new.json", "d/whole"} {
		h.remove(name)
	}
	for _, fc := range h.unwrap(wsA).Files() {
		if fc.Note == "" {
			t.Errorf("%s: nothing is said of its removal", fc.Path)
		}
	}
	h.wants("old.json", "absent")
	h.wants("d", "absent")
	h.nothingKept()
}

func TestFilesOfOursThatTheUserChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("was.json", "{\"theirs\":1}\n")
	edits := []Edit{
		{Path: h.path("was.json"), Format: Whole, Content: []byte("ours")},
		{Path: h.path("new.json"), Format: JSON, Ops: []Op{set(1, "k")}},
	}
	h.wrap(wsA, edits...)
	h.wants("was.json", "ours")
	h.write("was.json", "changed")
	h.write("new.json", "{\n  \"k\": 1,\n  \"mine\": true\n}\n")
	c := h.unwrap(wsA)
	h.wants("was.json", "changed")
	h.wants("new.json", "{\n  \"mine\": true\n}\n")
	if c.Files()[0].Note == "" && c.Files()[1].Note == "" {
		t.Error("nothing is said of the file that stays")
	}

	h.write("was.json", "{\"theirs\":1}\n")
	h.wrap(wsA, edits[0])
	h.unwrap(wsA)
	h.wants("was.json", "{\"theirs\":1}\n")
}

func TestEditsThatUndoEachOther(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("f", "{}\n")
	_, err := h.store.Plan(wsA, []Edit{{Path: h.path("f"), Format: JSON, Ops: []Op{set(1, "a", "b"), set(2, "a")}}})
	if err == nil || !strings.Contains(err.Error(), "a.b was changed since") {
		t.Error(err)
	}
	h.wants("f", "{}\n")
}

// Folders that were made for files of several owners go with the last of them.
func TestFoldersGoWithTheLastFile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.wrap(wsA, Edit{Path: h.path("d/e/a"), Format: Whole, Content: []byte("a")}, Edit{Path: h.path("d/e/a2"), Format: Whole})
	h.wrap(wsB, Edit{Path: h.path("d/e/f/b"), Format: Whole, Content: []byte("b")})
	h.unwrap(wsA)
	h.wants("d/e/f/b", "b")
	h.unwrap(wsB)
	h.wants("d", "absent")
	h.nothingKept()
}

func TestBrokenJournalIsSetAside(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("config.toml", userConfig)
	h.wrap(wsA, h.user(set(1, "v")))
	files, _ := filepath.Glob(filepath.Join(h.store.dir, "files", "*.json"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if err := os.WriteFile(files[0], []byte(`{"schema": "ctx.wrap.file/v1", "pa`), 0o600); err != nil {
		t.Fatal(err)
	}
	wired := h.read("config.toml")
	// Whoever comes upon it first may tell nobody.
	if _, err := h.store.Owners(""); err == nil || !strings.Contains(err.Error(), ".bad") {
		t.Error(err)
	}
	refused := func(err error) {
		t.Helper()
		var at *FileError
		if !errors.As(err, &at) || at.Path != files[0]+".bad" || at.Hint() == "" {
			t.Errorf("the error is %v", err)
		}
	}
	refused(h.store.Intact())
	_, err := h.store.Unplan(wsA)
	refused(err)
	_, err = h.store.Plan(wsB, []Edit{h.user(set(1, "v"))})
	refused(err)
	h.wants("config.toml", wired)

	// The user sees to it.
	if err := os.Remove(files[0] + ".bad"); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Intact(); err != nil {
		t.Error(err)
	}
	h.unwrap(wsA)
}

func (h home) read(name string) string {
	h.Helper()
	b, err := os.ReadFile(h.path(name))
	if err != nil {
		h.Fatal(err)
	}
	return string(b)
}

func (h home) prepend(name, text string) { h.write(name, text+h.read(name)) }

func (h home) remove(name string) {
	h.Helper()
	if err := os.Remove(h.path(name)); err != nil {
		h.Fatal(err)
	}
}

func (h home) replace(name, old, by string) {
	h.Helper()
	text := h.read(name)
	if !strings.Contains(text, old) {
		h.Fatalf("%s does not hold %q:\n%s", name, old, text)
	}
	h.write(name, strings.Replace(text, old, by, 1))
}

// nothingKept fails if anything of a file is on record still.
func (h home) nothingKept() {
	h.Helper()
	all, notes, err := h.store.journals()
	if err != nil || len(all)+len(notes) > 0 {
		b, _ := json.MarshalIndent(all, "", " ")
		h.Errorf("kept: %v %v\n%s", err, notes, b)
	}
	if _, err := os.Stat(h.store.pendingFile()); !os.IsNotExist(err) {
		h.Errorf("a change is pending: %v", err)
	}
}
