package skill

import (
	"strings"
)

// mention is a place in a skill's file that leads to another skill.
type mention struct {
	name string // as the catalog has it
	kind EdgeKind
	line int
	text string // the line, clipped
}

// mentionsIn finds where the text of a skill's file leads to skills; names maps
// lower-cased names to those that are known. Each is found once, where it is
// first.
func mentionsIn(text string, names map[string]string) []mention {
	var list []mention
	seen := map[string]bool{}
	w := where{column: -1}
	fence, previous := "", ""
	inFront := false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		bare := strings.TrimSpace(line)
		if n == 1 && strings.TrimPrefix(bare, "\ufeff") == "---" {
			inFront = true
			continue
		}
		if inFront {
			if bare == "---" {
				inFront = false
			}
			if key, _, ok := strings.Cut(line, ":"); !ok || key != "description" && key != "compatibility" {
				continue
			}
		}
		if f := fenceOf(bare); f != "" && (fence == "" || strings.HasPrefix(f, fence)) {
			if fence == "" {
				fence = f
			} else {
				fence = ""
			}
			continue
		}
		w.follow(bare, previous)
		for _, m := range namesIn(line, names, w) {
			if fence != "" && m.kind != ByCall || seen[m.name] {
				continue
			}
			seen[m.name] = true
			m.line, m.text = n, clipLine(bare)
			list = append(list, m)
		}
		previous = bare
	}
	return list
}

// follow takes in a line before it is looked at.
func (w *where) follow(bare, previous string) {
	switch {
	case strings.HasPrefix(bare, "#"):
		w.companions, w.injection, w.column = companions().MatchString(bare), injection().MatchString(bare), -1
	case !strings.HasPrefix(bare, "|"):
		w.column = -1
		if strings.HasSuffix(bare, ":") {
			w.companions = companions().MatchString(bare)
		}
	case !strings.HasPrefix(previous, "|"): // a table begins: its head
		w.column = -1
		for i, head := range strings.Split(strings.Trim(bare, "|"), "|") {
			if columns().MatchString(head) && w.column < 0 {
				w.column = i
			}
		}
		if w.injection && w.column < 0 {
			w.column = 0
		}
	}
}

// namesIn finds the names of skills in a line that leads to them. Of an
// enumeration all are meant where the first is.
func namesIn(line string, names map[string]string, w where) []mention {
	var list []mention
	last, lastKind := -1, EdgeKind("")
	for _, at := range token().FindAllStringIndex(line, -1) {
		start, end := at[0], at[1]
		word := strings.TrimRight(line[start:end], "._-")
		end = start + len(word)
		name, known := names[strings.ToLower(word)]
		if !known {
			continue
		}
		kind := kindOf(line, start, end, w)
		if kind == "" && lastKind != "" && joins().MatchString(line[last:start]) && !another().MatchString(line[end:]) && !strings.HasPrefix(line[end:], "/") {
			kind = lastKind
		}
		last, lastKind = end, kind
		if kind != "" {
			list = append(list, mention{name: name, kind: kind})
		}
	}
	return list
}

func fenceOf(bare string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(bare, mark) {
			return bare[:len(bare)-len(strings.TrimLeft(bare, mark[:1]))]
		}
	}
	return ""
}

func clipLine(s string) string {
	const most = 160
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
