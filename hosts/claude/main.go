// Command ctx-host-claude is the adapter for Claude Code.
//
// Its facts (which files Claude Code reads from where, which of several wins,
// how a name is written) were established on version 2.1.328; real_test.go
// checks them again on an installed one.
package main

import "github.com/ctx-sidecar/ctx/plugins"

func main() { plugins.Serve(newAdapter()) }
