//go:build !linux

package spawner

import "syscall"

// Without Linux's subreaper and parent-death signal the spawner knows process
// groups alone. What is weaker: a server that leaves its group (setsid) outlives
// its gateway, and a spawner that is itself killed ends nothing.

func adoptOrphans() error { return nil }

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func signalTree(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

func signalAll(groups []int, sig syscall.Signal) {
	for _, g := range groups {
		_ = syscall.Kill(-g, sig)
	}
}

func groupsLeft(groups []int) bool {
	for _, g := range groups {
		if syscall.Kill(-g, 0) == nil {
			return true
		}
	}
	return false
}
