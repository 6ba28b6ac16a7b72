package main

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// options are the command line.
type options struct {
	host      string // the adapter's name
	workspace string // absolute
	http      string // address to serve on, "" for stdio
}

// usageError is an error of the caller's.
type usageError struct {
	text, hint string
}

func (e *usageError) Error() string { return e.text }

// Hint says what to do.
func (e *usageError) Hint() string { return e.hint }

func parse(args []string, l paths.Layout, dir string) (options, error) {
	var o options
	f := flag.NewFlagSet("ctx-gateway", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.host, "host", "", "")
	f.StringVar(&o.workspace, "workspace", "", "")
	f.StringVar(&o.http, "http", "", "")
	if err := f.Parse(args); err != nil {
		return o, &usageError{err.Error(), "ctx-gateway [--host H] [--workspace DIR] [--http ADDR]"}
	}
	if f.NArg() > 0 {
		return o, &usageError{fmt.Sprintf("unexpected argument %q", f.Arg(0)), "ctx-gateway [--host H] [--workspace DIR] [--http ADDR]"}
	}
	if o.workspace == "" {
		o.workspace = l.Workspace(dir)
	} else {
		if !filepath.IsAbs(o.workspace) {
			o.workspace = filepath.Join(dir, o.workspace)
		}
		o.workspace = l.Workspace(o.workspace)
	}
	if o.host != "" {
		return o, nil
	}
	return o, o.onlyHost(l)
}

// onlyHost takes the host that is wired in the workspace, where it is one alone.
func (o *options) onlyHost(l paths.Layout) error {
	rec, _, err := wiring.Open(l.Wraps()).Record(o.workspace)
	if err != nil {
		return err
	}
	var hosts []string
	for _, h := range rec.Hosts {
		if h.Gateway {
			hosts = append(hosts, h.Host)
		}
	}
	switch len(hosts) {
	case 1:
		o.host = hosts[0]
		return nil
	case 0:
		return &usageError{"no host is wired in " + o.workspace, "ctx-gateway --host H, or first: ctx wrap setup --gateway"}
	}
	return &usageError{fmt.Sprintf("%d hosts are wired in %s: %s", len(hosts), o.workspace, strings.Join(hosts, ", ")), "say which: ctx-gateway --host " + hosts[0]}
}
