package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// made is the folder of notes of where files of a compiled profile were written:
// a workspace need not be wrapped for that, and when ctx goes nothing may stay.
func made(l paths.Layout) string { return filepath.Join(l.State, "compiled") }

// NoteCompiled remembers that [CompiledDir] is made in a workspace.
func NoteCompiled(l paths.Layout, workspace string) error {
	if err := os.MkdirAll(made(l), 0o700); err != nil {
		return err
	}
	return file.Write(filepath.Join(made(l), paths.ID(workspace)), []byte(workspace+"\n"), 0o600)
}

// Compiled lists the workspaces of which [NoteCompiled] was told and
// [ForgetCompiled] was not.
func Compiled(l paths.Layout) ([]string, error) {
	entries, err := os.ReadDir(made(l))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		b, err := file.Read(filepath.Join(made(l), e.Name()))
		if err != nil {
			return nil, err
		}
		// A file of another name than its content's is not one of ours.
		if ws := strings.TrimSuffix(string(b), "\n"); paths.ID(ws) == e.Name() {
			list = append(list, ws)
		}
	}
	return list, nil
}

// ForgetCompiled is told that [CompiledDir] is gone from a workspace.
func ForgetCompiled(l paths.Layout, workspace string) error {
	err := os.Remove(filepath.Join(made(l), paths.ID(workspace)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
