// Package file writes files the way every part of ctx does: completely or not
// at all, through symbolic links, and not when nothing would change.
package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Write makes the file at path hold content. Links are followed to the final
// target, which is replaced by a rename from a synced temporary file beside it
// and keeps its mode; a new file gets mode. Equal bytes are not written again.
func Write(path string, content []byte, mode fs.FileMode) error {
	target, err := Target(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
		}
		mode = info.Mode().Perm()
		if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, content) {
			return nil
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".ctx-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	if err := fill(tmp, content, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), target)
}

func fill(f *os.File, content []byte, mode fs.FileMode) error {
	_, err := f.Write(content)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// Sweep removes what a [Write] to path left beside it when its process was
// killed before the rename. It is for the holder of the file's lock: nobody
// else may be writing.
func Sweep(path string) {
	target, err := Target(path)
	if err != nil {
		return
	}
	left, err := filepath.Glob(filepath.Join(quoteMeta(filepath.Dir(target)), "."+quoteMeta(filepath.Base(target))+".ctx-*"))
	if err != nil {
		return
	}
	for _, tmp := range left {
		_ = os.Remove(tmp) // it is in nobody's way
	}
}

// Temporary reports whether name is one that [Write] gives its temporary files.
func Temporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, ".ctx-")
}

// quoteMeta lets a name stand for itself in a pattern of filepath.Glob.
func quoteMeta(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}

// Target follows symbolic links, also dangling ones, to the file that a write
// to path must replace. Folders that are not there yet are named as they will be
// once they are made: making them does not move the target.
func Target(path string) (string, error) {
	const most = 40 // as Linux; more is a loop
	for range most {
		dir, err := realDir(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many symbolic links", path)
}

// realDir resolves the links in the name of a folder, as far as it exists.
func realDir(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	parent := filepath.Dir(dir)
	if !errors.Is(err, fs.ErrNotExist) || parent == dir {
		return real, err
	}
	if parent, err = realDir(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(dir)), nil
}

// Locked runs do while this process alone holds the lock of the file at path.
// The lock is a file of its own, path+".lock", so that replacing path by a
// rename does not lose it. The folder must be there: what has been taken away in
// the meantime, as unwrap does, must not come back by a late write.
func Locked(path string, do func() error) error {
	l := lockOf(path)
	if err := l.Lock(); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	defer l.Unlock()
	return do()
}

// lockOf is the lock of the file at path. Not even a named pipe under its name
// holds anybody up.
func lockOf(path string) *flock.Flock {
	return flock.New(path+".lock", flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|syscall.O_NONBLOCK))
}

// LockedSoon is Locked for a process that waits no longer than that: where
// another one holds the lock until then, do is not run and the error says so.
func LockedSoon(path string, wait time.Duration, do func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	l := lockOf(path)
	switch locked, err := l.TryLockContext(ctx, 10*time.Millisecond); {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("lock %s: another process holds it", path)
	case err != nil:
		return fmt.Errorf("lock %s: %w", path, err)
	case !locked:
		return fmt.Errorf("lock %s: it cannot be had", path)
	}
	defer l.Unlock()
	return do()
}

// Aside is what the name of a file ends with that was set aside.
const Aside = ".bad"

// SetAside renames a file that cannot be used to path+[Aside], so that it is
// neither read again nor lost, and returns the new name.
func SetAside(path string) (string, error) {
	bad := path + Aside
	return bad, os.Rename(path, bad)
}
