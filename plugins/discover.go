package plugins

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Discover lists the adapters on this machine: the executables named
// ctx-host-NAME in the plugins folders of the layout and in the folders that
// CTX_PLUGINS names, and nowhere else; a repository has no say. None is started.
//
// The first one of a name counts. Installed folders come before CTX_PLUGINS, so
// that a variable which slipped into an environment cannot take a host away
// from its adapter. Every later one is listed too, with a Problem.
func Discover(l paths.Layout, env []string, t *trust.Store) []Found {
	return discover(l, env, t, func(string) bool { return true })
}

// discover looks closely only at the names that are wanted: reading the pins of
// three adapters costs nothing, hashing three does.
func discover(l paths.Layout, env []string, t *trust.Store, want func(name string) bool) []Found {
	pins, installed := t.Plugins(), manifest(installedFolders(l)[0])
	first := map[string]string{} // path by name
	var found []Found
	dirs, problems := folders(l, env)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, Found{Path: dir, State: New, Problem: err.Error()})
		}
		for _, e := range entries {
			name, ok := strings.CutPrefix(e.Name(), Prefix)
			if !ok || !want(name) {
				continue
			}
			f := Found{Name: name, Path: filepath.Join(dir, e.Name()), State: New}
			switch earlier, taken := first[name]; {
			case !ValidName(name):
				f.Problem = "its name must be " + Prefix + " and lower-case letters, digits and hyphens"
			case taken:
				f.Problem = "hidden by " + earlier
			default:
				first[name] = f.Path
				f.inspect(t, pins[name].SHA256, installed[f.Path])
			}
			found = append(found, f)
		}
	}
	return append(found, problems...)
}

// inspect fills in what the file itself says, beside what the user pinned and
// what the installer put there ("" for neither).
func (f *Found) inspect(t *trust.Store, pinned, installed string) {
	f.Pinned = cmp.Or(pinned, installed)
	sha, st, err := fingerprint(f.Path, t)
	if err != nil {
		f.Problem = err.Error()
		return
	}
	f.SHA256, f.stamp = sha, st
	switch {
	case sha == pinned, sha == installed:
		f.State, f.Pinned = Trusted, sha
	case f.Pinned != "":
		f.State = Changed
	}
}

// folders returns where adapters may lie, nearest first, and the entries of
// CTX_PLUGINS that are no such place.
func folders(l paths.Layout, env []string) (dirs []string, problems []Found) {
	dirs = installedFolders(l)
	for _, dir := range filepath.SplitList(paths.Lookup(env, "CTX_PLUGINS")) {
		switch {
		case dir == "":
		case !filepath.IsAbs(dir):
			problems = append(problems, Found{Path: dir, State: New, Problem: "CTX_PLUGINS must name absolute folders"})
		case slices.Contains(dirs, filepath.Clean(dir)):
		default:
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs, problems
}
