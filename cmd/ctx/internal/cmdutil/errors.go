package cmdutil

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
)

// The exit codes of ctx.
const (
	OK      = 0
	No      = 1 // a check failed, a finding, an unknown id
	Usage   = 2
	Missing = 3 // something that the command needs is not there

	interrupted = 130 // as shells number an end by SIGINT
)

// Error is an error with the exit code it ends the process with and what the
// user can do about it.
type Error struct {
	Code int
	Hint string // "" for none
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Fail is the answer "no".
func Fail(hint, format string, args ...any) error {
	return &Error{No, hint, fmt.Errorf(format, args...)}
}

// BadUsage is a command line that cannot be meant.
func BadUsage(hint, format string, args ...any) error {
	return &Error{Usage, hint, fmt.Errorf(format, args...)}
}

// NotThere says that something the command needs is missing.
func NotThere(hint, format string, args ...any) error {
	return &Error{Missing, hint, fmt.Errorf(format, args...)}
}

// BadRows says what is wrong with a file of labelled prompts.
func BadRows(err error) error {
	const hint = `a row is {"id", "text", "domain", "expect": [NAMES], "kind"} on a line of its own`
	if errors.Is(err, fs.ErrNotExist) {
		return NotThere("name a file of JSON lines; "+hint, "%w", err)
	}
	return Fail(hint, "%w", err)
}

// Interrupted is what err comes to when the user stopped the command: whatever
// failed then, failed for that. A program that ran in ctx's place has answered
// the interrupt itself.
func Interrupted(err error) error {
	var status ExitStatus
	if err == nil || errors.As(err, &status) {
		return err
	}
	return &Error{Code: interrupted, Err: errors.New("interrupted")}
}

// ExitStatus passes the exit code of a program that ctx ran in its place; the
// program itself has said what there was to say.
type ExitStatus int

func (e ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Report prints err as one "error:" line and one "hint:" line, and returns the
// process's exit code.
func Report(w io.Writer, err error) int {
	if err == nil {
		return OK
	}
	var status ExitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	fmt.Fprintf(w, "error: %s\n", iostreams.Clean(oneLine(err.Error())))
	var e *Error
	if !errors.As(err, &e) {
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			fmt.Fprintf(w, "hint: %s\n", iostreams.Clean(hinted.Hint()))
		}
		return No
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", iostreams.Clean(e.Hint))
	}
	return e.Code
}
