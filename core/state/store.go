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

// Store is the sessions of one workspace, a file each.
type Store struct{ dir string }

// Open returns the store in dir, which is the workspace's surface folder. The
// folder is made by the first write.
func Open(dir string) *Store { return &Store{filepath.Join(dir, "sessions")} }

// Dir is the folder that holds the session files.
func (s *Store) Dir() string { return s.dir }

// Path is the file of one session. Ids come from hosts and are not trusted: one
// that is not plainly a file name is stood in for by its hash.
func (s *Store) Path(id string) string {
	name := id
	if !plain(id) {
		name = "x-" + paths.ID(id)
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
	fresh := Session{Schema: Schema, ID: id}
	if id == "" {
		return fresh, ErrNoSession
	}
	b, err := os.ReadFile(s.Path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	got, err := parse(b, id)
	if err != nil {
		return fresh, fmt.Errorf("%s: %w", s.Path(id), err)
	}
	return got, nil
}

var errForeign = errors.New("not a session file of this version")

func parse(b []byte, id string) (Session, error) {
	var got Session
	if err := json.Unmarshal(b, &got); err != nil {
		return got, err
	}
	if got.Schema != Schema || got.ID != id {
		return got, errForeign
	}
	return got, nil
}

// Update changes a session while no other process does, and returns it as it
// was written. A file that cannot be used is kept aside as NAME.bad. On error
// the returned Session is what change made of the last known one; only the disk
// does not have it.
func (s *Store) Update(id string, change func(*Session)) (Session, error) {
	if id == "" {
		got := Session{Schema: Schema}
		change(&got)
		return got, ErrNoSession
	}
	var got Session
	changed := false
	err := file.Locked(s.Path(id), func() error {
		var err error
		got, err = s.Load(id)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			_, err = file.SetAside(s.Path(id))
		}
		if got.Started.IsZero() {
			got.Started = time.Now().UTC().Truncate(time.Second)
		}
		change(&got)
		changed = true
		if err != nil {
			return err
		}
		b, err := json.Marshal(got)
		if err != nil {
			return err
		}
		return file.Write(s.Path(id), append(b, '\n'), 0o600)
	})
	if !changed {
		got, _ = s.Load(id) // the error that matters is the one from above
		change(&got)
	}
	return got, err
}
