package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// mostSummary is how many bytes of a call's arguments a question shows: what
	// a dialog has room for.
	mostSummary = 600
	// leastValue is what a value is shown of, however many there are. A path, an
	// address or a name mostly fits.
	leastValue = 40
	// mostShown is how many bytes of them are kept for the user to read.
	mostShown = 64 << 10
)

// argument is one member of a call's arguments.
type argument struct {
	name  string // as it is shown
	value string // likewise, and whole
	size  int    // bytes of the value itself
}

// argumentsOf reads the arguments of a call for the user's eyes, sorted by name.
// Arguments that are no object, which is the server's to refuse, are one without
// a name.
//
// An object that has two members of one name is an error, however deep it is:
// servers differ in which of them they take, so that nobody can say what such a
// call would do.
func argumentsOf(raw json.RawMessage) ([]argument, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	if err := distinct(json.NewDecoder(bytes.NewReader(raw))); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	object, ok := v.(map[string]any)
	if !ok {
		return []argument{newArgument("", v)}, nil
	}
	all := make([]argument, 0, len(object))
	for name, v := range object {
		all = append(all, newArgument(shownName(name)+"=", v))
	}
	slices.SortFunc(all, func(a, b argument) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

func newArgument(name string, v any) argument {
	text := string(encode(v))
	a := argument{name, visible(text), len(text)}
	if s, ok := v.(string); ok {
		a.size = len(s)
	}
	return a
}

// distinct reports a name that stands twice in an object of the next value of d.
func distinct(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	object := token == json.Delim('{')
	if !object && token != json.Delim('[') {
		return nil
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if object {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if seen[name] {
				return fmt.Errorf("an object in its arguments has two members %q", line(fmt.Sprint(name), 100))
			}
			seen[name] = true
		}
		if err := distinct(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// errTooMany says that a user could not be shown what a call would do.
var errTooMany = errors.New("it has more arguments than the user can be shown at once")

// show lists arguments, each with its name, in about room bytes: short values
// whole and first, so that no long one hides them, and long ones without their
// middle. Where not even a little of each has room, that is an error.
func show(all []argument, room int) ([]string, error) {
	least := 0
	for _, a := range all {
		room -= len(a.name) + 1
		least += len(a.name) + 1 + min(len(a.value), leastValue)
	}
	if least > 2*mostSummary {
		return nil, errTooMany
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b argument) int { return cmp.Compare(len(a.value), len(b.value)) })
	lines := make([]string, len(all))
	for i, a := range all {
		value := shorten(a, max(room/(len(all)-i), leastValue))
		lines[i] = a.name + value
		room -= len(value)
	}
	return lines, nil
}

// shorten takes the middle out of a value that is longer than most bytes and
// says how large it is.
func shorten(a argument, most int) string {
	if len(a.value) <= most {
		return a.value
	}
	mark := fmt.Sprintf("…(%d bytes)…", a.size)
	half := max(most-len(mark), 0) / 2
	return a.value[:boundary(a.value, half)] + mark + a.value[boundary(a.value, len(a.value)-half):]
}

// boundary is the last place in the text of a JSON value, at most at, that is
// within no character and no escape. A quote that has lost its backslash would
// end a string, and what follows read as another argument.
func boundary(text string, at int) int {
	for i := 0; ; {
		_, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case strings.HasPrefix(text[i:], `\u`):
			n = len(`\u0000`)
		case strings.HasPrefix(text[i:], `\`):
			n = len(`\n`)
		}
		if n == 0 || i+n > at {
			return i
		}
		i += n
	}
}

// shownName is a name as it is shown: like a word where it is one, and else in
// quotes, so that no name can read as an argument with its value.
func shownName(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$") == "" {
		return name
	}
	return visible(string(encode(name)))
}

// visible writes every character of a JSON value that has no glyph as an escape:
// what the user does not see would be called all the same.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
