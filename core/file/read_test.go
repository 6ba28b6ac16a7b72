package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadReturnsTheWholeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	for _, want := range []string{"", "x", strings.Repeat("line\n", 10_000)} {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if err != nil || string(got) != want {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
		}
	}
}

func TestReadWaitsForNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, "/dev/zero"} {
		if _, err := Read(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Read(dir); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

func TestReadRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("123456"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadUpTo(path, 5); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "over 5 bytes") {
		t.Errorf("over the limit: %v", err)
	}
	if b, err := ReadUpTo(path, 6); err != nil || string(b) != "123456" {
		t.Errorf("at the limit: %q, %v", b, err)
	}
	if err := os.Truncate(path, 1<<40); err == nil { // a hole: it takes no room
		if _, err := Read(path); err == nil {
			t.Error("a terabyte was read")
		}
	}
}

func TestAPipeInThePlaceOfALockHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := syscall.Mkfifo(path+".lock", 0o600); err != nil {
		t.Fatal(err)
	}
	ran := false
	if err := Locked(path, func() error { ran = true; return nil }); err != nil || !ran {
		t.Errorf("ran: %v, %v", ran, err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x"), 0o600); err == nil {
		t.Error("a pipe was replaced by a file")
	}
}
