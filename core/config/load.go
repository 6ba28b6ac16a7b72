package config

import "github.com/ctx-sidecar/ctx/core/paths"

// Load reads the user's and the workspace's ctx.toml and the CTX_* variables of
// env, in rising order of precedence.
func Load(l paths.Layout, workspace string, env []string) (Config, []Problem) {
	return Default(), nil
}
