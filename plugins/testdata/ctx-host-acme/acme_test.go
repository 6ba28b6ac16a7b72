package main

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/ctx-sidecar/ctx/plugins/plugintest"
)

func TestConformance(t *testing.T) {
	const config = `{
	"theme": "dark", "scale": 1.0e3,
	"servers": {
		"files": {"run": ["npx", "-y", "files"], "env": {"ROOT": "/"}},
		"old":   {"run": ["old"], "off": true}
	},
	"hooks": [{"on": "start", "run": ["my-own-hook"]}]
}
`
	built := filepath.Join(t.TempDir(), "ctx-host-acme")
	if out, err := exec.Command("go", "build", "-o", built, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	plugintest.Run(t, plugintest.Config{
		Adapter:    acme{},
		Executable: built,
		Fixtures: map[string]fs.FS{
			"typical": fstest.MapFS{"home/.acme/config.json": {Data: []byte(config)}},
		},
	})
}
