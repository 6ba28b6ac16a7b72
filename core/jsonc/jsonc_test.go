package jsonc_test

import (
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/jsonc"
)

func TestDeepTextIsRefusedWhereverTheDepthHides(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 8_000_000) // of which a parser's stack overflows
	for name, src := range map[string]string{
		"plain":                        deep,
		"after a quote in a comment":   "// \"\n" + deep,
		"after a quote in a block":     "/* \" */" + deep,
		"after brackets in a string":   `["` + strings.Repeat("]", 100) + `",` + deep,
		"after an escaped quote":       `["\"",` + deep,
		"objects":                      strings.Repeat(`{"a":`, 4_000_000),
		"after a comment in a string":  `["//",` + deep,
		"after a block in a string":    `["/*",` + deep,
		"after a quote in a line of /": "//// \"\r\n" + deep,
	} {
		_, err := jsonc.Parse([]byte(src))
		if err == nil || !strings.Contains(err.Error(), "nested deeper") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsNotDeepIsParsed(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`{}`,
		`["` + strings.Repeat("[", 20_000) + `"]`,
		"/*" + strings.Repeat("[", 20_000) + "*/ {}",
		"//" + strings.Repeat("{", 20_000) + "\n[1,2,]",
		"[" + strings.Repeat("[],", 20_000) + "]",
		strings.Repeat("[", jsonc.Deepest) + strings.Repeat("]", jsonc.Deepest),
	} {
		if _, err := jsonc.Parse([]byte(src)); err != nil {
			t.Errorf("%.30s: %v", src, err)
		}
	}
}

func TestTheErrorTellsThePlace(t *testing.T) {
	t.Parallel()
	_, err := jsonc.Parse([]byte("{\n \"a\": " + strings.Repeat("[", jsonc.Deepest)))
	const want = "hujson: line 2, column 10006: nested deeper than 10000 levels"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
