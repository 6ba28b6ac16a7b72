package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// pruneAbove is the size in bytes from which it pays to prune a file.
const pruneAbove = 32 << 10

// prune blanks what is of no use in ~/.claude.json, which grows to megabytes
// with the history of every project: all members but mcpServers and, of
// projects, the one of this session. A blanked value becomes null and spaces,
// with its line breaks, so that every position stays. What is not plain JSON is
// returned as it is, for the parser to complain of.
func prune(src []byte, project string) []byte {
	if len(src) < pruneAbove || !json.Valid(src) {
		return src
	}
	src = slices.Clone(src)
	members(src, 0, func(key string, value []byte) {
		switch key {
		case "mcpServers":
		case "projects":
			if value[0] != '{' {
				return
			}
			members(value, 0, func(key string, value []byte) {
				if key != project {
					blank(value)
				}
			})
		default:
			blank(value)
		}
	})
	return src
}

// blank overwrites a value in place. A short one is left alone.
func blank(value []byte) {
	const null = "null"
	if len(value) < len(null) {
		return
	}
	for i, c := range value {
		if c != '\n' && c != '\r' {
			value[i] = ' '
		}
	}
	copy(value, null)
}

// members visits the members of the object at the first brace of valid JSON.
func members(src []byte, at int, visit func(key string, value []byte)) {
	at += bytes.IndexByte(src[at:], '{')
	if at < 0 || src[at] != '{' {
		return
	}
	for at++; ; at++ { // behind "{" and each ","
		at += spaces(src[at:])
		if src[at] == '}' {
			return
		}
		keyEnd := at + valueLength(src[at:])
		var key string
		if json.Unmarshal(src[at:keyEnd], &key) != nil {
			return
		}
		at = keyEnd + spaces(src[keyEnd:]) + len(":")
		at += spaces(src[at:])
		end := at + valueLength(src[at:])
		visit(key, src[at:end])
		at = end + spaces(src[end:])
		if src[at] == '}' {
			return
		}
	}
}

func spaces(src []byte) int {
	return len(src) - len(bytes.TrimLeft(src, " \t\r\n"))
}

// valueLength is the length of the value at the start of valid JSON.
func valueLength(src []byte) int {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			i += stringLength(src[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']', ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return i // behind a number or a word
			}
			if src[i] == '}' || src[i] == ']' {
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	return len(src)
}

// stringLength is the length of the string at the start, with its quotes.
func stringLength(src []byte) int {
	for i := 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}
