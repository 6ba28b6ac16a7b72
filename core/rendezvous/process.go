package rendezvous

import (
	"os"
	"path/filepath"
	"strings"
)

// process is what the kernel says of a running process. Start tells it from
// another one that is given the same id later.
type process struct {
	pid    int
	parent int
	start  uint64
	name   string // of the program, possibly shortened
}

// deepest bounds the walk to the ancestors: a process tree that is deeper is
// not one in which a host started a hook.
const deepest = 32

// ancestors lists the processes above this one, nearest first, leaving out the
// first of all processes.
func ancestors() []process {
	var found []process
	for pid := os.Getppid(); pid > 1 && len(found) < deepest; {
		p, err := inspect(pid)
		if err != nil {
			break
		}
		found = append(found, p)
		pid = p.parent
	}
	return found
}

// HostPID is the nearest ancestor of this process that is no shell: the host
// program, seen from a server or a hook that it started. 0 when there is none.
func HostPID() int {
	for _, p := range ancestors() {
		if !shell(p.name) {
			return p.pid
		}
	}
	return 0
}

func shell(name string) bool {
	switch strings.TrimPrefix(filepath.Base(name), "-") {
	case "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox", "fish", "nu", "env":
		return true
	}
	return false
}
