package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// raw is a JSON value that stays where it was read. Unlike json.RawMessage it
// is no copy, which is sound because every line is read into memory of its own.
type raw []byte

// UnmarshalJSON keeps b, clipped so that no append can reach what follows it.
func (r *raw) UnmarshalJSON(b []byte) error {
	*r = b[:len(b):len(b)]
	return nil
}

func (r raw) present() bool { return len(r) > 0 && string(r) != "null" }

type envelope struct {
	ID     raw    `json:"id"`
	Method string `json:"method"`
	Params raw    `json:"params"`
	Result raw    `json:"result"`
	Error  raw    `json:"error"`
}

// parseError reads an error object. One that is malformed keeps its text.
func parseError(b []byte) *Error {
	e := new(Error)
	if err := json.Unmarshal(b, e); err != nil {
		return &Error{Code: CodeInternal, Message: string(b)}
	}
	return e
}

// requestLine is a request, or a notification when id is empty.
func requestLine(id, method string, params json.RawMessage) []byte {
	b := make([]byte, 0, len(params)+len(method)+len(id)+48)
	b = append(b, `{"jsonrpc":"2.0"`...)
	if id != "" {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(append(b, `,"method":`...), quote(method)...)
	if len(params) > 0 {
		b = append(append(b, `,"params":`...), oneLine(params)...)
	}
	return append(b, '}', '\n')
}

func responseLine(id, result json.RawMessage, err error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if len(result) == 0 {
		result = json.RawMessage("{}")
	}
	key, value := `,"result":`, result
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = Errorf(CodeInternal, "%v", err)
		}
		key, value = `,"error":`, e.encode()
	}
	b := make([]byte, 0, len(value)+len(id)+48)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(append(b, id...), key...)
	return append(append(b, oneLine(value)...), '}', '\n')
}

func (e *Error) encode() []byte {
	b, err := json.Marshal(e)
	if err != nil { // Data is no JSON
		b, _ = json.Marshal(Error{Code: e.Code, Message: e.Message})
	}
	return b
}

// oneLine returns a JSON value without line breaks, which JSON allows between
// its tokens only.
func oneLine(v []byte) []byte {
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 {
		return v
	}
	var b bytes.Buffer
	if err := json.Compact(&b, v); err != nil {
		return bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, v)
	}
	return b.Bytes()
}

func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic("rpc: a string always marshals: " + err.Error())
	}
	return b
}
