package main

import (
	"io/fs"
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
	plugintest.Run(t, plugintest.Config{
		Adapter: acme{},
		Fixtures: map[string]fs.FS{
			"typical": fstest.MapFS{"home/.acme/config.json": {Data: []byte(config)}},
		},
	})
}
