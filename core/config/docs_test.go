package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// What docs/settings.md shows is the default, key by key.
func TestTheDocumentedSettingsAreTheDefaults(t *testing.T) {
	doc, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "```toml\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("the page shows no settings")
	}
	got, problems := load(t, text, "")
	if len(problems) > 0 {
		t.Errorf("problems: %q", problems)
	}
	want := Default()
	want.Gateway.Pin = []string{}
	if got.Gateway.Pin == nil {
		want.Gateway.Pin = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page sets\n%+v\nthe defaults are\n%+v", got, want)
	}
}
