// Command demo does the main job once, in a folder and a home that are thrown
// away: it wires a workspace, shows what a host would send before and after,
// finds and calls a tool that is held back, and unwires the workspace again.
//
// usage: demo BIN STUBSERVER DIR
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: demo BIN STUBSERVER DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "error: demo:", err)
		os.Exit(1)
	}
}
