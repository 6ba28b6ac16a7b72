package leakage

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
)

// What is looked at of a workspace, so that a large one costs no more than a
// moment: enough to find what it is worked in.
const (
	mostEntries   = 20_000
	deepest       = 8
	mostManifests = 64
	mostManifest  = 256 << 10 // bytes of one
)

// Look finds the languages and manifests of a workspace. What git ignores by a
// plain name, what is hidden and what package managers put there is passed over,
// and so is what cannot be read. It stops early when ctx ends.
func Look(ctx context.Context, dir, role string) Workspace {
	l := look{dir: dir, languages: map[string]bool{}, seen: map[string]bool{}, ignored: ignored(dir), named: map[string]bool{}}
	_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if l.entries++; l.entries > mostEntries || ctx.Err() != nil {
			return fs.SkipAll
		}
		rel, relErr := filepath.Rel(dir, p)
		switch {
		case err != nil || relErr != nil || rel == ".":
			return nil
		case e.IsDir():
			if l.skips(e.Name()) || strings.Count(rel, string(filepath.Separator)) >= deepest {
				return fs.SkipDir
			}
			l.file(filepath.ToSlash(rel)) // a project may be a folder
		case e.Type().IsRegular():
			l.file(filepath.ToSlash(rel))
		}
		return nil
	})
	w := Workspace{Role: role, Manifests: l.manifests}
	for name := range l.languages {
		w.Languages = append(w.Languages, name)
	}
	for name := range l.named {
		w.Named = append(w.Named, name)
	}
	slices.Sort(w.Languages)
	slices.Sort(w.Manifests)
	slices.Sort(w.Named)
	return w
}

// look is one walk.
type look struct {
	dir       string
	entries   int
	ignored   map[string]bool
	languages map[string]bool
	manifests []string
	seen      map[string]bool // base names and extensions that have been judged
	read      int
	named     map[string]bool
}

func (l *look) skips(name string) bool {
	return strings.HasPrefix(name, ".") || brought[name] || l.ignored[name]
}

// file takes in one file. Of those that are called the same, or end alike and
// are nothing else, the first one speaks for all.
func (l *look) file(rel string) {
	base := strings.ToLower(path.Base(rel))
	end := path.Ext(base)
	if language, ok := languages[end]; ok {
		l.languages[language] = true
	}
	if language, ok := languages[base]; ok {
		l.languages[language] = true
	}
	if dependencies(base) && l.read < mostManifests {
		l.read++
		l.names(rel)
	}
	key := base
	if !configures[end] {
		key = "*" + end
	}
	if l.seen[key] {
		return
	}
	l.seen[key] = true
	if dependencies(base) || slices.ContainsFunc(fields, func(f field) bool { return f.builtWith(rel) }) {
		l.manifests = append(l.manifests, rel)
	}
}

// names notes the words of fields that a manifest names.
func (l *look) names(rel string) {
	full := filepath.Join(l.dir, filepath.FromSlash(rel))
	if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() || info.Size() > mostManifest {
		return
	}
	b, err := file.Read(full)
	if err != nil {
		return
	}
	known := strongWords()
	for _, word := range plainWords(string(b)) {
		if known[word] {
			l.named[word] = true
		}
	}
}

// ignored are the plain names of a workspace's .gitignore, which say what is no
// work of anybody's wherever it lies.
func ignored(dir string) map[string]bool {
	names := map[string]bool{}
	b, err := file.Read(filepath.Join(dir, ".gitignore"))
	if err != nil || len(b) > mostManifest {
		return names
	}
	for line := range strings.Lines(string(b)) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		if line != "" && !strings.ContainsAny(line, "*?[!#/\\") {
			names[line] = true
		}
	}
	return names
}
