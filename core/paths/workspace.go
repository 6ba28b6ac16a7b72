package paths

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Workspace returns the workspace that dir belongs to: its nearest ancestor
// with a wrap record, else the main checkout of the git repository whose
// worktree dir is in (if that one is wrapped or dir is a linked worktree's
// root or below), else dir itself. Symbolic links are resolved.
func (l Layout) Workspace(dir string) string {
	dir = Real(dir)
	if ws, ok := l.wrapped(dir); ok {
		return ws
	}
	main, ok := MainCheckout(dir)
	if !ok {
		return dir
	}
	if ws, ok := l.wrapped(main); ok {
		return ws
	}
	return main
}

// Wrapped reports whether the workspace has a wrap record.
func (l Layout) Wrapped(workspace string) bool {
	_, err := os.Stat(l.WrapRecord(workspace))
	return err == nil
}

func (l Layout) wrapped(dir string) (string, bool) {
	for d := dir; ; d = filepath.Dir(d) {
		if l.Wrapped(d) {
			return d, true
		}
		if d == filepath.Dir(d) {
			return "", false
		}
	}
}

// Surface is the folder of what ctx keeps about a workspace: .ctx-surface in a
// wrapped workspace; for any other a folder of the user's own, so that a
// workspace nobody wrapped never finds files of ours.
func (l Layout) Surface(workspace string) string {
	if l.Wrapped(workspace) {
		return filepath.Join(workspace, ".ctx-surface")
	}
	return filepath.Join(l.State, "workspaces", ID(workspace))
}

// Real is the absolute form of a path with every symbolic link resolved; of a
// path that does not exist, as far as it does.
func Real(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	parent := filepath.Dir(abs)
	if parent == abs {
		return abs
	}
	return filepath.Join(Real(parent), filepath.Base(abs))
}

// MainCheckout finds the main work tree of the repository that dir is in, by
// reading the files git keeps (gitrepository-layout(5)): no process is started,
// for this runs in a hook.
func MainCheckout(dir string) (string, bool) {
	for d := dir; ; d = filepath.Dir(d) {
		dotgit := filepath.Join(d, ".git")
		info, err := os.Stat(dotgit)
		switch {
		case err == nil && info.IsDir():
			return d, true
		case err == nil:
			common, ok := commonDir(d, dotgit)
			if !ok || filepath.Base(common) != ".git" {
				return "", false // a bare repository or a submodule has no main checkout
			}
			return filepath.Dir(common), true
		}
		if d == filepath.Dir(d) {
			return "", false
		}
	}
}

// commonDir follows a linked worktree's .git file to the repository's own.
func commonDir(tree, dotgit string) (string, bool) {
	b, err := file.Read(dotgit)
	if err != nil {
		return "", false
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(tree, gitdir)
	}
	b, err = file.Read(filepath.Join(gitdir, "commondir"))
	if err != nil {
		return "", false
	}
	common := strings.TrimSpace(string(b))
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitdir, common)
	}
	return Real(common), true
}
