package tap

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Script is a dependency's installer in one state of its bytes.
type Script struct {
	Name   string `json:"name"`   // "ORG/TOOL"
	Path   string `json:"path"`   // absolute
	SHA256 string `json:"sha256"` // of the script and of all that lies in deps/lib, which it may source
	root   string
}

// ErrNoScript says that a tap lacks the script of a dependency.
var ErrNoScript = errors.New("the tap has no such script")

// ErrOtherScript says that a script is no longer the one that was approved.
var ErrOtherScript = errors.New("the script is another one now")

const (
	installTime = 10 * time.Minute
	mostScript  = 1 << 20 // bytes of one file
)

// Script finds the installer of a dependency of the capability's.
func (c Capability) Script(dep string) (Script, error) {
	s := Script{Name: dep, Path: filepath.Join(c.Root, "deps", filepath.FromSlash(dep)+".sh"), root: c.Root}
	files, err := s.read()
	if err != nil {
		return Script{}, err
	}
	s.SHA256 = sum(files)
	return s, nil
}

// Declaration is the script in the shape in which approvals are kept: what
// would be run, with the hash of its bytes as a part of it.
func (s Script) Declaration() surface.Server {
	return surface.Server{
		Name: s.Name, Scope: surface.ScopeTap, Place: surface.Place{File: s.Path},
		Transport: surface.Stdio, Command: "bash", Args: []string{s.Path},
		Env: map[string]string{"SHA-256": s.SHA256},
	}
}

// scriptFile is a file of a script's, by its path below deps/.
type scriptFile struct {
	name string
	text []byte
}

// read reads the script and what it may source.
func (s Script) read() ([]scriptFile, error) {
	deps := filepath.Join(s.root, "deps")
	own, err := readScript(deps, filepath.FromSlash(s.Name)+".sh")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", s.Path, ErrNoScript)
	}
	if err != nil {
		return nil, err
	}
	files := []scriptFile{own}
	lib := filepath.Join(deps, "lib")
	err = filepath.WalkDir(lib, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(deps, path)
		if err != nil {
			return err
		}
		f, err := readScript(deps, name)
		files = append(files, f)
		return err
	})
	return files, err
}

func readScript(deps, name string) (scriptFile, error) {
	text, err := file.ReadUpTo(filepath.Join(deps, name), mostScript)
	return scriptFile{name, text}, err
}

func sum(files []scriptFile) string {
	files = slices.SortedFunc(slices.Values(files), func(a, b scriptFile) int { return cmp.Compare(a.name, b.name) })
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%d %s %d ", len(f.name), f.name, len(f.text))
		h.Write(f.text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Run installs the dependency. The bytes that are run are those of s.SHA256,
// from a copy that nobody else writes to; others are refused with
// [ErrOtherScript]. It has ten minutes, reads nothing, and what it prints is
// told of only where it fails.
func (s Script) Run(ctx context.Context, env []string) error {
	files, err := s.read()
	if err != nil {
		return err
	}
	if sum(files) != s.SHA256 {
		return fmt.Errorf("%s: %w", s.Path, ErrOtherScript)
	}
	dir, err := os.MkdirTemp("", "ctx-dep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, f := range files {
		path := filepath.Join(dir, "deps", f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.text, 0o600); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(ctx, installTime)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", filepath.Join(dir, "deps", files[0].name))
	cmd.Env, cmd.Dir = env, dir
	// It ends with all that it started and that did not leave its group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second // what it left running may hold its output open
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("install %s: %w%s", s.Name, cmp.Or(ctx.Err(), err), said.last())
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 4096
	t.b = append(t.b, p...)
	if over := len(t.b) - most; over > 0 {
		t.b = bytes.Clone(t.b[over:])
	}
	return len(p), nil
}

// last is the last line, as the end of a message.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.b)), "\n")
	if line := strings.TrimSpace(lines[len(lines)-1]); line != "" {
		return ": " + line
	}
	return ""
}
