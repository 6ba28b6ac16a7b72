package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// searched is a user with a server whose tools are found by search.
func searched(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	h.jobs()
	return h
}

// jobs declares the server.
func (h *home) jobs() {
	h.t.Helper()
	file := filepath.Join(h.dir, "tools.jsonl")
	writeFile(h.t, file, strings.Join([]string{
		`{"name":"get_forecast","description":"Temperature and precipitation of a place for the coming days.","inputSchema":{"type":"object"}}`,
		`{"name":"print_payslip","description":"Print what an employee earned in a month.","inputSchema":{"type":"object"}}`,
		`{"name":"merge_branches","description":"Join two branches of a repository.","inputSchema":{"type":"object"}}`,
		`{"name":"book_table","description":"Reserve a table in a restaurant.","inputSchema":{"type":"object"}}`,
	}, "\n")+"\n")
	h.declare(h.stub("jobs", "-tools", file))
	h.wrap()
	h.settings("[gateway]\nnarrow_above = 0\n")
}

const (
	byWordsTools = "tools are found by words alone: "
	umbrella     = `{"query":"do I need an umbrella at the weekend?","wait":true}`
)

func first(answer string) string {
	_, rest, _ := strings.Cut(answer, `"tools":[{"tool":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func (h *home) log() string {
	b, err := os.ReadFile(h.layout.Log("gateway"))
	must(h.t, err)
	return string(b)
}

// end closes the session as its host would.
func (s *session) end() {
	s.t.Helper()
	s.in.Close()
	must(s.t, s.wait())
}

func TestSearchesGoByWordsAndSayWhyOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*home)
		why     string
	}{
		"no model":               {func(*home) {}, "no sentence model is installed"},
		"no library":             {func(h *home) { h.model() }, "ONNX Runtime is not installed"},
		"a library that is none": {func(h *home) { h.model(); h.library("no library") }, "ONNX Runtime"},
		"a damaged model":        {func(h *home) { h.damaged() }, "bundle.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := searched(t)
			c.prepare(h)
			if embed.Supported() != nil {
				c.why = "ONNX Runtime" // this build could not load any
			}
			s := h.start()
			s.initialize(`{}`)
			for i := range 2 {
				answer := s.call("tool_search", `{"query":"print a payslip"}`)
				if first(answer) != "jobs:print_payslip" {
					t.Error(answer)
				}
				if said := strings.Contains(answer, byWordsTools) && strings.Contains(answer, c.why); said != (i == 0) {
					t.Errorf("answer %d: %s", i, answer)
				}
			}
			if n := strings.Count(h.log(), "tools are found by words alone: why"); n != 1 {
				t.Errorf("the log says so %d times", n)
			}
		})
	}
}

// withModel gives the user the model that ships, or skips the test.
func (h *home) withModel() {
	h.t.Helper()
	library := os.Getenv(embed.LibraryVariable)
	if library == "" {
		h.t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	if err := embed.Supported(); err != nil {
		h.t.Skip(err)
	}
	h.model()
	h.env = append(h.env, embed.LibraryVariable+"="+library)
}

func TestAToolIsFoundByWhatItMeans(t *testing.T) {
	t.Parallel()
	h := searched(t)
	h.withModel()
	s := h.start()
	s.initialize(`{}`)
	s.must("tools/list", "")
	if strings.Contains(h.log(), "the sentence model is loaded") {
		t.Error("the model is loaded before there is a search or a prompt")
	}
	if answer := s.call("tool_search", umbrella); first(answer) != "jobs:get_forecast" || strings.Contains(answer, byWordsTools) {
		t.Error(answer)
	}
	s.end()
	kept, err := filepath.Glob(filepath.Join(h.layout.State, "vectors", "tools", "*.vec"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %v (%v)", kept, err)
	}

	// The next conversation begins with a prompt, upon which the model is loaded.
	next := h.start()
	next.initialize(`{}`)
	next.must("tools/list", "")
	h.prompt("conversation-1", "plan my weekend")
	eventually(t, "the model is loaded and has read the tools", func() bool {
		return strings.Count(h.log(), "tools are found by what they mean") == 2
	})
	if answer := next.call("tool_search", umbrella); first(answer) != "jobs:get_forecast" {
		t.Error(answer)
	}
	next.end()

	// What cannot be read is made anew.
	writeFile(t, kept[0], "something else")
	last := h.start()
	last.initialize(`{}`)
	if answer := last.call("tool_search", umbrella); first(answer) != "jobs:get_forecast" {
		t.Error(answer)
	}
	last.end()
	if !isFile(kept[0]+".bad") || !strings.Contains(h.log(), "is made anew") {
		t.Error("nobody is told of a damaged file")
	}
	if b, err := os.ReadFile(kept[0]); err != nil || len(b) < 4*384 {
		t.Errorf("%d bytes are kept (%v)", len(b), err)
	}
}

func TestSearchesAndPromptsShareOneModel(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.withModel()
	h.jobs()
	s := h.start()
	s.initialize(`{}`)
	s.must("tools/list", "") // after it the model is loaded, since prompts need it
	eventually(t, "the tools are read", func() bool { return strings.Contains(h.log(), "tools are found by what they mean") })
	if answer := s.call("tool_search", umbrella); first(answer) != "jobs:get_forecast" {
		t.Error(answer)
	}
	if log := h.log(); strings.Count(log, "the sentence model is loaded for searches") != 1 || strings.Contains(log, "by words alone: why") {
		t.Error("not with the model of prompts")
	}
}
