package main

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// mostLog is the size at which a log gives way to a new one.
const mostLog = 1 << 20

// openLog returns a logger that makes its file with the first line. Its level
// is the one that CTX_LOG names, else warnings.
func openLog(l paths.Layout, env []string) hclog.Logger {
	level := hclog.LevelFromString(paths.Lookup(env, "CTX_LOG"))
	if level == hclog.NoLevel {
		level = hclog.Warn
	}
	return hclog.New(&hclog.LoggerOptions{
		Name: "ctx-hook", Level: level, Output: &logFile{path: l.Log("hook")},
	})
}

// logFile appends to a file. A log that cannot be written is lost: there is no
// place left to say so.
type logFile struct {
	path string
	once sync.Once
	file *os.File
}

func (f *logFile) Write(b []byte) (int, error) {
	f.once.Do(f.open)
	if f.file != nil {
		_, _ = f.file.Write(b)
	}
	return len(b), nil
}

func (f *logFile) open() {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return
	}
	if info, err := os.Stat(f.path); err == nil && info.Size() > mostLog {
		_ = os.Rename(f.path, f.path+".1")
	}
	file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		f.file = file
	}
}
