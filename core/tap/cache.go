package tap

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// settled is how long a file must have been left alone before its stamp is
// believed: within one tick of the file system's clock a second write leaves
// the stamp as it is.
const settled = 2 * time.Second

// cache keeps what files of one kind say, so that reading them again costs a
// look at each.
type cache[T any] struct {
	parse func(*document) T
	files map[string]*cached[T]
}

type cached[T any] struct {
	stamp    trust.Stamp
	believed bool      // the stamp tells every later change
	value    T         // of the last reading without an error, else of the first one
	good     bool      // value is there
	clean    bool      // value is of a reading without an error
	linked   string    // the file whose name this one stands for
	problems []Problem // of the last reading
	seen     bool      // in the current round
}

// failed is the first error of the last reading, nil where it had none.
func (c *cached[T]) failed() *Problem {
	if i := slices.IndexFunc(c.problems, func(p Problem) bool { return p.Severity == Error }); i >= 0 {
		return &c.problems[i]
	}
	return nil
}

// read returns what the file at path says now, nil where there is none. A file
// that cannot be followed keeps the value it had.
func (c *cache[T]) read(path string) *cached[T] {
	known := c.files[path]
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		delete(c.files, path)
		return nil
	}
	if known == nil {
		known = &cached[T]{}
		if c.files == nil {
			c.files = map[string]*cached[T]{}
		}
		c.files[path] = known
	}
	known.seen = true
	if err == nil && info.Mode().IsRegular() {
		stamp := trust.StampOf(info)
		if known.believed && stamp == known.stamp {
			return known
		}
		known.stamp, known.believed = stamp, time.Since(info.ModTime()) > settled
	}
	text, err := readFile(path)
	if err != nil {
		known.believed, known.linked = false, ""
		known.problems = []Problem{{File: path, Severity: Error, Rule: "unreadable", Text: err.Error()}}
		return known
	}
	if target, ok := standIn(path, text); ok {
		known.linked, known.problems = target, nil
		return known
	}
	known.linked = ""
	d, problem := parse(path, text)
	if problem != nil {
		known.problems = []Problem{*problem}
		return known
	}
	value := c.parse(d)
	known.problems = d.problems
	if clean := known.failed() == nil; clean || !known.clean {
		known.value, known.good, known.clean = value, true, clean
	}
	return known
}

// forget drops the files that were not read since the last call.
func (c *cache[T]) forget() {
	for path, f := range c.files {
		if !f.seen {
			delete(c.files, path)
		}
		f.seen = false
	}
}

func readFile(path string) (string, error) {
	b, err := file.ReadUpTo(path, mostBytes)
	return string(b), err
}
