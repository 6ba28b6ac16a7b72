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
}

// readMemory prices CLAUDE.md and its relatives: the user's, then from the top
// of the file system down to the session's folder, each followed by its rules
// and imports. A CLAUDE.md below that folder is read when the model goes there.
func (r *reader) readMemory() {
	m := memory{r, make(map[string]bool), false}
	approved := r.project().get("hasClaudeMdExternalIncludesApproved").isTrue()

	m.outside = true
	user := string(surface.ScopeUser)
	m.file(filepath.Join(r.config, "CLAUDE.md"), user, labelUser, 1)
	m.rules(filepath.Join(r.config, "rules"), user, labelUser)

	m.outside = approved
	project, local := string(surface.ScopeProject), string(surface.ScopeLocal)
	dirs := ancestors(r.launch)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		m.file(filepath.Join(dir, "CLAUDE.md"), project, labelProject, 1)
		if dot := filepath.Join(dir, ".claude"); dot != r.config {
			m.file(filepath.Join(dot, "CLAUDE.md"), project, labelProject, 1)
			m.rules(filepath.Join(dot, "rules"), project, labelProject)
		}
		m.file(filepath.Join(dir, "CLAUDE.local.md"), local, labelLocal, 1)
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
			m.addItem(surface.KindInstructions, provider, m.short(path), path, 0, size)
			return
		}
		m.file(path, provider, label, 1)
	})
}

func (m *memory) file(path, provider, label string, depth int) {
	if m.seen[path] {
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
		resident := len("Contents of  ():\n\n\n\n") + len(path) + len(label) + len(body)
		m.addItem(surface.KindInstructions, provider, m.short(path), path, resident, 0)
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

// readStyle prices the output style in use, when it is one of the user's own.
func (r *reader) readStyle() {
	name := r.setting("outputStyle").text()
	if name == "" {
		return
	}
	for _, s := range r.shelves() {
		r.walk(filepath.Join(s.dir, "output-styles"), func(path, rel string) {
			src, err := file.Read(path)
			if err != nil {
				r.warn("%v", err)
				return
			}
			matter, body, line := splitFront(src)
			f, err := parseFront(matter, line)
			if err != nil {
				r.warn("%s:%v", path, err)
			}
			title := string(f.Name)
			if title == "" {
				title = strings.TrimSuffix(rel, ".md")
			}
			if title == name {
				r.note(path)
				resident := len("# Output Style: \n\n") + len(title) + len(bytes.TrimSpace(body))
				r.addItem(surface.KindInstructions, s.provider, "output style "+title, path, resident, 0)
			}
		})
	}
}
