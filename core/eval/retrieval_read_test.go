package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// expectFaults wants each line of an error to begin with one of wants.
func expectFaults(t *testing.T, path string, err error, wants []string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(wants) {
		t.Errorf("%d faults, want %d:\n%v", len(got), len(wants), err)
		return
	}
	for i, want := range wants {
		if !strings.HasPrefix(got[i], path+want) {
			t.Errorf("got  %s\nwant %s", got[i], path+want)
		}
	}
}

func TestEveryBadToolIsNamedByLineAndColumn(t *testing.T) {
	t.Parallel()
	path := written(t, "\ufeff{\"server\" \"s\"}\n\n"+
		`{"server":"s","name":"fine","description":null,"inputSchema":null,"annotations":null}`+"\r\n"+
		`{"server":"s","name":7}`+"\n"+
		`{"name":"x"}`+"\n"+
		`{"server":"s","name":" "}`+"\n"+
		`{"server":"s","name":"x","inputSchema":[]}`+"\n"+
		`{"server":"s","name":"x","annotations":"none"}`+"\n"+
		`null`+"\n"+
		`["s"]`+"\n"+
		`{"server":"s","name":"x"} {}`+"\n"+
		`{"server":`+"\n")
	tools, _, err := ReadCatalogue(path)
	if len(tools) != 1 || tools[0].ID() != "s:fine" {
		t.Errorf("%v", tools)
	}
	expectFaults(t, path, err, []string{
		`:1:14: invalid character`,
		`:4:22: "name" is to be a string, not number`,
		`:5:1: the tool has no "server"`,
		`:6:1: the tool has no "name"`,
		`:7:1: "inputSchema" is to be an object, not []`,
		`:8:1: "annotations" is to be an object, not "none"`,
		`:9:1: it is no JSON object`,
		`:10:1: it is no JSON object`,
		`:11:27: invalid character`,
		`:12:10: unexpected end`,
	})
}

func TestOfToolsThatShareANameTheFirstCounts(t *testing.T) {
	t.Parallel()
	path := written(t, `{"server":"s","name":"x","description":"first"}`+"\n"+`{"server":"t","name":"x"}`+"\n"+`{"server":"s","name":"x","description":"second"}`)
	tools, warnings, err := ReadCatalogue(path)
	if err != nil || len(tools) != 2 || tools[0].Description != "first" {
		t.Fatalf("%v, %v", tools, err)
	}
	if diff := cmp.Diff([]string{path + ":3: s:x is defined in line 1 already, which counts"}, warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEveryBadQueryIsNamedByLineAndColumn(t *testing.T) {
	t.Parallel()
	path := written(t, `{"query":"fine","labels":[{"tool":"s:x","relevance":2},{"tool":"s:y","relevance":0.5}]}`+"\n"+
		`{"id":"a","labels":[]}`+"\n"+
		`{"query":"x","labels":"s:x"}`+"\n"+
		`{"query":"x","labels":[{"relevance":1}]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x"}]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x","relevance":"high"}]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x","relevance":-1}]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x","relevance":1e9}]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x","relevance":1},{"tool":"s:x","relevance":2}]}`+"\n"+
		`{"query":"x","labels":["s:x"]}`+"\n"+
		`{"query":"x","labels":[{"tool":"s:x","relevance":"a\\\"b\\\\"}]}`+"\n"+
		`{"query": -12}`+"\n"+
		`{"query": {"text":"x"}}`+"\n")
	queries, err := ReadQueries(path)
	want := []Query{{"line 1", "fine", []Label{{"s:x", 2}, {"s:y", .5}}}}
	if diff := cmp.Diff(want, queries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	expectFaults(t, path, err, []string{
		`:2:1: the row has no "query"`,
		`:3:23: "labels" is to be a list, not string`,
		`:4:1: label 1 has no "tool"`,
		`:5:1: the label of "s:x" has no "relevance"`,
		`:6:50: "labels.relevance" is to be a number, not string`,
		`:7:1: the relevance of "s:x" is to be from 0 to 100, not -1`,
		`:8:1: the relevance of "s:x" is to be from 0 to 100, not 1e+09`,
		`:9:1: "s:x" is labelled twice`,
		`:10:24: "labels" is to be an object, not string`,
		`:11:50: "labels.relevance" is to be a number, not string`,
		`:12:11: "query" is to be a string, not number`,
		`:13:11: "query" is to be a string, not object`,
	})
}

func TestAnEmptyFileAndAnEndlessLineAreSaid(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"\n \n":                            " has no queries",
		strings.Repeat(" ", longestTool+1): ":1:16777216: the line is over",
	} {
		path := written(t, content)
		_, err := ReadQueries(path)
		expectFaults(t, path, err, []string{want})
	}
	if _, err := ReadQueries(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("%v", err)
	}
}
