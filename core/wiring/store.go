package wiring

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Store is the folder of what wrap put into files, and of what it came to in
// each workspace. Programs that use one folder at a time wait for each other.
type Store struct {
	dir     string
	writing func(path string) // called before each file is written; nil outside of tests
}

// Open names the folder. Nothing is read or made before it is needed.
func Open(dir string) *Store { return &Store{dir: dir} }

// locked runs do while no other program plans or writes, after what one that
// was killed left half done has been put back.
func (s *Store) locked(do func() error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return file.Locked(filepath.Join(s.dir, "store"), func() error {
		if err := s.recover(); err != nil {
			return err
		}
		return do()
	})
}

// Copy makes a copy of the store in another folder, for plans that leave no
// trace. What a program that was killed left half done is put back first: a plan
// on the copy has no right to that, for it does not hold this store's lock.
func (s *Store) Copy(to string) error {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.locked(func() error {
		return s.lockedRecords(func() error { return os.CopyFS(to, os.DirFS(s.dir)) })
	})
}

// Recover puts back what a program that was killed in the middle of a change had
// written. Whoever plans a change has that done anyway; it is for those who ask
// first what there is to undo.
func (s *Store) Recover() error {
	if _, err := os.Lstat(s.pendingFile()); errors.Is(err, fs.ErrNotExist) {
		return nil // nothing is made to find that out
	}
	return s.locked(func() error { return nil })
}
