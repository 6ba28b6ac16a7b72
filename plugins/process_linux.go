package plugins

import "syscall"

// processAttributes makes an adapter the leader of a group of its own, out of
// reach of the terminal's Ctrl-C, and has the kernel end it when the thread
// that started it ends, for those adapters that do not watch their stdin.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
