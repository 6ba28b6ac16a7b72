package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// ErrNoSession is returned for a session without an id: nothing can be
// remembered of it.
var ErrNoSession = errors.New("the host gave the session no id")

var errForeign = errors.New("not a session file of this version")

// Store is the sessions of one workspace, a file each.
type Store struct{ dir string }

// Open returns the store in dir, the folder that [SafeDir] names. Nothing is
// made before the first write.
func Open(dir string) *Store { return &Store{filepath.Join(dir, "sessions")} }

// Dir is the folder that holds the session files.
func (s *Store) Dir() string { return s.dir }

// Path is the file of one session. Ids come from hosts and are not trusted: one
// that is not plainly a file name is stood in for by its hash.
func (s *Store) Path(id string) string {
	name := id
	if !plain(id) {
		name = "x." + paths.ID(id) // no plain id has a dot
	}
	return filepath.Join(s.dir, name+".json")
}

func plain(id string) bool {
	const longest = 100
	if id == "" || len(id) > longest {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// Load returns what is remembered of a session; for one that is not known, a
// fresh Session. A file that cannot be used is not touched: the session is then
// as good as unknown, and the error says so.
func (s *Store) Load(id string) (Session, error) {
	got, _, err := s.load(id)
	return got, err
}

func (s *Store) load(id string) (got Session, known bool, err error) {
	fresh := Session{Schema: Schema, ID: id}
	if id == "" {
		return fresh, false, ErrNoSession
	}
	b, err := file.Read(s.Path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, false, nil
	}
	if err != nil {
		return fresh, true, err
	}
	if err := json.Unmarshal(b, &got); err != nil {
		return fresh, true, fmt.Errorf("%s: %w", s.Path(id), err)
	}
	if got.Schema != Schema || got.ID != id {
		return fresh, true, fmt.Errorf("%s: %w", s.Path(id), errForeign)
	}
	return got, true, nil
}

// Update changes a session while no other process does, and returns it as it
// was written. A file that cannot be used is kept aside as NAME.bad. On error
// the returned Session is what change made of the last known one, and the disk
// does not have it.
func (s *Store) Update(id string, change func(*Session)) (Session, error) {
	if id == "" {
		fresh := Session{Schema: Schema}
		change(&fresh)
		return fresh, ErrNoSession
	}
	var got Session
	changed := false
	err := file.Locked(s.dir, func() error {
		if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		var known bool
		var err error
		got, known, err = s.load(id)
		if err != nil {
			if _, err := file.SetAside(s.Path(id)); err != nil {
				return err
			}
		}
		if !known {
			s.prune(time.Now())
		}
		if got.Started.IsZero() {
			got.Started = time.Now().UTC().Truncate(time.Second)
		}
		change(&got)
		changed = true
		b, err := json.Marshal(got)
		if err != nil {
			return err
		}
		return file.Write(s.Path(id), append(b, '\n'), 0o600)
	})
	if err != nil && !changed {
		got, _ = s.Load(id) // the error that matters is the one above
		change(&got)
	}
	return got, err
}
