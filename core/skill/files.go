package skill

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Sizes of a look into a workspace, for all checks of a prompt together. The
// prompt waits for it.
const (
	mostEntries = 1000      // of folders
	mostRead    = 100       // files
	mostFile    = 256 << 10 // bytes of each
	mostDepth   = 4         // folders below the working folder
)

// checkGlob refuses a path that leads out of the working folder.
func checkGlob(glob string) error {
	glob = strings.TrimSuffix(filepath.ToSlash(glob), "/")
	if _, err := path.Match(glob, ""); err != nil {
		return err
	}
	if path.IsAbs(glob) || slices.Contains(strings.Split(glob, "/"), "..") {
		return errors.New("it leads out of the working folder")
	}
	return nil
}

// tree looks at files below a folder, at each once. Links that lead out of it
// are not followed.
type tree struct {
	ctx     context.Context
	root    *os.Root // nil where there is no folder
	entries int      // that may still be looked at
	reads   int      // likewise, files
	folders map[string][]fs.DirEntry
	texts   map[string][]byte
}

// openTree opens a folder. It is to be closed.
func openTree(ctx context.Context, dir string) *tree {
	root, _ := os.OpenRoot(dir) // what cannot be opened holds nothing
	return &tree{ctx, root, mostEntries, mostRead, map[string][]fs.DirEntry{}, map[string][]byte{}}
}

func (t *tree) close() {
	if t.root != nil {
		t.root.Close()
	}
}

// has reports whether anything has a path that fits the glob. "**" stands for
// any number of folders.
func (t *tree) has(glob string) bool {
	if t.root == nil || t.ctx.Err() != nil {
		return false
	}
	glob = strings.TrimSuffix(filepath.ToSlash(glob), "/")
	if !strings.ContainsAny(glob, "*?[\\") {
		_, err := t.root.Stat(filepath.FromSlash(glob))
		return err == nil
	}
	return t.find(".", strings.Split(glob, "/"), 0)
}

func (t *tree) find(dir string, parts []string, depth int) bool {
	if depth > mostDepth {
		return false
	}
	part, rest := parts[0], parts[1:]
	for _, e := range t.list(dir) {
		below := path.Join(dir, e.Name())
		if part == "**" {
			if len(rest) == 0 || t.fits(below, e, rest, depth) || walked(e) && t.find(below, parts, depth+1) {
				return true
			}
			continue
		}
		if t.fits(below, e, parts, depth) {
			return true
		}
	}
	return false
}

// fits reports whether an entry is what parts lead to, or leads there.
func (t *tree) fits(name string, e fs.DirEntry, parts []string, depth int) bool {
	if ok, _ := path.Match(parts[0], e.Name()); !ok {
		return false
	}
	if len(parts) == 1 {
		return true
	}
	return (e.IsDir() || e.Type() == fs.ModeSymlink) && t.find(name, parts[1:], depth+1)
}

// walked reports whether a folder is the user's own work.
func walked(e fs.DirEntry) bool {
	return e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" && e.Name() != "vendor" && e.Name() != "target"
}

// list is what is in a folder, as far as it may be looked at.
func (t *tree) list(dir string) []fs.DirEntry {
	list, looked := t.folders[dir]
	if looked || t.root == nil || t.entries <= 0 || t.ctx.Err() != nil {
		return list
	}
	list = t.look(dir)
	t.folders[dir] = list
	return list
}

func (t *tree) look(dir string) []fs.DirEntry {
	f, err := t.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|folder, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(t.entries) // what could be read is looked at
	t.entries -= len(list)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// grep reports whether a file holds what re matches. glob, "" for every file,
// is about names where it has no slash, and else about paths; the files nearest
// to the folder are read first.
func (t *tree) grep(re *regexp.Regexp, glob string) bool {
	for queue := []string{"."}; len(queue) > 0; queue = queue[1:] {
		for _, e := range t.list(queue[0]) {
			name := path.Join(queue[0], e.Name())
			if walked(e) && strings.Count(name, "/") < mostDepth {
				queue = append(queue, name)
			}
			if e.IsDir() || glob != "" && !named(glob, name) {
				continue
			}
			if t.ctx.Err() != nil {
				return false
			}
			if re.Match(t.text(name)) {
				return true
			}
		}
	}
	return false
}

func named(glob, name string) bool {
	if !strings.Contains(glob, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(glob, name)
	return ok
}

// text is the beginning of a file.
func (t *tree) text(name string) []byte {
	b, looked := t.texts[name]
	if !looked && t.reads > 0 {
		t.reads--
		b = t.read(name)
		t.texts[name] = b
	}
	return b
}

// read returns the beginning of a regular file, nothing of any other: to open a
// pipe may take forever.
func (t *tree) read(name string) []byte {
	info, err := t.root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := t.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, mostFile))
	return b
}
