package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lineIndex maps each key and table of a file, its parts joined by NUL, to the
// line where it first stands. BurntSushi/toml keeps no positions.
func lineIndex(text string) map[string]int {
	ix := index{text: strings.TrimPrefix(text, "\ufeff"), lines: map[string]int{}, line: 1}
	ix.parser.Reset([]byte(ix.text))
	var table string
	for ix.parser.NextExpression() {
		e := ix.parser.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = ix.key("", e)
		case unstable.KeyValue:
			ix.pair(table, e)
		}
	}
	return ix.lines
}

type index struct {
	parser unstable.Parser
	text   string
	lines  map[string]int

	offset, line int // of the key that was noted last
}

// lineAt counts on from the key before, so that a file costs one reading.
func (ix *index) lineAt(offset int) int {
	if offset > ix.offset {
		ix.line += strings.Count(ix.text[ix.offset:offset], "\n")
		ix.offset = offset
	}
	return ix.line
}

// key notes every part of a dotted key and returns the whole.
func (ix *index) key(under string, e *unstable.Node) string {
	for it := e.Key(); it.Next(); {
		part := it.Node()
		if under != "" {
			under += "\x00"
		}
		under += string(part.Data)
		if _, known := ix.lines[under]; !known {
			ix.lines[under] = ix.lineAt(int(part.Raw.Offset))
		}
	}
	return under
}

func (ix *index) pair(table string, e *unstable.Node) {
	name := ix.key(table, e)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			ix.pair(name, it.Node())
		}
	}
}
