// Package jsonc parses JSON in which comments and trailing commas are tolerated,
// from files that anybody may have written.
package jsonc

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// Deepest is how many levels of brackets are followed, as many as by
// encoding/json. The parser calls itself for every level, and a stack that
// overflows ends the process, which no deferred call can prevent.
const Deepest = 10_000

// Parse is [hujson.Parse] for text that nests at most [Deepest] levels; the
// error for deeper text is worded as its own are.
func Parse(src []byte) (hujson.Value, error) {
	if at := TooDeep(src); at >= 0 {
		line := 1 + bytes.Count(src[:at], []byte("\n"))
		column := at - bytes.LastIndexByte(src[:at], '\n')
		return hujson.Value{}, fmt.Errorf("hujson: line %d, column %d: nested deeper than %d levels", line, column, Deepest)
	}
	return hujson.Parse(src)
}

// TooDeep is the byte offset of the first bracket beyond [Deepest], -1 where
// there is none.
func TooDeep(src []byte) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			i = endOfString(src, i)
		case c == '/' && bytes.HasPrefix(src[i:], []byte("//")):
			i = skipTo(src, i+2, "\n")
		case c == '/' && bytes.HasPrefix(src[i:], []byte("/*")):
			i = skipTo(src, i+2, "*/")
		case c == '{' || c == '[':
			if depth++; depth > Deepest {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// endOfString is the offset of the quote that ends the string at start.
func endOfString(src []byte, start int) int {
	for i := start + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src)
}

// skipTo is the offset of the last byte of the next end.
func skipTo(src []byte, start int, end string) int {
	if n := bytes.Index(src[start:], []byte(end)); n >= 0 {
		return start + n + len(end) - 1
	}
	return len(src)
}
