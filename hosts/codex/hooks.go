package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// hookGroup is one entry of an event, in hooks.json and in [hooks] alike.
type hookGroup struct {
	Matcher  string        `json:"matcher"`
	Handlers []hookHandler `json:"hooks"`
}

type hookHandler struct {
	Type   string `json:"type"`
	Server string `json:"server"` // of type mcp_tool
}

// hooksFile is the file beside a config.toml in which hooks stand as JSON.
func hooksFile(dir string) string { return filepath.Join(dir, "hooks.json") }

// hookGroups reads the hooks of every layer, by the file that they stand in.
func (s *settings) hookGroups() map[string][]hookGroup {
	all := map[string][]hookGroup{}
	for _, l := range s.layers {
		if hooks, ok := l.values["hooks"]; ok {
			// A TOML table and a JSON object have the same shape here.
			if b, err := json.Marshal(map[string]any{"hooks": hooks}); err == nil {
				all[l.file] = parseHooks(b)
			}
		}
		file := hooksFile(filepath.Dir(l.file))
		if groups := s.readHooks(file); groups != nil {
			all[file] = groups
		}
	}
	if file := hooksFile(s.home); all[file] == nil {
		all[file] = s.readHooks(file) // there need be no config.toml
	}
	return all
}

func (s *settings) readHooks(file string) []hookGroup {
	s.files = append(s.files, file)
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	var wrong *json.SyntaxError
	if err := json.Unmarshal(b, new(any)); errors.As(err, &wrong) {
		before := b[:min(int(wrong.Offset), len(b))]
		line := 1 + bytes.Count(before, []byte("\n"))
		s.warn(fmt.Sprintf("%s:%d:%d: %v", file, line, len(before)-bytes.LastIndexByte(before, '\n')-1, err))
		return nil
	}
	return parseHooks(b)
}

// parseHooks reads what it can; entries of [hooks] that are no events, such as
// the record of trust, have another shape and are passed over.
func parseHooks(b []byte) []hookGroup {
	var file struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if json.Unmarshal(b, &file) != nil {
		return nil
	}
	groups := []hookGroup{}
	for _, raw := range file.Hooks {
		var of []hookGroup
		if json.Unmarshal(raw, &of) == nil {
			groups = append(groups, of...)
		}
	}
	return groups
}
