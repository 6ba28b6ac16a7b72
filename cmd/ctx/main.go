// Command ctx wires the sidecar into hosts, shows what they load, and proves
// that it works.
package main

import (
	"os"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

func main() {
	os.Exit(root.Main(os.Args[1:], os.Environ(), iostreams.System(os.Environ())))
}
