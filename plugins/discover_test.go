package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// home is a user without an adapter.
func home(t *testing.T) (l paths.Layout, env []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	return paths.FromEnv(env), env
}

// write makes a file. No process is forked meanwhile: a child that still held the
// file open would make running it fail with "text file busy".
func write(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask says
		t.Fatal(err)
	}
	return path
}

func sum(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

func only(t *testing.T, found []Found) Found {
	t.Helper()
	if len(found) != 1 {
		t.Fatalf("found %+v, want one", found)
	}
	return found[0]
}

func TestAnAdapterIsNewThenTrustedThenChanged(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	store := trust.Open(l.Trust())
	path := write(t, filepath.Join(l.Data, "plugins", "ctx-host-acme"), "one", 0o755)

	f := only(t, Discover(l, env, store))
	if f.Name != "acme" || f.Path != path || f.SHA256 != sum("one") || f.State != New || f.Problem != "" {
		t.Errorf("at first: %+v", f)
	}
	_, err := OpenHost(t.Context(), l, env, "acme")
	var untrusted *UntrustedError
	if !errors.As(err, &untrusted) || untrusted.Hint() != "ctx plugins trust acme" {
		t.Errorf("a new adapter: %v", err)
	}

	if err := store.PinPlugin(f.Name, f.Path, f.SHA256); err != nil {
		t.Fatal(err)
	}
	if f := only(t, Discover(l, env, store)); f.State != Trusted {
		t.Errorf("pinned: %+v", f)
	}

	write(t, path, "two", 0o755)
	f = only(t, Discover(l, env, store))
	if f.State != Changed || f.SHA256 != sum("two") || f.Pinned != sum("one") {
		t.Errorf("changed: %+v", f)
	}
	_, err = OpenHost(t.Context(), l, env, "acme")
	var changed *ChangedError
	if !errors.As(err, &changed) || !strings.Contains(err.Error(), sum("one")[:12]) || !strings.Contains(err.Error(), sum("two")[:12]) {
		t.Errorf("a changed adapter: %v", err)
	}

	write(t, path, "one", 0o755)
	if f := only(t, Discover(l, env, store)); f.State != Trusted {
		t.Errorf("changed back: %+v", f)
	}
}

func TestAHashIsKeptUntilTheFileChanges(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	store := trust.Open(l.Trust())
	path := write(t, filepath.Join(l.Data, "plugins", "ctx-host-acme"), "one", 0o755)
	st, err := stampAt(path)
	if err != nil {
		t.Fatal(err)
	}
	Discover(l, env, store)
	if _, ok := store.Hash(path, st); ok {
		t.Error("the hash of a file that is still being written was kept")
	}
	// Only the clock can tell that a file has settled: the change time cannot be
	// set. A hash that could not be right shows that the file is not read again.
	time.Sleep(time.Until(time.Unix(0, st.Ctime).Add(2100 * time.Millisecond)))
	Discover(l, env, store)
	if sha, ok := store.Hash(path, st); !ok || sha != sum("one") {
		t.Errorf("the hash of a settled file: %q, %v", sha, ok)
	}
	store.KeepHash(path, st, "from the cache")
	if f := only(t, Discover(l, env, store)); f.SHA256 != "from the cache" {
		t.Errorf("it was read again: %+v", f)
	}
	write(t, path, "two", 0o755)
	if f := only(t, Discover(l, env, store)); f.SHA256 != sum("two") {
		t.Errorf("it was not read again: %+v", f)
	}
}

func TestOnlyGoodNamesInGoodPlaces(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	dir := filepath.Join(l.Data, "plugins")
	write(t, filepath.Join(dir, "ctx-host-good-1"), "x", 0o755)
	write(t, filepath.Join(dir, "ctx-host-notes"), "x", 0o644)
	write(t, filepath.Join(dir, "ctx-host-open"), "x", 0o757)
	write(t, filepath.Join(dir, "ctx-host-"), "x", 0o755)
	write(t, filepath.Join(dir, "ctx-host-Bad"), "x", 0o755)
	write(t, filepath.Join(dir, "ctx-host-a.b"), "x", 0o755)
	write(t, filepath.Join(dir, "ctx-host-1a"), "x", 0o755)
	write(t, filepath.Join(dir, "readme"), "x", 0o755)
	write(t, filepath.Join(dir, "ctx-host-folder", "x"), "x", 0o755)
	if err := os.Symlink("/nowhere", filepath.Join(dir, "ctx-host-gone")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"good-1": "",
		"notes":  "not executable",
		"open":   "can be written by every user",
		"":       "its name must be",
		"Bad":    "its name must be",
		"a.b":    "its name must be",
		"1a":     "its name must be",
		"folder": "not a file",
		"gone":   "no such file",
	}
	found := Discover(l, env, trust.Open(l.Trust()))
	if len(found) != len(want) {
		t.Errorf("found %d, want %d: %+v", len(found), len(want), found)
	}
	for _, f := range found {
		problem, ok := want[f.Name]
		if !ok || (problem == "") != (f.Problem == "") || !strings.Contains(f.Problem, problem) {
			t.Errorf("%s: problem %q, want %q", f.Name, f.Problem, problem)
		}
	}
	_, err := OpenHost(t.Context(), l, env, "open")
	var unusable *UnusableError
	if !errors.As(err, &unusable) || !strings.Contains(err.Error(), "every user") {
		t.Errorf("an adapter that anybody can write: %v", err)
	}
}

func TestAPipeUnderTheNameOfAnAdapterHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "ctx-host-pipe"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := only(t, Discover(l, append(env, "CTX_PLUGINS="+dir), trust.Open(l.Trust())))
	if f.Name != "pipe" || f.Problem != "it is not a file" {
		t.Errorf("%+v", f)
	}
}

func TestAFolderThatAnybodyCanWriteHoldsNoAdapters(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	open := t.TempDir()
	write(t, filepath.Join(open, "ctx-host-acme"), "x", 0o755)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	// A link from a good folder is no better.
	dir := filepath.Join(l.Data, "plugins")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(open, "ctx-host-acme"), filepath.Join(dir, "ctx-host-linked")); err != nil {
		t.Fatal(err)
	}
	for _, f := range Discover(l, append(env, "CTX_PLUGINS="+open), trust.Open(l.Trust())) {
		if !strings.Contains(f.Problem, "its folder "+open+" can be written by every user") {
			t.Errorf("%s: %q", f.Name, f.Problem)
		}
	}
}

func TestTheFirstOfANameCounts(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	installed := write(t, filepath.Join(l.Data, "plugins", "ctx-host-acme"), "installed", 0o755)
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "ctx-host-acme"), "other", 0o755)
	}
	write(t, filepath.Join(a, "ctx-host-beta"), "beta", 0o755)
	list := strings.Join([]string{"relative/plugins", "", a, b, "/no/such/folder", filepath.Dir(installed) + "/"}, ":")
	found := Discover(l, append(env, "CTX_PLUGINS="+list), trust.Open(l.Trust()))

	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s %s %s", f.Name, f.Path, f.Problem))
	}
	want := []string{
		"acme " + installed + " ",
		"acme " + a + "/ctx-host-acme hidden by " + installed,
		"beta " + a + "/ctx-host-beta ",
		"acme " + b + "/ctx-host-acme hidden by " + installed,
		" relative/plugins CTX_PLUGINS must name absolute folders",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNoAdapterOfThatName(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	_, err := OpenHost(t.Context(), l, env, "acme")
	var missing *NotFoundError
	if !errors.As(err, &missing) || !strings.Contains(missing.Hint(), "install.sh") {
		t.Errorf("nothing installed: %v", err)
	}
	write(t, filepath.Join(l.Data, "plugins", "ctx-host-beta"), "x", 0o755)
	_, err = OpenHost(t.Context(), l, env, "acme")
	if !errors.As(err, &missing) || missing.Hint() != "installed: beta" {
		t.Errorf("another one installed: %v", err)
	}
	for _, name := range []string{"", "../acme", "beta/../beta", "ctx-host-beta"} {
		if _, err := OpenHost(t.Context(), l, env, name); !errors.As(err, &missing) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestAnAdapterSwappedAfterTheCheckIsNotStarted(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	store := trust.Open(l.Trust())
	mark := filepath.Join(t.TempDir(), "mark")
	path := write(t, filepath.Join(l.Data, "plugins", "ctx-host-acme"), "#!/bin/sh\n", 0o755)
	f := only(t, Discover(l, env, store))
	if err := store.PinPlugin(f.Name, f.Path, f.SHA256); err != nil {
		t.Fatal(err)
	}
	f = only(t, Discover(l, env, store))
	write(t, path, "#!/bin/sh\ntouch "+mark+"\n", 0o755)
	_, err := Open(t.Context(), f, Options{})
	var unusable *UnusableError
	if !errors.As(err, &unusable) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it ran")
	}
}

func TestWhatTheInstallerPutThereIsTrusted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := sum("claude") + "  ctx-host-claude\n" + sum("codex") + " *ctx-host-codex\nnonsense\n\n"
	write(t, filepath.Join(dir, Manifest), list, 0o644)
	got := manifest(dir)
	if len(got) != 2 || got[filepath.Join(dir, "ctx-host-claude")] != sum("claude") || got[filepath.Join(dir, "ctx-host-codex")] != sum("codex") {
		t.Errorf("the list says %v", got)
	}
	if err := os.Chmod(filepath.Join(dir, Manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := manifest(dir); got != nil {
		t.Errorf("a list that anybody can write says %v", got)
	}

	l, _ := home(t)
	store := trust.Open(l.Trust())
	path := write(t, filepath.Join(l.Data, "plugins", "ctx-host-claude"), "claude", 0o755)
	for _, tt := range []struct {
		pinned, installed string
		want              State
	}{
		{"", "", New},
		{"", sum("claude"), Trusted},
		{"", sum("older"), Changed},
		{sum("claude"), "", Trusted},
		{sum("claude"), sum("older"), Trusted},
		{sum("older"), sum("claude"), Trusted}, // updated by the installer
		{sum("older"), "", Changed},
	} {
		f := Found{Name: "claude", Path: path, State: New}
		if f.inspect(store, tt.pinned, tt.installed); f.State != tt.want {
			t.Errorf("pinned %.4q, installed %.4q: %s, want %s", tt.pinned, tt.installed, f.State, tt.want)
		}
	}
}

func TestAListCountsOnlyBesideTheProgram(t *testing.T) {
	t.Parallel()
	l, env := home(t)
	// The user's data folder and CTX_PLUGINS can hold adapters, and no list.
	other := t.TempDir()
	if err := os.Chmod(other, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"ctx-host-a": filepath.Join(l.Data, "plugins"), "ctx-host-b": other} {
		write(t, filepath.Join(dir, name), "x", 0o755)
		write(t, filepath.Join(dir, Manifest), sum("x")+"  "+name+"\n", 0o644)
	}
	found := Discover(l, append(env, "CTX_PLUGINS="+other), trust.Open(l.Trust()))
	if len(found) != 2 {
		t.Fatalf("found %+v, want two", found)
	}
	for _, f := range found {
		if f.State != New {
			t.Errorf("%s is %s by a list that does not count", f.Path, f.State)
		}
	}
}
