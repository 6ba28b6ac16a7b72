package backend

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
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

// telling is a failure that is told in words of the server's, too.
type telling struct {
	how   error // without them
	whole string
}

func (e *telling) Error() string { return e.whole }
func (e *telling) Unwrap() error { return e.how }

// withWords adds the last that a server wrote to its stderr.
func withWords(how error, words string) error {
	if words == "" {
		return how
	}
	return &telling{how, how.Error() + "; its last words: " + words}
}

// withoutWords is an error's text for logs and files, in which what a server
// writes has no place: it may be a secret.
func withoutWords(err error) string {
	text := err.Error()
	instead := func(whole, how string) {
		before, after, found := strings.Cut(text, whole)
		if !found {
			before, after = "", ""
		}
		text = before + how + after
	}
	var told *telling
	if errors.As(err, &told) {
		instead(told.whole, told.how.Error())
	}
	var answer *rpc.Error
	if errors.As(err, &answer) {
		instead(answer.Error(), fmt.Sprintf("error %d", answer.Code))
	}
	return text
}
