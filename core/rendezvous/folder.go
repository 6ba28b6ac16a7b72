package rendezvous

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const suffix = ".sock"

// socketName is HOSTPID-STARTTIME-ID.sock.
func socketName(host process, id string) string {
	return fmt.Sprintf("%d-%d-%s%s", host.pid, host.start, id, suffix)
}

// owner reads the host process out of a socket's name.
func owner(name string) (pid int, start uint64, ok bool) {
	name, ok = strings.CutSuffix(name, suffix)
	if !ok {
		return 0, 0, false
	}
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return 0, 0, false
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, 0, false
	}
	start, err = strconv.ParseUint(parts[1], 10, 64)
	return pid, start, err == nil
}

// checkFolder refuses a folder of sockets that anybody but the user could have
// put a socket into: what connects there is handed the user's environment.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to others (mode %o)", dir, info.Mode().Perm())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to someone else", dir)
	}
	return nil
}

func makeFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkFolder(dir)
}

// sweep takes away the sockets whose gateway is gone. One that was killed cannot
// do it itself. Whether its host can be seen from here says nothing: it may run
// in another container that has the same folder, and a gateway that outlives its
// host takes its socket away at its end.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // nothing is lost but tidiness
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, _, ok := owner(e.Name()); !ok {
			// A socket that is being made has another name, for a moment.
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Minute {
				os.Remove(path)
			}
			continue
		}
		if refused(path) {
			os.Remove(path)
		}
	}
}

// refused reports whether nobody listens. That a connection cannot be tried, for
// want of descriptors, say, is no answer.
func refused(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
