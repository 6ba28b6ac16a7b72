package backend

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// reference is ${VAR}, ${VAR:-default} or ${env:VAR}.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expander puts the values of variables into a declaration, at the last moment:
// they are held by nothing that is written down. What is missing is named.
type expander struct {
	env      []string
	on       bool
	warnings []string
}

func newExpander(s surface.Server, env []string) *expander {
	return &expander{env: env, on: s.Expand}
}

// expand replaces the references in s. Where a variable is not set and has no
// default the reference stays as it is written.
func (e *expander) expand(s string) string {
	if !e.on || !strings.Contains(s, "${") {
		return s
	}
	return reference.ReplaceAllStringFunc(s, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		if v, ok := lookup(e.env, m[1]); ok {
			return v
		}
		if fallback, ok := strings.CutPrefix(m[2], ":-"); ok {
			return fallback
		}
		e.warn("variable %s is not set", m[1])
		return ref
	})
}

func (e *expander) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf(format, args...))
}

// value is a variable that a declaration names outright.
func (e *expander) value(name string) (string, bool) {
	v, ok := lookup(e.env, name)
	if !ok {
		e.warn("variable %s is not set", name)
	}
	return v, ok
}

func lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// launch resolves how a stdio server is started in dir.
func (e *expander) launch(s surface.Server, dir string) (launch, error) {
	l := launch{dir: dir}
	if s.Cwd != "" {
		l.dir = s.Cwd
		if !filepath.IsAbs(l.dir) {
			l.dir = filepath.Join(dir, l.dir)
		}
	}
	if info, err := os.Stat(l.dir); err != nil || !info.IsDir() {
		return l, fmt.Errorf("working folder %s is not there", l.dir)
	}
	for _, name := range s.EnvVars {
		e.value(name) // it is in env already; a missing one is worth a word
	}
	set := make(map[string]string, len(s.Env))
	for name, v := range s.Env {
		set[name] = e.expand(v)
	}
	l.env = merge(e.env, set)
	command := e.expand(s.Command)
	l.args = append(l.args, command)
	for _, a := range s.Args {
		l.args = append(l.args, e.expand(a))
	}
	var err error
	l.path, err = lookPath(command, l.dir, paths.Lookup(l.env, "PATH"))
	return l, err
}

// merge sets variables in an environment, in which each then appears once.
func merge(env []string, set map[string]string) []string {
	out := make([]string, 0, len(env)+len(set))
	last := make(map[string]int, len(env))
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		last[name] = i
	}
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, replaced := set[name]; !replaced && last[name] == i {
			out = append(out, kv)
		}
	}
	for name, v := range set {
		out = append(out, name+"="+v)
	}
	return out
}

// lookPath finds a program as a shell in dir with this PATH would.
func lookPath(command, dir, path string) (string, error) {
	if command == "" {
		return "", fmt.Errorf("no command is declared")
	}
	candidates := []string{command}
	if !strings.ContainsRune(command, '/') {
		candidates = nil
		for _, d := range filepath.SplitList(path) {
			candidates = append(candidates, filepath.Join(d, command))
		}
	}
	var found error
	for _, c := range candidates {
		if !filepath.IsAbs(c) {
			c = filepath.Join(dir, c)
		}
		info, err := os.Stat(c)
		switch {
		case err != nil:
		case info.IsDir() || info.Mode()&0o111 == 0:
			found = fmt.Errorf("%s: %w", c, fs.ErrPermission)
		default:
			return c, nil
		}
	}
	if found != nil {
		return "", found
	}
	return "", fmt.Errorf("command %q: %w", command, fs.ErrNotExist)
}
