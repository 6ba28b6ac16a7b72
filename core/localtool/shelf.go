package localtool

import (
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ctx-sidecar/ctx/core/trust"
)

// Shelf is the tools of a workspace and the user's word on them, while both
// change. Its methods may be called concurrently.
type Shelf struct {
	workspace string
	trust     *trust.Store

	mu      sync.Mutex
	state   *State
	stamps  map[string]stamp // of what state was made from
	settled bool             // see settleTime
}

// State is a shelf at one time. It is immutable.
type State struct {
	Approved []Tool
	Waiting  []Waiting
	Problems []Problem
}

// Waiting is a tool about which the user has yet to decide.
type Waiting struct {
	Tool
	Status trust.Status // Unknown, or Changed where other bytes of it are approved
}

// OpenShelf returns the shelf of a workspace, an absolute path with its links
// resolved.
func OpenShelf(workspace string, t *trust.Store) *Shelf {
	return &Shelf{workspace: workspace, trust: t}
}

// settleTime is how long a file must have been left alone for its stamp to be
// relied on: two writes within one tick of a file system's clock leave the same.
const settleTime = 200 * time.Millisecond

// State is the tools as they are now. The same pointer is returned as long as
// nothing has changed. Where a workspace has no tools that costs a look at a
// folder that is not there.
func (s *Shelf) State() *State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != nil && s.settled && s.same() {
		return s.state
	}
	// Stamps are taken before reading, so that a change in between is seen the
	// next time.
	began := time.Now()
	s.stamps = map[string]stamp{}
	take := func(path string) { s.stamps[path] = stampOf(path) }
	take(Folder(s.workspace))
	take(s.trust.Path())
	if entries, err := os.ReadDir(Folder(s.workspace)); err == nil {
		for _, e := range entries[:min(len(entries), mostFiles)] {
			take(filepath.Join(Folder(s.workspace), e.Name()))
		}
	}
	s.settled = true
	for _, at := range s.stamps {
		s.settled = s.settled && began.Sub(at.changed()) > settleTime
	}
	if next := s.read(); !reflect.DeepEqual(s.state, next) {
		s.state = next
	}
	return s.state
}

// stamp tells one state of a file from another; that of a file that is not there
// is zero.
type stamp struct {
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

// stampOf asks the system directly: it is done for every tool before every
// request.
func stampOf(path string) stamp {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return stamp{}
	}
	return stamp{uint64(s.Dev), s.Ino, s.Size, s.Mtim, s.Ctim}
}

func (s stamp) changed() time.Time {
	return time.Unix(0, max(s.mtime.Nano(), s.ctime.Nano()))
}

func (s *Shelf) same() bool {
	for path, at := range s.stamps {
		if stampOf(path) != at {
			return false
		}
	}
	return true
}

func (s *Shelf) read() *State {
	tools, problems := Read(s.workspace)
	next := &State{Problems: problems}
	for _, t := range tools {
		switch status := s.trust.CheckID(t.TrustID(), t.Declaration()); status {
		case trust.Approved:
			next.Approved = append(next.Approved, t)
		case trust.Unknown, trust.Changed:
			next.Waiting = append(next.Waiting, Waiting{t, status})
		}
	}
	return next
}

// Note puts on record what waits, so that the user can be shown it.
func (s *Shelf) Note() error {
	for _, w := range s.State().Waiting {
		if err := s.trust.Note(w.TrustID(), w.Declaration()); err != nil {
			return err
		}
	}
	return nil
}
