package eval

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/embed"
)

const (
	shelf = `{"server":"files","name":"read_file","description":"Read a file.","inputSchema":{"type":"object"},"annotations":null}
{"server":"files","name":"write_file","description":"Write a file."}
{"server":"git","name":"log","description":"Show the history of commits."}
`
	// By words, the first query finds its lesser tool first, the second one its
	// only tool second, and the third one none.
	asked = `{"id":"1","query":"read","labels":[{"tool":"files:write_file","relevance":2},{"tool":"files:read_file","relevance":1}]}
{"id":"2","query":"write a file","labels":[{"tool":"files:read_file","relevance":1}]}
{"id":"3","query":"what happened before?","labels":[{"tool":"git:log","relevance":1}]}
{"id":"4","query":"sing","labels":[{"tool":"choir:sing","relevance":1}]}
`
)

func retrievalFiles(t *testing.T, tools, queries string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"tools.jsonl": tools, "queries.jsonl": queries} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var retrievalArgs = []string{"retrieval", "--tools", "tools.jsonl", "--queries", "queries.jsonl"}

type retrievalDocument struct {
	Schema                  string
	Tools, Queries, Skipped int
	Model                   string
	Rankers                 []struct {
		Name      string
		Recall    map[string]float64
		MRR       float64
		NDCG10    float64
		P50       *float64 `json:"p50_ms"`
		Intervals struct {
			Recall map[string][2]float64
			MRR    [2]float64
			NDCG10 [2]float64
			P50    *[2]float64 `json:"p50_ms"`
		}
	}
	Warnings []string
}

func measure(t *testing.T, dir string, env []string) retrievalDocument {
	t.Helper()
	code, out, errOut := run(t, dir, true, env, retrievalArgs...)
	var d retrievalDocument
	if err := json.Unmarshal([]byte(out), &d); code != cmdutil.OK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errOut)
	}
	return d
}

func TestRetrievalWithoutAModelLeavesSemanticOutAndSaysSo(t *testing.T) {
	t.Parallel()
	d := measure(t, retrievalFiles(t, shelf, asked), nil)
	if d.Schema != "ctx.eval.retrieval/v1" || d.Tools != 3 || d.Queries != 3 || d.Skipped != 1 || d.Model != "" {
		t.Errorf("%+v", d)
	}
	if len(d.Rankers) != 2 || d.Rankers[0].Name != "lexical" || d.Rankers[1].Name != "default" {
		t.Fatalf("%+v", d.Rankers)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	for _, r := range d.Rankers {
		graded := 1 / (2 + 1/math.Log2(3)) // the lesser of two in the better one's place
		if !near(r.Recall["1"], .5/3) || !near(r.Recall["3"], 1.5/3) || !near(r.Recall["5"], 1.5/3) || !near(r.Recall["10"], 1.5/3) ||
			!near(r.MRR, 1.5/3) || !near(r.NDCG10, (graded+1/math.Log2(3))/3) || r.P50 == nil {
			t.Errorf("%+v", r)
		}
		if i := r.Intervals; len(i.Recall) != 4 || i.P50 == nil || i.MRR[0] > r.MRR || i.MRR[1] < r.MRR || i.NDCG10[1] == 0 {
			t.Errorf("intervals %+v", i)
		}
	}
	for _, want := range []string{"semantic is left out", `row 4 names "choir:sing"`, "row 4 has no tool that is relevant"} {
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("no %q in %q", want, d.Warnings)
		}
	}
}

func TestRetrievalWithTheModelMeasuresItAndKeepsTheVectorsOfTools(t *testing.T) {
	t.Parallel()
	lib := os.Getenv(embed.LibraryVariable)
	if lib == "" {
		t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	if err := embed.Supported(); err != nil {
		t.Skip(err)
	}
	dir := retrievalFiles(t, shelf, asked)
	model, err := filepath.Abs("../../../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, ".config", "ctx")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(settings, "ctx.toml"), []byte("[embed]\nmodel = \""+model+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{embed.LibraryVariable + "=" + lib}
	d := measure(t, dir, env)
	if len(d.Rankers) != 3 || d.Rankers[0].Name != "lexical" || d.Rankers[1].Name != "semantic" || d.Rankers[2].Name != "default" || d.Model != embed.DefaultModel {
		t.Fatalf("%+v", d)
	}
	if slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "semantic") }) {
		t.Errorf("warnings %q", d.Warnings)
	}
	// Three tools: all of them are among the first three.
	if r := d.Rankers[1]; r.Recall["3"] != 1 || *r.P50 <= 0 {
		t.Errorf("%+v", r)
	}
	kept, err := filepath.Glob(filepath.Join(dir, ".local", "state", "ctx", "vectors", "eval", "*.vec"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v (%v)", kept, err)
	}
	before, err := os.Stat(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	if again := measure(t, dir, env); again.Rankers[1].MRR != d.Rankers[1].MRR {
		t.Errorf("MRR %v, then %v", d.Rankers[1].MRR, again.Rankers[1].MRR)
	}
	if after, err := os.Stat(kept[0]); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the vectors were made again (%v)", err)
	}
}

func TestRetrievalText(t *testing.T) {
	t.Parallel()
	code, out, errOut := run(t, retrievalFiles(t, shelf, asked), false, nil, retrievalArgs...)
	for _, want := range []string{"3 queries over 3 tools; 1 more left out", "warning: semantic is left out", "RECALL@1", "NDCG@10", "P50 MS", "lexical", "default", "95 %", "0.500"} {
		if code != cmdutil.OK || errOut != "" || !strings.Contains(out, want) {
			t.Errorf("exit %d, %q, no %q in\n%s", code, errOut, want, out)
		}
	}
}

func TestWhatIsWrongWithRetrievalFilesIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tools, queries string
		args           []string
		code           int
		want           []string
	}{
		"nothing named":   {shelf, asked, []string{"retrieval", "--tools", "tools.jsonl"}, cmdutil.Usage, []string{"needs --tools and --queries"}},
		"no such file":    {shelf, asked, []string{"retrieval", "--tools", "none.jsonl", "--queries", "queries.jsonl"}, cmdutil.Missing, []string{"none.jsonl"}},
		"bad rows":        {shelf + "{\"server\":\n", asked + "{}\n", retrievalArgs, cmdutil.No, []string{"tools.jsonl:4:10: unexpected end", `queries.jsonl:5:1: the row has no "query"`}},
		"no tools":        {"\n", asked, retrievalArgs, cmdutil.No, []string{"has no tools"}},
		"all labels miss": {`{"server":"s","name":"x"}`, asked, retrievalArgs, cmdutil.No, []string{"no query in queries.jsonl names a tool of tools.jsonl"}},
	} {
		code, out, errOut := run(t, retrievalFiles(t, c.tools, c.queries), false, nil, c.args...)
		for _, want := range append(c.want, "hint:") {
			if code != c.code || out != "" || !strings.Contains(errOut, want) {
				t.Errorf("%s: exit %d, %q, no %q in %q", name, code, out, want, errOut)
			}
		}
	}
}
