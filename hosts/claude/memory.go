package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// What Claude Code writes above each instruction file, by its origin.
const (
	labelUser    = "user's private global instructions for all projects"
	labelProject = "project instructions, checked into the codebase"
	labelLocal   = "user's private project instructions, not checked in"
	labelManaged = "organization-managed policy instructions"
)

// importDepth is how many files may import one another in a row.
const importDepth = 5

// mostMemory is how many bytes of instructions are searched for comments and
// imports. A longer file counts as it stands: searching megabytes takes seconds,
// and nobody's instructions are that long.
const mostMemory = 512 << 10

// memory reads the chain of instruction files of one session.
type memory struct {
	*reader
	seen map[string]bool
	// outside is true where files beyond the session's folder may be imported.
	outside bool
	// without are the files that the user keeps out.
	without []*regexp.Regexp
	sent    int // files that are part of every request
}

// memoryHead and memoryEnd are what Claude Code writes around all instruction
// files together.
const (
	memoryHead = "<system-reminder>\nCodebase and user instructions are shown below. Be sure to adhere to these instructions. " +
		"IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow them exactly as written.\n\n"
	memoryEnd = "</system-reminder>"
)

// readMemory prices CLAUDE.md and its relatives: the administrator's, the
// user's, then from the top of the file system down to the session's folder, each
// followed by its rules and imports. A CLAUDE.md below that folder is read when
// the model goes there.
func (r *reader) readMemory() {
	m := memory{reader: r, seen: make(map[string]bool)}
	approved := r.project().get("hasClaudeMdExternalIncludesApproved").isTrue()

	m.outside = true
	m.file(filepath.Join(r.managed, "CLAUDE.md"), string(surface.ScopeManaged), labelManaged, 1)
	m.rules(filepath.Join(r.managed, ".claude", "rules"), string(surface.ScopeManaged), labelManaged)
	m.without = r.excludes()
	user := string(surface.ScopeUser)
	m.file(filepath.Join(r.config, "CLAUDE.md"), user, labelUser, 1)
	m.rules(filepath.Join(r.config, "rules"), user, labelUser)

	m.outside = approved
	project, local := string(surface.ScopeProject), string(surface.ScopeLocal)
	dirs := ancestors(r.launch)
	slices.Reverse(dirs)
	own := 0 // of the project's own files, rules apart
	file := func(path, scope, label string) {
		before := m.sent
		m.file(path, scope, label, 1)
		own += m.sent - before
	}
	for _, dir := range dirs {
		file(filepath.Join(dir, "CLAUDE.md"), project, labelProject)
		if dot := filepath.Join(dir, ".claude"); dot != r.config {
			file(filepath.Join(dot, "CLAUDE.md"), project, labelProject)
			m.rules(filepath.Join(dot, "rules"), project, labelProject)
		}
		file(filepath.Join(dir, "CLAUDE.local.md"), local, labelLocal)
	}
	// Where the project has no words for Claude Code, those for every agent count.
	for _, dir := range dirs {
		for _, path := range []string{filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, ".claude", "AGENTS.md")} {
			switch {
			case own == 0:
				m.file(path, project, labelProject, 1)
			case r.detail && exists(path):
				m.addItem(surface.Item{
					Kind: surface.KindInstructions, Provider: project, Name: m.short(path),
					NotLoaded: "not loaded by Claude Code beside a CLAUDE.md",
				}, path, "")
			}
		}
	}
	m.automatic()
	if m.sent > 0 {
		r.out.Frames = append(r.out.Frames, surface.Frame{Kind: surface.KindInstructions, Text: memoryHead + memoryEnd})
	}
	if r.detail {
		m.below()
	}
}

// rules adds the rule files that hold everywhere; those with paths wait for a
// file that matches.
func (m *memory) rules(dir, provider, label string) {
	if !exists(dir) {
		m.note(dir)
		return
	}
	m.walk(dir, func(path, _ string) {
		head, size, ok := m.head(path, frontLimit)
		if !ok {
			return
		}
		matter, _, line := splitFront(head)
		f, err := parseFront(matter, line)
		if err != nil {
			m.warn("%s:%v", path, err)
		}
		if !f.Paths.IsZero() {
			m.note(path)
			m.addItem(surface.Item{Kind: surface.KindInstructions, Provider: provider, Name: m.short(path), OnDemand: size}, path, "")
			return
		}
		m.file(path, provider, label, 1)
	})
}

func (m *memory) file(path, provider, label string, depth int) {
	if m.seen[path] || slices.ContainsFunc(m.without, func(re *regexp.Regexp) bool { return re.MatchString(path) }) {
		return
	}
	m.seen[path] = true
	m.note(path)
	src, err := file.Read(path)
	if err != nil {
		return // most of the chain is absent
	}
	_, body, _ := splitFront(src)
	if len(body) <= mostMemory {
		body = blockComment.ReplaceAll(body, nil)
	}
	body = bytes.TrimSpace(body)
	if len(body) > 0 {
		m.sent++
		text := "Contents of " + path + " (" + label + "):\n\n" + string(body) + "\n\n"
		m.addItem(surface.Item{Kind: surface.KindInstructions, Provider: provider, Name: m.short(path)}, path, text)
	}
	if depth == importDepth || len(body) > mostMemory {
		return
	}
	for _, target := range imports(body) {
		if to, ok := m.resolve(target, filepath.Dir(path)); ok {
			m.file(to, provider, label, depth+1)
		}
	}
}

// resolve finds the file that an import means; a project may import from
// within the session's folder alone, unless the user agreed to more.
func (m *memory) resolve(target, dir string) (string, bool) {
	target, _, _ = strings.Cut(target, "#")
	switch {
	case target == "":
		return "", false
	case strings.HasPrefix(target, "~/"):
		target = filepath.Join(m.home, target[2:])
	case !filepath.IsAbs(target):
		target = filepath.Join(dir, target)
	}
	if !m.outside && !within(m.launch, target) {
		return "", false
	}
	info, err := os.Stat(target)
	return target, err == nil && info.Mode().IsRegular() && importable(target)
}

// importable keeps pictures and archives out of the instructions.
func importable(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".pdf", ".zip", ".gz", ".tar",
		".mp3", ".mp4", ".mov", ".wav", ".woff", ".woff2", ".ttf", ".exe", ".dll", ".so", ".bin", ".wasm":
		return false
	}
	return true
}

var (
	blockComment = regexp.MustCompile(`(?ms)^<!--.*?-->[ \t]*\n?`)
	codeFence    = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[^\n]*$|^[ \t]*~~~.*?^[ \t]*~~~[^\n]*$")
	codeSpan     = regexp.MustCompile("`[^`\n]*`")
	indented     = regexp.MustCompile(`(?m)^(?: {4}|\t).*$`)
	importMark   = regexp.MustCompile(`(?:^|\s)@((?:[^\s\\]|\\ )+)`)
)

// imports lists what a file imports with @PATH, outside of code.
func imports(src []byte) []string {
	for _, code := range []*regexp.Regexp{codeFence, indented, codeSpan} {
		src = code.ReplaceAll(src, nil)
	}
	var targets []string
	for _, m := range importMark.FindAllSubmatch(src, -1) {
		targets = append(targets, strings.ReplaceAll(string(m[1]), `\ `, " "))
	}
	return targets
}
