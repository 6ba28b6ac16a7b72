// Package cmdutil is what the commands of ctx share: where they run, how they
// print, and how they fail.
package cmdutil

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Factory is what a command is given.
type Factory struct {
	IO   *iostreams.Streams
	Env  []string // "KEY=VALUE"
	Dir  string   // absolute working folder
	JSON bool     // --json

	state string // stands in for the state folder, "" for the user's own
}

// Layout is where this user's files are.
func (f *Factory) Layout() paths.Layout {
	l := paths.FromEnv(f.Env)
	if f.state != "" {
		l.State = f.state
	}
	return l
}

// Scratch is a factory like f whose state folder is a copy, for work that must
// leave no trace. The copy goes when done is called.
func (f *Factory) Scratch() (scratch *Factory, done func(), err error) {
	dir, err := os.MkdirTemp("", "ctx-scratch-")
	if err != nil {
		return nil, nil, fmt.Errorf("copy what ctx has on record: %w", err)
	}
	done = func() { os.RemoveAll(dir) }
	with := *f
	with.state = filepath.Join(dir, "ctx") // as XDG_STATE_HOME=dir would have it
	l := f.Layout()
	// The key goes along: what is sealed with another would be taken for forged.
	for _, part := range []string{l.Trust(), listing.KeyFile(l), l.Baselines()} {
		err = errors.Join(err, copyTo(filepath.Join(with.state, filepath.Base(part)), part))
	}
	if err = errors.Join(err, wiring.Open(l.Wraps()).Copy(with.Layout().Wraps())); err != nil {
		done()
		return nil, nil, fmt.Errorf("copy what ctx has on record: %w", err)
	}
	return &with, done, nil
}

// copyTo copies a file or a folder that may not be there.
func copyTo(to, from string) error {
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return os.CopyFS(to, os.DirFS(from))
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// ChildEnv is the environment for a program that is to work on f's state folder.
func (f *Factory) ChildEnv() []string {
	if f.state == "" {
		return f.Env
	}
	return append(slices.Clone(f.Env), "XDG_STATE_HOME="+filepath.Dir(f.state))
}

// Workspace is the workspace that the working folder belongs to.
func (f *Factory) Workspace() string { return f.Layout().Workspace(f.Dir) }

// Config is the settings in force in the workspace. What is wrong with them is for
// ctx doctor to say.
func (f *Factory) Config() config.Config {
	c, _ := config.Load(f.Layout(), f.Workspace(), f.Env)
	return c
}

// Program is the absolute path of another program of ctx, which is installed
// beside this one.
func (f *Factory) Program(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find where ctx is installed: %w", err)
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(path); err != nil {
		return "", NotThere("install it again: ./install.sh", "%s is not beside ctx in %s", name, filepath.Dir(self))
	}
	return path, nil
}

// Print prints a command's result: value as one JSON document whose first
// member is the schema "ctx.<noun>/v1" with --json, else what text writes.
func (f *Factory) Print(noun string, value any, text func(*iostreams.Streams)) error {
	if !f.JSON {
		text(f.IO)
		return nil
	}
	body, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("print %s: %w", noun, err)
	}
	head := fmt.Sprintf("{\n  \"schema\": %q", "ctx."+noun+"/v1")
	if rest := strings.TrimPrefix(string(body), "{"); rest != "}" {
		head += "," + rest
	} else {
		head += "\n}"
	}
	_, err = fmt.Fprintln(f.IO.Out, head)
	return err
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
