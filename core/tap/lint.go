package tap

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Lint reads every file of every capability in a tap, each provider, and says
// all that is wrong or doubtful: what [LoadDir] says, and what would load and
// still not do what its author wants. It runs nothing.
func Lint(dir string) []Problem {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return []Problem{{File: dir, Severity: Error, Rule: "unreadable", Text: err.Error()}}
	}
	l := &linter{root: dir, triggers: map[string]where{}, orphans: map[string]bool{}}
	r := newReader(dir)
	names, problems := r.names()
	l.problems = problems
	for _, name := range names {
		_, more, err := r.capability(name, defaultProvider)
		if err != nil {
			more = append(more, r.lacks(name, defaultProvider, err))
		}
		before := len(l.problems)
		l.capability(filepath.Join(r.folder(), name), r.available(name))
		own := l.problems[before:]
		for _, p := range more {
			// What is wrong in a file is found here again, but where it is linked and
			// lies elsewhere. What is doubtful there is not told for each link.
			if told := p.Severity == Error || p.Rule == "no-config" || p.Rule == "no-triggers"; told && !slices.Contains(own, p) {
				l.problems = append(l.problems, p)
			}
		}
	}
	if deps := filepath.Join(dir, "deps"); len(l.orphans) > 0 && missing(deps) {
		l.problems = append(l.problems, Problem{File: deps, Severity: Warning, Rule: "no-script",
			Text: fmt.Sprintf("the tap has no folder deps, and its capabilities depend on %d installers", len(l.orphans)),
			Hint: "deps/ORG/TOOL.sh installs the dependency \"ORG/TOOL\""})
	}
	sortProblems(l.problems)
	return slices.CompactFunc(l.problems, func(a, b Problem) bool { return a == b })
}

type linter struct {
	root     string
	triggers map[string]where // every trigger so far, as it compares
	orphans  map[string]bool  // dependencies whose scripts are told of
	problems []Problem
}

type where struct {
	file string
	line int
}

func (l *linter) capability(dir string, providers []string) {
	if d, ok := l.open(filepath.Join(dir, routingFile)); ok {
		parseRouting(d)
		l.routing(d)
		l.problems = append(l.problems, d.problems...)
	}
	for _, name := range providers {
		if d, ok := l.open(filepath.Join(dir, name+".toml")); ok {
			p := parseProvider(d)
			l.provider(d, p)
			l.problems = append(l.problems, d.problems...)
		}
	}
}

// open parses a file; one that is not there or stands for another is not one to
// look into.
func (l *linter) open(path string) (*document, bool) {
	text, err := readFile(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			l.problems = append(l.problems, Problem{File: path, Severity: Error, Rule: "unreadable", Text: err.Error()})
		}
		return nil, false
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, false
	}
	if _, ok := standIn(path, text); ok {
		return nil, false
	}
	d, problem := parse(path, text)
	if problem != nil {
		l.problems = append(l.problems, *problem)
		return nil, false
	}
	return d, true
}

const leastTriggers = 3

func (l *linter) routing(d *document) {
	raw, _ := d.tree["triggers"].([]any)
	count := 0
	for i, v := range raw {
		text, ok := v.(string)
		if !ok || strings.TrimSpace(text) == "" {
			continue
		}
		count++
		at := []string{"triggers", fmt.Sprintf("#%d", i)}
		if looksLikeLabel(text) {
			d.report(Warning, "label-trigger", at, "write it as a user would ask for it: \"find the slow query\", not \"database performance\"",
				"the trigger %q reads like a label", text)
		}
		key := strings.Join(strings.Fields(strings.ToLower(text)), " ")
		if before, twice := l.triggers[key]; twice {
			rule, of := "duplicate-trigger", "this capability"
			if before.file != d.path {
				rule, of = "shared-trigger", "the capability "+filepath.Base(filepath.Dir(before.file))
			}
			d.report(Warning, rule, at, "of two that say the same neither can win",
				"the trigger %q is one of %s already (%s:%d)", text, of, before.file, before.line)
			continue
		}
		l.triggers[key] = where{d.path, d.place(at).line}
	}
	if count > 0 && count < leastTriggers {
		d.report(Warning, "few-triggers", []string{"triggers"}, "five to twelve, each worded its own way, do best",
			"%d triggers are too few to tell what it is for", count)
	}
}

func (l *linter) provider(d *document, p provider) {
	length := func(name, text string, least, most int) {
		rule := strings.ToLower(name)
		switch n := utf8.RuneCountInString(text); {
		case n == 0:
			d.report(Warning, "no-"+rule, nil, fmt.Sprintf("begin the file with: # %s: ...", name), "it has no %s", rule)
		case n < least || n > most:
			d.problems = append(d.problems, Problem{File: d.path, Line: headerLine(d.text, name), Severity: Warning, Rule: rule + "-length",
				Text: fmt.Sprintf("the %s has %d characters", rule, n), Hint: fmt.Sprintf("%d to %d", least, most)})
		}
	}
	length("Title", p.title, 5, 60)
	length("Description", p.description, 20, 160)
	l.patterns(d, p)
	l.references(d, p)
	root := d.root()
	if mcp, ok := root.table("mcp"); ok {
		for _, t := range mcp.tables("servers") {
			l.server(t)
		}
	}
	for i, dep := range p.deps {
		l.script(d, dep, []string{"deps", "require", fmt.Sprintf("#%d", i)})
	}
}

// patterns looks for entries of allowed_tools that can match nothing.
func (l *linter) patterns(d *document, p provider) {
	at := []string{"roles", "mcp", "allowed_tools"}
	if p.allowed != nil && len(p.allowed) == 0 && len(p.servers) > 0 {
		d.report(Warning, "no-tools", at, "leave the key out to allow every tool, or name them", "allowed_tools is empty, so no tool is exposed")
	}
	known := slices.Clone(p.refs)
	for _, s := range p.servers {
		known = append(known, s.Name)
	}
	for i, pattern := range p.allowed {
		server, glob, scoped := strings.Cut(pattern, ":")
		switch {
		case strings.TrimSpace(pattern) == "" || scoped && glob == "":
			d.report(Warning, "empty-pattern", append(at, fmt.Sprintf("#%d", i)), "", "%q matches no tool", pattern)
		case scoped && !slices.Contains(known, server):
			d.report(Warning, "foreign-pattern", append(at, fmt.Sprintf("#%d", i)), "its servers are: "+strings.Join(slices.Compact(known), ", "),
				"%q is about the server %s, which is not among server_refs, so it matches nothing", pattern, server)
		}
	}
}

func (l *linter) references(d *document, p provider) {
	for i, ref := range p.refs {
		if !slices.ContainsFunc(p.servers, func(s Server) bool { return s.Name == ref }) {
			d.report(Warning, "unknown-server", []string{"roles", "mcp", "server_refs", fmt.Sprintf("#%d", i)}, "",
				"server_refs names %q, which no [[mcp.servers]] declares", ref)
		}
	}
	for _, s := range p.servers {
		if p.refs != nil && !slices.Contains(p.refs, s.Name) {
			d.problems = append(d.problems, Problem{File: d.path, Line: s.Place.Line, Severity: Warning, Rule: "unreferenced-server",
				Text: fmt.Sprintf("the server %s is not among server_refs, and is started all the same", s.Name)})
		}
	}
}

// braces is anything that looks like a placeholder.
var braces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[^{}]*\}\}`) })

func (l *linter) server(t table) {
	command, _ := t.values["command"].(string)
	args, _ := t.values["args"].([]any)
	if t.values["type"] == "builtin" {
		t.report(Warning, "builtin", t.path("type"), "offer another provider beside it", "a builtin server can only be started by the program it is built into")
	}
	if relative(command) {
		t.report(Warning, "relative-command", t.path("command"), "write a name that is found on PATH, or an absolute path",
			"%s would be another program in every folder, so it is not started", command)
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			l.placeholders(t, append(t.path("args"), fmt.Sprintf("#%d", i)), text)
		}
	}
	for _, key := range []string{"command", "url", "cwd"} {
		text, _ := t.values[key].(string)
		l.placeholders(t, t.path(key), text)
	}
	for _, key := range []string{"env", "headers"} {
		m, _ := t.values[key].(map[string]any)
		for name, v := range m {
			text, _ := v.(string)
			l.placeholders(t, append(t.path(key), name), text)
			if text != "" && !strings.Contains(text, "{{") && secretName().MatchString(name) && len(text) > 8 {
				t.report(Warning, "secret", append(t.path(key), name), fmt.Sprintf("{{ENV:%s}}", name), "the value of %s is written out", name)
			}
		}
	}
	for _, name := range unpinned(command, args) {
		t.report(Warning, "unpinned", t.path("args"), "write "+name+"@1.2.3 (uvx: ==1.2.3): what was approved is then what runs",
			"%s runs whatever version of %s is the newest", command, name)
	}
}

var secretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(token|secret|password|api_?key|authorization)`) })

func (l *linter) placeholders(t table, at []string, text string) {
	for _, found := range braces().FindAllString(text, -1) {
		if !placeholder().MatchString(found) {
			t.report(Warning, "placeholder", at, "{{ENV:KEY}} and {{INPUT:KEY}} are", "%s is no placeholder and stays as it is", found)
		}
	}
}

func (l *linter) script(d *document, dep string, at []string) {
	path := filepath.Join(l.root, "deps", filepath.FromSlash(dep)+".sh")
	if !missing(path) || l.orphans[dep] {
		return
	}
	l.orphans[dep] = true
	if missing(filepath.Join(l.root, "deps")) {
		return // said once
	}
	d.report(Warning, "no-script", at, "add "+path, "the tap has no installer for the dependency %s", dep)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

func headerLine(text, name string) int {
	line := 0
	for l := range strings.Lines(text) {
		line++
		if header(l, name) != "" {
			return line
		}
	}
	return 0
}
