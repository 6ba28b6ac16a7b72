package wiring

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	rec := Record{Workspace: "/a", Hosts: []HostRecord{
		{Host: "codex", Gateway: true, Fronted: []Fronted{{"u", "user", "f"}, {"p", "project", "f"}}},
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
	for ws, want := range map[string][]string{"/a": {"p", "u"}, "/elsewhere": {"u"}} {
		got := h.store.Fronted(ws, "codex")
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%s: %s", ws, diff)
		}
	}

	// A wrap that was cut off before its record is known by its edits.
	h.wrap(Owner{"/b", "codex"}, Edit{Path: h.path("f"), Format: Whole})
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
