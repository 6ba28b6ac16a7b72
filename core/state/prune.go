package state

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
)

const (
	mostSessions = 200
	oldest       = 30 * 24 * time.Hour
)

// prune forgets sessions beyond the newest mostSessions, and those that nothing
// has touched for long. It runs when a new one is written and under its lock.
// What cannot be removed stays.
func (s *Store) prune(now time.Time) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	type session struct {
		path string
		at   time.Time
	}
	var kept []session
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path := filepath.Join(s.dir, e.Name())
		if file.Temporary(e.Name()) { // of a process that was killed: nobody else writes now
			os.Remove(path)
			continue
		}
		if now.Sub(info.ModTime()) > oldest {
			os.Remove(path)
			continue
		}
		kept = append(kept, session{path, info.ModTime()})
	}
	if len(kept) < mostSessions {
		return
	}
	slices.SortFunc(kept, func(a, b session) int { return b.at.Compare(a.at) })
	for _, old := range kept[mostSessions-1:] { // one place for the new one
		os.Remove(old.path)
	}
}
