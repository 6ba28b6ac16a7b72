package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// fileName is what a settings file is called, in a workspace and in the user's
// configuration folder.
const fileName = "ctx.toml"

// A settings file may come with a repository, and the parser has its price: it
// calls itself for every list in a list, until the stack overflows, which no
// deferred call can prevent; and its time is quadratic in the parts of a key.
const (
	mostBytes    = 256 << 10
	mostBrackets = 10000
	mostDots     = 200 // in a line
)

// Load reads the user's and the workspace's ctx.toml and the CTX_* variables of
// env, in rising order of precedence. What cannot be followed is left out and
// reported, file by file in the order of its lines.
func Load(l paths.Layout, workspace string, env []string) (Config, []Problem) {
	c := Default()
	user := filepath.Join(l.Config, fileName)
	// A variable that moves the user's settings may come from a repository.
	moved := l.Config != filepath.Join(l.Home, ".config", "ctx")
	problems := c.read(user, moved && inside(paths.Real(workspace), paths.Real(user)))
	if own := filepath.Join(workspace, fileName); own != user {
		problems = append(problems, c.read(own, true)...)
	}
	return c, append(problems, c.fromEnv(env)...)
}

// Files are the two files that [Load] reads.
func Files(l paths.Layout, workspace string) []string {
	return []string{filepath.Join(l.Config, fileName), filepath.Join(workspace, fileName)}
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (c *Config) read(path string, workspace bool) []Problem {
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var tree map[string]any
	problem := &Problem{File: path, Hint: passedOver}
	if err != nil {
		problem.Text = err.Error()
	} else {
		tree, problem = parse(path, text)
	}
	if problem != nil {
		if !workspace && (err != nil || mayNarrow(text)) {
			c.Surface.Unread = problem
		}
		return []Problem{*problem}
	}
	w := walk{config: c, workspace: workspace, file: path}
	w.table(nil, tree)
	return w.located(path, text)
}

// mayNarrow reports whether a text that is no settings may be meant to speak of
// profiles: it does, or it is in an encoding in which that does not show.
func mayNarrow(text string) bool {
	return strings.Contains(text, "profile") || strings.Contains(text, "\x00") || !utf8.ValidString(text)
}

func parse(path, text string) (map[string]any, *Problem) {
	if err := checkShape(text); err != nil {
		return nil, &Problem{File: path, Text: err.Error(), Hint: passedOver}
	}
	tree := map[string]any{}
	if _, err := toml.Decode(text, &tree); err != nil {
		problem := broken(path, text, err)
		return nil, &problem
	}
	return tree, nil
}

func readFile(path string) (string, error) {
	b, err := file.ReadUpTo(path, mostBytes)
	var at *fs.PathError
	if errors.As(err, &at) && !errors.Is(err, fs.ErrNotExist) {
		err = at.Err // who reports it names the file
	}
	return string(b), err
}

func checkShape(text string) error {
	if strings.Count(text, "[")+strings.Count(text, "{") > mostBrackets {
		return fmt.Errorf("it has over %d brackets", mostBrackets)
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, ".") > mostDots {
			return fmt.Errorf("it has a line with over %d dots", mostDots)
		}
	}
	return nil
}

const passedOver = "the whole file is passed over until this is mended"

func broken(path, text string, err error) Problem {
	p := Problem{File: path, Text: err.Error(), Hint: passedOver}
	if e := (toml.ParseError{}); errors.As(err, &e) {
		// Its own line is the next one where the line ends too early.
		p.Line = 1 + strings.Count(text[:min(e.Position.Start, len(text))], "\n")
		if e.Message != "" {
			p.Text = e.Message
		}
	}
	return p
}
