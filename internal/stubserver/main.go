// Command stubserver is a small MCP server for tests and for the demonstration
// of install.sh. It keeps notes in memory, and its flags make it as slow, as
// stubborn or as odd as real servers are.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	tools            string
	page             int
	repeatCursor     bool
	delayStart       time.Duration
	hang             bool
	ignoreEOF        bool
	ignoreTerm       bool
	log              string
	mark             string
	elicit           bool
	sample           bool
	roots            bool
	env              bool
	resources        bool
	big              int
	crashOn          string
	noise            bool
	http             string
	bearer           string
	forgetAfter      int
	listChangedAfter time.Duration
	reload           time.Duration
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("stubserver", flag.ContinueOnError)
	f.StringVar(&o.tools, "tools", "", "serve the raw tool definitions in `FILE`, one JSON object a line, in place of the notes")
	f.IntVar(&o.page, "page", 0, "list in pages of `N` tools; 0: one page")
	f.BoolVar(&o.repeatCursor, "repeat-cursor", false, "give the same page and cursor for ever")
	f.DurationVar(&o.delayStart, "delay-start", 0, "wait before reading anything")
	f.BoolVar(&o.hang, "hang", false, "read, and answer nothing")
	f.BoolVar(&o.ignoreEOF, "ignore-eof", false, "stay when stdin ends")
	f.BoolVar(&o.ignoreTerm, "ignore-term", false, "stay on SIGTERM, SIGINT and SIGHUP")
	f.StringVar(&o.log, "log", "", "append to `FILE` a line for each message: the method, and the tool of a call")
	f.StringVar(&o.mark, "mark", "", "make `FILE` when started")
	f.BoolVar(&o.elicit, "elicit", false, "add the tool ask, which elicits an answer from the user")
	f.BoolVar(&o.sample, "sample", false, "add the tool think, which samples the client's model")
	f.BoolVar(&o.roots, "roots", false, "once initialized, ask for the client's roots, then add the tool list_roots")
	f.BoolVar(&o.env, "env", false, "add the tool show_env, which answers the environment, working folder and arguments")
	f.BoolVar(&o.resources, "resources", false, "offer a resource, a template and a prompt")
	f.IntVar(&o.big, "big", 0, "add the tool big, which answers `N` bytes of text")
	f.StringVar(&o.crashOn, "crash-on", "", "exit with status 3 when `TOOL` is called")
	f.BoolVar(&o.noise, "noise", false, "print lines that are no JSON, and bytes that are no UTF-8, between messages")
	f.StringVar(&o.http, "http", "", "serve streamable HTTP on `ADDR` in place of stdio; the URL is printed on stdout")
	f.StringVar(&o.bearer, "bearer", "", "over HTTP, answer 401 to whoever does not bring `TOKEN`")
	f.IntVar(&o.forgetAfter, "forget-after", 0, "over HTTP, forget a session after `N` requests")
	f.DurationVar(&o.listChangedAfter, "list-changed-after", 0, "add the tool late after this time and say that the list changed")
	f.DurationVar(&o.reload, "reload", 0, "look at the FILE of -tools again each time this has passed, and say so when the list changed")
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, err
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.ignoreTerm {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if o.ignoreEOF {
		signal.Ignore(syscall.SIGPIPE) // nor does it mind that nobody reads
	}
	if o.mark != "" {
		if err := os.WriteFile(o.mark, nil, 0o600); err != nil {
			return err
		}
	}
	time.Sleep(o.delayStart)
	s, err := newServer(o)
	if err != nil {
		return err
	}
	if o.http != "" {
		return serveHTTP(s, o)
	}
	out := &noisy{w: os.Stdout, on: o.noise}
	p := newPeer(s, os.Stdin, out)
	err = p.conn.Run(context.Background())
	for o.ignoreEOF {
		time.Sleep(time.Hour)
	}
	// Whoever pipes a few requests in gets its answers.
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = p.conn.Wait(ctx)
	return err
}
