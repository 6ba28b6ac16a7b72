package wiring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rec := Record{Workspace: "/a", Hosts: []HostRecord{
		{Host: "codex", Gateway: true, Everywhere: true, Fronted: []Fronted{{"u", "user", "f"}, {"p", "project", "f"}}},
		{Host: "claude", Fronted: []Fronted{{"c", "user", "f"}}, Direct: []Direct{{"d", "ws"}}},
	}}
	if err := h.store.PutHosts(rec.Workspace, rec.Hosts...); err != nil {
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
		if err := h.store.PutHosts(r.Workspace, r.Hosts...); err != nil {
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

func TestHostsThatAreWrappedAtOnceAreAllOnRecord(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for range 50 {
		var both errgroup.Group
		for _, host := range []string{"claude", "codex"} {
			both.Go(func() error {
				entry := HostRecord{Host: host, Gateway: true, Fronted: []Fronted{{host, "user", "f"}}}
				if _, err := h.store.Announce("/a", entry); err != nil {
					return err
				}
				return h.store.PutHosts("/a", entry)
			})
		}
		if err := both.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"claude", "codex"} {
			if diff := cmp.Diff([]string{host}, h.store.Fronted("/a", host)); diff != "" {
				t.Fatalf("of %s the record says\n%s", host, diff)
			}
			if err := h.store.DropHost("/a", host); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAnAnnouncedWrapCoversTheOneBefore(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	was := Record{Schema: recordSchema, Workspace: "/a", Hosts: []HostRecord{
		{Host: "claude", Gateway: true, Fronted: []Fronted{{"c", "user", "f"}}},
		{Host: "codex", Gateway: true, Everywhere: true, Profile: "read-only", Fronted: []Fronted{{"p", "project", "1"}, {"u", "user", "1"}}},
	}}
	if err := h.store.PutHosts("/a", was.Hosts...); err != nil {
		t.Fatal(err)
	}
	record := func(want Record) {
		t.Helper()
		if got, _, err := h.store.Record("/a"); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%v\n%s", err, cmp.Diff(want, got))
		}
	}
	fewer := HostRecord{Host: "codex", Fronted: []Fronted{{"u", "user", "2"}}}
	other := HostRecord{Host: "antigravity", Gateway: true}
	back, err := h.store.Announce("/a", fewer, other)
	if err != nil {
		t.Fatal(err)
	}
	// Whichever of the two wraps the files are of, their switches are ours.
	record(Record{Schema: recordSchema, Workspace: "/a", Hosts: []HostRecord{was.Hosts[0],
		{Host: "codex", Gateway: true, Everywhere: true, Profile: "read-only", Fronted: []Fronted{{"u", "user", "2"}, {"p", "project", "1"}}}, other}})
	if err := back(); err != nil {
		t.Fatal(err)
	}
	record(was)

	if _, err := h.store.Announce("/a", fewer); err != nil {
		t.Fatal(err)
	}
	if err := h.store.PutHosts("/a", fewer); err != nil {
		t.Fatal(err)
	}
	record(Record{Schema: recordSchema, Workspace: "/a", Hosts: []HostRecord{was.Hosts[0], fewer}})
}

func TestAFirstWrapThatFailsLeavesNoRecord(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	back, err := h.store.Announce("/a", HostRecord{Host: "codex"})
	if err != nil {
		t.Fatal(err)
	}
	if err := back(); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := h.store.Record("/a"); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

func TestAWrapStaysAnnouncedWhileItsFilesCannotBePutBack(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	back, err := h.store.Announce("/a", HostRecord{Host: "codex", Fronted: []Fronted{{"u", "user", "f"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.store.pendingFile(), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := back(); err == nil {
		t.Error("what was being written is not known")
	}
	if diff := cmp.Diff([]string{"u"}, h.store.Fronted("/a", "codex")); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAKilledProgramLeftOfARecordGoesWithTheNextOne(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(*Store) error{
		"wrapped again": func(s *Store) error { return s.PutHosts("/a", HostRecord{Host: "codex"}) },
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
