package backend

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var errClosing = errors.New("it is being shut down")

// errOAuth is the failure of a server to which only the host can log in.
var errOAuth = errors.New("needs the host's own OAuth (the server answered 401)")

func needsOAuth(err error) bool { return errors.Is(err, errOAuth) }

// slow is the failure of a server that did not answer in time.
type slow struct {
	method string
	limit  time.Duration
}

func (e slow) Error() string { return fmt.Sprintf("no answer to %s within %s", e.method, e.limit) }

func isHung(err error) bool { return errors.As(err, new(slow)) }

// ending is a failure with the last that the server wrote to its stderr.
type ending struct {
	how   error
	words string
}

func (e *ending) Error() string { return e.how.Error() + "; its last words: " + e.words }
func (e *ending) Unwrap() error { return e.how }

func withWords(how error, words string) error {
	if words == "" {
		return how
	}
	return &ending{how, words}
}

// withoutWords is an error's text for logs and files, in which what a server
// writes has no place: it may be a secret.
func withoutWords(err error) string {
	var e *ending
	if !errors.As(err, &e) {
		return err.Error()
	}
	return strings.Replace(err.Error(), e.Error(), e.how.Error(), 1)
}
