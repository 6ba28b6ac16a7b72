package result

import (
	"strings"
	"unicode/utf8"
)

// boundary returns where to cut text so that at most room bytes remain: after a
// whole element of a JSON text, else after a whole line, where one ends in the
// last quarter of the room; else after a whole rune.
func boundary(text string, room int) int {
	if room >= len(text) {
		return len(text)
	}
	least := room - room/4
	if end := jsonBoundary(text, room); end > least {
		return end
	}
	if nl := strings.LastIndexByte(text[:room], '\n') + 1; nl > least {
		return nl
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	return room
}

// jsonBoundary returns the end of the last element, at any depth, that ends
// within the first room bytes of a JSON text, 0 for any other text.
func jsonBoundary(text string, room int) int {
	start := strings.TrimLeft(text[:room], " \t\r\n")
	if start == "" || start[0] != '{' && start[0] != '[' {
		return 0
	}
	end, inString := 0, false
	for i := 0; i < room; i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == ',':
			end = i + 1
		case c == '}', c == ']':
			end = i + 1
		}
	}
	return end
}
