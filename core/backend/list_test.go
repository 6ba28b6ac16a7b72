package backend

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// definitions writes a file of n raw tool definitions.
func definitions(t *testing.T, n int) (file string, raw []string) {
	t.Helper()
	for i := range n {
		raw = append(raw, fmt.Sprintf(`{"name":"t%03d","x-vendor":{"n":1.0e3,"big":12345678901234567890},"inputSchema":{"anyOf":[{"type":"object","title":"<&>"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object"}}}}`, i))
	}
	file = filepath.Join(t.TempDir(), "tools.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(raw, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, raw
}

func TestAllPagesAreListedRaw(t *testing.T) {
	t.Parallel()
	file, raw := definitions(t, 117)
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-tools", file, "-page", "40")}})
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 1 || len(l[0].Tools) != len(raw) {
		t.Fatalf("listed %d: %+v", len(l), m.Status())
	}
	for i, tool := range l[0].Tools {
		if string(tool) != raw[i] {
			t.Errorf("%s became %s", raw[i], tool)
		}
	}
	if len(l[0].Notes) > 0 {
		t.Errorf("noted %q", l[0].Notes)
	}
}

func TestRepeatedCursorKeepsWhatArrived(t *testing.T) {
	t.Parallel()
	file, _ := definitions(t, 8)
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-tools", file, "-page", "8", "-repeat-cursor")}})
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 1 || len(l[0].Tools) != 8 || len(l[0].Notes) != 1 || !strings.Contains(l[0].Notes[0], "cursor") {
		t.Errorf("got %+v", l)
	}
}

func TestDoubleAndNamelessToolsAreNotedAndLeftOut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tools")
	if err := os.WriteFile(file, []byte(`{"name":"a","n":1}`+"\n"+`{"name":"a","n":2}`+"\n"+`{"title":"no name"}`+"\n"+`7`+"\n"+`{"name":"b"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-tools", file)}})
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 1 || !slices.Equal(toolNames(l[0]), []string{"a", "b"}) || string(l[0].Tools[0]) != `{"name":"a","n":1}` || len(l[0].Notes) != 3 {
		t.Errorf("got %+v", l)
	}
}

func TestResourcesAndPromptsAreListed(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-resources")}})
	m.Refresh(within(t))
	l := m.Listings()
	if len(l) != 1 || len(l[0].Resources) != 1 || len(l[0].Templates) != 1 || len(l[0].Prompts) != 1 || l[0].Instructions != "Keeps notes." {
		t.Errorf("got %+v", l)
	}
}

func TestChangedListIsFollowed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	changes := 0
	m := newManager(t, Options{
		Servers: []surface.Server{stub(t, "s", "-list-changed-after", "300ms")},
		Changed: func(string) { mu.Lock(); changes++; mu.Unlock() },
	})
	m.Start()
	eventually(t, "the late tool is listed", func() bool {
		l := m.Listings()
		return len(l) == 1 && slices.Contains(toolNames(l[0]), "late")
	})
	eventually(t, "both listings are told of", func() bool { mu.Lock(); defer mu.Unlock(); return changes == 2 })
}

func TestKnownServerStartsOnFirstUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	if err := os.Mkdir(filepath.Join(dir, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := listing.OpenCache(filepath.Join(dir, "cache"), filepath.Join(dir, "cache.key"))
	servers := []surface.Server{stub(t, "s", "-mark", mark)}
	m := newManager(t, Options{Servers: servers, Cache: cache})
	m.Refresh(within(t))
	m.Close()
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}

	var changed []string
	m = newManager(t, Options{Servers: servers, Cache: listing.OpenCache(filepath.Join(dir, "cache"), filepath.Join(dir, "cache.key")), Changed: func(s string) { changed = append(changed, s) }})
	m.Start()
	if l := m.Listings(); len(l) != 1 || len(l[0].Tools) != 5 {
		t.Errorf("listed %+v", l)
	}
	if s := m.Status(); s[0].State != Idle || !s[0].Cached || s[0].Tools != 5 {
		t.Errorf("status %+v", s)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it was started")
	}
	if text, err := callTool(within(t), m, "s", "echo", `{"text":"x"}`); err != nil || text != "x" {
		t.Errorf("got %q, %v", text, err)
	}
	eventually(t, "the live listing arrives", func() bool { return !m.Status()[0].Cached })
	m.Close()
	if len(changed) > 0 {
		t.Errorf("equal listings are told as a change: %v", changed)
	}
}

func TestListingForOtherCapabilitiesServesUntilTheServerIsAsked(t *testing.T) {
	t.Parallel()
	cache := listing.OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	srv := stub(t, "s")
	if err := cache.Put(listing.Listing{Server: "s", Fingerprint: srv.Fingerprint(), Capabilities: `{"x":{}}`, Tools: []json.RawMessage{json.RawMessage(`{"name":"old"}`)}}); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, Options{Servers: []surface.Server{srv}, Cache: cache})
	if l := m.Listings(); len(l) != 1 || !slices.Equal(toolNames(l[0]), []string{"old"}) {
		t.Errorf("listed %+v", l)
	}
	m.Start()
	eventually(t, "it is asked", func() bool { return len(m.Listings()[0].Tools) == 5 })
}

func TestFailedListingKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	cache := listing.OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	// It shakes hands and then refuses to list.
	srv := shell("s", `read a; echo '{"jsonrpc":"2.0","id":"ctx-1","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b"}}}'
		read b; read c; echo '{"jsonrpc":"2.0","id":"ctx-2","error":{"code":-32603,"message":"database is locked"}}'; read d`)
	if err := cache.Put(listing.Listing{Server: "s", Fingerprint: srv.Fingerprint(), Tools: []json.RawMessage{json.RawMessage(`{"name":"old"}`)}}); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, Options{Servers: []surface.Server{srv}, Cache: cache})
	m.Refresh(within(t))
	if l := m.Listings(); len(l) != 1 || !slices.Equal(toolNames(l[0]), []string{"old"}) {
		t.Errorf("listed %+v", l)
	}
	if s := m.Status()[0]; !strings.Contains(s.Error, "database is locked") || !s.Cached {
		t.Errorf("status %+v", s)
	}
}
