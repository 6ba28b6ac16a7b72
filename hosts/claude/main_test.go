package main

import (
	"io"
	"os"
	"testing"
)

// sleeper in the environment makes the test binary wait for the end of its
// standard input, whatever its arguments are: a process for others to look at.
const sleeper = "CTX_TEST_SLEEPER"

func TestMain(m *testing.M) {
	if os.Getenv(sleeper) != "" {
		os.Stdout.WriteString("up\n")
		io.Copy(io.Discard, os.Stdin)
		return
	}
	code := m.Run()
	if stubDir != "" {
		os.RemoveAll(stubDir)
	}
	os.Exit(code)
}
