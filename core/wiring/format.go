package wiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/ctx-sidecar/ctx/core/wiring/jsontext"
	"github.com/ctx-sidecar/ctx/core/wiring/splice"
	"github.com/ctx-sidecar/ctx/core/wiring/tomltext"
)

// placed is an op that stands in a file, with what undoing it needs.
type placed struct {
	Op
	Undo splice.Undo `json:"undo"`
}

// put splices an op into a file's bytes and proves that the file then means
// what it meant before and the op, and nothing else.
func put(f Format, file []byte, op Op) ([]byte, splice.Undo, error) {
	mark, text, err := splice.Body(file)
	if err != nil {
		return nil, splice.Undo{}, err
	}
	out, undo, err := splicePut(f, text, op)
	if err != nil || undo.Kept {
		return file, undo, err
	}
	if err := proved(f, text, out, op, undo, false); err != nil {
		return nil, undo, err
	}
	return append(bytes.Clone(mark), out...), undo, nil
}

// take takes an op out of a file's bytes. The note says what of it was not
// there any more, or stays.
func take(f Format, file []byte, p placed) (out []byte, note string, err error) {
	if p.Undo.Kept {
		return file, "", nil
	}
	mark, text, err := splice.Body(file)
	if err != nil {
		return nil, "", err
	}
	res, note, err := spliceTake(f, text, p)
	if err != nil {
		return nil, "", err
	}
	if !bytes.Equal(res, text) && note == "" {
		if err := proved(f, text, res, p.Op, p.Undo, true); err != nil {
			return nil, "", err
		}
	}
	return append(bytes.Clone(mark), res...), note, nil
}

func splicePut(f Format, text []byte, op Op) ([]byte, splice.Undo, error) {
	if !json.Valid(op.Value) || !utf8.Valid(op.Value) || slices.ContainsFunc(op.Path, func(k string) bool { return !utf8.ValidString(k) }) {
		return nil, splice.Undo{}, fmt.Errorf("the op %q at %q is no JSON in UTF-8", op.Kind, op.Path)
	}
	if op.Kind == Line && f == Lines {
		return putLine(text, op)
	}
	if len(op.Path) > 0 {
		switch {
		case f == JSON && op.Kind == Set:
			return jsontext.Set(text, op.Path, op.Value, op.Existing)
		case f == JSON && op.Kind == Append:
			return jsontext.Append(text, op.Path, op.Value, op.Existing)
		case f == TOML && op.Kind == Set:
			return tomltext.Set(text, op.Path, op.Value, op.Existing)
		case f == TOML && op.Kind == Append:
			return tomltext.Append(text, op.Path, op.Value, op.Existing)
		case f == TOML && op.Kind == Table:
			return tomltext.Table(text, op.Path, op.Value)
		}
	}
	return nil, splice.Undo{}, fmt.Errorf("a %s file cannot be edited by the op %q at %q", f, op.Kind, op.Path)
}

func spliceTake(f Format, text []byte, p placed) ([]byte, string, error) {
	switch {
	case f == Lines:
		return takeLine(text, p)
	case f == JSON && p.Kind == Set:
		return jsontext.UndoSet(text, p.Path, p.Value, p.Undo)
	case f == JSON && p.Kind == Append:
		return jsontext.UndoAppend(text, p.Path, p.Value, p.Undo)
	case f == TOML && p.Kind == Set:
		return tomltext.UndoSet(text, p.Path, p.Value, p.Undo)
	case f == TOML && p.Kind == Append:
		return tomltext.UndoAppend(text, p.Path, p.Value, p.Undo)
	case f == TOML && p.Kind == Table:
		return tomltext.UndoTable(text, p.Path, p.Value, p.Undo)
	}
	return nil, "", fmt.Errorf("a %s file cannot hold the op %q", f, p.Kind)
}

// decode is what a text means.
func decode(f Format, text []byte) (any, error) {
	switch f {
	case JSON:
		return jsontext.Tree(text)
	case TOML:
		return tomltext.Tree(text)
	}
	return nil, fmt.Errorf("%s is no format with a meaning", f)
}

// blank reports whether nothing is left in a file that only we wrote to.
func blank(f Format, file []byte) bool {
	_, text, err := splice.Body(file)
	switch {
	case err != nil:
		return false
	case f == JSON:
		return jsontext.Empty(text)
	}
	return splice.Blank(text)
}

// proved compares what two texts mean: they differ by the op alone. That they
// do not would be a fault of the splicing, which must not reach a file.
func proved(f Format, before, after []byte, op Op, u splice.Undo, taken bool) error {
	if f == Lines {
		return nil
	}
	from, err := decode(f, before)
	if err != nil {
		return err
	}
	to, err := decode(f, after)
	if err != nil {
		return fmt.Errorf("internal: splicing %s at %q would break the file: %w", op.Kind, op.Path, err)
	}
	if taken {
		from, to = to, from // taking out is putting in, read backwards
	}
	want, err := valueOf(f, op.Value)
	if err != nil {
		return err
	}
	if op.Kind == Append {
		from, err = appended(from, to, op.Path, want)
	} else {
		from, err = assigned(from, op.Path, want)
	}
	if err != nil || !reflect.DeepEqual(from, to) {
		return fmt.Errorf("internal: splicing %s at %q would change more than it should", op.Kind, op.Path)
	}
	return nil
}

func valueOf(f Format, raw json.RawMessage) (any, error) {
	if f == TOML {
		return tomltext.Value(raw)
	}
	return jsontext.Tree(raw)
}
