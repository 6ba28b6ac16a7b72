package loader

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// modelled is an engine with the sentence model that ctx ships.
func modelled(t *testing.T, phrases ...string) *Engine {
	t.Helper()
	model, err := filepath.Abs("../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(func(func(*activate.Router)) (*activate.Router, error) {
		return activate.Load(activate.Source{Env: os.Environ(), Model: model})
	}, func() *tap.Catalog { return tap.Of(nil) }, func() []string { return phrases }, hclog.NewNullLogger())
	e.Start()
	<-e.Ready()
	if e.Model() == nil {
		t.Skip("without a sentence model: ", e.Degraded(t.Context()))
	}
	return e
}

func ruled(t *testing.T, name, rule string) skill.Skill {
	t.Helper()
	checks, err := skill.ParseRule(rule)
	if err != nil {
		t.Fatal(err)
	}
	return skill.Skill{Name: name, Rules: []skill.Rule{{Checks: checks}}}
}

func TestTheModelHearsWhatAPromptMeans(t *testing.T) {
	t.Parallel()
	notes, sql := "write release notes for the new version", "find out why a database query is slow"
	e := modelled(t, notes, sql)
	list := []skill.Skill{ruled(t, "notes", "semantic("+notes+")"), ruled(t, "sql", "semantic("+sql+")"), ruled(t, "strict", "semantic("+notes+", 0.99)")}
	for prompt, want := range map[string]string{
		"draft the release notes of version 2 for me":       "notes",
		"this SQL query takes ages, why is it so slow":      "sql",
		"what would you like to have for dinner":            "",
		"rename the variable in the second loop to counter": "",
		notes: "", // strict means the same, so that no one is the clear winner
	} {
		d, err := skill.Decide(t.Context(), list, func(skill.Skill) bool { return false }, skill.Situation{Prompt: prompt}, e.Similar)
		got := ""
		for _, f := range d.Fired {
			got += f.Skill.Name
		}
		if err != nil || got != want || d.Unheard != 0 {
			t.Errorf("%q fires %q, %v, want %q", prompt, got, err, want)
		}
	}
}

func TestWithoutAModelNothingIsLikeAnything(t *testing.T) {
	t.Parallel()
	e := NewEngine(func(func(*activate.Router)) (*activate.Router, error) { return lexical(t), nil },
		func() *tap.Catalog { return tap.Of(nil) }, func() []string { return []string{"a phrase"} }, hclog.NewNullLogger())
	cosines, at, err := e.Similar(t.Context(), "a text", []string{"a phrase"})
	if cosines != nil || at != (skill.Thresholds{}) || err != nil {
		t.Errorf("%v, %+v, %v", cosines, at, err)
	}
	late := NewEngine(func(func(*activate.Router)) (*activate.Router, error) { select {} },
		func() *tap.Catalog { return tap.Of(nil) }, func() []string { return nil }, hclog.NewNullLogger())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if cosines, _, err := late.Similar(ended, "a text", []string{"a phrase"}); cosines != nil || err != nil {
		t.Errorf("%v, %v", cosines, err)
	}
}
