package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/ctx-sidecar/ctx/core/file"
)

// document is one TOML file: its values, and the place of every key in it.
type document struct {
	file   string
	values map[string]any
	places map[string]unstable.Position // by keys joined with keySep
}

const keySep = "\x00"

// mostParts bounds how deep tables nest: a repository's file could name one in
// a million others, and the place of every one is kept.
const mostParts = 128

// readDocument reads a TOML file. Its errors name the file, and for text that
// is no TOML the line and column.
func readDocument(path string) (*document, error) {
	text, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	d := &document{file: path, values: map[string]any{}, places: map[string]unstable.Position{}}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := d.index(text); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(text, &d.values); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("%s:%d:%d: %s", path, line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// index notes where each key stands, as far as the text can be read: what is
// wrong with it is for the decoder to say.
func (d *document) index(text []byte) error {
	var p unstable.Parser
	p.Reset(text)
	var table []string
	for p.NextExpression() {
		var err error
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, err = d.note(&p, nil, e)
		case unstable.KeyValue:
			err = d.noteValue(&p, table, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *document) noteValue(p *unstable.Parser, table []string, e *unstable.Node) error {
	path, err := d.note(p, table, e)
	if err != nil {
		return err
	}
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for c := v.Children(); c.Next(); {
			if err := d.noteValue(p, path, c.Node()); err != nil {
				return err
			}
		}
	}
	return nil
}

// note records the place of every key that an expression names, and returns the
// whole path. The first mention of a table counts as its place, except that its
// own header beats the header of a table within it.
func (d *document) note(p *unstable.Parser, table []string, e *unstable.Node) ([]string, error) {
	path := append([]string(nil), table...)
	keys := e.Key()
	for keys.Next() {
		at := p.Shape(keys.Node().Raw).Start
		if len(path) == mostParts {
			return nil, fmt.Errorf("%s:%d:%d: tables nest deeper than %d levels", d.file, at.Line, at.Column, mostParts)
		}
		path = append(path, string(keys.Node().Data))
		id := strings.Join(path, keySep)
		if _, known := d.places[id]; !known || keys.IsLast() && e.Kind == unstable.Table {
			d.places[id] = at
		}
	}
	return path, nil
}

// position is where the key at path stands; line 0 when it cannot be told.
func (d *document) position(path ...string) unstable.Position {
	return d.places[strings.Join(path, keySep)]
}
