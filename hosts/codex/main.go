// Command ctx-host-codex is the adapter of ctx for the Codex CLI.
package main

import "github.com/ctx-sidecar/ctx/plugins"

func main() { plugins.Serve(adapter{system: "/etc/codex"}) }
