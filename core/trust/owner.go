package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/git"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// Ours refuses a file that another user could have written: what it says would
// be theirs.
func Ours(info fs.FileInfo) error {
	if info.Mode().Perm()&0o022 != 0 {
		return errors.New("others may write it, so nothing in it is trusted; chmod 600 it once you have read it")
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return errors.New("it belongs to another user, so nothing in it is trusted")
	}
	return nil
}

// untracked refuses a file that came with a git repository. A host may hand its
// hooks and servers an environment from a repository's settings, in which
// XDG_STATE_HOME or HOME lead back into that repository.
func untracked(path string) error {
	tracked, err := git.Tracks(paths.Real(path))
	if err != nil {
		return err
	}
	if tracked {
		return errors.New("the git repository around it has it on record, so nothing in it is trusted; take it out of the repository")
	}
	return nil
}
