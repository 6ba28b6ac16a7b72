package skill

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

// Kind is what a check looks at.
type Kind string

const (
	Match    Kind = "match"    // the prompt, by a regular expression
	Content  Kind = "content"  // the prompt, for whole words
	Semantic Kind = "semantic" // the prompt, by what it means
	File     Kind = "file"     // the working folder, for a path
	Grep     Kind = "grep"     // the text of files there
	Env      Kind = "env"      // the host's environment
	Bin      Kind = "bin"      // the programs in PATH
	Session  Kind = "session"  // the conversation's title or id
	Workdir  Kind = "workdir"  // the path of the working folder
)

var kinds = []Kind{Match, Content, Semantic, File, Grep, Env, Bin, Session, Workdir}

// Rule is a line of a skill's rules: it holds where all of its checks do.
type Rule struct {
	Checks []Check `json:"checks"`
	Line   int     `json:"line"` // of the file; counts from 1
}

// String is the line as a skill would have it.
func (r Rule) String() string {
	parts := make([]string, len(r.Checks))
	for i, c := range r.Checks {
		parts[i] = c.String()
	}
	return strings.Join(parts, " ")
}

// MarshalText makes a check readable in JSON.
func (c Check) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

func (r Rule) semantic() bool {
	return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Kind == Semantic })
}

// Check is one condition of a rule.
type Check struct {
	Kind Kind
	Arg  string

	// Second is the glob of a grep and the value that an env is to have; HasSecond
	// tells an empty one from none.
	Second    string
	HasSecond bool

	// AtLeast is the cosine that a semantic check asks for, 0 for the model's own.
	AtLeast float64

	re *regexp.Regexp // of match and grep
}

// String is the check as a rule would have it.
func (c Check) String() string {
	arg := c.Arg
	switch {
	case c.Kind == Semantic && c.AtLeast > 0:
		arg += ", " + strconv.FormatFloat(c.AtLeast, 'g', -1, 64)
	case c.Kind == Grep && c.HasSecond:
		arg += ", " + c.Second
	case c.Kind == Env && c.HasSecond:
		arg += "=" + c.Second
	}
	return string(c.Kind) + "(" + arg + ")"
}

// Sizes of what a rule may be. They bound what a file from anywhere can cost.
const (
	mostRule   = 4096 // bytes
	mostChecks = 16
	mostRules  = 200 // of a skill
)

// ParseRule reads a line of rules: checks such as content(word), side by side,
// and perhaps a comment behind " #". A line with anything else in it is an
// error as a whole, since it would hold too often without that part.
func ParseRule(text string) ([]Check, error) {
	rest := strings.TrimSpace(text)
	if len(rest) > mostRule {
		return nil, fmt.Errorf("it has over %d bytes", mostRule)
	}
	var checks []Check
	for rest != "" && (len(checks) == 0 || !strings.HasPrefix(rest, "#")) {
		c, after, err := parseCheck(rest)
		if err != nil {
			return nil, err
		}
		if checks = append(checks, c); len(checks) > mostChecks {
			return nil, fmt.Errorf("it has over %d checks", mostChecks)
		}
		rest = strings.TrimSpace(after)
		if strings.HasPrefix(rest, "#") && !strings.HasPrefix(after, " ") && !strings.HasPrefix(after, "\t") {
			return nil, fmt.Errorf("%q is no check; a comment stands behind a space", clip(rest))
		}
	}
	if len(checks) == 0 {
		return nil, errors.New("it has no check")
	}
	return checks, nil
}

func parseCheck(text string) (c Check, rest string, err error) {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return Check{}, "", fmt.Errorf("%q is no check: they are written like content(word)", clip(text))
	}
	kind := Kind(text[:open])
	if !slices.Contains(kinds, kind) {
		return Check{}, "", unknownKind(text[:open])
	}
	end := closing(text[open:], kind == Match || kind == Grep)
	if end < 0 {
		return Check{}, "", fmt.Errorf("%q is not closed: a parenthesis is missing", clip(text))
	}
	c, err = newCheck(kind, strings.TrimSpace(text[open+1:open+end]))
	if err != nil {
		return Check{}, "", fmt.Errorf("%s: %w", clip(text[:open+end+1]), err)
	}
	return c, text[open+end+1:], nil
}

func unknownKind(word string) error {
	var names []string
	for _, k := range kinds {
		if spelling.Distance(word, string(k)) <= 1 {
			return fmt.Errorf("there is no check %q; did you mean %s?", clip(word), k)
		}
		names = append(names, string(k))
	}
	return fmt.Errorf("there is no check %q; there are %s", clip(word), strings.Join(names, ", "))
}

// closing is the offset of the parenthesis that closes the one text begins
// with, -1 where none does. In a regular expression those behind a backslash or
// in a class are characters like others.
func closing(text string, regular bool) int {
	depth, class := 0, -1 // class: where the open one began
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case regular && c == '\\':
			i++
		case class >= 0:
			// A bracket right behind the opening one, or behind "[^", is a member.
			if c == ']' && i > class+1 && !(i == class+2 && text[class+1] == '^') {
				class = -1
			}
		case regular && c == '[':
			class = i
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func newCheck(kind Kind, arg string) (Check, error) {
	c := Check{Kind: kind, Arg: arg}
	var err error
	switch kind {
	case Semantic:
		c.Arg, c.AtLeast, err = threshold(arg)
	case Grep:
		if at := lastComma(arg); at >= 0 {
			c.Arg, c.Second, c.HasSecond = strings.TrimSpace(arg[:at]), strings.TrimSpace(arg[at+1:]), true
		}
	case Env:
		if name, value, has := strings.Cut(arg, "="); has {
			c.Arg, c.Second, c.HasSecond = strings.TrimSpace(name), strings.TrimSpace(value), true
		}
	}
	switch {
	case err != nil:
		return Check{}, err
	case c.Arg == "":
		return Check{}, errors.New("it is empty")
	case kind == Match || kind == Grep:
		if c.re, err = compile(c.Arg); err != nil {
			return Check{}, err
		}
	case kind == File:
		err = checkGlob(c.Arg)
	case kind == Env && strings.ContainsAny(c.Arg, " \t"), kind == Bin && strings.ContainsAny(c.Arg, "/\\ \t"):
		err = fmt.Errorf("%q is no name", clip(c.Arg))
	}
	if kind == Grep && c.HasSecond && err == nil {
		err = checkGlob(c.Second)
	}
	return c, err
}

// threshold takes the cosine off the end of a phrase. A phrase may have commas
// itself, so that only a number counts.
func threshold(arg string) (phrase string, atLeast float64, err error) {
	at := strings.LastIndexByte(arg, ',')
	if at < 0 {
		return arg, 0, nil
	}
	tail := strings.TrimSpace(arg[at+1:])
	if atLeast, err = strconv.ParseFloat(tail, 64); err != nil {
		return arg, 0, nil
	}
	if !(atLeast > 0 && atLeast <= 1) {
		return "", 0, fmt.Errorf("%s is no threshold: one is above 0 and at most 1", clip(tail))
	}
	return strings.TrimSpace(arg[:at]), atLeast, nil
}

// lastComma is the last comma that is not within brackets or braces of a
// regular expression, or behind a backslash; -1 where there is none.
func lastComma(arg string) int {
	last, depth := -1, 0
	for i := 0; i < len(arg); i++ {
		switch arg[i] {
		case '\\':
			i++
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth <= 0 {
				last = i
			}
		}
	}
	return last
}

// clip shortens what an error quotes.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
