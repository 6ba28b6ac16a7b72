package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

const byWords = "found by words alone: "

// model installs the shipped sentence model for the user.
func (h *home) model() {
	h.t.Helper()
	models, err := filepath.Abs("../../models")
	if err == nil {
		err = os.Symlink(models, filepath.Join(h.layout.Data, "models"))
	}
	must(h.t, err)
}

// answers calls everything that speaks of capabilities.
func (s *session) answers() map[string]string {
	return map[string]string{
		"search":     s.call("tool_search", `{"query":"diary note"}`),
		"list":       s.call("capability", `{"action":"list"}`),
		"discover":   s.call("capability", `{"action":"discover","intent":"write into my diary"}`),
		"by intent":  s.call("capability", `{"action":"enable","intent":"write a note into my diary"}`),
		"nothing":    s.call("capability", `{"action":"enable","intent":"tell me of the sea"}`),
		"enable":     s.call("capability", `{"action":"enable","name":"garden"}`),
		"enabled":    s.call("capability", `{"action":"enable","name":"garden"}`),
		"disable":    s.call("capability", `{"action":"disable","name":"garden"}`),
		"disabled":   s.call("capability", `{"action":"disable","name":"garden"}`),
		"search two": s.call("tool_search", `{"query":"tomatoes"}`),
	}
}

func TestEveryAnswerSaysThatNoModelTakesPart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*home)
		why     string
	}{
		"no model":                  {func(*home) {}, "model"},
		"no library":                {func(h *home) { h.model() }, "ONNX Runtime"},
		"a library that is none":    {func(h *home) { h.model(); h.library("no library") }, "ONNX Runtime"},
		"a library that is gone":    {func(h *home) { h.model(); h.env = append(h.env, embed.LibraryVariable+"="+h.dir+"/gone.so") }, "ONNX Runtime"},
		"a model that is damaged":   {func(h *home) { h.damaged() }, "bundle.json"},
		"nothing happens by itself": {func(h *home) { h.settings("auto_capabilities = false\n[activate]\nactivate_at = 0.3\n") }, "model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tapped(t)
			c.prepare(h)
			if embed.Supported() != nil {
				c.why = "ONNX Runtime" // this build could not load any
			}
			s := h.start()
			s.initialize(`{}`)
			for what, answer := range s.answers() {
				if !strings.Contains(answer, byWords) || !strings.Contains(answer, c.why) {
					t.Errorf("%s: %s", what, answer)
				}
			}
			h.prompt("conversation-1", diaryPrompt)
			log, err := os.ReadFile(h.layout.Log("gateway"))
			if n := strings.Count(string(log), "prompts are routed by words alone"); err != nil || n != 1 {
				t.Errorf("%v, the log says so %d times", err, n)
			}
		})
	}
}

// library puts a file there as ONNX Runtime's.
func (h *home) library(content string) {
	path := filepath.Join(h.dir, "libonnxruntime.so")
	must(h.t, os.WriteFile(path, []byte(content), 0o600))
	h.env = append(h.env, embed.LibraryVariable+"="+path)
}

// damaged installs a model that cannot be read.
func (h *home) damaged() {
	dir := filepath.Join(h.layout.Data, "models", embed.DefaultModel)
	must(h.t, os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, embed.BundleFile), []byte("{"), 0o600))
}

func TestAModelThatIsInstalledLaterIsTheNextSessions(t *testing.T) {
	t.Parallel()
	library := os.Getenv(embed.LibraryVariable)
	if library == "" || embed.Supported() != nil {
		t.Skip(embed.LibraryVariable + " names no library")
	}
	h := tapped(t)
	h.settings("") // the calibration of the model
	first := h.start()
	first.initialize(`{}`)
	contains(t, first.call("capability", `{"action":"list"}`), byWords)
	h.model()
	h.env = append(h.env, embed.LibraryVariable+"="+library)
	contains(t, first.call("capability", `{"action":"list"}`), byWords)
	first.in.Close()
	must(t, first.wait())
	next := h.start()
	next.initialize(`{}`)
	eventually(t, "it is said", func() bool {
		return strings.Contains(h.prompt("conversation-1", diaryPrompt), "the capability diary is enabled")
	})
	// A prompt that came before the model was ready is spoken of until the next.
	eventually(t, "a prompt is decided with the model", func() bool {
		h.prompt("conversation-1", diaryPrompt)
		return !strings.Contains(next.call("capability", `{"action":"list"}`), byWords)
	})
	for what, answer := range next.answers() {
		if strings.Contains(answer, byWords) {
			t.Errorf("%s: %s", what, answer)
		}
	}
}
