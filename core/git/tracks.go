// Package git reads what git keeps about a work tree. It starts no process: it
// is asked in hooks, and about repositories that may configure programs for git
// to run.
package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Tracks reports whether the git repository around path has that file, or a file
// below that folder, on record, which is to say that whoever wrote the repository
// wrote it. Outside of a work tree nothing is tracked. An index that cannot be
// read is an error.
func Tracks(path string) (bool, error) {
	root, gitdir, ok := gitDir(filepath.Dir(path))
	if !ok {
		return false, nil
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false, err
	}
	// A split index keeps most of its entries in a second file.
	files, _ := filepath.Glob(filepath.Join(gitdir, "sharedindex.*")) // the pattern is good
	for _, name := range append(files, filepath.Join(gitdir, "index")) {
		b, err := file.ReadUpTo(name, 1<<30)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		tracked, err := indexHas(b, filepath.ToSlash(rel))
		if tracked || err != nil {
			return tracked, err
		}
	}
	return false, nil
}

// gitDir finds the work tree around dir and the folder of its index
// (gitrepository-layout(5)).
func gitDir(dir string) (root, gitdir string, ok bool) {
	for ; ; dir = filepath.Dir(dir) {
		gitdir = filepath.Join(dir, ".git")
		info, err := os.Stat(gitdir)
		if err == nil && info.IsDir() {
			return dir, gitdir, true
		}
		if err == nil {
			b, err := file.Read(gitdir)
			to, found := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
			if err != nil || !found {
				return "", "", false
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return dir, to, true
		}
		if dir == filepath.Dir(dir) {
			return "", "", false
		}
	}
}

var errIndex = errors.New("the git index has an unknown format")

// indexHas reports whether a git index (gitformat-index(5)) has an entry at path
// or below it. Case is ignored, as some file systems do.
func indexHas(b []byte, path string) (bool, error) {
	var err error
	for _, hash := range []int{20, 32} { // the size follows from no field: try SHA-1, then SHA-256
		found := false
		err = indexNames(b, hash, func(name []byte) bool {
			found = len(name) >= len(path) && strings.EqualFold(string(name[:len(path)]), path) &&
				(len(name) == len(path) || name[len(path)] == '/')
			return !found
		})
		if found || err == nil {
			return found, nil
		}
	}
	return false, err
}

func indexNames(b []byte, hash int, yield func([]byte) bool) error {
	if len(b) < 12 || string(b[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	var name []byte
	for pos := 12; count > 0; count-- {
		start := pos
		pos += 40 + hash
		if pos+4 > len(b) {
			return errIndex
		}
		flags := binary.BigEndian.Uint16(b[pos:])
		pos += 2
		if version >= 3 && flags&0x4000 != 0 {
			pos += 2
		}
		keep := 0
		if version == 4 { // the end of the name before is replaced
			strip, n := offset(b[pos:])
			if n == 0 || strip > len(name) {
				return errIndex
			}
			pos += n
			keep = len(name) - strip
		}
		end := bytes.IndexByte(b[pos:], 0)
		if end < 0 {
			return errIndex
		}
		name = append(name[:keep], b[pos:pos+end]...)
		if length := int(flags & 0xfff); length != 0xfff && length != len(name) {
			return errIndex
		}
		if !yield(name) {
			return nil
		}
		pos += end + 1
		if version < 4 {
			pos = start + (pos-start+7)/8*8
		}
	}
	return nil
}

// offset reads git's variable-width integer and its length, 0 for none.
func offset(b []byte) (value, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		value |= int(c & 0x7f)
		n++
		if c&0x80 == 0 {
			return value, n
		}
		value = (value + 1) << 7
	}
	return 0, 0
}
