package spawner

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of every descendant whose own
// parent ends, so that none can leave by forking twice, and names it.
func adoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the subreaper: %w", err)
	}
	// The name of the whole process, which prctl would set for one thread only.
	// Where that is forbidden it works under another name.
	_ = os.WriteFile("/proc/self/comm", []byte(Name), 0)
	return nil
}

// childAttr puts a child at the head of a group of its own. Should the spawner
// itself be killed, the kernel kills the child.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// signalTree signals the group of a child and whatever descends from it.
func signalTree(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	for _, p := range descendants(pid) {
		_ = syscall.Kill(p, sig)
	}
}

// signalAll signals everything that descends from this process.
func signalAll(groups []int, sig syscall.Signal) {
	for _, g := range groups {
		_ = syscall.Kill(-g, sig)
	}
	for _, p := range descendants(os.Getpid()) {
		_ = syscall.Kill(p, sig)
	}
}

// groupsLeft is false: adoption leaves no descendant that is not below a child.
func groupsLeft([]int) bool { return false }

// descendants lists the processes below pid, in no order. Between this and a
// signal one could end and its id be taken by another; ids are given out in
// turn, so that takes the whole range of them within microseconds.
func descendants(pid int) []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, name := range names {
		p, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if parent, ok := parentOf(p); ok {
			children[parent] = append(children[parent], p)
		}
	}
	var below []int
	for next := children[pid]; len(next) > 0; {
		p := next[0]
		next = append(next[1:], children[p]...)
		below = append(below, p)
	}
	return below
}

// parentOf reads the fourth field of proc_pid_stat(5). The second is a name in
// parentheses that may itself contain any of them.
func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
