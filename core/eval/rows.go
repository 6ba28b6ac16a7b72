// Package eval measures how well capabilities are chosen, on labelled prompts.
package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Row is a prompt with what it should lead to.
type Row struct {
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Domain string   `json:"domain"` // the session's, "" for none
	Expect []string `json:"expect"` // capabilities that may be activated; none: nothing may
	Kind   string   `json:"kind"`
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// ReadRows reads a file of JSON lines. The error names every line that is no
// row; empty lines are passed over.
func ReadRows(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	defer f.Close()
	var rows []Row
	var wrong []error
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var r Row
		switch err := json.Unmarshal(lines.Bytes(), &r); {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", path, n, err))
		case strings.TrimSpace(r.Text) == "":
			wrong = append(wrong, fmt.Errorf("%s:%d: the row has no text", path, n))
		default:
			rows = append(rows, r)
		}
	}
	if err := lines.Err(); err != nil {
		wrong = append(wrong, fmt.Errorf("%s:%d: %w", path, n+1, err))
	}
	if len(rows) == 0 && wrong == nil {
		wrong = append(wrong, fmt.Errorf("%s has no rows", path))
	}
	return rows, errors.Join(wrong...)
}
