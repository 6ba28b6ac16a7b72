package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Latest is the conversation that something was last noted of and that has not
// ended; trials do not count. ok is false where there is none.
func (s *Store) Latest() (latest Session, ok bool) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return Session{}, false // nobody has noted anything
	}
	var at time.Time
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || filepath.Ext(e.Name()) != ".json" || !info.ModTime().After(at) {
			continue
		}
		b, err := file.Read(filepath.Join(s.dir, e.Name()))
		var one Session
		if err != nil || json.Unmarshal(b, &one) != nil || one.Schema != Schema || one.Ended != nil || strings.HasPrefix(one.ID, ScratchPrefix) {
			continue
		}
		latest, at = one, info.ModTime()
	}
	return latest, latest.ID != ""
}
