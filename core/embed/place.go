package embed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/paths"
)

var (
	errRelative  = errors.New("its path must be absolute: a relative one is another file in every folder")
	errWorkspace = errors.New("it lies in the workspace, and a repository must not bring code that is loaded")
	errWorkTree  = errors.New("it lies in a git work tree, and a repository must not bring code that is loaded")
	errOther     = errors.New("it is not the file that was installed")
	errGone      = errors.New("it was installed and is not there any more")
)

// foreign says why what lies at path may have come with a repository.
func foreign(path, workspace string) error {
	if workspace != "" && inside(paths.Real(workspace), path) {
		return errWorkspace
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return fmt.Errorf("%w (%s)", errWorkTree, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Trusted leaves out of the shared folders, nearest first, those that a
// repository may have brought: all but the first one, which is the program's
// own, follow from the environment.
func Trusted(share []string, workspace string) []string {
	var kept []string
	for i, dir := range share {
		if i == 0 || foreign(filepath.Join(paths.Real(dir), SumsFile), workspace) == nil {
			kept = append(kept, dir)
		}
	}
	return kept
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// private says which other user could have written the file, or could put
// another one in its place.
func private(f *os.File, real string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := owned(info); err != nil {
		return fmt.Errorf("it %w", err)
	}
	others := fs.FileMode(0o022)
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid == st.Gid {
		others = 0o002 // the group of the same number is the owner's private one
	}
	if info.Mode().Perm()&others != 0 {
		return errors.New("it can be written by other users (chmod go-w)")
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if err := owned(info); err != nil {
			return fmt.Errorf("its folder %s %w", dir, err)
		}
		// In a sticky folder such as /tmp nobody can replace what is another's.
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return fmt.Errorf("its folder %s can be written by every user (chmod o-w)", dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func owned(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	return nil
}
