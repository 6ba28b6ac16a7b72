package tap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// IsURL reports whether what the user gave for a tap is a git repository's
// address and not a folder.
func IsURL(where string) bool {
	if scheme, _, ok := strings.Cut(where, "://"); ok {
		switch scheme {
		case "https", "http", "ssh", "git", "file":
			return true
		}
		return false
	}
	host, path, ok := strings.Cut(where, ":")
	return ok && strings.Contains(host, "@") && !strings.ContainsAny(host, "/\\") && path != ""
}

// Fetch clones a git repository to dir, which must not be there. Nothing of the
// clone is run.
func Fetch(ctx context.Context, url, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return fmt.Errorf("%s is there already", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if _, err := git(ctx, filepath.Dir(dir), "clone", "--quiet", "--depth", "1", "--", url, dir); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}

// Update brings a git tap to its repository's newest state, and is the only
// thing that does. It returns the commits before and after. A folder of the
// user's has nothing to bring: both are "".
func (s *Store) Update(ctx context.Context, t Tap) (before, after string, err error) {
	if t.URL == "" {
		return "", "", nil
	}
	if before, err = git(ctx, t.Path, "rev-parse", "HEAD"); err != nil {
		return "", "", err
	}
	if _, err = git(ctx, t.Path, "pull", "--quiet", "--ff-only"); err != nil {
		return before, before, err
	}
	after, err = git(ctx, t.Path, "rev-parse", "HEAD")
	return before, after, err
}

// aboutAnotherRepository is a variable with which a git that runs us would steer
// ours, GIT_DIR in a hook, say.
func aboutAnotherRepository(kv string) bool {
	for _, name := range []string{"GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_COMMON_DIR=", "GIT_PREFIX="} {
		if strings.HasPrefix(kv, name) {
			return true
		}
	}
	return false
}

// git runs git in dir without ever asking anybody anything.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	const patience = 5 * time.Minute
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	// Hooks and the like of a repository's are not run: a clone has none of its
	// own, and a template's must not speak here.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), aboutAnotherRepository), "GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -oBatchMode=yes", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var said tail
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w%s", args[0], err, said.last())
	}
	return strings.TrimSpace(out.String()), nil
}
