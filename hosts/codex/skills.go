package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// skills are the skills that Codex knows: its own, the project's, the user's.
func (s *settings) skills(home string) []skill {
	type root struct {
		dir, provider string
		rank          int
	}
	roots := []root{
		{filepath.Join(s.home, "skills"), string(surface.ScopeUser), 2},
		{filepath.Join(home, ".agents", "skills"), string(surface.ScopeUser), 2},
		{filepath.Join(s.home, "skills", ".system"), hostName, 0},
	}
	for _, dir := range s.folders {
		roots = append(roots,
			root{filepath.Join(dir, ".codex", "skills"), string(surface.ScopeProject), 1},
			root{filepath.Join(dir, ".agents", "skills"), string(surface.ScopeProject), 1},
		)
	}
	off := s.disabledSkills()
	seen := map[string]bool{}
	var found []skill
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
			if k, ok := s.skill(file, "", fmt.Sprintf("r%d/%s", i, rel)); ok {
				k.item.Provider, k.rank = root.provider, root.rank
				found = append(found, k)
			}
		}
	}
	return found
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

// skill reads a skill. Codex leaves out a file without front matter and a skill
// that only the user may start.
func (s *settings) skill(path, prefix, short string) (skill, bool) {
	text, err := file.Read(path)
	if err != nil {
		s.warn(err.Error())
		return skill{}, false
	}
	head, ok := frontMatter(text)
	if !ok {
		return skill{}, false
	}
	meta, err := parseFront(head)
	if err != nil {
		s.warn(fmt.Sprintf("%s: front matter: %v", path, err))
		return skill{}, false
	}
	if meta.Name == "" {
		meta.Name = filepath.Base(filepath.Dir(path))
	}
	return skill{
		item: surface.Item{
			Kind:     surface.KindSkill,
			Name:     prefix + meta.Name,
			Place:    surface.Place{File: path},
			OnDemand: len(text),
		},
		description: strings.Join(strings.Fields(meta.Description), " "),
		short:       short,
		told:        !manual(path),
		names:       string(bytes.Join(mcpWord.FindAll(text, -1), []byte(" "))),
	}, true
}

var mcpWord = regexp.MustCompile(`mcp__[A-Za-z0-9_]+`)

type front struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

// parseFront reads front matter as Codex does, which forgives a colon that
// should have been quoted.
func parseFront(head []byte) (front, error) {
	var meta front
	err := yaml.Unmarshal(head, &meta)
	if err == nil {
		return meta, nil
	}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "'") {
			return front{}, err // what is quoted and wrong is wrong to Codex too
		}
		switch key {
		case "name":
			meta.Name = value
		case "description":
			meta.Description = value
		}
	}
	if meta.Description == "" {
		return front{}, err
	}
	return meta, nil
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
