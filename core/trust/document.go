package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/file"
)

const schema = "ctx.trust/v1"

// document is the file's content.
type document struct {
	Schema  string               `json:"schema"`
	Plugins map[string]Pin       `json:"plugins,omitempty"` // by name
	Servers map[string]*record   `json:"servers,omitempty"` // by ServerID
	Pending map[string]waiting   `json:"pending,omitempty"` // by ServerID
	Calls   map[string]call      `json:"calls,omitempty"`   // by code
	Hashes  map[string]knownHash `json:"hashes,omitempty"`  // by path
}

func (d *document) encode() ([]byte, error) {
	d.Schema = schema
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	return append(b, '\n'), nil
}

// badFileError says that the file can be of no use to anybody, by name and line.
type badFileError struct{ msg string }

func (e *badFileError) Error() string { return e.msg }

// read returns the document, an empty one where there is no file.
func read(path string) (document, error) {
	f, info, err := file.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document{}, nil
	case errors.Is(err, fs.ErrPermission):
		return document{}, &badFileError{err.Error()}
	case errors.Is(err, file.ErrNotRegular), errors.Is(err, syscall.EISDIR):
		return document{}, &badFileError{path + ": not a file"}
	case err != nil: // out of descriptors, say: the file may be perfectly good
		return document{}, err
	}
	defer f.Close()
	if info.Size() > file.Most {
		return document{}, &badFileError{fmt.Sprintf("%s: it is over %d bytes", path, file.Most)}
	}
	if err := errors.Join(Ours(info), untracked(path)); err != nil {
		return document{}, fmt.Errorf("%s: %w", path, err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return document{}, err
	}
	return decode(path, b)
}

func decode(path string, b []byte) (document, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	var d document
	if err := json.Unmarshal(b, &head); err != nil {
		return d, &badFileError{fmt.Sprintf("%s:%d: %v", path, lineOf(b, err), err)}
	}
	if head.Schema != schema {
		return d, &badFileError{fmt.Sprintf("%s:1: schema %q, where this version knows %q", path, head.Schema, schema)}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return document{}, &badFileError{fmt.Sprintf("%s:%d: %v", path, lineOf(b, err), err)}
	}
	for id, r := range d.Servers {
		if r == nil {
			delete(d.Servers, id)
		}
	}
	return d, nil
}

func lineOf(b []byte, err error) int {
	offset := int64(len(b))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	return 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
}
