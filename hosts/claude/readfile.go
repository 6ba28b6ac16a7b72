package main

import (
	"errors"
	"io"
	"syscall"
)

// isNotDir is true where a folder on the way is a file, which is as good as
// absent.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// readFull fills buf as far as the file goes.
func readFull(f io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(f, buf)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // the file has just become shorter
	}
	return n, err
}
