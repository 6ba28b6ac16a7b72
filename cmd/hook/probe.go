package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// probe starts ctx-gateway to list servers in the background, if the user has
// approved any of them. The hook does not wait: its host does not either.
func (p program) probe(host, workspace string, servers []surface.Server) {
	approvals := trust.Open(p.layout.Trust())
	if !slices.ContainsFunc(servers, func(s surface.Server) bool { return approvals.Check(s, workspace) == trust.Approved }) {
		return
	}
	gateway, err := sibling("ctx-gateway")
	if err != nil {
		p.log.Info("no probe", "error", err)
		return
	}
	cmd := exec.Command(gateway, "probe", "--host", host, "--workspace", workspace)
	cmd.Dir = workspace
	cmd.Env = p.env
	// A session of its own, and no stream of the host's: the host must neither
	// wait for the probe nor end it with the hook.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		p.log.Warn("no probe", "error", err)
		return
	}
	_ = cmd.Process.Release()
}

// sibling is a program that was installed beside this one.
func sibling(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), name)
	_, err = os.Stat(path)
	return path, err
}
