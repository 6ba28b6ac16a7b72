package listing

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forge writes a cache as an archive would bring it.
func forge(t *testing.T, dir string, entries ...sealed) {
	t.Helper()
	b, err := json.Marshal(cacheJSON{cacheSchema, entries})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, cacheFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAListingThatTheUserDidNotGetIsNotFound(t *testing.T) {
	t.Parallel()
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "state", "key")
	good := Listing{Server: "a", Fingerprint: "f", Tools: []json.RawMessage{[]byte(`{"name":"rm <all>", "n":1.0e3}`)}}
	if err := OpenCache(dir, key).Put(good); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, cacheFile))
	if err != nil {
		t.Fatal(err)
	}
	var f cacheJSON
	if err := json.Unmarshal(b, &f); err != nil || len(f.Entries) != 1 {
		t.Fatalf("%s: %v", b, err)
	}
	mine := f.Entries[0]
	if _, ok := OpenCache(dir, key).Any("a", "f"); !ok {
		t.Fatal("the user's own is not found")
	}
	other, err := seal(entry{Listing: good}, []byte(strings.Repeat("k", keyBytes)))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]sealed{
		"no seal":            {Entry: mine.Entry},
		"a seal of others":   other,
		"an altered listing": {Entry: []byte(strings.Replace(string(mine.Entry), "rm", "ls", 1)), Seal: mine.Seal},
		"a seal of an empty": {Entry: mine.Entry, Seal: "00"},
	} {
		forge(t, dir, s)
		c := OpenCache(dir, key)
		if l, ok := c.Any("a", "f"); ok || c.Problem() != nil {
			t.Errorf("%s: %+v, %v", name, l, c.Problem())
		}
	}
	forge(t, dir, other, mine)
	if l, ok := OpenCache(dir, key).Any("a", "f"); !ok || !strings.Contains(string(l.Tools[0]), `1.0e3`) {
		t.Errorf("beside a forged one: %+v, %v", l, ok)
	}
	if _, ok := OpenCache(dir, filepath.Join(t.TempDir(), "none")).Any("a", "f"); ok {
		t.Error("found without a key")
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info, err)
	}
}

func TestABrokenKeyIsMadeAnew(t *testing.T) {
	t.Parallel()
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := OpenCache(dir, key)
	if err := c.Put(Listing{Server: "a", Fingerprint: "f"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := OpenCache(dir, key).Any("a", "f"); !ok {
		t.Error("not found")
	}
}
