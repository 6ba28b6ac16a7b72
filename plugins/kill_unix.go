//go:build unix

package plugins

import "syscall"

// killGroup ends a process and every process of its group.
func killGroup(pid int) {
	// ESRCH says that they have ended already.
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
