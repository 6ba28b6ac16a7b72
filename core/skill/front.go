package skill

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/ctx-sidecar/ctx/core/tap"
)

// mostFront is how many bytes of front matter are read.
const mostFront = 64 << 10

// front is the front matter of a file, key by key.
type front struct {
	file     string
	keys     map[string]*yaml.Node
	rules    []located // the lines below "rules:"
	problems []Problem
}

// located is text with its line.
type located struct {
	text string
	line int
}

// split cuts a file into front matter and prose; line is the number of the
// first line of each.
func split(text string) (matter string, body string, bodyLine int, ok bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, rest, found := strings.Cut(text, "\n")
	if !found || strings.TrimRight(first, " \t\r") != "---" {
		return "", text, 1, false
	}
	at := 0
	for n := 3; at < len(rest); n++ {
		line, after, _ := strings.Cut(rest[at:], "\n")
		next := len(rest) - len(after)
		if strings.TrimRight(line, " \t\r") == "---" {
			return rest[:at], rest[next:], n, true
		}
		at = next
	}
	return "", text, 1, false
}

// parseFront reads front matter, of which the first line is the file's second.
// Rules are read line by line, since they are no YAML: "match(a: b)" would be a
// mapping, and "match(@x)" an error. What YAML refuses of the rest is read by
// the line too, as an unquoted colon in a description is common.
func parseFront(file, matter string) front {
	f := front{file: file, keys: map[string]*yaml.Node{}}
	if len(matter) > mostFront {
		f.problem(1, tap.Error, "too-large", "", "its front matter has over %d bytes", mostFront)
		return f
	}
	matter = strings.ReplaceAll(matter, "\r\n", "\n")
	matter = f.takeRules(matter)
	var doc yaml.Node
	err := yaml.Unmarshal([]byte(matter), &doc)
	if err == nil && len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		pairs := doc.Content[0].Content
		for i := 0; i+1 < len(pairs); i += 2 {
			pairs[i+1].Line++ // for the fence
			if _, twice := f.keys[pairs[i].Value]; !twice {
				f.keys[pairs[i].Value] = pairs[i+1]
			}
		}
		return f
	}
	line, what := yamlError(err)
	f.problem(line, tap.Warning, "syntax", "quote values that have a colon, a number sign or a bracket in them", "the front matter is no YAML, and so read line by line: %s", what)
	f.byLine(matter)
	return f
}

// takeRules takes the block of rules out, leaving its lines empty.
func (f *front) takeRules(matter string) string {
	lines := strings.Split(matter, "\n")
	inside := false
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if bare == "rules:" && line[0] == 'r' {
			inside = true
			lines[i] = ""
			continue
		}
		dashed := bare == "-" || strings.HasPrefix(bare, "- ")
		if !inside || bare == "" {
			continue
		}
		if line[0] != ' ' && line[0] != '\t' && line[0] != '#' && !dashed {
			inside = false
			continue
		}
		switch {
		case dashed:
			f.rules = append(f.rules, located{unquote(strings.TrimSpace(bare[1:])), i + 2})
		case !strings.HasPrefix(bare, "#"):
			f.problem(i+2, tap.Warning, "bad-rule", "begin each rule with \"- \"", "%q is no rule", clip(bare))
		}
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

// unquote takes off the quotes around a whole value, as YAML would.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return s
	}
	switch s[0] {
	case '\'':
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	case '"':
		var text string
		if yaml.Unmarshal([]byte(s), &text) == nil {
			return text
		}
		return s[1 : len(s)-1]
	}
	return s
}

// byLine reads "key: value" where YAML could not.
func (f *front) byLine(matter string) {
	for i, line := range strings.Split(matter, "\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t#-") && key != "allowed-tools" {
			continue
		}
		if _, twice := f.keys[key]; !twice {
			f.keys[key] = &yaml.Node{Kind: yaml.ScalarNode, Value: unquote(strings.TrimSpace(value)), Line: i + 2}
		}
	}
}

// text is the value of a key, "" where it has none.
func (f *front) text(key string) string {
	n := f.keys[key]
	switch {
	case n == nil || n.Tag == "!!null":
		return ""
	case n.Kind != yaml.ScalarNode:
		f.problem(n.Line, tap.Warning, "wrong-type", "write it on one line, in quotes", "%s is no text", key)
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// line is that of a key, 1 where it has none.
func (f *front) line(key string) int {
	if n := f.keys[key]; n != nil {
		return n.Line
	}
	return 1
}

// list is a value that may be a list of YAML, "[a, b]" in quotes, or words with
// spaces or commas between them.
func (f *front) list(key string) []string {
	n := f.keys[key]
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	var words []string
	switch n.Kind {
	case yaml.ScalarNode:
		words = listWords(n.Value)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				f.problem(n.Line, tap.Warning, "wrong-type", "", "%s has an entry that is no text", key)
				continue
			}
			words = append(words, strings.TrimSpace(c.Value))
		}
	default:
		f.problem(n.Line, tap.Warning, "wrong-type", key+": [a, b]", "%s is no list", key)
	}
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// listWords splits at spaces and commas, not within parentheses: an allowed tool
// may be "Bash(git add:*)".
func listWords(s string) []string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	depth := 0
	words := strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',', ' ', '\t', '\n':
			return depth <= 0
		}
		return false
	})
	for i, w := range words {
		words[i] = strings.Trim(w, `"'`)
	}
	return words
}

// ruleLines are the rules, wherever they were written.
func (f *front) ruleLines() []located {
	n := f.keys["rules"]
	switch {
	case n == nil || n.Tag == "!!null":
	case n.Kind == yaml.ScalarNode:
		f.rules = append(f.rules, located{n.Value, n.Line})
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode {
				f.rules = append(f.rules, located{c.Value, c.Line + 1})
			}
		}
	default:
		f.problem(n.Line, tap.Warning, "wrong-type", "", "rules is no list")
	}
	return f.rules
}

func (f *front) problem(line int, s tap.Severity, rule, hint, format string, args ...any) {
	f.problems = append(f.problems, Problem{File: f.file, Line: line, Severity: s, Rule: rule, Text: fmt.Sprintf(format, args...), Hint: hint})
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?((?s).*)$`) })

// yamlError takes the line of the file out of an error of YAML's.
func yamlError(err error) (line int, what string) {
	if err == nil {
		return 2, `lines of the form "key: value" are expected`
	}
	m := yamlLine().FindStringSubmatch(err.Error())
	if m == nil {
		return 2, err.Error()
	}
	n, _ := strconv.Atoi(m[1]) // 0 where it says none
	return n + 1, m[2]
}
