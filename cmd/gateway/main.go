// Ctx-gateway is the one MCP server that a wired host loads: it stands before
// all others. It speaks MCP on stdio, or with --http on loopback.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGPIPE) // a host that no longer reads is an error of the write
	if err := command(os.Args[1:], takeStreams(), os.Environ()); err != nil {
		code := report(err)
		os.Exit(code)
	}
}

func command(args []string, std streams, env []string) error {
	if len(args) > 0 {
		switch args[0] {
		case "probe":
			return probe(args[1:], env)
		case "route":
			return route(args[1:], std, env)
		}
	}
	return run(args, std, env)
}

// report prints an error the way ctx does, and returns the exit code for it.
func report(err error) int {
	fmt.Fprintln(os.Stderr, "error:", err)
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		fmt.Fprintln(os.Stderr, "hint:", hinted.Hint())
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return 2
	}
	return 1
}
