package localtool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

const (
	headerLines = 80       // that a header may have
	mostLine    = 2000     // bytes of one of them
	mostHeader  = 16 << 10 // bytes of what it says
)

// header is what the leading comments of a tool say.
type header struct {
	description string
	params      []Param
}

// fault is something in a header that cannot be followed.
type fault struct {
	line       int
	text, hint string
}

// types are what JSON schema has, by the words that people use for them.
var types = map[string]string{
	"string": "string", "str": "string",
	"number": "number", "num": "number", "float": "number",
	"integer": "integer", "int": "integer",
	"boolean": "boolean", "bool": "boolean",
	"array": "array", "list": "array",
	"object": "object", "obj": "object", "map": "object",
}

var paramName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`) })

const paramHint = "write @param NAME TYPE DESCRIPTION, with *NAME for one that is required; TYPE is string, number, integer, boolean, array or object"

// parseHeader reads the comments at the beginning of a file, up to its first
// line of code. A header with faults is of no use.
func parseHeader(text string) (header, []fault) {
	p := headerParser{open: nothing}
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimRight(line, "\r\n")
		if p.line == 1 && strings.HasPrefix(line, "#!") {
			continue
		}
		body, ok := comment(line)
		if !ok && strings.TrimSpace(line) != "" || p.line > headerLines {
			break
		}
		if p.line <= headerLines && p.readable(line) {
			p.take(body)
		}
	}
	if p.said > mostHeader {
		p.faultAt(0, "its header says too much", fmt.Sprintf("all of it is shown to models: keep to %d KiB", mostHeader>>10))
	}
	if p.header.description == "" && len(p.faults) == 0 {
		p.faultAt(0, "there is no @description in its leading comments", "begin a comment with @description and say what the tool does")
	}
	return p.header, p.faults
}

// comment returns the text of a line that is a comment.
func comment(line string) (string, bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"#", "//", "--"} {
		if body, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(body), true
		}
	}
	return "", false
}

// What a comment without a tag goes on with, else the index of a parameter.
const (
	nothing        = -2
	theDescription = -1
)

type headerParser struct {
	header
	faults []fault
	line   int
	said   int // bytes
	open   int
}

func (p *headerParser) fault(text, hint string) { p.faultAt(p.line, text, hint) }

func (p *headerParser) faultAt(line int, text, hint string) {
	p.faults = append(p.faults, fault{line, text, hint})
	p.open = nothing
}

// readable refuses what a user could not see when deciding about the tool.
func (p *headerParser) readable(line string) bool {
	switch i := strings.IndexFunc(line, hidden); {
	case len(line) > mostLine:
		p.fault(fmt.Sprintf("a line of %d bytes", len(line)), fmt.Sprintf("keep to %d and go on in the next comment", mostLine))
	case !utf8.ValidString(line):
		p.fault("not UTF-8", "save it as UTF-8")
	case i >= 0:
		r, _ := utf8.DecodeRuneInString(line[i:])
		p.fault(fmt.Sprintf("column %d: the character %U cannot be seen", i+1, r), "take it out")
	default:
		return true
	}
	return false
}

func hidden(r rune) bool { return r != '\t' && !unicode.IsGraphic(r) }

// take follows one comment.
func (p *headerParser) take(body string) {
	tag, rest, _ := strings.Cut(body, " ")
	rest = strings.Join(strings.Fields(rest), " ")
	switch {
	case body == "":
		p.open = nothing
	case !strings.HasPrefix(body, "@"):
		p.goOn(strings.Join(strings.Fields(body), " "))
	case tag == "@description" || tag == "@desc":
		p.describe(rest)
	case tag == "@param" || tag == "@arg":
		p.param(strings.Fields(rest))
	case misspelt(tag[1:]):
		p.fault(fmt.Sprintf("there is no tag %s", tag), "the tags are @description and @param")
	default:
		p.open = nothing // for other readers of the file
	}
}

// misspelt tells a tag of ours with a slip in it from those of others.
func misspelt(tag string) bool {
	return spelling.Distance(tag, "description") <= 3 || len(tag) > 3 && spelling.Distance(tag, "param") <= 2
}

func (p *headerParser) describe(text string) {
	if p.description != "" {
		p.fault("a second @description", "go on with the first one in a comment without a tag")
		return
	}
	p.description, p.open = text, theDescription
	p.said += len(text)
}

// goOn adds a comment without a tag to what was said before it.
func (p *headerParser) goOn(text string) {
	if p.open == nothing {
		return
	}
	of := &p.description
	if p.open >= 0 {
		of = &p.params[p.open].Description
	}
	*of = strings.TrimSpace(*of + " " + text)
	p.said += len(text)
}

func (p *headerParser) param(words []string) {
	if len(words) == 0 {
		p.fault("@param without a name", paramHint)
		return
	}
	name, required := strings.CutPrefix(words[0], "*")
	if !paramName().MatchString(name) {
		p.fault(fmt.Sprintf("%q cannot be a parameter's name", words[0]), paramHint)
		return
	}
	if i := slices.IndexFunc(p.params, func(o Param) bool { return variable(o.Name) == variable(name) }); i >= 0 {
		p.fault(fmt.Sprintf("the parameter %s is there already", name), fmt.Sprintf("see line %d", p.params[i].line))
		return
	}
	param := Param{Name: name, Type: "string", Required: required, line: p.line}
	if len(words) > 1 {
		known, ok := types[words[1]]
		if !ok {
			p.fault(fmt.Sprintf("the parameter %s: %q is no type", name, words[1]), paramHint)
			return
		}
		param.Type, param.Description = known, strings.Join(words[2:], " ")
	}
	p.params = append(p.params, param)
	p.open = len(p.params) - 1
	p.said += len(name) + len(param.Description)
}
