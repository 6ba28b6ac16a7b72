package usage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/file"
)

const (
	name     = "usage.jsonl"
	oldName  = "usage.1.jsonl"
	mostLine = 4 << 10 // what one append writes whole, beside others that append
	mostFile = 4 << 20 // then the log starts anew and keeps one predecessor
)

// Log is the usage log of one workspace. Any number of processes may append.
type Log struct{ dir string }

// Open returns the log in dir, which is the workspace's surface folder.
func Open(dir string) *Log { return &Log{dir} }

// Append adds one call. Names too long for a line are an error.
func (l *Log) Append(c Call) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	line := append(b, '\n')
	if len(line) > mostLine {
		return fmt.Errorf("usage of %.60s:%.60s: %d bytes do not fit a line", c.Server, c.Tool, len(line))
	}
	path := filepath.Join(l.dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() > mostFile {
		if err := l.rotate(path); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if torn(f) { // what a crash left half-written must not swallow this one
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

func (l *Log) rotate(path string) error {
	return file.Locked(path, func() error {
		// Another process may have been faster.
		if info, err := os.Stat(path); err != nil || info.Size() <= mostFile {
			return nil
		}
		return os.Rename(path, filepath.Join(l.dir, oldName))
	})
}

// Rotated reports whether older calls than those on record may have been dropped.
func (l *Log) Rotated() bool {
	_, err := os.Lstat(filepath.Join(l.dir, oldName))
	return err == nil
}

// Read returns every call on record, oldest first, and what could not be read.
// No log at all is no problem.
func (l *Log) Read() ([]Call, []Problem) {
	var calls []Call
	var problems []Problem
	for _, n := range []string{oldName, name} {
		path := filepath.Join(l.dir, n)
		b, err := file.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, Problem{File: path, Text: err.Error()})
			continue
		}
		for i, line := range bytes.Split(b, []byte{'\n'}) {
			if len(line) == 0 {
				continue
			}
			var c Call
			if err := json.Unmarshal(line, &c); err != nil {
				problems = append(problems, Problem{path, i + 1, err.Error()})
				continue
			}
			calls = append(calls, c)
		}
	}
	return calls, problems
}

// Recent returns the last calls on record, oldest first: those that stand in the
// last bytes of the log. It is for those who have no time to read it all; what
// cannot be read is left out.
func (l *Log) Recent(bytesRead int64) []Call {
	path := filepath.Join(l.dir, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would hang
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	from := max(0, info.Size()-bytesRead)
	b, err := io.ReadAll(io.NewSectionReader(f, from, bytesRead))
	if err != nil {
		return nil
	}
	if from > 0 { // into the middle of a line
		_, b, _ = bytes.Cut(b, []byte{'\n'})
	}
	var calls []Call
	for line := range bytes.Lines(b) {
		var c Call
		if json.Unmarshal(line, &c) == nil {
			calls = append(calls, c)
		}
	}
	return calls
}
