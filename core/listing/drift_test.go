package listing

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDriftNamesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	before := Listing{Version: "1", Instructions: "a", Tools: tools(
		`{"name":"gone"}`,
		`{"name":"same","inputSchema":{"type":"object","properties":{}}}`,
		`{"name":"said","description":"reads"}`,
		`{"name":"takes","inputSchema":{"type":"object"}}`,
		`{"name":"claims","annotations":{"readOnlyHint":true}}`,
	)}
	after := Listing{Version: "2", Instructions: "b", Tools: tools(
		`{"name":"new"}`,
		`{"inputSchema":{"properties":{},"type":"object"},"name":"same"}`,
		`{"name":"said","description":"deletes"}`,
		`{"name":"takes","inputSchema":{"type":"object","required":["x"]}}`,
		`{"name":"claims","annotations":{"readOnlyHint":false}}`,
	)}
	want := []Change{
		{What: "version", Old: "1", New: "2"},
		{What: "instructions"},
		{What: "annotations", Tool: "claims"},
		{What: "removed", Tool: "gone"},
		{What: "added", Tool: "new"},
		{What: "description", Tool: "said"},
		{What: "schema", Tool: "takes"},
	}
	if d := cmp.Diff(want, Drift(before, after)); d != "" {
		t.Error(d)
	}
	if d := Drift(before, before); d != nil {
		t.Errorf("nothing has changed: %+v", d)
	}
}
