package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Detect implements [plugins.Adapter].
func (adapter) Detect(_ context.Context, m plugins.Machine) (plugins.Detection, error) {
	d := plugins.Detection{Program: lookPath("codex", paths.Lookup(m.Env, "PATH")), Config: codexHome(m)}
	d.Installed = d.Program != "" || exists(d.Config)
	return d, nil
}

// lookPath finds a program in a PATH that is not this process's own.
func lookPath(name, list string) string {
	for _, dir := range filepath.SplitList(list) {
		file := filepath.Join(dir, name)
		if !filepath.IsAbs(file) {
			continue
		}
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}
