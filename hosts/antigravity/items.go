package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// items are the skills, rules and instruction files. What Antigravity sends of
// them is not measured; a skill is priced as its name and description.
func (r *reader) items(home, workspace string) []surface.Item {
	var items []surface.Item
	for _, dir := range []struct {
		path  string
		scope surface.Scope
	}{
		{filepath.Join(configDir(home), "skills"), surface.ScopeUser},
		{filepath.Join(workspace, ".agents", "skills"), surface.ScopeProject},
	} {
		r.files = append(r.files, dir.path)
		files, _ := filepath.Glob(filepath.Join(dir.path, "*", "SKILL.md")) // fails for a bad pattern alone
		for _, file := range files {
			if item, ok := r.skill(file); ok {
				item.Provider = string(dir.scope)
				items = append(items, item)
			}
		}
	}
	for _, file := range []struct {
		pattern string
		scope   surface.Scope
	}{
		{filepath.Join(configDir(home), "AGENTS.md"), surface.ScopeUser},
		{filepath.Join(configDir(home), "GEMINI.md"), surface.ScopeUser},
		{filepath.Join(workspace, "AGENTS.md"), surface.ScopeProject},
		{filepath.Join(workspace, "GEMINI.md"), surface.ScopeProject},
		{filepath.Join(workspace, ".agents", "rules", "*.md"), surface.ScopeProject},
	} {
		r.files = append(r.files, strings.TrimSuffix(file.pattern, string(filepath.Separator)+"*.md"))
		found, _ := filepath.Glob(file.pattern)
		for _, path := range found {
			info, err := os.Stat(path)
			if err != nil || info.IsDir() || info.Size() == 0 {
				continue
			}
			items = append(items, surface.Item{
				Kind:     surface.KindInstructions,
				Provider: string(file.scope),
				Name:     filepath.Base(path),
				Place:    surface.Place{File: path},
				Resident: int(info.Size()),
			})
		}
	}
	return items
}

// detail adds the texts of the items, and the workflows, which only the user
// starts.
func (r *reader) detail(items []surface.Item, home, workspace string) []surface.Item {
	for i := range items {
		if it := &items[i]; it.Kind == surface.KindInstructions {
			b, err := file.Read(it.Place.File)
			if err != nil {
				r.warn("%v", err)
				continue
			}
			it.Text = string(b)
		}
	}
	for _, dir := range []struct {
		path  string
		scope surface.Scope
	}{
		{filepath.Join(configDir(home), "global_workflows"), surface.ScopeUser},
		{filepath.Join(workspace, ".agents", "workflows"), surface.ScopeProject},
	} {
		found, _ := filepath.Glob(filepath.Join(dir.path, "*.md")) // fails for a bad pattern alone
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				items = append(items, surface.Item{
					Kind: surface.KindCommand, Provider: string(dir.scope), Name: strings.TrimSuffix(filepath.Base(path), ".md"),
					Place: surface.Place{File: path}, OnDemand: int(info.Size()),
				})
			}
		}
	}
	return items
}

func (r *reader) skill(path string) (surface.Item, bool) {
	r.files = append(r.files, path)
	text, err := file.Read(path)
	if err != nil {
		r.warn("%v", err)
		return surface.Item{}, false
	}
	var meta struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	plain := bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	if rest, ok := bytes.CutPrefix(plain, []byte("---\n")); ok {
		head, _, _ := bytes.Cut(rest, []byte("\n---"))
		if err := yaml.Unmarshal(head, &meta); err != nil {
			r.warn("%s: front matter: %v", path, err)
			return surface.Item{
				Kind: surface.KindSkill, Name: filepath.Base(filepath.Dir(path)), Place: surface.Place{File: path},
				OnDemand: len(text), Unmeasured: "its front matter cannot be read",
			}, true
		}
	}
	if meta.Name == "" {
		meta.Name = filepath.Base(filepath.Dir(path))
	}
	return surface.Item{
		Kind:     surface.KindSkill,
		Name:     meta.Name,
		Place:    surface.Place{File: path},
		Resident: len(meta.Name) + len(meta.Description),
		OnDemand: len(text),
		Text:     meta.Name + meta.Description,
	}, true
}
