package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
)

// hookGroup is one entry of an event, in hooks.json and in [hooks] alike.
type hookGroup struct {
	Event    string        `json:"-"`
	Matcher  string        `json:"matcher"`
	Handlers []hookHandler `json:"hooks"`
}

type hookHandler struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Server  string `json:"server"` // of type mcp_tool
}

// hooksFile is the file beside a config.toml in which hooks stand as JSON.
func hooksFile(dir string) string { return filepath.Join(dir, "hooks.json") }

// hookGroups reads the hooks of every layer, by the file that they stand in.
func (s *settings) hookGroups() map[string][]hookGroup {
	if s.hooks != nil {
		return s.hooks
	}
	all := map[string][]hookGroup{}
	s.hooks = all
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
	if !slices.Contains(s.files, hooksFile(s.home)) {
		all[hooksFile(s.home)] = s.readHooks(hooksFile(s.home)) // there need be no config.toml
	}
	return all
}

// readHooks reads a hooks.json as strictly as Codex does, which passes over a
// file with comments, a byte order mark or keys of others.
func (s *settings) readHooks(path string) []hookGroup {
	s.files = append(s.files, path)
	b, err := file.Read(path)
	if err != nil {
		return nil
	}
	if problem := hooksProblem(path, b); problem != "" {
		s.warn(problem)
		return nil
	}
	return parseHooks(b)
}

// hooksProblem says why Codex would not read the text of a hooks.json, "" where
// it does.
func hooksProblem(file string, text []byte) string {
	var keys map[string]json.RawMessage
	var wrong *json.SyntaxError
	switch err := json.Unmarshal(text, &keys); {
	case errors.As(err, &wrong):
		before := text[:min(int(wrong.Offset), len(text))]
		line := 1 + bytes.Count(before, []byte("\n"))
		column := len(before) - bytes.LastIndexByte(before, '\n') - 1
		return fmt.Sprintf("%s:%d:%d: %v; Codex runs none of its hooks", file, line, column, err)
	case err != nil:
		return fmt.Sprintf("%s: %v; Codex runs none of its hooks", file, err)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if key != "hooks" && key != "description" {
			return fmt.Sprintf("%s: unknown key %q; Codex runs none of its hooks", file, key)
		}
	}
	return ""
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
	for _, event := range slices.Sorted(maps.Keys(file.Hooks)) {
		var of []hookGroup
		if json.Unmarshal(file.Hooks[event], &of) != nil {
			continue
		}
		for i := range of {
			of[i].Event = event
		}
		groups = append(groups, of...)
	}
	return groups
}
