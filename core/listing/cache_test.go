package listing

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func tools(raw ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, r := range raw {
		out = append(out, json.RawMessage(r))
	}
	return out
}

func TestListingComesBackRawFromAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool := `{"name":"a","inputSchema":{"type":"object","x-n":12345678901234567890,"t":"<&>"}}`
	l := Listing{Server: "s", Fingerprint: "f", Capabilities: `{"roots": {}, "elicitation":{}}`, Tools: tools(tool)}
	if err := OpenCache(dir, filepath.Join(dir, "cache.key")).Put(l); err != nil {
		t.Fatal(err)
	}
	c := OpenCache(dir, filepath.Join(dir, "cache.key"))
	got, ok := c.Get("s", "f", `{"elicitation":{},"roots":{}}`)
	if !ok || Canonical(got.Tools[0]) != Canonical(json.RawMessage(tool)) || got.At.IsZero() {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, q := range [][3]string{{"s", "other", `{"elicitation":{},"roots":{}}`}, {"s", "f", ""}, {"x", "f", ""}} {
		if _, ok := c.Get(q[0], q[1], q[2]); ok {
			t.Errorf("%v has a listing", q)
		}
	}
	if _, ok := c.Any("s", "f"); !ok {
		t.Error("no listing for any capabilities")
	}
	info, err := os.Stat(filepath.Join(dir, "probe-cache.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestFailureKeepsTheLastGoodListing(t *testing.T) {
	t.Parallel()
	c := OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	put := func(l Listing) {
		t.Helper()
		l.Server, l.Fingerprint = "s", "f"
		if err := c.Put(l); err != nil {
			t.Fatal(err)
		}
	}
	put(Listing{Failed: "hung"})
	if _, ok := c.Get("s", "f", ""); ok {
		t.Error("a failure alone is a listing")
	}
	put(Listing{Tools: tools(`{"name":"a"}`)})
	if f, ok := c.Failure("s", "f", ""); ok {
		t.Errorf("failure outlives success: %v", f)
	}
	put(Listing{Failed: "hung"})
	put(Listing{Failed: "hung again"})
	if l, ok := c.Get("s", "f", ""); !ok || len(l.Tools) != 1 || l.Failed != "" {
		t.Errorf("got %+v, %v", l, ok)
	}
	if f, ok := c.Failure("s", "f", ""); !ok || f.Count != 2 || f.Reason != "hung again" {
		t.Errorf("got %+v, %v", f, ok)
	}
}

func TestBadCacheIsReportedAndSetAside(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"half-written":   "{\n \"schema\": \"ctx.probe-cache/v1\",\n \"entr",
		"foreign":        `{"schema":"ctx.probe-cache/v9","entries":[]}`,
		"of wrong types": "{\"schema\":\"ctx.probe-cache/v1\",\n\"entries\":7}",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "probe-cache.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c := OpenCache(dir, filepath.Join(dir, "cache.key"))
		if _, ok := c.Get("s", "f", ""); ok {
			t.Errorf("%s: found a listing", name)
		}
		if err := c.Problem(); err == nil || !strings.Contains(err.Error(), "probe-cache.json:") {
			t.Errorf("%s: problem %v", name, err)
		}
		if err := c.Put(Listing{Server: "s", Fingerprint: "f"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(path + ".bad"); err != nil || string(b) != content {
			t.Errorf("%s: set aside %q, %v", name, b, err)
		}
		if _, ok := c.Get("s", "f", ""); !ok || c.Problem() != nil {
			t.Errorf("%s: not usable after: %v", name, c.Problem())
		}
	}
}

func TestWritersDoNotLoseEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			if err := OpenCache(dir, filepath.Join(dir, "cache.key")).Put(Listing{Server: fmt.Sprint(i), Fingerprint: "f"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range 12 {
		if _, ok := OpenCache(dir, filepath.Join(dir, "cache.key")).Get(fmt.Sprint(i), "f", ""); !ok {
			t.Errorf("listing %d is lost", i)
		}
	}
}

func TestOldDeclarationsOfAServerGoAway(t *testing.T) {
	t.Parallel()
	c := OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	for i := range mostPerServer + 3 {
		if err := c.Put(Listing{Server: "s", Fingerprint: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := c.Get("s", "0", ""); ok {
		t.Error("the oldest is still there")
	}
	if _, ok := c.Get("s", fmt.Sprint(mostPerServer+2), ""); !ok || len(c.entries) != mostPerServer {
		t.Errorf("%d entries", len(c.entries))
	}
}
