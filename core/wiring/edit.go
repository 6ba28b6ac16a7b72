// Package wiring changes the configuration files of hosts and puts them back.
// A file is never rewritten: text is spliced into it, every changed file's
// first bytes and every value put in are kept, and undoing takes out exactly
// what was put in.
package wiring

import (
	"encoding/json"
	"io/fs"
)

// Format says how a file's text is spliced.
type Format string

const (
	JSON  Format = "json"  // JSON, with comments and trailing commas tolerated
	TOML  Format = "toml"  // TOML 1.0
	Lines Format = "lines" // plain lines, such as .git/info/exclude
	Whole Format = "whole" // a file that is ours from the first byte to the last
)

// Edit is what one file must come to hold. Edits are declared by a host's
// adapter and carried out, recorded and undone here.
type Edit struct {
	Path    string      `json:"path"` // absolute
	Format  Format      `json:"format"`
	Ops     []Op        `json:"ops,omitempty"`     // for JSON, TOML and Lines
	Content []byte      `json:"content,omitempty"` // for Whole
	Mode    fs.FileMode `json:"mode,omitempty"`    // of a new file; 0: 0644
	Why     string      `json:"why"`               // one line, shown above the diff

	// Exclude asks that a file created inside a git work tree is kept out of
	// the user's commits through .git/info/exclude.
	Exclude bool `json:"exclude,omitempty"`

	// Tracked refuses the edit, with this hint, when git tracks the file;
	// "" lets it through.
	Tracked string `json:"tracked,omitempty"`
}

// OpKind is a kind of splice.
type OpKind string

const (
	// Set gives the key at Path the Value, inside the table or object that
	// already holds it where there is one, making the missing ones.
	Set OpKind = "set"
	// Append adds Value as the last element of the array at Path (TOML: of the
	// array of tables), making it where it is missing. An equal element that is
	// already there is left alone.
	Append OpKind = "append"
	// Table adds a whole new table at the end of the file (TOML alone). Another
	// table of that name which the user has is an error; an equal one is left
	// alone.
	Table OpKind = "table"
	// Line adds one line, whose text is the JSON string Value, at the end of a
	// Lines file.
	Line OpKind = "line"
)

// Op is one splice.
type Op struct {
	Kind  OpKind          `json:"kind"`
	Path  []string        `json:"path,omitempty"` // keys from the root
	Value json.RawMessage `json:"value"`
	// Existing is true where the op may only touch a table or object that the
	// user's own file defines; when it is missing the whole plan fails.
	Existing bool `json:"existing,omitempty"`
}
