// Package trust keeps what the user has allowed: which adapters may run, which
// MCP servers may be started, which calls may be made. Everything is pinned to
// the exact bytes or declaration that the user saw. Nothing here is ever read
// from a workspace, so a repository cannot widen it.
package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Store is one user's trust file. Every question is answered from the file as it
// is then, so what another process approves counts at once. Its methods may be
// called concurrently.
type Store struct {
	path string
	now  func() time.Time

	mu       sync.Mutex
	problems []string
	seen     *document // the file when it had this stamp; never changed
	stamp    Stamp
}

// Open returns the store of the file at path, which need not exist.
func Open(path string) *Store {
	return &Store{path: path, now: time.Now}
}

// Path is the file.
func (s *Store) Path() string { return s.path }

// Problems are the faults of the file that were met since Open, one line each.
// A file with a fault trusts nothing.
func (s *Store) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.problems...)
}

func (s *Store) report(problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.problems {
		if p == problem {
			return
		}
	}
	s.problems = append(s.problems, problem)
}

// view returns the document, which is the caller's to read and not to change.
// What cannot be read is reported and trusts nothing. The file is parsed again
// only when it is another one: a hook asks about every server there is.
func (s *Store) view() document {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return document{}
	}
	s.mu.Lock()
	seen, at := s.seen, s.stamp
	s.mu.Unlock()
	if err == nil && seen != nil && StampOf(info) == at {
		return *seen
	}
	d, err := s.load()
	if err != nil {
		s.report(err.Error())
		return document{}
	}
	if info != nil { // a stamp from before the reading, so that it is never too new
		s.mu.Lock()
		s.seen, s.stamp = &d, StampOf(info)
		s.mu.Unlock()
	}
	return d
}

// load reads the file, and sets it aside when it is of no use.
func (s *Store) load() (document, error) {
	d, err := read(s.path)
	var bad *badFileError
	if errors.As(err, &bad) {
		if err = s.setAside(); err != nil {
			err = errors.Join(bad, err)
		}
	}
	return d, err
}

// setAside moves a file away that cannot be used. It looks again under the
// lock, since another process may have done it already.
func (s *Store) setAside() error {
	return file.Locked(s.path, func() error { _, err := s.readOrSetAside(); return err })
}

// readOrSetAside is for the holder of the lock.
func (s *Store) readOrSetAside() (document, error) {
	d, err := read(s.path)
	var bad *badFileError
	if !errors.As(err, &bad) {
		return d, err
	}
	kept, err := file.SetAside(s.path)
	if err != nil {
		return document{}, errors.Join(bad, err)
	}
	s.report(bad.Error() + "; it is kept as " + kept + ", and nothing is trusted until it is approved again")
	return document{}, nil
}

// update changes the file while no other process does.
func (s *Store) update(change func(*document) error) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	return file.Locked(s.path, func() error { return s.apply(change) })
}

// tryUpdate is update for what may as well be left undone: it does not wait for
// another process.
func (s *Store) tryUpdate(change func(*document) error) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	l := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	held, err := l.TryLock()
	if err != nil || !held {
		return err
	}
	defer l.Unlock()
	return s.apply(change)
}

// errUnchanged ends a change that has nothing to write.
var errUnchanged = errors.New("unchanged")

func (s *Store) apply(change func(*document) error) error {
	d, err := s.readOrSetAside()
	if err != nil {
		return err
	}
	if err := change(&d); err != nil {
		if errors.Is(err, errUnchanged) {
			return nil
		}
		return err
	}
	b, err := d.encode()
	if err != nil {
		return err
	}
	file.Sweep(s.path)
	return file.Write(s.path, b, 0o600)
}
