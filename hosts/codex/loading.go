package main

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// searchModels are the models for which the catalogue built into Codex 0.169.0
// says supports_search_tool. Codex hides MCP tools behind its own search for
// them, and lists every schema for a model that it does not know.
var searchModels = []string{
	"codex-auto-review",
	"gpt-5.5",
	"gpt-5.6-luna",
	"gpt-5.6-sol",
	"gpt-5.6-terra",
	"gpt-6-astra",
	"gpt-6-luna",
	"gpt-6-sol",
	"gpt-6.1-sol",
	"gpt-6.1-terra",
	"gpt-daybreak-blue-latest",
	"gpt-daybreak-red-latest",
}

// loading tells how the configured model is shown MCP tools. Without a
// configured model Codex takes one of its catalogue.
func (s *settings) loading() surface.Loading {
	model := s.text(s.root.at("model"))
	if model == "" || slices.Contains(searchModels, model) || s.catalogued(model) {
		return surface.ServerLines
	}
	return surface.Eager
}

// catalogued looks a model up in the catalogue that Codex fetched for the
// account. A file that is absent or has another shape says nothing.
func (s *settings) catalogued(model string) bool {
	path := filepath.Join(s.home, "models_cache.json")
	s.files = append(s.files, path)
	b, err := file.Read(path)
	if err != nil {
		return false
	}
	var cache struct {
		Models []struct {
			Slug   string `json:"slug"`
			Search bool   `json:"supports_search_tool"`
		} `json:"models"`
	}
	if json.Unmarshal(b, &cache) != nil {
		return false
	}
	for _, m := range cache.Models {
		if m.Slug == model {
			return m.Search
		}
	}
	return false
}
