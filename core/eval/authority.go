package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// Labelled is a tool definition with the authority that a person saw in it.
type Labelled struct {
	Server string
	authority.Definition
	Authority authority.Tier
	Line      int // in its file, from 1
}

// longestTool is the longest definition that is read, in bytes.
const longestTool = 16 << 20

// ReadTools reads a file of labelled tools, JSON lines. The error names every
// line that is none; empty lines are passed over.
func ReadTools(path string) ([]Labelled, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	defer f.Close()
	var tools []Labelled
	var wrong []error
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestTool)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimPrefix(lines.Bytes(), []byte(byteOrderMark))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		t, err := readTool(bytes.Clone(line))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", path, n, err))
			continue
		}
		t.Line = n
		tools = append(tools, t)
	}
	if err := lines.Err(); err != nil {
		wrong = append(wrong, fmt.Errorf("%s:%d: %w", path, n+1, err))
	}
	if len(tools) == 0 && wrong == nil {
		wrong = append(wrong, fmt.Errorf("%s has no tools", path))
	}
	return tools, errors.Join(wrong...)
}

func readTool(line []byte) (Labelled, error) {
	var label struct {
		Server    string  `json:"server"`
		Authority *string `json:"authority"`
	}
	var t Labelled
	if err := json.Unmarshal(line, &label); err != nil {
		return t, err
	}
	if err := json.Unmarshal(line, &t.Definition); err != nil {
		return t, err
	}
	t.Server = label.Server
	switch {
	case strings.TrimSpace(t.Name) == "":
		return t, errors.New(`the tool has no "name"`)
	case label.Authority == nil:
		return t, errors.New(`the tool has no "authority" to compare with`)
	}
	var err error
	t.Authority, err = authority.ParseTier(*label.Authority)
	return t, err
}

// Authority is how well tools are judged.
type Authority struct {
	Rows     int                   `json:"rows"`
	Accuracy float64               `json:"accuracy"` // 0 to 1
	Tiers    map[string]*TierRates `json:"tiers"`    // by the tier's name; all four

	Confusions []Misjudged `json:"confusions"` // the most frequent first
	Wrong      []Wrong     `json:"wrong"`      // in the order of the file
}

// TierRates are the rates of one tier.
type TierRates struct {
	Precision float64 `json:"precision"` // of those judged so, the share that is; 1 when none was
	Recall    float64 `json:"recall"`    // of those that are so, the share judged so; 1 when none is
	Rows      int     `json:"rows"`      // that are so
}

// Misjudged counts the rows of one tier that were taken for another.
type Misjudged struct {
	Is   authority.Tier `json:"is"`
	Got  authority.Tier `json:"got"`
	Rows int            `json:"rows"`
}

// Wrong is one row that was misjudged, with what led there.
type Wrong struct {
	Line   int            `json:"line"`
	Server string         `json:"server"`
	Name   string         `json:"name"`
	Is     authority.Tier `json:"is"`
	authority.Judgement
}

// MeasureAuthority judges labelled tools.
func MeasureAuthority(tools []Labelled) Authority {
	out := Authority{Rows: len(tools), Tiers: map[string]*TierRates{}, Confusions: []Misjudged{}, Wrong: []Wrong{}}
	var table [4][4]int
	right := 0
	for _, t := range tools {
		j := authority.Judge(t.Server, t.Definition)
		table[t.Authority][j.Tier]++
		if j.Tier == t.Authority {
			right++
			continue
		}
		out.Wrong = append(out.Wrong, Wrong{t.Line, t.Server, t.Name, t.Authority, j})
	}
	out.Accuracy = share(right, len(tools))
	for _, is := range authority.Tiers() {
		rows, judged := 0, 0
		for _, other := range authority.Tiers() {
			rows += table[is][other]
			judged += table[other][is]
		}
		out.Tiers[is.String()] = &TierRates{share(table[is][is], judged), share(table[is][is], rows), rows}
	}
	out.Confusions = confusions(table)
	return out
}

func confusions(table [4][4]int) []Misjudged {
	out := []Misjudged{}
	for _, is := range authority.Tiers() {
		for _, got := range authority.Tiers() {
			if n := table[is][got]; n > 0 && is != got {
				out = append(out, Misjudged{is, got, n})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Misjudged) int { return cmp.Compare(b.Rows, a.Rows) })
	return out
}

// share is part of all; nothing of nothing is 1.
func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}
