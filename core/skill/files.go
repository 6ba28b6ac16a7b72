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

// Sizes of a look into a workspace. A prompt waits for it.
const (
	mostEntries = 4000      // of folders, for one check
	mostRead    = 200       // files, for one check
	mostFile    = 256 << 10 // bytes read of each
	mostDepth   = 8         // folders below the working folder
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

// tree looks at files below a folder. Links that lead out of it are not
// followed.
type tree struct {
	ctx  context.Context
	root *os.Root
	left int // entries that may still be looked at
}

// within opens a folder for one check.
func within(ctx context.Context, dir string, look func(*tree) bool) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false // no folder: nothing is in it
	}
	defer root.Close()
	return look(&tree{ctx, root, mostEntries})
}

// has reports whether anything has a path that fits the glob. "**" stands for
// any number of folders.
func (t *tree) has(glob string) bool {
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
	for _, e := range t.entries(dir) {
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

// entries are those of a folder, as far as they may be looked at.
func (t *tree) entries(dir string) []fs.DirEntry {
	if t.left <= 0 || t.ctx.Err() != nil {
		return nil
	}
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(t.left) // what could be read is looked at
	t.left -= len(list)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// grep reports whether a file holds what re matches. glob, "" for every file,
// is about names where it has no slash, and else about paths; the files nearest
// to the folder are read first.
func (t *tree) grep(re *regexp.Regexp, glob string) bool {
	read := 0
	for queue := []string{"."}; len(queue) > 0; queue = queue[1:] {
		for _, e := range t.entries(queue[0]) {
			name := path.Join(queue[0], e.Name())
			if walked(e) && strings.Count(name, "/") < mostDepth {
				queue = append(queue, name)
			}
			if e.IsDir() || glob != "" && !named(glob, name) {
				continue
			}
			if read++; read > mostRead || t.ctx.Err() != nil {
				return false
			}
			if re.Match(t.read(name)) {
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
