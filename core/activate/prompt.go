package activate

import (
	"regexp"
	"strings"
	"unicode"
)

// Clean takes out of a user's message what is not the user's own words: code
// fences, and XML blocks as hosts and pastes put them in. HTML and JSX on a line
// of prose, generics like List<T> and tags that are never closed stay, for they
// are part of what is asked.
func Clean(prompt string) string {
	return strings.TrimSpace(dropBlocks(dropFences(prompt)))
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

var openTag = regexp.MustCompile(`<([A-Za-z][A-Za-z0-9_-]*)(?:\s[^<>]*)?>`)

func dropBlocks(text string) string {
	var b strings.Builder
	for {
		at := openTag.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		name := text[at[2]:at[3]]
		end := blockEnd(text[at[1]:], name)
		if end < 0 || !isBlock(text[:at[0]], text[at[0]:at[1]+end], name) {
			b.WriteString(text[:at[1]])
			text = text[at[1]:]
			continue
		}
		b.WriteString(text[:at[0]])
		b.WriteByte(' ') // or the words on both sides would become one
		text = text[at[1]+end:]
	}
	b.WriteString(text)
	return b.String()
}

// blockEnd returns where the element ends whose opening tag stands right before
// text, elements of the same name inside it counted; -1 if it is never closed.
func blockEnd(text, name string) int {
	depth, at := 1, 0
	for {
		n := strings.Index(text[at:], "</"+name+">")
		if n < 0 {
			return -1
		}
		for _, m := range openTag.FindAllStringSubmatch(text[at:at+n], -1) {
			if m[1] == name {
				depth++
			}
		}
		at += n + len("</"+name+">")
		if depth--; depth == 0 {
			return at
		}
	}
}

// isBlock reports whether an element is more than a word in a sentence. A
// component or an HTML element is, if it stands on several lines of its own.
func isBlock(before, element, name string) bool {
	if !unicode.IsUpper(rune(name[0])) && !htmlElements[strings.ToLower(name)] {
		return true
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.TrimSpace(line) == "" && strings.Contains(element, "\n")
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
