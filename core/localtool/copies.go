package localtool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Copies are the user's private copies of approved tools. It is they that run:
// what a workspace has under the tool's name may be written by anybody who
// writes there, also between the look at it and its start.
type Copies struct{ dir string }

// OpenCopies returns the copies in the user's state folder.
func OpenCopies(l paths.Layout) Copies { return Copies{filepath.Join(l.State, "tools")} }

// Put makes the copy of a tool with these bytes, which must be those of its
// hash, and returns its path. It ends in the tool's name.
func (c Copies) Put(t Tool, text []byte) (string, error) {
	if sum(text) != t.SHA256 {
		return "", fmt.Errorf("%s: %w", t.Path, ErrOther)
	}
	dir := filepath.Join(c.dir, t.SHA256)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for _, d := range []string{c.dir, dir} {
		if err := private(d); err != nil {
			return "", err
		}
	}
	// A child that is forked while the copy is open for writing would hold it
	// open, and nobody could start it meanwhile.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	path := filepath.Join(dir, t.Name)
	if err := file.Write(path, text, 0o500); err != nil {
		return "", err
	}
	return path, nil
}

// Get returns the bytes of this hash, false where there is no copy of them.
func (c Copies) Get(sha256 string) ([]byte, bool) {
	if filepath.Base(sha256) != sha256 {
		return nil, false
	}
	dir := filepath.Join(c.dir, sha256)
	entries, err := os.ReadDir(dir)
	if err != nil || private(dir) != nil {
		return nil, false
	}
	for _, e := range entries {
		text, err := file.ReadUpTo(filepath.Join(dir, e.Name()), mostFile)
		if err == nil && sum(text) == sha256 {
			return text, true
		}
	}
	return nil, false
}

// Keep removes all copies but those of the given hashes.
func (c Copies) Keep(hashes map[string]bool) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was ever kept
		}
		return err
	}
	for _, e := range entries {
		if !hashes[e.Name()] {
			if err := os.RemoveAll(filepath.Join(c.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// private refuses a folder that anybody else could have put there.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 || !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	if err := trust.Ours(info); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return nil
}
