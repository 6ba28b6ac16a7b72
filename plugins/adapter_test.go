package plugins_test

import (
	"encoding/json"
	"testing"

	"github.com/ctx-sidecar/ctx/plugins"
)

func TestASampleTakesAWorkspaceOfAnyName(t *testing.T) {
	t.Parallel()
	spec := plugins.EventSpec{Sample: []byte(`{"cwd": "{{WORKSPACE}}", "file": "{{WORKSPACE}}/a"}`)}
	for _, dir := range []string{"/w", `/we"ird\dir`, "/new\nline", "/$HOME & <b>", "/ünï"} {
		var got struct{ Cwd, File string }
		if err := json.Unmarshal(spec.In(dir), &got); err != nil || got.Cwd != dir || got.File != dir+"/a" {
			t.Errorf("%q: %+v, %v", dir, got, err)
		}
	}
}
