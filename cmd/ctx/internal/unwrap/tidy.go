package unwrap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/surface"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// ours are the names of what ctx keeps in a workspace's surface folder, beside
// the files compiled for a host. A lock or a file that was set aside has the
// name of its file and an ending; what a killed write left, a point before it.
var ours = []string{
	".gitignore", "backends.json", "probe-cache.json", "probe", "sessions", "usage.jsonl", "usage.1.jsonl", "reconcile.jsonl", "reconcile.1.jsonl", "prune.json", "skill-graph.json",
	"compiled.json", "report.html",
}

// tidy takes away what ctx kept about a workspace that is not wrapped, and names
// what it leaves. What was pruned stays so: its receipt is kept where it is.
func tidy(l paths.Layout, workspace string, hosts []string) []string {
	left := []string{}
	own := filepath.Join(l.State, "workspaces", paths.ID(workspace))
	for _, why := range []string{empty(state.CompiledDir(workspace), hosts, ""), empty(own, hosts, prune.Path(own))} {
		if why != "" {
			left = append(left, why)
		}
	}
	if _, err := os.Lstat(state.CompiledDir(workspace)); errors.Is(err, fs.ErrNotExist) {
		if err := state.ForgetCompiled(l, workspace); err != nil {
			left = append(left, err.Error())
		}
	}
	// With the last wrap no gateway is left to make use of it. It may lie outside
	// of the state folder, and a socket that is still in it keeps it.
	if others, err := wiring.Open(l.Wraps()).Workspaces(); err == nil && len(others) == 0 {
		_ = os.Remove(l.Sockets())
	}
	return left
}

// empty removes dir if nothing but ours is in it, and says why not. A file to be
// kept stays in it, and with it the folder.
func empty(dir string, hosts []string, keep string) string {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return err.Error()
	case !info.IsDir():
		return dir + ": not a folder, so not ours"
	}
	if err := state.CheckOwn(dir); err != nil {
		return err.Error()
	}
	// Before the record of them goes. Not all have a name that tells.
	if err := surface.RemoveCompiled(dir); err != nil {
		return err.Error()
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var foreign []string
	kept := false
	for _, e := range entries {
		if filepath.Join(dir, e.Name()) == keep {
			kept = true
			continue
		}
		if e.IsDir() && e.Name() == surface.AgentsDir {
			left, err := agents(filepath.Join(dir, e.Name()), hosts)
			if err != nil {
				return err.Error()
			}
			for _, name := range left {
				foreign = append(foreign, filepath.Join(e.Name(), name))
			}
			continue
		}
		if !isOurs(e.Name(), hosts) {
			foreign = append(foreign, e.Name())
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err.Error()
		}
	}
	if len(foreign) > 0 {
		return fmt.Sprintf("%s: holds what ctx did not write: %s", dir, strings.Join(foreign, ", "))
	}
	if kept {
		return ""
	}
	if err := os.Remove(dir); err != nil {
		return err.Error()
	}
	return ""
}

// agents removes from dir what was compiled for agents, each in a folder of its
// own, and the folders that are then empty. It names what is left.
func agents(dir string, hosts []string) (left []string, err error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			left = append(left, folder.Name())
			continue
		}
		entries, err := os.ReadDir(filepath.Join(dir, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := filepath.Join(folder.Name(), e.Name())
			if e.IsDir() || !file.Temporary(e.Name()) && !isCompiled(e.Name(), hosts) {
				left = append(left, name)
			} else if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
		_ = os.Remove(filepath.Join(dir, folder.Name())) // with anything left in it, it stays
	}
	_ = os.Remove(dir)
	return left, nil
}

func isOurs(name string, hosts []string) bool {
	if file.Temporary(name) {
		return true
	}
	for _, ending := range []string{".lock", ".bad", ".token"} {
		name = strings.TrimSuffix(name, ending)
	}
	if strings.HasPrefix(name, "gateway-") {
		return true // the token of a gateway that listens on an address
	}
	return slices.Contains(ours, name) || isCompiled(name, hosts)
}

// isCompiled reports whether a file has the name of one that was compiled for a
// host, NAME.HOST.EXTENSION.
func isCompiled(name string, hosts []string) bool {
	parts := strings.Split(name, ".")
	return len(parts) == 3 && slices.Contains(hosts, parts[1])
}
