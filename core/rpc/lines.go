package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// MaxLine is the longest message, in bytes, that is read. It is far above any
// result that a host accepts and bounds what a runaway server can cost.
const MaxLine = 256 << 20

// ErrLineTooLong ends a conversation whose other end sent more than [MaxLine]
// bytes without a line break.
var ErrLineTooLong = fmt.Errorf("a line is longer than %d MiB", MaxLine>>20)

// lines reads a stream line by line.
type lines struct {
	r   *bufio.Reader
	max int
}

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, 32<<10), max: MaxLine}
}

// next returns the next line that is not blank, without surrounding space, in
// memory of its own. Bytes that are no UTF-8 are replaced, since a strict host
// would drop the whole connection over them. A last line without a line break
// counts.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		if !utf8.Valid(line) {
			line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
		}
		return line, nil // an error is met again by the next read
	}
}

func (l *lines) read() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.Clone(part), err
	}
	var line bytes.Buffer
	for errors.Is(err, bufio.ErrBufferFull) {
		line.Write(part)
		if line.Len() > l.max {
			return nil, ErrLineTooLong
		}
		part, err = l.r.ReadSlice('\n')
	}
	line.Write(part)
	return line.Bytes(), err
}
