package authority_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
)

// row is a line of testdata.
type row struct {
	tier   string
	server string
	authority.Definition
}

func rows(t *testing.T, file string) []row {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		r := row{tier: f[0], server: f[1]}
		r.Name, r.Description, r.InputSchema = f[2], f[3], schemaOf(f[4])
		if len(f) > 5 {
			yes := true
			if strings.Contains(f[5], "!") {
				r.Annotations.ReadOnly = &yes
			}
			if strings.Contains(f[5], "X") {
				r.Annotations.Destructive = &yes
			}
		}
		out = append(out, r)
	}
	return out
}

// schemaOf makes a schema of "name,name=value/value,name(its description)".
func schemaOf(params string) json.RawMessage {
	properties := map[string]any{}
	for p := range strings.SplitSeq(params, ",") {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		property := map[string]any{"type": "string"}
		if name, about, ok := strings.Cut(p, "("); ok {
			p, property["description"] = name, strings.TrimSuffix(about, ")")
		}
		if name, values, ok := strings.Cut(p, "="); ok {
			p, property["enum"] = name, strings.Split(values, "/")
		}
		properties[p] = property
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		panic(err)
	}
	return b
}

func TestToolsThatMisleadAreJudgedByWhatTheyDo(t *testing.T) {
	t.Parallel()
	for _, r := range rows(t, "testdata/traps.txt") {
		j := authority.Judge(r.server, r.Definition)
		if j.Tier.String() != r.tier {
			t.Errorf("%s is %s, judged %s: %+v", r.Name, r.tier, j.Tier, j.Evidence)
		}
	}
}
