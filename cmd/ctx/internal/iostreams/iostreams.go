// Package iostreams is what a command reads from and writes to. Whether a
// stream is a terminal is decided once, here, so that a test can switch it.
package iostreams

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// Streams are a command's input and outputs. Results go to Out; progress,
// questions and errors go to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	Interactive bool // In and Err are terminals: a question can be asked
	Progress    bool // Err is a terminal
	Color       bool // Out is a terminal that takes colour
	Terminal    bool // Out is a terminal
	Width       int  // columns of Out, 0 where nobody knows
	Unicode     bool // what reads Out shows more than ASCII
}

// System is the process's own streams. A NO_COLOR that is not empty and TERM=dumb
// switch colour off.
func System(env []string) *Streams {
	in, out, err := isTerminal(os.Stdin), isTerminal(os.Stdout), isTerminal(os.Stderr)
	dumb := paths.Lookup(env, "TERM") == "dumb"
	plain := paths.Lookup(env, "NO_COLOR") != "" || dumb
	s := &Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Interactive: in && err, Progress: err && !plain, Color: out && !plain,
		Terminal: out, Unicode: !dumb && utf8Locale(env),
	}
	if out {
		// A terminal that does not tell its size has none that anybody knows.
		s.Width, _, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return s
}

// utf8Locale reports whether the user's locale is one of UTF-8: the first of the
// variables that is set decides.
func utf8Locale(env []string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(paths.Lookup(env, name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// Test is streams onto buffers, none of them a terminal.
func Test() (s *Streams, in, out, err *bytes.Buffer) {
	in, out, err = new(bytes.Buffer), new(bytes.Buffer), new(bytes.Buffer)
	return &Streams{In: in, Out: out, Err: err}, in, out, err
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Confirm asks a yes-or-no question whose default is no, again until the answer
// is one of the two. It must only be called when s is Interactive. The error is
// ctx's: whoever asks has to stop, for an interrupt is no answer.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	in := bufio.NewReader(s.In)
	for {
		fmt.Fprintf(s.Err, "%s [y/N] ", question)
		lines := make(chan string, 1)
		// A read from a terminal cannot be called off; it ends with the process.
		go func() {
			line, err := in.ReadString('\n')
			if err != nil {
				line = "no"
			}
			lines <- line
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(s.Err)
			return false, ctx.Err()
		case line := <-lines:
			switch strings.ToLower(strings.TrimSpace(line)) {
			case "y", "yes":
				return true, nil
			case "", "n", "no":
				return false, nil
			}
		}
	}
}

// Step shows what long work is doing now, on a terminal alone; each step takes
// the place of the one before, and "" clears the line.
func (s *Streams) Step(format string, args ...any) {
	if !s.Progress {
		return
	}
	const eraseLine = "\r\x1b[K"
	fmt.Fprint(s.Err, eraseLine+fmt.Sprintf(format, args...))
}

// mostWarnings is how many are read at once.
const mostWarnings = 8

// Warn prints warnings, the first of them where they are many.
func (s *Streams) Warn(w io.Writer, warnings []string) {
	for i, text := range warnings {
		if i == mostWarnings {
			fmt.Fprintf(w, "%s and %d more; --json has them all\n", s.Yellow("warning:"), len(warnings)-i)
			return
		}
		fmt.Fprintf(w, "%s %s\n", s.Yellow("warning:"), Clean(text))
	}
}

// Bold, Dim, Green, Yellow and Red dress text for a terminal that takes colour.
func (s *Streams) Bold(t string) string   { return s.dress("1", t) }
func (s *Streams) Dim(t string) string    { return s.dress("2", t) }
func (s *Streams) Green(t string) string  { return s.dress("32", t) }
func (s *Streams) Yellow(t string) string { return s.dress("33", t) }
func (s *Streams) Red(t string) string    { return s.dress("31", t) }

func (s *Streams) dress(code, t string) string {
	if !s.Color || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}

// Clean writes what has no glyph as an escape, so that text out of a repository
// cannot steer the terminal or hide a part of itself.
func Clean(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// CleanLines is Clean for text of several lines, whose tabs stay too.
func CleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		cells := strings.Split(strings.TrimSuffix(l, "\r"), "\t")
		for k, c := range cells {
			cells[k] = Clean(c)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}
