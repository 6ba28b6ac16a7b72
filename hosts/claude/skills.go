package main

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// What Claude Code's list of skills and commands may hold: one description at
// most descriptionCap characters, all together a hundredth of a context of a
// million tokens. Its own skills take ownSkills of that and are never cut.
const (
	descriptionCap = 1536
	listBudget     = 30_000
	ownSkills      = 6_200
)

// listed is one line of that list: "- NAME: DESCRIPTION".
type listed struct {
	kind        surface.Kind
	shelf       shelf
	name        string
	description string // "" where the model is not told of it
	told        bool
	path        string
	size        int
}

// bare is the line without a description, in bytes with its end.
func (l listed) bare() int { return len("- ") + len(l.name) + len("\n") }

// readSkills prices skills and commands, which share one list. What no longer
// fits into its budget is listed by name alone.
func (r *reader) readSkills() {
	var all []listed
	for _, s := range r.shelves() {
		all = append(all, r.skillsOf(s)...)
		all = append(all, r.commandsOf(s)...)
	}
	left := r.skillBudget()
	for _, l := range all {
		if l.told {
			left -= l.bare()
		}
	}
	for _, l := range all {
		line := ""
		if l.told {
			line = "- " + l.name
			if more := len(": ") + len(l.description); l.description != "" && more <= left {
				left -= more
				line += ": " + l.description
			}
			line += "\n"
		}
		r.addItem(surface.Item{Kind: l.kind, Provider: l.shelf.provider, Name: l.name, OnDemand: l.size}, l.path, line)
	}
}

func (r *reader) skillBudget() int {
	if n, err := strconv.Atoi(r.lookup("SLASH_COMMAND_TOOL_CHAR_BUDGET")); err == nil && n > 0 {
		return n - ownSkills
	}
	if f := r.setting("skillListingBudgetFraction").number(); f > 0 {
		return int(f*100*listBudget) - ownSkills
	}
	return listBudget - ownSkills
}

// skillsOf reads DIR/skills/NAME/SKILL.md.
func (r *reader) skillsOf(s shelf) []listed {
	var all []listed
	dir := filepath.Join(s.dir, "skills")
	for _, e := range r.list(dir) {
		path := filepath.Join(dir, e.Name(), "SKILL.md")
		f, body, size, ok := r.front(path)
		if !ok {
			continue
		}
		l := r.listed(surface.KindSkill, s, e.Name(), path, f, body, size)
		l.override(r.overridden(s, e.Name()))
		if n := string(f.Name); n != "" && n != e.Name() {
			l.name += " (" + n + ")"
		}
		all = append(all, l)
	}
	return all
}

// commandsOf reads DIR/commands/**/NAME.md; folders become "folder:name".
func (r *reader) commandsOf(s shelf) []listed {
	var all []listed
	root := filepath.Join(s.dir, "commands")
	r.walk(root, func(path, rel string) {
		if f, body, size, ok := r.front(path); ok {
			name := strings.ReplaceAll(strings.TrimSuffix(rel, ".md"), "/", ":")
			l := r.listed(surface.KindCommand, s, name, path, f, body, size)
			l.override(r.overridden(s, name))
			all = append(all, l)
		}
	})
	return all
}

func (r *reader) listed(kind surface.Kind, s shelf, name, path string, f front, body []byte, size int) listed {
	description := strings.TrimSpace(string(f.Description))
	if description == "" {
		description = firstLine(body)
	}
	if when := strings.TrimSpace(string(f.WhenToUse)); when != "" {
		description += " - " + when
	}
	return listed{
		kind: kind, shelf: s, name: s.prefix + name, path: path, size: size,
		told: !f.hidden(), description: capped(description),
	}
}

// override applies what skillOverrides says.
func (l *listed) override(how string) {
	switch how {
	case "off", userOnly:
		l.told = false
	case "name-only":
		l.description = ""
	}
}

// capped cuts a description where Claude Code does, which counts UTF-16 units.
func capped(s string) string {
	units := utf16.Encode([]rune(s))
	if len(units) <= descriptionCap {
		return s
	}
	return string(utf16.Decode(units[:descriptionCap-1])) + "…"
}

// firstLine describes a skill that does not describe itself.
func firstLine(body []byte) string {
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); line != "" {
			return line
		}
	}
	return ""
}

// front reads the front matter of a file and notes the servers that it names.
func (r *reader) front(path string) (f front, body []byte, size int, ok bool) {
	r.note(path)
	head, size, ok := r.head(path, frontLimit)
	if !ok {
		return front{}, nil, 0, false
	}
	r.textMentions(path, head)
	matter, body, line := splitFront(head)
	f, err := parseFront(matter, line)
	if err != nil {
		r.warn("%s:%v", path, err)
	}
	return f, body, size, true
}

// walk visits the Markdown files below a folder in the order of their paths;
// rel has slashes.
func (r *reader) walk(root string, visit func(path, rel string)) {
	r.note(root)
	var files []string
	// What cannot be read is not there for Claude Code either.
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if e.IsDir() {
			r.note(path)
		} else if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	for _, path := range files {
		if rel, err := filepath.Rel(root, path); err == nil {
			visit(path, filepath.ToSlash(rel))
		}
	}
}
