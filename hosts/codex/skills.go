package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// These bound the search for SKILL.md below a folder of skills, as Codex's own.
const (
	skillDepth       = 6
	mostSkillFolders = 2000
)

// skills are the skills that Codex lists to the model, one line each, in every
// request; the model reads the rest of a SKILL.md when it needs it.
func (s *settings) skills(home string) []surface.Item {
	roots := []struct{ dir, provider string }{
		{filepath.Join(s.home, "skills"), string(surface.ScopeUser)},
		{filepath.Join(home, ".agents", "skills"), string(surface.ScopeUser)},
		{filepath.Join(s.home, "skills", ".system"), hostName},
	}
	for _, dir := range s.folders {
		roots = append(roots,
			struct{ dir, provider string }{filepath.Join(dir, ".codex", "skills"), string(surface.ScopeProject)},
			struct{ dir, provider string }{filepath.Join(dir, ".agents", "skills"), string(surface.ScopeProject)},
		)
	}
	off := s.disabledSkills()
	seen := map[string]bool{}
	var items []surface.Item
	for i, root := range roots {
		s.files = append(s.files, root.dir)
		for _, file := range findSkills(root.dir) {
			real := paths.Real(file)
			if seen[real] || off[real] {
				continue
			}
			seen[real] = true
			s.files = append(s.files, file)
			rel, _ := filepath.Rel(root.dir, file)
			if item, ok := s.skill(file, "", fmt.Sprintf("r%d/%s", i, rel)); ok {
				item.Provider = root.provider
				items = append(items, item)
			}
		}
	}
	return items
}

// findSkills lists the SKILL.md files below dir, those of a folder before those
// of folders in it. Links to folders are followed, once to each folder, for they
// may lead anywhere and back; names that begin with a dot are not.
func findSkills(dir string) []string {
	type folder struct {
		path  string
		depth int
	}
	var files []string
	seen := map[string]bool{paths.Real(dir): true}
	for queue := []folder{{dir, 1}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		entries, err := os.ReadDir(at.path)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(at.path, e.Name())
			switch {
			case e.Name() == "SKILL.md":
				files = append(files, path)
			case strings.HasPrefix(e.Name(), "."), at.depth == skillDepth, len(seen) == mostSkillFolders:
			case e.IsDir() || e.Type() == fs.ModeSymlink:
				if real := paths.Real(path); !seen[real] {
					seen[real] = true
					queue = append(queue, folder{path, at.depth + 1})
				}
			}
		}
	}
	return files
}

// skill prices a skill as the line that Codex sends for it: its name behind a
// plugin's prefix, its description and the short form of its path. Codex leaves
// out a file without front matter and a skill that only the user may start.
func (s *settings) skill(path, prefix, short string) (surface.Item, bool) {
	text, err := file.Read(path)
	if err != nil {
		s.warn(err.Error())
		return surface.Item{}, false
	}
	head, ok := frontMatter(text)
	if !ok {
		return surface.Item{}, false
	}
	var meta struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal(head, &meta); err != nil {
		s.warn(fmt.Sprintf("%s: front matter: %v", path, err))
		return surface.Item{}, false
	}
	if meta.Name == "" {
		meta.Name = filepath.Base(filepath.Dir(path))
	}
	meta.Name = prefix + meta.Name
	item := surface.Item{
		Kind:     surface.KindSkill,
		Name:     meta.Name,
		Place:    surface.Place{File: path},
		OnDemand: len(text),
	}
	if !manual(path) {
		description := strings.Join(strings.Fields(meta.Description), " ")
		item.Resident = len(fmt.Sprintf("- %s: %s (file: %s)\n", meta.Name, description, short))
	}
	return item, true
}

// manual reports whether the file beside a skill keeps it from the model's list.
func manual(path string) bool {
	b, err := file.Read(filepath.Join(filepath.Dir(path), "agents", "openai.yaml"))
	if err != nil {
		return false
	}
	var meta struct {
		Policy struct {
			Implicit *bool `yaml:"allow_implicit_invocation"`
		} `yaml:"policy"`
	}
	err = yaml.Unmarshal(b, &meta)
	return err == nil && meta.Policy.Implicit != nil && !*meta.Policy.Implicit
}

func frontMatter(text []byte) ([]byte, bool) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, false
	}
	head, _, ok := bytes.Cut(rest, []byte("\n---"))
	return head, ok
}

// disabledSkills are the SKILL.md files that [[skills.config]] switches off.
func (s *settings) disabledSkills() map[string]bool {
	off := map[string]bool{}
	list, _ := s.root.at("skills", "config").list()
	for _, v := range list {
		entry, _ := v.(map[string]any)
		path, _ := entry["path"].(string)
		if enabled, ok := entry["enabled"].(bool); ok && !enabled && path != "" {
			off[paths.Real(path)] = true
		}
	}
	return off
}
