package wiring

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// putLine adds a line at the end of a text, unless it is there.
func putLine(text []byte, op Op) ([]byte, splice.Undo, error) {
	line, err := lineOf(op)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	if _, _, ok := findLine(string(text), line); ok {
		return text, splice.Undo{Kept: true}, nil
	}
	newline := splice.Newline(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return append(slices.Clone(text), newline+line...), splice.Undo{}, nil
	}
	return append(slices.Clone(text), line+newline...), splice.Undo{}, nil
}

// takeLine takes the line out again.
func takeLine(text []byte, p placed) ([]byte, string, error) {
	line, err := lineOf(p.Op)
	if err != nil {
		return nil, "", err
	}
	start, end, ok := findLine(string(text), line)
	if !ok {
		return text, splice.Gone, nil
	}
	if end == len(text) && !strings.HasSuffix(string(text), "\n") && start > 0 {
		start = len(strings.TrimSuffix(string(text[:start-1]), "\r"))
	}
	return slices.Delete(slices.Clone(text), start, end), "", nil
}

func lineOf(op Op) (string, error) {
	var line string
	if err := json.Unmarshal(op.Value, &line); err != nil {
		return "", fmt.Errorf("a line must be a JSON string: %w", err)
	}
	if strings.ContainsAny(line, "\r\n") {
		return "", fmt.Errorf("%q is more than one line", line)
	}
	return line, nil
}

// findLine is where the last such line starts and the next one does.
func findLine(text, line string) (start, end int, ok bool) {
	at := 0
	for l := range strings.Lines(text) {
		if strings.TrimRight(l, "\r\n") == line {
			start, end, ok = at, at+len(l), true
		}
		at += len(l)
	}
	return start, end, ok
}
