package main

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// frontLimit bounds how much of a skill, agent or command is read: front matter
// is short, and thousands of files must not take seconds.
const frontLimit = 16 << 10

// text is a string that YAML may also have taken for a number or a list.
type text string

func (t *text) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		*t = text(n.Value)
	case yaml.SequenceNode:
		var parts []string
		for _, c := range n.Content {
			parts = append(parts, c.Value)
		}
		*t = text(strings.Join(parts, ", "))
	}
	return nil
}

// front is the front matter of a skill, an agent, a command or a rule.
type front struct {
	Name        text      `yaml:"name"`
	Description text      `yaml:"description"`
	WhenToUse   text      `yaml:"when_to_use"`
	Tools       text      `yaml:"tools"`
	Hidden      text      `yaml:"disable-model-invocation"`
	Paths       yaml.Node `yaml:"paths"`
	Servers     yaml.Node `yaml:"mcpServers"`
}

func (f front) hidden() bool { return strings.EqualFold(string(f.Hidden), "true") }

var fence = []byte("---")

// splitFront cuts a file's front matter from its body; line is the number of
// the front matter's first line.
func splitFront(src []byte) (matter, body []byte, line int) {
	src = bytes.TrimPrefix(src, bom)
	first, rest, ok := bytes.Cut(src, []byte("\n"))
	if !ok || !bytes.Equal(bytes.TrimRight(first, " \t\r"), fence) {
		return nil, src, 1
	}
	for at := 0; at < len(rest); {
		end := bytes.IndexByte(rest[at:], '\n')
		next := at + end + 1
		if end < 0 {
			next = len(rest)
		}
		if bytes.Equal(bytes.TrimRight(rest[at:next], " \t\r\n"), fence) {
			return rest[:at], rest[next:], 2
		}
		at = next
	}
	return nil, src, 1
}

// parseFront reads front matter. What YAML refuses is read by the line, as
// Claude Code forgives an unquoted colon; the error says where it is.
func parseFront(matter []byte, firstLine int) (front, error) {
	var f front
	err := yaml.Unmarshal(matter, &f)
	if err == nil {
		return f, nil
	}
	for line := range strings.Lines(string(matter)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key {
		case "name":
			f.Name = text(value)
		case "description":
			f.Description = text(value)
		case "when_to_use":
			f.WhenToUse = text(value)
		case "tools":
			f.Tools = text(value)
		case "disable-model-invocation":
			f.Hidden = text(value)
		}
	}
	return f, located(err, matter, firstLine)
}

// frontError is a fault in front matter at a line and column of its file.
type frontError struct {
	line, column int
	what         string
}

func (e *frontError) Error() string {
	return strconv.Itoa(e.line) + ":" + strconv.Itoa(e.column) + ": " + e.what
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?((?s).*)$`)

// located finds the place of an error; yaml gives the line alone, so the column
// is where that line's text starts.
func located(err error, matter []byte, firstLine int) error {
	e := &frontError{line: firstLine, column: 1, what: err.Error()}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		e.what = `lines of the form "key: value" are expected`
		return e
	}
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return e
	}
	e.what = m[2]
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return e
	}
	// yaml counts some of its errors from the line before.
	e.line = firstLine + n - 1
	if lines := bytes.Split(matter, []byte("\n")); n-1 < len(lines) && n > 0 {
		e.column = len(lines[n-1]) - len(bytes.TrimLeft(lines[n-1], " \t")) + 1
	}
	return e
}
