package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Most is how many bytes of a configuration or instruction file are read. A
// repository may bring one of any size.
const Most = 16 << 20

// ErrNotRegular is a named pipe, a device or a socket where a file is expected.
var ErrNotRegular = errors.New("it is not a regular file")

// Read returns the bytes of a regular file that has at most [Most] of them. It
// waits for nobody: a named pipe or a device, which a repository or an archive
// can put in the place of any file, is an error that wraps [ErrNotRegular].
func Read(path string) ([]byte, error) { return ReadUpTo(path, Most) }

// ReadUpTo is [Read] with a limit of its own, in bytes.
func ReadUpTo(path string, most int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, tooLarge(path, most)
	}
	b := make([]byte, 0, info.Size()+1)
	for { // it may grow meanwhile
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		case int64(len(b)) > most:
			return nil, tooLarge(path, most)
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

// Open opens a regular file for reading; anything else is an error, as of [Read].
func Open(path string) (*os.File, fs.FileInfo, error) {
	// Opening some devices does something already, so they are not opened.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	// It may have been replaced in between.
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	return nil
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is over %d bytes", most)}
}
