package plugins

import (
	"fmt"
	"strings"
	"time"
)

// Hinter is an error that knows what its reader can do about it.
type Hinter interface {
	error
	Hint() string // one line, without a full stop
}

// NotFoundError says that no adapter of that name is installed.
type NotFoundError struct {
	Name      string
	Installed []string // names of those that are
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no adapter for a host named %q is installed", e.Name)
}

// Hint names what is there.
func (e *NotFoundError) Hint() string {
	if len(e.Installed) == 0 {
		return "run install.sh, or put " + Prefix + e.Name + " into a folder that CTX_PLUGINS names"
	}
	return "installed: " + strings.Join(e.Installed, ", ")
}

// UntrustedError says that the user has not let this adapter run yet.
type UntrustedError struct{ Found Found }

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("the adapter %s (%s, SHA-256 %s) is new and was not started", e.Found.Name, e.Found.Path, short(e.Found.SHA256))
}

// Hint is the command that trusts it.
func (e *UntrustedError) Hint() string { return "ctx plugins trust " + e.Found.Name }

// ChangedError says that an adapter is not the one that the user trusted.
type ChangedError struct{ Found Found }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the adapter %s (%s) has changed since it was trusted (SHA-256 %s, now %s) and was not started",
		e.Found.Name, e.Found.Path, short(e.Found.Pinned), short(e.Found.SHA256))
}

// Hint is the command that trusts the new one.
func (e *ChangedError) Hint() string {
	return "if you have updated it yourself: ctx plugins trust " + e.Found.Name
}

// UnusableError says that an adapter cannot be used as it lies there.
type UnusableError struct{ Found Found }

func (e *UnusableError) Error() string {
	return fmt.Sprintf("the adapter %s (%s) was not started: %s", e.Found.Name, e.Found.Path, e.Found.Problem)
}

// Hint says where to look.
func (e *UnusableError) Hint() string { return "ctx plugins list" }

// StartError says that an adapter did not come up.
type StartError struct {
	Name string
	Path string
	Err  error
	// Stderr is the line of what the adapter printed that tells most, "" when it
	// said nothing.
	Stderr string
	hint   string
}

func (e *StartError) Error() string {
	msg := fmt.Sprintf("adapter %s: %v", e.Name, e.Err)
	if e.Stderr != "" {
		msg += "; it said: " + e.Stderr
	}
	return msg
}

// Hint says what to try.
func (e *StartError) Hint() string { return e.hint }

func (e *StartError) Unwrap() error { return e.Err }

// VersionError says that an adapter speaks another major version.
type VersionError struct{ Adapter, Ctx int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("it speaks protocol %d and ctx speaks %d", e.Adapter, e.Ctx)
}

// HandshakeError says that an adapter printed something else than the handshake.
type HandshakeError struct{ Line string } // the beginning of the first line it printed; "" for none

func (e *HandshakeError) Error() string {
	if e.Line == "" {
		return "it exited without a handshake"
	}
	return fmt.Sprintf("it printed %q in place of the handshake", e.Line)
}

// TimeoutError says that an adapter did not come up in time.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("it did not start within %s", e.After) }

// Timeout reports true, as for the timeouts of package net.
func (e *TimeoutError) Timeout() bool { return true }

// ExitedError says that an adapter ended, or was closed, during a call.
type ExitedError struct{}

func (e *ExitedError) Error() string { return "it ended in the middle of the call" }

// Hint says where its last words are.
func (e *ExitedError) Hint() string { return "its last words are in ctx's log" }

func short(sha string) string {
	if len(sha) > 12 {
		return sha[:12]
	}
	return sha
}
