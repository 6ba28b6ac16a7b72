// Command ctx wires the sidecar into hosts, shows what they load, and proves
// that it works.
package main

import (
	"os"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/backend"
)

func main() {
	backend.SpawnerMain()
	os.Exit(root.Main(os.Args[1:], os.Environ(), iostreams.System(os.Environ())))
}
