package wiring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// gitPatience bounds how long git may take to answer.
const gitPatience = 20 * time.Second

// git asks git about the work tree that dir is in, and tells whether its answer
// is yes (exit code 0) or no (1). It reads the repository alone: neither the
// caller's environment nor a program that the repository configures has a say.
func git(dir string, args ...string) (out string, yes bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	all := append([]string{"--no-pager", "-C", dir,
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "safe.directory=*"}, args...)
	cmd := exec.CommandContext(ctx, "git", all...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(string(b)), true, nil
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return "", false, nil
	}
	return "", false, fmt.Errorf("git: %w %s", err, bytes.TrimSpace(stderr.Bytes()))
}

// workTree is the root of the git work tree that a path is in, found by the
// .git in it, "" for none.
func workTree(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// trackedByGit reports whether git tracks a file, be it there or not.
func trackedByGit(path string) (bool, error) {
	root := workTree(path)
	if root == "" {
		return false, nil
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false, err
	}
	_, yes, err := git(root, "--literal-pathspecs", "ls-files", "--error-unmatch", "--", rel)
	return yes, err
}

// excluding adds the edits that keep files which we make out of the user's
// commits.
func (p *planner) excluding(edits []Edit) []Edit {
	out := slices.Clone(edits)
	for _, e := range edits {
		if !e.Exclude {
			continue
		}
		x, err := p.exclude(e)
		if err != nil {
			p.change.notes = append(p.change.notes, fmt.Sprintf("%s: cannot be kept out of commits: %v", e.Path, err))
		} else if x != nil {
			out = append(out, *x)
		}
	}
	return out
}

// exclude is the edit of the repository's info/exclude for one file, nil when
// there is no need.
func (p *planner) exclude(e Edit) (*Edit, error) {
	target, now, err := look(e.Path)
	if err != nil {
		return nil, err
	}
	root := workTree(target)
	j := p.targets[target]
	ours := now == nil || j != nil && j.Original == nil
	if root == "" || !ours {
		return nil, nil
	}
	common, _, err := git(root, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, target)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(rel, "\r\n") {
		return nil, errors.New("its path holds a newline")
	}
	line, err := json.Marshal(pattern(rel))
	if err != nil {
		return nil, err
	}
	x := &Edit{
		Path:   filepath.Join(common, "info", "exclude"),
		Format: Lines,
		Ops:    []Op{{Kind: Line, Value: line}},
		Why:    "keep the new files out of commits",
	}
	if p.onRecord(x) {
		return x, nil
	}
	_, ignored, err := git(root, "check-ignore", "-q", "--", "./"+rel)
	if err != nil || ignored {
		return nil, err
	}
	return x, nil
}

// onRecord reports whether a line is in a file because of us.
func (p *planner) onRecord(x *Edit) bool {
	target, _, err := look(x.Path)
	if err != nil || p.targets[target] == nil {
		return false
	}
	return slices.ContainsFunc(p.targets[target].Placed, func(pl placed) bool { return pl.equal(x.Ops[0]) })
}

// pattern is the line of a gitignore file that matches one path below the root
// of a work tree, and no other.
func pattern(rel string) string {
	var b strings.Builder
	b.WriteByte('/')
	for _, r := range filepath.ToSlash(rel) {
		if strings.ContainsRune(`\*?[ `, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
