package main

import (
	"io"
	"os"
)

// streams are where MCP is spoken.
type streams struct {
	in  io.ReadCloser
	out io.Writer
}

// takeStreams takes stdin and stdout for MCP alone: whatever else in this
// process would read or print, a child that inherits them above all, finds the
// null device.
func takeStreams() streams {
	s := streams{os.Stdin, os.Stdout}
	if null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0); err == nil {
		os.Stdin, os.Stdout = null, null
	}
	return s
}
