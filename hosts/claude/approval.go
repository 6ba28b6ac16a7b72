package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// readApprovals finds, for each server, the place in a file that only the user
// writes which lets Claude Code start it. A declaration in such a file is that
// place itself. A repository's servers need a word of the user's own: what a
// committed file says of them is the repository praising itself.
func (r *reader) readApprovals() {
	for i := range r.out.Servers {
		s := &r.out.Servers[i]
		switch s.Scope {
		case surface.ScopeManaged, surface.ScopeLocal, surface.ScopeUser, surface.ScopePlugin:
			place := s.Place
			s.ApprovedBy = &place
		case surface.ScopeProject:
			for _, n := range r.trusted() {
				if at, ok := approves(n, s.Name); ok {
					place := at.place()
					s.ApprovedBy = &place
					break
				}
			}
		}
	}
}

// trusted are the files in which the user may have approved a project's servers.
func (r *reader) trusted() []node {
	nodes := []node{r.project()}
	for _, l := range r.layer {
		switch {
		case l.path == "--settings":
			// the command line of one session approves nothing for later ones
		case l.scope == surface.ScopeManaged, l.scope == surface.ScopeUser:
			nodes = append(nodes, l.node)
		case l.scope == surface.ScopeLocal && speaksOfServers(l.node) && r.private(l.path):
			nodes = append(nodes, l.node)
		}
	}
	return nodes
}

func speaksOfServers(n node) bool {
	return n.get("enabledMcpjsonServers").ok() || n.get("enableAllProjectMcpServers").ok()
}

func approves(n node, server string) (node, bool) {
	if at, ok := n.get("enabledMcpjsonServers").has(server); ok {
		return at, true
	}
	all := n.get("enableAllProjectMcpServers")
	return all, all.isTrue()
}

// private reports whether a settings.local.json is the user's own: no part of
// its path within the project is a symbolic link, and git does not track it.
// The answer is kept, for it may cost a process.
func (r *reader) private(path string) bool {
	known, ok := r.privacy[path]
	if !ok {
		known = !linked(path) && !tracked(path)
		r.privacy[path] = known
	}
	return known
}

// linked reports whether the file or its .claude folder is a symbolic link,
// which a repository could have committed.
func linked(path string) bool {
	for _, p := range []string{path, filepath.Dir(path)} {
		info, err := os.Lstat(p)
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// tracked reports whether git tracks the file. Reading the index for the name
// is enough to tell that it does not; where it may, or where the index cannot
// be read so simply, git itself is asked, and anything but its clear "no" is a
// yes.
func tracked(path string) bool {
	top, ok := workTree(filepath.Dir(path))
	if !ok {
		return false
	}
	rel, err := filepath.Rel(top, path)
	if err != nil {
		return true
	}
	if absentFromIndex(filepath.Join(top, ".git"), filepath.ToSlash(rel)) {
		return false
	}
	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "-C", top, "ls-files", "--error-unmatch", "--", rel)
	// Variables such as GIT_DIR would have git look at another repository.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	err = cmd.Run()
	exit, isExit := err.(*exec.ExitError)
	return !isExit || exit.ExitCode() != 1
}

// absentFromIndex reads an index of version 2 or 3, in which paths stand in
// full, each ended by a zero byte (gitformat-index(5)). A worktree's, a version
// 4 or a split index is left to git.
func absentFromIndex(gitDir, rel string) bool {
	if shared, _ := filepath.Glob(filepath.Join(gitDir, "sharedindex.*")); len(shared) > 0 {
		return false
	}
	index, err := file.ReadUpTo(filepath.Join(gitDir, "index"), 1<<30)
	if os.IsNotExist(err) {
		info, err := os.Stat(gitDir)
		return err == nil && info.IsDir() // nothing was ever added
	}
	if err != nil || len(index) < 12 || string(index[:4]) != "DIRC" || binary.BigEndian.Uint32(index[4:]) > 3 {
		return false
	}
	return !bytes.Contains(index, append([]byte(rel), 0))
}
