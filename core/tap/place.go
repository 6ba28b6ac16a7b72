package tap

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// place is where something stands in a file; both count from 1.
type place struct{ line, column int }

func placeAt(text string, offset int) place {
	before := text[:min(max(offset, 0), len(text))]
	return place{1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')}
}

// offsets finds every key, table and list element of a file, by its path joined
// with NUL. The element of a list is "#0", "#1". BurntSushi/toml keeps no
// positions.
func offsets(text string) map[string]int {
	f := finder{found: map[string]int{}, tables: map[string]int{}}
	f.parser.Reset([]byte(text))
	at := ""
	for f.parser.NextExpression() {
		e := f.parser.Expression()
		switch e.Kind {
		case unstable.Table:
			at = f.key("", e)
		case unstable.ArrayTable:
			at = f.key("", e)
			// The key itself resolves to the element before; this one is the next.
			name := f.plain(e)
			n := f.tables[name]
			f.tables[name] = n + 1
			under, _ := strings.CutSuffix(at, fmt.Sprintf("\x00#%d", n-1))
			at = under + fmt.Sprintf("\x00#%d", n)
			f.note(at, f.last)
		case unstable.KeyValue:
			f.pair(at, e)
		}
	}
	return f.found
}

type finder struct {
	parser unstable.Parser
	found  map[string]int
	tables map[string]int // how many of a list of tables there were so far, by its resolved path
	last   int            // offset of the key that was read last
}

func (f *finder) note(path string, offset int) {
	if _, known := f.found[path]; !known {
		f.found[path] = offset
	}
}

// key notes every part of a key and returns its path, in which a list of tables
// stands for its last element.
func (f *finder) key(under string, e *unstable.Node) string {
	for it := e.Key(); it.Next(); {
		part := it.Node()
		under = join(under, string(part.Data))
		f.last = int(part.Raw.Offset)
		f.note(under, f.last)
		if n := f.tables[under]; n > 0 {
			under += fmt.Sprintf("\x00#%d", n-1)
		}
	}
	return under
}

// plain is the path of a list of tables without its own element.
func (f *finder) plain(e *unstable.Node) string {
	path := ""
	for it := e.Key(); it.Next(); {
		if n := f.tables[path]; path != "" && n > 0 {
			path += fmt.Sprintf("\x00#%d", n-1)
		}
		path = join(path, string(it.Node().Data))
	}
	return path
}

func join(path, part string) string {
	if path == "" {
		return part
	}
	return path + "\x00" + part
}

func (f *finder) pair(at string, e *unstable.Node) {
	f.value(f.key(at, e), e.Value())
}

func (f *finder) value(path string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			f.pair(path, it.Node())
		}
	case unstable.Array:
		for i, it := 0, v.Children(); it.Next(); i++ {
			element := path + fmt.Sprintf("\x00#%d", i)
			if n := it.Node(); n.Raw.Length > 0 {
				f.note(element, int(n.Raw.Offset))
			} else if at, known := f.found[path]; known {
				f.found[element] = at
			}
			f.value(element, it.Node())
		}
	}
}
