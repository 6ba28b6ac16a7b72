package reconcile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Schema is the format that the ledger's lines of this version have.
const Schema = "ctx.reconcile.entry/v1"

const (
	ledgerName = "reconcile.jsonl"
	ledgerOld  = "reconcile.1.jsonl"
	mostLedger = 2 << 20 // bytes; then it starts anew and keeps one predecessor
	mostEntry  = 4 << 10 // bytes of a line
)

// Op is what a line of the ledger tells.
type Op string

const (
	Hide   Op = "hide"   // a family would have gone, or went
	Reveal Op = "reveal" // a family would have come, or came
	End    Op = "end"    // the session was over
)

// Entry is one line of the ledger. It never holds what the user said.
type Entry struct {
	Schema     string         `json:"schema"`
	At         time.Time      `json:"time"`
	Host       string         `json:"host,omitempty"`
	Session    string         `json:"session"`
	Generation int            `json:"generation"` // the how manieth plan of the session, from 1
	Op         Op             `json:"op"`
	Family     surface.Family `json:"family,omitempty"`
	Tokens     int            `json:"tokens,omitempty"`
	Phase      Phase          `json:"phase,omitempty"`
	Reason     string         `json:"reason,omitempty"`
	Enforced   bool           `json:"enforced"`          // false: in the shadow, nothing was changed
	Servers    []string       `json:"servers,omitempty"` // that have tools of the family
	Tools      []string       `json:"tools,omitempty"`   // of the family, "server:tool"; none where they do not fit a line
}

// Ledger is what was planned in the sessions of one workspace. Any number of
// processes may use it.
type Ledger struct{ dir string }

// OpenLedger returns the ledger in dir, which is the workspace's surface folder.
func OpenLedger(dir string) *Ledger { return &Ledger{dir} }

// Path is the file that the ledger is written to.
func (l *Ledger) Path() string { return filepath.Join(l.dir, ledgerName) }

// Append adds entries, all of them or none, after those of other processes.
func (l *Ledger) Append(entries ...Entry) error {
	var lines []byte
	for _, e := range entries {
		e.Schema = Schema
		b, err := json.Marshal(e)
		if err == nil && len(b) >= mostEntry {
			e.Tools = nil
			b, err = json.Marshal(e)
		}
		if err != nil {
			return err
		}
		if len(b) >= mostEntry {
			return fmt.Errorf("%s: an entry of session %.60q has %d bytes", l.Path(), e.Session, len(b))
		}
		lines = append(append(lines, b...), '\n')
	}
	if len(lines) == 0 {
		return nil
	}
	return file.Locked(l.Path(), func() error { return l.write(lines) })
}

func (l *Ledger) write(lines []byte) error {
	if info, err := os.Lstat(l.Path()); err == nil && info.Size() > mostLedger {
		if err := os.Rename(l.Path(), filepath.Join(l.dir, ledgerOld)); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(l.Path(), os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", l.Path(), file.ErrNotRegular)
	}
	if err == nil && info.Size() > 0 {
		var last [1]byte
		if _, err = f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...) // what a crash left half-written costs itself alone
		}
	}
	if err == nil {
		_, err = f.Write(lines)
	}
	return errors.Join(err, f.Close())
}

// Read returns every entry, in the order in which they were written, and what
// could not be read. No ledger at all is no problem.
func (l *Ledger) Read() ([]Entry, []usage.Problem) {
	var entries []Entry
	var problems []usage.Problem
	for _, n := range []string{ledgerOld, ledgerName} {
		path := filepath.Join(l.dir, n)
		b, err := file.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, usage.Problem{File: path, Text: err.Error()})
			continue
		}
		for i, line := range bytes.Split(b, []byte{'\n'}) {
			if len(line) == 0 {
				continue
			}
			e, err := parse(line)
			if err != nil {
				problems = append(problems, usage.Problem{File: path, Line: i + 1, Text: err.Error()})
				continue
			}
			entries = append(entries, e)
		}
	}
	return entries, problems
}

func parse(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, err
	}
	switch {
	case e.Schema != Schema:
		return Entry{}, fmt.Errorf("the schema is %.40q, not %q", e.Schema, Schema)
	case e.Session == "" || e.At.IsZero():
		return Entry{}, errors.New("a line without session or time")
	}
	return e, nil
}
