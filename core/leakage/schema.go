package leakage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// mostTexts bounds what is looked at of one schema.
const mostTexts = 2000

// schemaTexts are all strings of a schema, names of properties among them, each
// with its path.
func schemaTexts(field string, schema json.RawMessage) []text {
	if len(schema) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	var out []text
	if err := walk(dec, field, &out); err != nil && err != io.EOF {
		return out // what came before is a text all the same
	}
	return out
}

func walk(dec *json.Decoder, path string, out *[]text) error {
	// Enough is an end for all callers: whoever returned from within an object or
	// a list to go on after it would read on within.
	if len(*out) >= mostTexts {
		return io.EOF
	}
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case string:
		*out = append(*out, text{path, v})
	case json.Delim:
		for i := 0; dec.More(); i++ {
			child := path + "." + strconv.Itoa(i)
			if v == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				name, ok := key.(string)
				if !ok {
					return fmt.Errorf("%s: %v is no name of a member", path, key)
				}
				child = path + "." + name
				if last(path) == "properties" {
					*out = append(*out, text{child + "#name", name})
				}
			}
			if err := walk(dec, child, out); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	}
	return err
}

func last(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i+1:]
		}
	}
	return path
}
