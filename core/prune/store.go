package prune

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
)

// fileName is the receipt's, in the folder of what ctx knows of a workspace.
const fileName = "prune.json"

// Path is where a gateway or hook that works with dir finds the receipt.
func Path(dir string) string { return filepath.Join(dir, fileName) }

// own is the folder in which a receipt lies while the workspace is not wrapped.
func own(l paths.Layout, workspace string) string {
	return filepath.Join(l.State, "workspaces", paths.ID(workspace))
}

// Load returns the receipt of a workspace and the file that it is in, or would
// be. Nothing decided yet is an empty receipt. A file that cannot be used is an
// error, and kept aside.
func Load(l paths.Layout, workspace string) (Receipt, string, error) {
	dir := state.FindDir(l, workspace)
	r, err := Read(dir)
	if errors.Is(err, fs.ErrNotExist) && own(l, workspace) != dir {
		// It was written before the workspace was wrapped.
		r, err = Read(own(l, workspace))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	r.Schema, r.Workspace = Schema, workspace
	return r, Path(dir), err
}

// Read reads the receipt in a folder; the error wraps [fs.ErrNotExist] where
// there is none.
func Read(dir string) (Receipt, error) {
	path := Path(dir)
	b, err := file.Read(path)
	if err != nil {
		return Receipt{}, err
	}
	var r Receipt
	if err := json.Unmarshal(b, &r); err != nil {
		var syntax *json.SyntaxError
		line := 1
		if errors.As(err, &syntax) {
			line += strings.Count(string(b[:min(int(syntax.Offset), len(b))]), "\n")
		}
		return Receipt{}, aside(path, fmt.Errorf("%s:%d: %w", path, line, err))
	}
	if err := r.check(); err != nil {
		return Receipt{}, aside(path, fmt.Errorf("%s: %w", path, err))
	}
	return r, nil
}

// check refuses what no receipt of ours says: it lies where a repository or an
// archive could have put something.
func (r *Receipt) check() error {
	if r.Schema != Schema {
		return fmt.Errorf("the schema %q is not known to this version", r.Schema)
	}
	for _, h := range r.Hosts {
		for _, d := range h.Decisions {
			for _, text := range []string{h.Host, d.ID, string(d.Kind), d.Provider, d.Name} {
				if strings.ContainsFunc(text, unicode.IsControl) {
					return fmt.Errorf("the decision on %q names something with a control character", d.ID)
				}
			}
			if d.By != ByRule && d.By != ByUser || d.ID == "" {
				return fmt.Errorf("the decision on %q does not say by whom it is", d.ID)
			}
		}
	}
	return nil
}

func aside(path string, err error) error {
	bad, failed := file.SetAside(path)
	if failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; it is kept as %s, and what it said is not in force", err, filepath.Base(bad))
}

// Update changes what the receipt of a workspace says at that moment, and returns
// the file, "" where none is left. What else was decided since the caller read
// it, for another host, stays. A receipt that cannot be read is an error, and
// change is not run.
func Update(l paths.Layout, workspace string, change func(*Receipt)) (path string, err error) {
	err = locked(l, func() error {
		r, _, err := Load(l, workspace)
		if err != nil {
			return err
		}
		change(&r)
		path, err = save(l, workspace, r)
		return err
	})
	return path, err
}

// Save keeps a receipt in place of the one that there is, whatever that one says;
// an empty one is removed. It returns the file, "" where none is left.
func Save(l paths.Layout, workspace string, r Receipt) (path string, err error) {
	err = locked(l, func() error {
		path, err = save(l, workspace, r)
		return err
	})
	return path, err
}

// locked runs do while no other program changes a receipt. The lock is one for
// all workspaces: a receipt's own folder changes as the workspace is wrapped, and
// goes when it is unwrapped.
func locked(l paths.Layout, do func() error) error {
	if err := os.MkdirAll(l.State, 0o700); err != nil {
		return err
	}
	return file.Locked(filepath.Join(l.State, "prune"), do)
}

func save(l paths.Layout, workspace string, r Receipt) (string, error) {
	r.Hosts = slices.DeleteFunc(slices.Clone(r.Hosts), func(h HostReceipt) bool { return len(h.Decisions) == 0 })
	path := ""
	if len(r.Hosts) > 0 {
		dir, _ := state.SafeDir(l, workspace)
		path = Path(dir)
		if err := write(path, workspace, r); err != nil {
			return "", err
		}
	}
	// One that was written before the workspace was wrapped, or unwrapped, says
	// nothing any more.
	for _, dir := range []string{state.CompiledDir(workspace), own(l, workspace)} {
		if Path(dir) == path || state.CheckOwn(dir) != nil {
			continue
		}
		if _, err := os.Lstat(Path(dir)); errors.Is(err, fs.ErrNotExist) {
			continue // a disk that is read-only says something else of a removal
		}
		if err := os.Remove(Path(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return path, nil
}

func write(path, workspace string, r Receipt) error {
	r.Schema, r.Workspace = Schema, workspace
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file.Sweep(path)
	return file.Write(path, append(b, '\n'), 0o600)
}

// Follow moves a receipt to where gateways and hooks look for it now that the
// workspace was wrapped.
func Follow(l paths.Layout, workspace string) error {
	if r, _, err := Load(l, workspace); err != nil || len(r.Hosts) == 0 {
		return err // nothing is made to find that out
	}
	_, err := Update(l, workspace, func(*Receipt) {})
	return err
}

// Across runs unwrap, after which a workspace is not wrapped any more, and moves
// its receipt to where it is looked for then. It is there before unwrap begins,
// so that what was decided outlives a program that is killed or a full disk. One
// that cannot be read is left to who reads it next.
func Across(l paths.Layout, workspace string, unwrap func() error) error {
	return locked(l, func() error {
		r, _, err := Load(l, workspace)
		if err != nil || len(r.Hosts) == 0 {
			return unwrap()
		}
		if err := os.MkdirAll(own(l, workspace), 0o700); err != nil {
			return err
		}
		if err := write(Path(own(l, workspace)), workspace, r); err != nil {
			return err
		}
		if err := unwrap(); err != nil {
			return err
		}
		_, err = save(l, workspace, r)
		return err
	})
}

// Workspaces are those that are not wrapped and have a receipt.
func Workspaces(l paths.Layout) ([]string, error) {
	dirs, err := filepath.Glob(filepath.Join(l.State, "workspaces", "*"))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, dir := range dirs {
		r, err := Read(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return all, err
		}
		if own(l, r.Workspace) == dir {
			all = append(all, r.Workspace)
		}
	}
	return all, nil
}
