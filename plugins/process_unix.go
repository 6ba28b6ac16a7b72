//go:build unix && !linux

package plugins

import "syscall"

// processAttributes makes an adapter the leader of a group of its own, out of
// reach of the terminal's Ctrl-C. Where the kernel does not end the children of
// a killed process, the end of their stdin has to do.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
