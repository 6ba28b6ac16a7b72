package trust

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
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
