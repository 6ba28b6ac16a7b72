package skill

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// plainName is what a skill may be called: a word that cannot be read as
// anything else in a line to the model.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })

// parse fills in what the text of its file says of a skill. Errors among the
// problems make it unusable.
func parse(s Skill, text string) (Skill, []Problem) {
	matter, body, bodyLine, ok := split(text)
	if !ok {
		p := Problem{File: s.File, Line: 1, Severity: tap.Error, Rule: "no-front-matter", Text: `it does not begin with front matter between two lines "---"`}
		s.Name, s.Broken = filepath.Base(s.Dir), p.Text
		return s, []Problem{p}
	}
	f := parseFront(s.File, matter)
	s.Name = f.name(filepath.Base(s.Dir))
	s.Title, s.Description, s.License, s.Compatibility = f.text("title"), f.text("description"), f.text("license"), f.text("compatibility")
	s.AllowedTools, s.Capabilities, s.Domains = f.list("allowed-tools"), f.list("capabilities"), f.list("domains")
	s.Rules = f.parseRules()
	if s.Description == "" {
		f.problem(f.line("description"), tap.Error, "no-description", "description: what it helps with, and when", "the skill %s has no description", s.Name)
	}
	if strings.TrimSpace(body) == "" {
		f.problem(max(bodyLine-1, 1), tap.Error, "no-body", "write what to do below the front matter", "the skill %s has nothing to read", s.Name)
	}
	var broken []string
	for _, p := range f.problems {
		if p.Severity == tap.Error {
			broken = append(broken, p.Text)
		}
	}
	s.Broken = strings.Join(broken, "; ")
	return s, f.problems
}

// name is the skill's name, its folder's where it gives none that can be used.
func (f *front) name(folder string) string {
	name := f.text("name")
	switch {
	case plainName().MatchString(name) && name == folder:
		return name
	case plainName().MatchString(name):
		f.problem(f.line("name"), tap.Warning, "other-name", "", "the skill is called %s, and its folder %s", name, clip(folder))
		return name
	case name == "":
		f.problem(f.line("name"), tap.Warning, "no-name", "name: "+clip(folder), "it has no name, and so goes by that of its folder")
	default:
		f.problem(f.line("name"), tap.Warning, "bad-name", "letters, digits, dots, dashes and underscores, at most 64", "%q is no name, and so the skill goes by that of its folder", clip(name))
	}
	if !plainName().MatchString(folder) {
		f.problem(1, tap.Error, "bad-name", "rename the folder", "its folder %q is no name either", clip(folder))
	}
	return folder
}

func (f *front) parseRules() []Rule {
	var rules []Rule
	for _, at := range f.ruleLines() {
		if len(rules) == mostRules {
			f.problem(at.line, tap.Warning, "too-many-rules", "", "it has over %d rules; the others are passed over", mostRules)
			break
		}
		checks, err := ParseRule(at.text)
		if err != nil {
			f.problem(at.line, tap.Warning, "bad-rule", "the whole line is passed over: without a part of it, it would hold too often", "%s", oneLine(err))
			continue
		}
		rules = append(rules, Rule{checks, at.line})
	}
	return rules
}

func oneLine(err error) string { return strings.Join(strings.Fields(fmt.Sprint(err)), " ") }
