package wiring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rec := Record{Workspace: "/a", Hosts: []HostRecord{
		{Host: "codex", Gateway: true, Everywhere: true, Fronted: []Fronted{{"u", "user", "f"}, {"p", "project", "f"}}},
		{Host: "claude", Fronted: []Fronted{{"c", "user", "f"}}, Direct: []Direct{{"d", "ws"}}},
	}}
	if err := h.store.PutRecord(rec); err != nil {
		t.Fatal(err)
	}
	rec.Schema = "ctx.wrap/v1"
	got, ok, err := h.store.Record("/a")
	if diff := cmp.Diff(rec, got); !ok || err != nil || diff != "" {
		t.Errorf("%v %v\n%s", ok, err, diff)
	}
	if info, err := os.Stat(h.store.recordFile("/a")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	// What one wrap switched off everywhere is behind the gateway everywhere: also
	// where another wrap fronts other servers of that host, or none.
	other := Record{Workspace: "/other", Hosts: []HostRecord{
		{Host: "claude", Gateway: true, Fronted: []Fronted{{"c2", "user", "f"}}},
		{Host: "codex", Gateway: true, Fronted: []Fronted{{"p2", "project", "f"}}},
	}}
	hooks := Record{Workspace: "/hooks", Hosts: []HostRecord{{Host: "codex"}}}
	for _, r := range []Record{other, hooks} {
		if err := h.store.PutRecord(r); err != nil {
			t.Fatal(err)
		}
	}
	for ws, want := range map[string]map[string][]string{
		"/a":         {"codex": {"p", "u"}, "claude": {"c"}},
		"/other":     {"codex": {"p2", "u"}, "claude": {"c2"}},
		"/hooks":     {"codex": {"u"}, "claude": nil},
		"/elsewhere": {"codex": {"u"}, "claude": nil},
	} {
		for host, names := range want {
			if diff := cmp.Diff(names, h.store.Fronted(ws, host)); diff != "" {
				t.Errorf("%s in %s: %s", host, ws, diff)
			}
		}
	}
	for _, r := range []Record{other, hooks} {
		for _, hr := range r.Hosts {
			if err := h.store.DropHost(r.Workspace, hr.Host); err != nil {
				t.Fatal(err)
			}
		}
	}

	// A wrap that was cut off before its record is known by its edits.
	h.wrap(Owner{Workspace: "/b", Host: "codex"}, Edit{Path: h.path("f"), Format: Whole})
	if all, err := h.store.Workspaces(); err != nil || cmp.Diff([]string{"/a", "/b"}, all) != "" {
		t.Errorf("%v %v", all, err)
	}
	if got, ok, err := h.store.Record("/b"); err != nil || !ok || len(got.Hosts) != 1 || got.Hosts[0].Host != "codex" {
		t.Errorf("%v %v %v", got, ok, err)
	}

	for _, host := range []string{"codex", "codex", "claude"} {
		if err := h.store.DropHost("/a", host); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(h.store.recordFile("/a")); !os.IsNotExist(err) {
		t.Errorf("the record outlives its last host: %v", err)
	}
}

func TestWhatAKilledProgramLeftOfARecordGoesWithTheNextOne(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*Store) error{
		"wrapped again": func(s *Store) error { return s.PutRecord(Record{Workspace: "/a"}) },
		"unwrapped":     func(s *Store) error { return s.DropHost("/a", "codex") },
	} {
		h := newHome(t)
		if err := os.MkdirAll(h.store.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(h.store.dir, "."+filepath.Base(h.store.recordFile("/a"))+".ctx-123")
		if err := os.WriteFile(half, []byte(`{"schema`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := next(h.store); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(half); err == nil {
			t.Errorf("%s: %s is still there", name, half)
		}
	}
}

func TestBrokenRecordIsSetAside(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"schema":"ctx.wr`, `{"schema":"ctx.wrap/v9"}`} {
		h := newHome(t)
		if err := os.MkdirAll(h.store.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.store.recordFile("/a"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := h.store.Fronted("/a", "codex"); got != nil {
			t.Error(got)
		}
		if _, ok, err := h.store.Record("/a"); err == nil || ok || !strings.Contains(err.Error(), ".bad") {
			t.Errorf("%v %v", ok, err)
		}
		if b, err := os.ReadFile(h.store.recordFile("/a") + ".bad"); err != nil || string(b) != text {
			t.Errorf("%q %v", b, err)
		}
		if _, ok, err := h.store.Record("/a"); err != nil || ok {
			t.Errorf("%v %v", ok, err)
		}
	}
}
