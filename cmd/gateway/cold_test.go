package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// buildHook builds the real ctx-hook, with this binary beside it as ctx-gateway.
var buildHook = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "bin")
	overlay, err := moreTime()
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", filepath.Join(dir, "ctx-hook"), "github.com/ctx-sidecar/ctx/cmd/hook").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build ctx-hook: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "ctx-hook"), os.Symlink(self, filepath.Join(dir, "ctx-gateway"))
})

// moreTime writes the overlay with which ctx-hook has more time to answer.
func moreTime() (string, error) {
	own, err := filepath.Abs(filepath.Join("..", "hook", "budget.go"))
	if err != nil {
		return "", err
	}
	other, err := filepath.Abs(filepath.Join("testdata", "budget.go"))
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]any{"Replace": map[string]string{own: other}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}

// unserved is a user whose host loads ctx-gateway, before that is up.
func unserved(t *testing.T, unapproved ...string) *home {
	t.Helper()
	h := tapped(t, unapproved...)
	h.loads(surface.Server{Name: "ctx", Own: true, Transport: surface.Stdio, Command: "ctx-gateway"})
	return h
}

func (h *home) loads(own surface.Server) {
	h.t.Helper()
	h.config.Servers = []surface.Server{own}
	h.save()
}

// says has the hook say something to a prompt.
func (h *home) says(session, text, wanted string) {
	h.t.Helper()
	contains(h.t, h.coldPrompt(session, text), wanted)
}

// coldPrompt has the installed hook answer a prompt.
func (h *home) coldPrompt(session, text string) string {
	h.t.Helper()
	program, err := buildHook()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := h.runHook(program, session, text)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *home) runHook(program, session, text string) (string, error) {
	event, err := json.Marshal(map[string]string{"Kind": "prompt", "Session": session, "Title": h.title, "Prompt": text})
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, "fake", "Prompt")
	cmd.Dir, cmd.Env, cmd.Stdin = h.ws, h.env, strings.NewReader(string(event))
	out, err := cmd.Output()
	return string(out), err
}

func (h *home) sessions() *state.Store {
	return state.Open(filepath.Join(paths.Real(h.ws), ".ctx-surface"))
}

func (h *home) wanted(session string) []state.Want {
	h.t.Helper()
	s, err := h.sessions().Load(session)
	if err != nil {
		h.t.Fatal(err)
	}
	return s.Wanted
}

func TestAPromptBeforeTheGatewayIsUpActivatesForIt(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	h.says("conversation-1", diaryPrompt, "the capability diary is enabled. tool_search finds the tools of diary.")
	if w := h.wanted("conversation-1"); len(w) != 1 || w[0] != (state.Want{Ref: "acme/diary", By: "prompt"}) {
		t.Errorf("wanted %+v", w)
	}
	if again := h.coldPrompt("conversation-1", diaryPrompt); strings.Contains(again, "diary") {
		t.Errorf("said again of what is on its way: %s", again)
	}
	if isFile(filepath.Join(h.dir, "diary.mark")) {
		t.Error("a hook has started a server")
	}
	s := h.start()
	s.initialize(`{}`)
	contains(t, s.call("call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
	contains(t, s.call("call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "larkspur")
	if w := h.wanted("conversation-1"); len(w) != 0 {
		t.Errorf("still wanted: %+v", w)
	}
}

func TestAColdPromptIsToldNothingThatWillNotBeThere(t *testing.T) {
	t.Parallel()
	own := surface.Server{Name: "ctx", Own: true, Transport: surface.Stdio, Command: "ctx-gateway"}
	for name, change := range map[string]func(*home){
		"the host loads no gateway":       func(h *home) { h.declare() },
		"the user has switched it off":    func(h *home) { off := own; off.Disabled = true; h.loads(off) },
		"the user denies all of it":       func(h *home) { h.deny("ctx", "*") },
		"the user denies all of the desk": func(h *home) { h.deny("diary", "*") },
		"the user wants nothing by itself": func(h *home) {
			h.settings("auto_capabilities = false\n[activate]\nactivate_at = 0.3\n")
		},
		"nothing is a tap":     func(h *home) { os.Remove(filepath.Join(h.layout.Data, "taps.toml")) },
		"it is another domain": func(h *home) { h.restrict("diary", "devops") },
		"nobody has approved":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h *home
			if change == nil {
				h = unserved(t, "diary")
			} else {
				h = unserved(t)
				change(h)
			}
			for _, session := range []string{"conversation-1", state.ScratchPrefix + "1"} {
				if said := h.coldPrompt(session, diaryPrompt); strings.Contains(said, "diary") {
					t.Errorf("%s: said %s", session, said)
				}
				if w := h.wanted(session); len(w) > 0 {
					t.Errorf("%s: wanted %+v", session, w)
				}
			}
		})
	}
}

func (h *home) deny(server, tool string) {
	h.config.Rules = append(h.config.Rules, surface.Rule{Effect: surface.EffectDeny, Server: server, Tool: tool, Text: server})
	h.save()
}

// restrict makes a capability one of a domain.
func (h *home) restrict(name, domain string) {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.dir, "tap", "capabilities", name, "config.toml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "domains = [%q]\n", domain)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		h.t.Fatal(err)
	}
}

func TestAColdPromptSuggests(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	h.settings("[activate]\nactivate_at = 1.0\nsuggest_at = 0.01\n")
	h.says("conversation-1", diaryPrompt, "may fit, not enabled: diary")
	if w := h.wanted("conversation-1"); len(w) > 0 {
		t.Errorf("wanted %+v", w)
	}
}

// Two gateways of one host process, neither of which knows its conversation, as
// an app server with two threads has them.
func TestAmongSeveralGatewaysTheCallFindsWhatItsPromptBroughtIn(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	h.env = append(h.env, "FAKE_SESSION=")
	first, second := h.start(), h.start()
	first.initialize(`{}`)
	second.initialize(`{}`)
	h.says("thread-1", diaryPrompt, "the capability diary is enabled")
	ask := func(s *session, thread, name, arguments string) string {
		return s.must("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"sessionId":%q}}`, name, arguments, thread))
	}
	contains(t, ask(second, "thread-2", "call_tool", `{"tool":"diary:read_note","arguments":{"name":"a"}}`), "there is no tool")
	contains(t, ask(first, "thread-1", "call_tool_write", `{"tool":"diary:write_note","arguments":{"name":"a","text":"larkspur"}}`), "wrote a")
}

func TestColdPromptsAtOnceStayApart(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	prompts := map[string]string{"diary": diaryPrompt, "garden": "when do I have to prune the roses, and plan which beds to plant"}
	const each = 4
	var all sync.WaitGroup
	for i := range each {
		for name, text := range prompts {
			all.Go(func() {
				out, err := h.route(fmt.Sprintf("%s-%d", name, i), text)
				if err != nil || !strings.Contains(out, "the capability "+name+" is enabled") {
					t.Errorf("%s: %v: %s", name, err, out)
				}
			})
		}
	}
	all.Wait()
	for i := range each {
		for name := range prompts {
			if w := h.wanted(fmt.Sprintf("%s-%d", name, i)); len(w) != 1 || w[0].Ref != "acme/"+name {
				t.Errorf("%s-%d wants %+v", name, i, w)
			}
		}
	}
}

// route asks as a hook does that has all the time.
func (h *home) route(session, text string) (string, error) {
	return h.routeUntil(time.Now().Add(2*patience), session, text)
}

func (h *home) routeUntil(until time.Time, session, text string) (string, error) {
	q, err := json.Marshal(hook.Routing{Session: session, Prompt: text, Sources: h.config, Model: until.Add(-patience), Until: until})
	if err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "route", "--host", "fake")
	cmd.Dir, cmd.Env = h.ws, h.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_, err = in.Write(q)
	err = errors.Join(err, cmd.Wait())
	return out.String(), err
}

// A program that routes and never answers, or not as it should, costs its line
// alone, and ends with the hook.
func TestAHookEndsInTimeWhateverRoutes(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"hangs":  "echo $$ > \"$PID\"\nexec sleep 600",
		"fails":  "echo $$ > \"$PID\"\necho diary\nexit 1",
		"unread": "echo $$ > \"$PID\"\nexec <&-\nexit 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := unserved(t)
			built, err := buildHook()
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(h.dir, "bin")
			own := filepath.Join(dir, "ctx-hook")
			program, err := os.ReadFile(built)
			if err := errors.Join(err, os.Mkdir(dir, 0o700), os.WriteFile(own, program, 0o700),
				os.WriteFile(filepath.Join(dir, "ctx-gateway"), []byte("#!/bin/sh\n"+script+"\n"), 0o700)); err != nil {
				t.Fatal(err)
			}
			pid := filepath.Join(h.dir, "pid")
			h.env = append(h.env, "PID="+pid)
			// On a busy machine the rest may take all of the hook's time, too, and
			// what routes may end before it has said that it began.
			var id int
			eventually(t, "the rest is answered, and it was started", func() bool {
				out, err := h.runHook(own, "conversation-1", diaryPrompt)
				if err != nil || strings.Contains(out, "diary") {
					t.Errorf("%v, said %s", err, out)
				}
				text, _ := os.ReadFile(pid)
				_, err = fmt.Sscan(string(text), &id)
				return err == nil && strings.Contains(out, `"session":"conversation-1"`)
			})
			eventually(t, "it is gone", func() bool { return errors.Is(syscall.Kill(id, 0), syscall.ESRCH) })
		})
	}
}

func TestNothingIsNotedOnceNobodyListens(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	if out, err := h.routeUntil(time.Now(), "conversation-1", diaryPrompt); err == nil || out != "" {
		t.Errorf("%v, said %s", err, out)
	}
	if w := h.wanted("conversation-1"); len(w) > 0 {
		t.Errorf("wanted %+v", w)
	}
}

func TestWhatRoutesEndsWithItsHook(t *testing.T) {
	t.Parallel()
	h := unserved(t)
	cmd := exec.Command(filepath.Join(h.dir, "ctx-gateway"), "route", "--host", "fake")
	cmd.Dir, cmd.Env = h.ws, h.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close() // before it has asked anything
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("nothing on stdin is no error")
		}
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Error("it runs on")
	}
}
