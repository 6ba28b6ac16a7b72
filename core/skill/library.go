package skill

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Sizes of what is read.
const (
	mostBytes   = 1 << 20 // of a SKILL.md
	mostFolders = 2000    // of a root
)

// settled is how long a file must have been left alone before its stamp is
// believed; see the clock of file systems.
const settled = 2 * time.Second

// Library is the skills of some roots while their files change. Its methods may
// be called concurrently.
type Library struct {
	roots func() []Root

	mu    sync.Mutex
	files map[string]*known // by the path of SKILL.md
	last  *Catalog
}

// known is what a file said when it was read.
type known struct {
	stamp    trust.Stamp
	believed bool
	root     Root
	skill    Skill
	problems []Problem
	seen     bool
}

// NewLibrary returns the library of roots, the first of which wins where two
// have a skill of one name. roots is called with each reading. Nothing is read
// yet.
func NewLibrary(roots func() []Root) *Library {
	return &Library{roots: roots, files: map[string]*known{}}
}

// Roots are the places of a user's skills in order of priority: the taps', the
// workspace's, the user's own and those of plugin folders.
func Roots(taps []tap.Tap, l paths.Layout, workspace string, plugins []Root) []Root {
	var list []Root
	for _, t := range taps {
		list = append(list, Root{filepath.Join(t.Path, "skills"), FromTap, t.Name})
	}
	for i, dir := range l.Skills(workspace) {
		origin := FromUser
		if workspace != "" && i == 0 {
			origin = FromWorkspace
		}
		list = append(list, Root{dir, origin, ""})
	}
	return append(list, plugins...)
}

// Any reports whether there may be a skill, at the price of a look at each root.
func Any(roots []Root) bool {
	return slices.ContainsFunc(roots, func(r Root) bool {
		f, err := openFolder(r.Dir)
		if err != nil {
			return false
		}
		defer f.Close()
		names, err := f.Readdirnames(1)
		return err == nil && len(names) > 0
	})
}

// Load reads again what has changed on disk. A file that cannot be used any more
// keeps what it said before. Where nothing has changed, the catalog is the one of
// the last reading.
func (l *Library) Load() *Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []*known
	var problems []Problem
	fresh := l.last == nil
	for _, r := range l.roots() {
		names, more := folders(r)
		problems = append(problems, more...)
		for _, name := range names {
			k, changed := l.read(r, name)
			if k == nil {
				continue
			}
			fresh = fresh || changed
			found = append(found, k)
		}
	}
	for path, k := range l.files {
		if !k.seen {
			delete(l.files, path)
			fresh = true
		}
		k.seen = false
	}
	if !fresh && slices.EqualFunc(found, l.last.known, func(a, b *known) bool { return a == b }) && len(problems) == len(l.last.roots) {
		return l.last
	}
	l.last = newCatalog(found, problems)
	return l.last
}

// folders are the names below a root that may be skills. Links are followed;
// there is no deeper level, so that they lead nowhere twice.
func folders(r Root) (names []string, problems []Problem) {
	f, err := openFolder(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []fs.DirEntry
	if err == nil {
		defer f.Close()
		list, err = f.ReadDir(mostFolders + 1)
	}
	switch {
	case err != nil && len(list) == 0 && err.Error() != "EOF":
		return nil, []Problem{{File: r.Dir, Severity: tap.Error, Rule: "unreadable", Text: reason(err)}}
	case len(list) > mostFolders:
		list = list[:mostFolders]
		problems = append(problems, Problem{File: r.Dir, Severity: tap.Warning, Rule: "too-many", Text: "it has over 2000 entries; the others are passed over"})
	}
	for _, e := range list {
		if e.Name()[0] != '.' && (e.IsDir() || e.Type() == fs.ModeSymlink) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, problems
}

// read returns what a folder's SKILL.md says now, nil where it has none;
// changed tells that it did not say so before.
func (l *Library) read(r Root, name string) (k *known, changed bool) {
	s := newSkill(r, name)
	info, err := os.Stat(s.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	k = l.files[s.File]
	var stamp trust.Stamp
	if err == nil {
		stamp = trust.StampOf(info)
		if k != nil && k.believed && k.stamp == stamp && k.root == r {
			k.seen = true
			return k, false
		}
	}
	before := k
	k = &known{stamp: stamp, root: r, seen: true}
	l.files[s.File] = k
	var b []byte
	if err == nil {
		k.believed = time.Since(info.ModTime()) > settled
		b, err = file.ReadUpTo(s.File, mostBytes)
	}
	if err != nil {
		k.believed = false
		s.Name, s.Broken = name, "it cannot be read: "+reason(err)
		k.skill = s
		k.problems = []Problem{{File: s.File, Severity: tap.Error, Rule: "unreadable", Text: reason(err)}}
	} else {
		s.real = paths.Real(s.File)
		k.skill, k.problems = parse(s, string(b))
	}
	if k.skill.Broken != "" && before != nil && before.root == r && before.skill.Broken == "" {
		k.skill = before.skill
	}
	return k, true
}

// reason is an error without the path, which whoever reports it names.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// OfTap reads the skills of one tap's folder.
func OfTap(dir string) *Catalog {
	return NewLibrary(func() []Root { return []Root{{Dir: filepath.Join(dir, "skills"), Origin: FromTap}} }).Load()
}
