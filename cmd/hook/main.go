// Ctx-hook answers one event of one host: ctx-hook HOST EVENT, the event on
// stdin. It prints one JSON document or nothing and always exits with 0, since
// anything else could stop the user's work. What goes wrong is in its log.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/internal/logfile"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a host that no longer listens is no fault
	env := hostPID(os.Environ())
	l := paths.FromEnv(env)
	log := logfile.Open(l, "hook", env)
	if err := run(os.Args[1:], os.Stdin, os.Stdout, program{l, env, log}); err != nil {
		log.Warn("event not answered", "args", os.Args[1:], "error", err)
	}
}
