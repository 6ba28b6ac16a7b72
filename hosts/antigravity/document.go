package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/jsonc"
)

// document is one JSON file. Comments and trailing commas are tolerated.
type document struct {
	file string
	text []byte
	root hujson.Value
}

// readDocument reads a JSON file. Its errors name the file, and for text that is
// no JSON the line and column. An empty file is an empty object.
func readDocument(path string) (*document, error) {
	text, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	d := &document{file: path, text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = []byte("{}")
	}
	if d.root, err = jsonc.Parse(d.text); err != nil {
		var line, column int
		if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan == nil {
			_, what, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": ")
			return nil, fmt.Errorf("%s:%d:%d: %s", path, line, column, what)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// member is a named value of an object.
type member struct {
	name  string
	line  int // of the name
	col   int
	value hujson.Value
}

// members are those of the object at path in their order; none where there is
// no object.
func (d *document) members(path ...string) []member {
	at := d.root
	for _, key := range path {
		next, ok := find(d.list(at), key)
		if !ok {
			return nil
		}
		at = next.value
	}
	return d.list(at)
}

func (d *document) list(v hujson.Value) []member {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	list := make([]member, 0, len(object.Members))
	for _, m := range object.Members {
		name, ok := m.Name.Value.(hujson.Literal)
		if !ok {
			continue
		}
		before := d.text[:m.Name.StartOffset]
		list = append(list, member{
			name:  name.String(),
			line:  1 + bytes.Count(before, []byte("\n")),
			col:   len(before) - bytes.LastIndexByte(before, '\n'),
			value: m.Value,
		})
	}
	return list
}

// find returns the last member of a name, which is the one that counts.
func find(list []member, name string) (member, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name == name {
			return list[i], true
		}
	}
	return member{}, false
}

// json is the value as standard JSON.
func (m member) json() []byte {
	v := m.value.Clone()
	v.Standardize()
	return v.Pack()
}
