// Package logfile gives a program a log in the user's state folder. A program
// that a host runs may write neither to stdout nor to stderr.
package logfile

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// most is the size at which a log gives way to a new one; one predecessor stays.
const most = 1 << 20

// Open returns the logger of a program, "gateway" say, which makes its file
// with the first line. Its level is the one that CTX_LOG names, else warnings.
func Open(l paths.Layout, program string, env []string) hclog.Logger {
	level := hclog.LevelFromString(paths.Lookup(env, "CTX_LOG"))
	if level == hclog.NoLevel {
		level = hclog.Warn
	}
	return hclog.New(&hclog.LoggerOptions{
		Name: "ctx-" + program, Level: level, Output: &writer{path: l.Log(program)},
	})
}

// writer appends to a file. A log that cannot be written is lost: there is no
// place left to say so.
type writer struct {
	path string
	once sync.Once
	file *os.File
}

func (w *writer) Write(b []byte) (int, error) {
	w.once.Do(w.open)
	if w.file != nil {
		_, _ = w.file.Write(b)
	}
	return len(b), nil
}

func (w *writer) open() {
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return
	}
	if info, err := os.Stat(w.path); err == nil && info.Size() > most {
		_ = os.Rename(w.path, w.path+".1")
	}
	file, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		w.file = file
	}
}
