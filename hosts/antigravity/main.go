// Command ctx-host-antigravity is the adapter of ctx for Google Antigravity: the
// command line agy, the IDE and the app, which share their configuration.
package main

import "github.com/ctx-sidecar/ctx/plugins"

func main() { plugins.Serve(adapter{}) }
