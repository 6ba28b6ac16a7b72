package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
)

const (
	headersTimeout = 10 * time.Second
	headersMost    = 1 << 20 // bytes
)

// headers resolves the headers of a server that is reached by URL. What its
// command prints comes last and wins.
func (e *expander) headers(ctx context.Context, s surface.Server, dir string, spawn func() (*spawnerProcess, error)) (map[string]string, error) {
	h := make(map[string]string, len(s.Headers)+len(s.HeaderEnv)+1)
	for name, v := range s.Headers {
		h[name] = e.expand(v)
	}
	for name, variable := range s.HeaderEnv {
		if v, ok := e.value(variable); ok {
			h[name] = v
		}
	}
	if s.BearerEnv != "" {
		if v, ok := e.value(s.BearerEnv); ok {
			h["Authorization"] = "Bearer " + v
		}
	}
	if s.HeadersCmd == "" {
		return h, nil
	}
	sp, err := spawn()
	if err != nil {
		return nil, err
	}
	printed, err := runForHeaders(ctx, sp, launch{
		path: "/bin/sh", args: []string{"sh", "-c", s.HeadersCmd}, env: e.env, dir: dir,
	})
	if err != nil {
		return nil, fmt.Errorf("the command for headers: %w", err)
	}
	maps.Copy(h, printed)
	return h, nil
}

// runForHeaders runs a command that prints a JSON object of strings. It runs
// below the spawner, so that it cannot outlive the gateway. What it prints is
// in no error: it is a secret.
func runForHeaders(ctx context.Context, sp *spawnerProcess, l launch) (map[string]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, headersTimeout, fmt.Errorf("not done within %s", headersTimeout))
	defer cancel()
	c, err := sp.start(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.closePipes()
	c.stdin.Close()
	go func() { _, _ = io.Copy(io.Discard, c.stderr) }()
	output := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(c.stdout, headersMost)) // the status tells whether it worked
		output <- b
	}()
	select {
	case <-c.exited:
	case <-ctx.Done():
		c.signal(syscall.SIGKILL)
		return nil, context.Cause(ctx)
	}
	if c.status != "exit status 0" {
		return nil, errors.New(c.status)
	}
	var h map[string]string
	select {
	case b := <-output:
		if json.Unmarshal(b, &h) != nil {
			return nil, errors.New("it did not print a JSON object of strings")
		}
		return h, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
