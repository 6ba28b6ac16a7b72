package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// big makes a ~/.claude.json that is worth pruning, around the given text.
func big(text string) string {
	var b strings.Builder
	b.WriteString("{\n\"history\": [\"{ \\\"mcpServers\\\": }\", 1.0e3, true, \"\\\\\"],\n \"n\": 7, \"e\": {}, \"projects\": {\n")
	for i := range 500 {
		fmt.Fprintf(&b, "\"/p%d\": {\"mcpServers\": {\"not-here\": {\"command\": \"x\"}},\r\n\"history\": [{\"display\": \"a \\\"quote\\\" and a } brace\"}]},\n", i)
	}
	b.WriteString(text)
	b.WriteString("\n}}")
	return b.String()
}

func TestPrunedFileReadsTheSame(t *testing.T) {
	t.Parallel()
	src := big(`"/mine": {"mcpServers": {"local": {"command": "x"}}, "history": [1, 2]}}, "mcpServers": {"user": {"command": "y"}}, "last": {"a": 1`)
	pruned := prune([]byte(src), "/mine")
	if len(pruned) != len(src) || strings.Count(string(pruned), "\n") != strings.Count(src, "\n") {
		t.Fatal("positions have moved")
	}
	whole, err := parse("f", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	part, err := parse("f", pruned)
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]string{{"mcpServers", "user"}, {"projects", "/mine", "mcpServers", "local"}} {
		a, b := whole.node().get(keys...), part.node().get(keys...)
		if !b.ok() || a.place() != b.place() || a.get("command").text() != b.get("command").text() {
			t.Errorf("%q: %v in the pruned file, %v in the whole one", keys, b, a)
		}
	}
	if n := part.node().get("projects", "/p1", "mcpServers"); n.ok() {
		t.Error("another project is still there")
	}
}

func TestWhatCannotBePrunedStays(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"{}", `{"mcpServers": {}}`, // too small to pay
		big(`"/x": {,}`), big(`// a comment`),
	} {
		if diff := cmp.Diff(src, string(prune([]byte(src), "/mine"))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func FuzzPruneKeepsWhatIsRead(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x"}},"projects":{"/w":{"a":[1]},"/v":null},"x":"y"}`)
	f.Add(`{"projects":7,"mcpServers":[]}`)
	f.Add(`[{"projects":{}}]`)
	f.Fuzz(func(t *testing.T, src string) {
		if !json.Valid([]byte(src)) {
			t.Skip()
		}
		pad := strings.Repeat(" ", pruneAbove)
		pruned := prune([]byte(src+pad), "/w")
		var a, b map[string]any
		if json.Unmarshal([]byte(src), &a) != nil {
			t.Skip() // no object
		}
		if err := json.Unmarshal(pruned, &b); err != nil {
			t.Fatalf("%v: %s", err, pruned)
		}
		if diff := cmp.Diff(a["mcpServers"], b["mcpServers"]); diff != "" {
			t.Error(diff)
		}
		mine := func(m map[string]any) any {
			projects, _ := m["projects"].(map[string]any)
			return projects["/w"]
		}
		if diff := cmp.Diff(mine(a), mine(b)); diff != "" {
			t.Error(diff)
		}
	})
}
