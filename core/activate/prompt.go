package activate

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Clean takes out of a user's message what is not the user's own words: code
// fences, and XML blocks as hosts and pastes put them in. HTML and JSX on a line
// of prose, generics like List<T> and tags that are never closed stay, for they
// are part of what is asked.
func Clean(prompt string) string {
	return strings.TrimSpace(dropBlocks(dropFences(prompt)))
}

// maxPrompt is how much of a prompt is read, in bytes: a model reads a hundred
// words or so, and a pasted megabyte must not delay the host.
const maxPrompt = 8 << 10

// own is what of a prompt is scored.
func own(prompt string) string {
	text := Clean(prompt)
	if len(text) <= maxPrompt {
		return text
	}
	return strings.ToValidUTF8(text[:maxPrompt], "")
}

// Bounded is a prompt as it is where it is short, and else as much of the user's
// own words as is scored: for other rankings of prompts, which must not delay the
// host either.
func Bounded(prompt string) string {
	if len(prompt) <= maxPrompt {
		return prompt
	}
	return own(prompt)
}

// dropFences removes fenced code. As in Markdown, a fence that is not closed
// goes to the end.
func dropFences(text string) string {
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") {
		return text
	}
	var b strings.Builder
	open := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " ")
		fence := fenceOf(bare)
		switch {
		case open == "" && fence != "" && len(line)-len(bare) <= 3:
			open = fence
		case open == "":
			b.WriteString(line)
		case strings.HasPrefix(fence, open) && strings.TrimSpace(bare[len(fence):]) == "":
			open = ""
		}
	}
	return b.String()
}

// fenceOf returns the run of three or more fence characters that line starts
// with.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		// A fence of backticks has none behind it, or it is code within a line.
		if n >= 3 && (c == "~" || !strings.Contains(line[n:], c)) {
			return line[:n]
		}
	}
	return ""
}

var anyTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<(/?)([A-Za-z][A-Za-z0-9_-]*)(\s[^<>]*)?>`) })

// element is a piece of text from an opening tag to the end of its closing one.
type element struct {
	name       string
	start, end int // end is -1 while it is not closed
}

// elements returns those of text by their starts. Tags of one name are matched
// like brackets, whatever stands between them.
func elements(text string) []element {
	var all []element
	open := map[string][]int{}
	for _, at := range anyTag().FindAllStringSubmatchIndex(text, -1) {
		name := text[at[4]:at[5]]
		if at[2] == at[3] {
			open[name] = append(open[name], len(all))
			all = append(all, element{name, at[0], -1})
			continue
		}
		if stack := open[name]; len(stack) > 0 && at[6] < 0 {
			all[stack[len(stack)-1]].end = at[1]
			open[name] = stack[:len(stack)-1]
		}
	}
	return all
}

func dropBlocks(text string) string {
	var b strings.Builder
	done := 0
	for _, e := range elements(text) {
		if e.start < done || e.end < 0 || !isBlock(text, e) {
			continue
		}
		b.WriteString(text[done:e.start])
		b.WriteByte(' ') // or the words on both sides would become one
		done = e.end
	}
	b.WriteString(text[done:])
	return b.String()
}

// isBlock reports whether an element is more than a word in a sentence. A
// component or an HTML element is, if it stands on several lines of its own.
func isBlock(text string, e element) bool {
	if !unicode.IsUpper(rune(e.name[0])) && !htmlElements[e.name] {
		return true
	}
	before := strings.TrimRight(text[:e.start], " \t")
	return (before == "" || strings.HasSuffix(before, "\n")) && strings.Contains(text[e.start:e.end], "\n")
}

var htmlElements = set(`a abbr article aside audio b blockquote body br button canvas caption cite code col
	dd del details dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html
	i iframe img input ins kbd label legend li link main mark meta nav ol optgroup option p picture pre progress q
	s samp script section select small source span strong style sub summary sup svg table tbody td template
	textarea tfoot th thead time title tr u ul var video`)

// nonSpace counts the characters of text that are no white space.
func nonSpace(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
