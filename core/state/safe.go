package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// ErrUnsafe is a surface folder that may hold what someone else wrote.
var ErrUnsafe = errors.New("not used")

// SafeDir is the folder in which ctx keeps what it knows of a workspace, made
// if need be. That is the workspace's surface folder, unless that one could
// have been put there by the repository or cannot be written: then a folder of
// the user's own, and why says what is wrong with the first. A surface folder
// is marked as nothing for git to track.
func SafeDir(l paths.Layout, workspace string) (dir, why string) {
	dir = l.Surface(workspace)
	err := prepare(dir, filepath.Dir(dir) == workspace)
	if err == nil {
		return dir, ""
	}
	own := filepath.Join(l.State, "workspaces", paths.ID(workspace))
	if own != dir {
		// Where even this one cannot be made, the first write says so.
		_ = prepare(own, false)
	}
	return own, err.Error()
}

// FindDir is [SafeDir] for a reader: it makes nothing.
func FindDir(l paths.Layout, workspace string) string {
	dir := l.Surface(workspace)
	if CheckOwn(dir) != nil || plainOnly(dir) != nil || plainOnly(filepath.Join(dir, "sessions")) != nil {
		return filepath.Join(l.State, "workspaces", paths.ID(workspace))
	}
	return dir
}

func prepare(dir string, inWorkspace bool) error {
	if !inWorkspace {
		if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := owned(dir); err != nil {
		return err
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", dir, err)
	}
	if !inWorkspace {
		return nil
	}
	if err := untracked(dir); err != nil {
		return err
	}
	for _, d := range []string{dir, filepath.Join(dir, "sessions")} {
		if err := plainOnly(d); err != nil {
			return err
		}
	}
	return file.Write(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600)
}

// CheckOwn says why the folder dir in a workspace cannot be one that ctx made
// there: such a one is used for nothing, and nothing is taken out of it.
func CheckOwn(dir string) error {
	if err := owned(dir); err != nil {
		return err
	}
	return untracked(dir)
}

func owned(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: %w: it is no folder, or a link to one", dir, ErrUnsafe)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s: %w: it belongs to someone else", dir, ErrUnsafe)
	}
	return nil
}

func untracked(dir string) error {
	tracked, err := git.Tracks(dir)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", dir, ErrUnsafe, err)
	}
	if tracked {
		return fmt.Errorf("%s: %w: the git repository has files in it", dir, ErrUnsafe)
	}
	return nil
}

// plainOnly refuses a folder from which a write would go elsewhere, or in which a
// read would wait for somebody: ctx makes no links and no pipes here, but an
// unpacked archive may have brought some.
func plainOnly(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch t := e.Type(); {
		case t&fs.ModeSymlink != 0:
			return fmt.Errorf("%s: %w: %s is a link", dir, ErrUnsafe, e.Name())
		case t != 0 && !t.IsDir():
			return fmt.Errorf("%s: %w: %s is no file", dir, ErrUnsafe, e.Name())
		}
	}
	return nil
}
