package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
)

// program is what a run of ctx-hook works with.
type program struct {
	layout paths.Layout
	env    []string
	log    hclog.Logger
}

var errUsage = errors.New("usage: ctx-hook HOST EVENT")

// run answers one event, or gives up in time. A goroutine that hangs then, in a
// lock or a file system, ends with the process.
func run(args []string, in io.Reader, out io.Writer, p program) error {
	if len(args) != 2 {
		return errUsage
	}
	total := budget(args[1])
	ctx, cancel := context.WithTimeout(context.Background(), total)
	defer cancel()

	type answer struct {
		output []byte
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- answer{err: fmt.Errorf("panic: %v\n%s", r, debug.Stack())}
			}
		}()
		output, err := p.answer(ctx, args[0], args[1], in)
		done <- answer{output, err}
	}()
	select {
	case a := <-done:
		if a.err != nil || len(a.output) == 0 {
			return a.err
		}
		_, err := out.Write(a.output)
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer within %v", total)
	}
}

// answer is the warm path where a gateway of the session is up, else the cold.
func (p program) answer(ctx context.Context, host, event string, in io.Reader) ([]byte, error) {
	payload, err := readEvent(in)
	if err != nil {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // it was removed; the event names one of its own
	}
	req := rendezvous.Request{Host: host, Event: event, Dir: dir, Env: p.env, Payload: payload}

	if output, ok := p.warm(ctx, req); ok {
		return output, nil
	}
	return p.cold(ctx, req)
}

// warm leaves more than half of the time to the cold path.
func (p program) warm(ctx context.Context, req rendezvous.Request) ([]byte, bool) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)*2/5)
		defer cancel()
	}
	return rendezvous.Send(ctx, p.layout, req)
}

// mostEvent is the largest event that is answered. A tool's result may make one
// of any size.
const mostEvent = 32 << 20

var errTooLarge = fmt.Errorf("the event is over %d bytes", mostEvent)

// readEvent reads stdin to its end, so that the host never writes into a closed
// pipe.
func readEvent(in io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, mostEvent+1))
	if err != nil {
		return nil, err
	}
	if len(b) > mostEvent {
		_, _ = io.Copy(io.Discard, in)
		return nil, errTooLarge
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, errors.New("there is no event")
	}
	return b, nil
}
