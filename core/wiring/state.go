package wiring

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ctx-sidecar/ctx/core/file"
)

// snapshot is a file's bytes and mode; a nil *snapshot is a file that is not
// there.
type snapshot struct {
	Bytes []byte      `json:"bytes"` // base64 in JSON
	Mode  fs.FileMode `json:"mode"`
}

// look reads the file that a write to path would replace.
func look(path string) (target string, now *snapshot, err error) {
	if target, err = file.Target(path); err != nil {
		return "", nil, err
	}
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return target, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if !info.Mode().IsRegular() {
		return "", nil, &FileError{Path: path, Msg: "is " + what(info.Mode()) + ", not a file", hint: "move it away, then run the command again; nothing was changed"}
	}
	b, err := file.Read(target)
	if err != nil {
		return "", nil, err
	}
	return target, &snapshot{b, info.Mode().Perm()}, nil
}

func what(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// same compares what two snapshots hold. Modes are not ours to watch.
func (s *snapshot) same(o *snapshot) bool {
	if s == nil || o == nil {
		return s == o
	}
	return bytes.Equal(s.Bytes, o.Bytes)
}

// text is the bytes, none of a file that is not there.
func (s *snapshot) text() []byte {
	if s == nil {
		return nil
	}
	return s.Bytes
}

// sum is the SHA-256 in hex, "" of a file that is not there.
func (s *snapshot) sum() string {
	if s == nil {
		return ""
	}
	sum := sha256.Sum256(s.Bytes)
	return hex.EncodeToString(sum[:])
}

// write makes the file at path hold the snapshot, or be gone.
func (s *snapshot) write(path string) error {
	if s != nil {
		return file.Write(path, s.Bytes, s.Mode)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what ctx made: %w", err)
	}
	return nil
}
