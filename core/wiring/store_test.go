package wiring

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home is a folder of files to be wired, with a store beside it.
type home struct {
	*testing.T
	dir   string
	store *Store
}

func newHome(t *testing.T) home {
	t.Helper()
	return home{t, t.TempDir(), Open(filepath.Join(t.TempDir(), "wraps"))}
}

func (h home) path(name string) string { return filepath.Join(h.dir, name) }

func (h home) write(name, text string) {
	h.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o755); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
}

// wants fails unless the file holds the text; "absent" is a file that is not
// there.
func (h home) wants(name, text string) {
	h.Helper()
	b, err := os.ReadFile(h.path(name))
	got := string(b)
	if os.IsNotExist(err) {
		got = "absent"
	} else if err != nil {
		h.Fatal(err)
	}
	if got != text {
		h.Errorf("%s holds\n%q\nand should hold\n%q", name, got, text)
	}
}

var (
	wsA = Owner{Workspace: "/a", Host: "claude"}
	wsB = Owner{Workspace: "/b", Host: "claude"}
)

func (h home) wrap(o Owner, edits ...Edit) *Change {
	h.Helper()
	return h.apply(h.store.Plan(o, edits))
}

func (h home) unwrap(o Owner) *Change {
	h.Helper()
	return h.apply(h.store.Unplan(o))
}

func (h home) apply(c *Change, err error) *Change {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		h.Fatal(err)
	}
	return c
}

func set(value any, path ...string) Op   { return op(Set, value, path) }
func add(value any, path ...string) Op   { return op(Append, value, path) }
func table(value any, path ...string) Op { return op(Table, value, path) }
func op(k OpKind, v any, path []string) Op {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return Op{Kind: k, Path: path, Value: b}
}

func TestWrapAndUnwrapRestoreTheBytes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const settings = "{\n\t\"x\": 1.0e3, // mine\n\t\"n\": 12345678901234567890,\n}"
	const config = "# mine\n[mcp_servers.x]\ncommand = 'c'\n\n[other]\na = 0x1F"
	h.write("settings.json", settings)
	h.write("config.toml", config)
	edits := []Edit{
		{Path: h.path("settings.json"), Format: JSON, Ops: []Op{add(map[string]string{"serverName": "u"}, "denied"), set(true, "plugins", "ctx")}},
		{Path: h.path("config.toml"), Format: TOML, Ops: []Op{
			set(false, "mcp_servers", "x", "enabled"), table(map[string]any{"command": "ctx"}, "mcp_servers", "ctx")}},
		{Path: h.path("p/plugin.json"), Format: Whole, Content: []byte("{}\n")},
	}
	h.wrap(wsA, edits...)
	h.wants("settings.json", "{\n\t\"x\": 1.0e3, // mine\n\t\"n\": 12345678901234567890,\n\t\"denied\": [\n\t\t{\n\t\t\t\"serverName\": \"u\"\n\t\t}\n\t],\n\t\"plugins\": {\n\t\t\"ctx\": true\n\t},\n}")
	h.wants("config.toml", "# mine\n[mcp_servers.x]\ncommand = 'c'\nenabled = false\n\n[other]\na = 0x1F\n\n[mcp_servers.ctx]\ncommand = \"ctx\"")
	h.wants("p/plugin.json", "{}\n")
	if c, err := h.store.Plan(wsA, edits); err != nil || !c.Empty() {
		t.Errorf("a second run is not empty: %v %v", err, c.Diff())
	}
	h.unwrap(wsA)
	h.wants("settings.json", settings)
	h.wants("config.toml", config)
	h.wants("p", "absent")
}

func TestPathsThatCannotBeRecordedAreRefused(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(h home) (*Change, error){
		"workspace": func(h home) (*Change, error) {
			return h.store.Plan(Owner{Workspace: "/a\xff", Host: "claude"}, []Edit{{Path: h.path("f"), Content: []byte("x")}})
		},
		"file": func(h home) (*Change, error) {
			return h.store.Plan(Owner{Workspace: "/a", Host: "claude"}, []Edit{{Path: h.path("f\xff"), Content: []byte("x")}})
		},
	} {
		_, err := plan(newHome(t))
		var at *FileError
		if !errors.As(err, &at) || at.Hint() == "" || !strings.Contains(err.Error(), `\xff`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
