package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is one TOML file: its values, and the place of every key in it.
type document struct {
	file   string
	values map[string]any
	places map[string]unstable.Position // by keys joined with keySep
}

const keySep = "\x00"

// readDocument reads a TOML file. Its errors name the file, and for text that
// is no TOML the line and column.
func readDocument(file string) (*document, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := &document{file: file, values: map[string]any{}, places: map[string]unstable.Position{}}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if _, err := toml.Decode(string(text), &d.values); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return nil, fmt.Errorf("%s:%d:%d: %s", file, at.Position.Line, at.Position.Col, at.Message)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	d.index(text)
	return d, nil
}

// index notes where each key stands. The text has been decoded before, so the
// parser finds nothing to complain about.
func (d *document) index(text []byte) {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = d.note(&p, nil, e)
		case unstable.KeyValue:
			d.noteValue(&p, table, e)
		}
	}
}

func (d *document) noteValue(p *unstable.Parser, table []string, e *unstable.Node) {
	path := d.note(p, table, e)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for c := v.Children(); c.Next(); {
			d.noteValue(p, path, c.Node())
		}
	}
}

// note records the place of every key that an expression names, and returns the
// whole path. The first mention of a table counts as its place, except that its
// own header beats the header of a table within it.
func (d *document) note(p *unstable.Parser, table []string, e *unstable.Node) []string {
	path := append([]string(nil), table...)
	keys := e.Key()
	for keys.Next() {
		path = append(path, string(keys.Node().Data))
		id := strings.Join(path, keySep)
		if _, known := d.places[id]; !known || keys.IsLast() && e.Kind == unstable.Table {
			d.places[id] = p.Shape(keys.Node().Raw).Start
		}
	}
	return path
}

// position is where the key at path stands; line 0 when it cannot be told.
func (d *document) position(path ...string) unstable.Position {
	return d.places[strings.Join(path, keySep)]
}
