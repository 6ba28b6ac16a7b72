package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
)

// transcriptTail bounds how much of a transcript is read, from its end.
const transcriptTail = 1 << 20

// record is one line of a transcript, as far as it concerns us. The format is
// not documented; lines stand in the order in which steps ended.
type record struct {
	Step    int             `json:"step_index"`
	Source  string          `json:"source"` // USER_EXPLICIT, MODEL, SYSTEM
	Type    string          `json:"type"`   // USER_INPUT, PLANNER_RESPONSE, GENERIC, CHECKPOINT
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (r record) fromUser() bool {
	return r.Type == "USER_INPUT" || r.Type == "" && (r.Source == "USER_EXPLICIT" || r.Role == "user")
}

func (r record) fromModel() bool {
	return r.Source == "MODEL" || r.Source == "" && (r.Type == "PLANNER_RESPONSE" || r.Role == "assistant")
}

// unanswered is what the user wrote last, "" where that cannot be told. A
// message that the model has begun to answer is of an earlier turn: the one that
// is meant is not written down yet.
func unanswered(file string) string {
	text, step, answer := "", -1, -1
	for line := range bytes.Lines(tail(file, transcriptTail)) {
		var r record
		switch {
		case json.Unmarshal(line, &r) != nil:
		case r.fromModel():
			answer = max(answer, r.Step)
		case r.fromUser() && r.Step >= step:
			if s := request(r.Content); s != "" {
				text, step = s, r.Step
			}
		}
	}
	if answer > step {
		return ""
	}
	return text
}

// request is the text of a message without what the host wraps around it.
func request(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) != nil {
		return ""
	}
	if _, rest, ok := strings.Cut(s, "<USER_REQUEST>"); ok {
		s, _, _ = strings.Cut(rest, "</USER_REQUEST>")
	}
	return strings.TrimSpace(s)
}

// tail reads the last n bytes of a file, without the line that it cuts into.
func tail(file string, n int64) []byte {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would hang
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := max(0, info.Size()-n)
	b, err := io.ReadAll(io.NewSectionReader(f, start, n))
	if err != nil {
		return nil
	}
	if start > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b
}
