// Package conversation reads the files in which hosts keep their conversations:
// many, long, and written to while they are read.
package conversation

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	most = 256 << 20 // bytes of all conversations that are read, the newest first

	// MostLine is the longest line that is read, in bytes.
	MostLine = 8 << 20
)

// File is one conversation.
type File struct {
	Path string
	Size int64
	At   time.Time // of the last change
}

// Newest lists the .jsonl files below folders, the newest first, as many as are
// read, and says what is left out, "" where nothing is. What cannot be read has
// not been seen.
func Newest(dirs ...string) (files []File, left string) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
				return nil
			}
			if info, err := d.Info(); err == nil {
				files = append(files, File{path, info.Size(), info.ModTime()})
			}
			return nil
		})
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Path, b.Path)) })
	sum := int64(0)
	for i, f := range files {
		if sum += f.Size; sum > most {
			return files[:i], fmt.Sprintf("use before %s: more than %d MiB of conversations", f.At.Format(time.DateOnly), most>>20)
		}
	}
	return files, ""
}

// Lines calls f for every line of a file until it returns false. Of a line that
// is too long it is given nothing.
func Lines(path string, f func(line []byte) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 64<<10)
	for {
		line, err := readLine(r)
		if !f(line) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > MostLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
