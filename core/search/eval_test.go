package search_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/search"
)

// dataDir is where the public evaluation sets are, or skips the test.
func dataDir(t testing.TB) string {
	t.Helper()
	dir := cmp.Or(os.Getenv("CTX_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no evaluation data: %v (set CTX_DATA)", err)
	}
	return dir
}

func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var row T
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func readTools(t testing.TB, path string) []listing.Tool {
	var tools []listing.Tool
	for _, raw := range lines[json.RawMessage](t, path) {
		var row struct {
			Server string `json:"server"`
		}
		if err := json.Unmarshal(raw, &row); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, listing.Listing{Server: row.Server, Tools: []json.RawMessage{raw}}.Parse()...)
	}
	return tools
}

type query struct {
	Query  string `json:"query"`
	Labels []struct {
		Tool      string `json:"tool"`
		Relevance int    `json:"relevance"`
	} `json:"labels"`
}

// measure returns the mean share of relevant tools among the first five, and
// the mean reciprocal rank of the first relevant one.
func measure(x *search.Index, tools []listing.Tool, queries []query) (recall5, mrr float64) {
	for _, q := range queries {
		relevant := map[string]bool{}
		for _, l := range q.Labels {
			if l.Relevance > 0 {
				relevant[l.Tool] = true
			}
		}
		first := 0
		for rank, h := range x.Search(q.Query, len(tools)) {
			if !relevant[tools[h.Doc].ID()] {
				continue
			}
			if rank < 5 {
				recall5 += 1 / float64(len(relevant))
			}
			if first == 0 {
				first = rank + 1
				mrr += 1 / float64(first)
			}
		}
	}
	n := float64(len(queries))
	return recall5 / n, mrr / n
}

func TestFindsWhatPeopleAskForInTheirOwnWords(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	for set, want := range map[string][2]float64{"coding": {0.70, 0.60}, "metatool": {0.58, 0.48}} {
		tools := readTools(t, filepath.Join(dir, "retrieval", set+"_tools.jsonl"))
		queries := lines[query](t, filepath.Join(dir, "retrieval", set+"_queries.jsonl"))
		r5, mrr := measure(search.Tools(tools), tools, queries)
		t.Logf("%s: R@5 %.3f, MRR %.3f", set, r5, mrr)
		if r5 < want[0] || mrr < want[1] {
			t.Errorf("%s: R@5 %.3f, MRR %.3f; want at least %.2f, %.2f", set, r5, mrr, want[0], want[1])
		}
	}
}
