package wiring

import (
	"errors"
	"fmt"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// FileError is a file that cannot be edited as it is. Nothing was written.
type FileError struct {
	Path         string
	Line, Column int // from 1; 0 where the fault is the file as a whole
	Msg          string
	hint         string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// Hint says what to do about it.
func (e *FileError) Hint() string { return e.hint }

// inFile names the file that an error is about, and the place in it.
func inFile(path string, text []byte, err error) error {
	var at *splice.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, body, bad := splice.Body(text); bad == nil {
		text = body
	}
	line, column := splice.Position(text, at.Offset)
	return &FileError{path, line, column, at.Msg, "mend the file by hand, then run the command again; nothing was changed"}
}
