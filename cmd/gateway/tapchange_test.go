package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Prompts that are a capability's or nobody's, by words alone too.
const (
	scarf = "knit a woollen scarf"
	note  = "write a note into my diary"
	sure  = "[activate]\nactivate_at = 0.35\nsuggest = false\n"
)

var knits = []string{"knit a woollen scarf", "cast on forty stitches", "which needles for this wool"}

// brings prompts, takes what that has brought in out again, and returns its
// name, "" for none.
func (s *session) brings(text string) string {
	s.t.Helper()
	said := s.prompt("conversation-1", text)
	_, rest, ok := strings.Cut(said, "the capability ")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, " is enabled")
	if said := s.call("capability", `{"action":"disable","name":"`+name+`"}`); !strings.Contains(said, "not enabled any more") {
		s.t.Logf("disable %s: %s", name, said)
	}
	return name
}

// eventually waits until a prompt brings in what it is to.
func (s *session) eventually(text, name string) {
	s.t.Helper()
	last := ""
	eventually(s.t, fmt.Sprintf("%q brings in %q", text, name), func() bool {
		last = s.brings(text)
		return last == name
	})
}

func (h *home) inTap(path string) string {
	return filepath.Join(h.dir, "tap", "capabilities", filepath.FromSlash(path))
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func triggers(list ...string) string {
	return `triggers = ["` + strings.Join(list, `", "`) + "\"]\n"
}

// Whatever way a tap's files change while a session runs, the next prompt goes
// by what they say then.
func TestAChangeOfTheTapCountsForTheNextPrompt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*testing.T, *home)
		text   string // of a prompt
		before string // what it brings in
		after  string
	}{
		"edited in its place": {func(t *testing.T, h *home) {
			f, err := os.OpenFile(h.inTap("garden/config.toml"), os.O_WRONLY|os.O_TRUNC, 0)
			must(t, err)
			for _, part := range strings.SplitAfter(triggers(knits...), ",") { // in several writes
				_, err := f.WriteString(part)
				must(t, err)
			}
			must(t, f.Close())
		}, scarf, "", "garden"},
		"edited by a rename": {func(t *testing.T, h *home) {
			writeFile(t, h.inTap("garden/config.toml"), triggers(knits...))
		}, scarf, "", "garden"},
		"edited with the old file kept beside": {func(t *testing.T, h *home) {
			file := h.inTap("garden/config.toml")
			must(t, os.Symlink("nobody@nowhere.1", h.inTap("garden/.#config.toml")),
				os.WriteFile(h.inTap("garden/4913"), nil, 0o600), os.Remove(h.inTap("garden/4913")),
				os.Rename(file, file+"~"), os.WriteFile(file, []byte(triggers(knits...)), 0o600),
				os.Remove(h.inTap("garden/.#config.toml")))
		}, scarf, "", "garden"},
		"added": {func(t *testing.T, h *home) {
			h.capability("wool", "*", knits...)
			h.approveTap()
		}, scarf, "", "wool"},
		"added, and nobody approved it": {func(t *testing.T, h *home) {
			h.capability("journal", "*", "write a note into my diary", "put a note into a diary", "write a note into the diary")
		}, note, "diary", ""},
		"added file by file, the routing first": {func(t *testing.T, h *home) {
			h.capability("wool", "*", knits...)
			provider, err := os.ReadFile(h.inTap("wool/default.toml"))
			must(t, err, os.Remove(h.inTap("wool/default.toml")))
			must(t, os.WriteFile(h.inTap("wool/default.toml"), provider, 0o600))
			h.approveTap()
		}, scarf, "", "wool"},
		"its folder removed": {func(t *testing.T, h *home) {
			must(t, os.RemoveAll(h.inTap("diary")))
		}, note, "diary", ""},
		"its routing removed": {func(t *testing.T, h *home) {
			must(t, os.Remove(h.inTap("diary/config.toml")))
		}, note, "diary", ""},
		"its provider removed": {func(t *testing.T, h *home) {
			must(t, os.Remove(h.inTap("diary/default.toml")))
		}, note, "diary", ""},
		"of another domain now": {func(t *testing.T, h *home) {
			writeFile(t, h.inTap("diary/config.toml"), `triggers = ["write a note into my diary"]`+"\ndomains = [\"lawyer\"]\n")
		}, note, "diary", ""},
		"another command now": {func(t *testing.T, h *home) {
			text, err := os.ReadFile(h.inTap("diary/default.toml"))
			must(t, err)
			writeFile(t, h.inTap("diary/default.toml"), strings.ReplaceAll(string(text), "args = [", `args = ["-elicit", `))
		}, note, "diary", ""},
		"renamed": {func(t *testing.T, h *home) {
			must(t, os.Rename(h.inTap("diary"), h.inTap("journal")))
			h.approveTap()
		}, note, "diary", "journal"},
		"another branch checked out": {func(t *testing.T, h *home) {
			h.git("checkout", "-q", "wool")
			h.approveTap()
		}, scarf, "", "wool"},
		"what the other branch does not have": {func(t *testing.T, h *home) {
			h.git("checkout", "-q", "wool")
		}, note, "diary", ""},
		"the tap removed": {func(t *testing.T, h *home) {
			must(t, os.RemoveAll(filepath.Join(h.dir, "tap")))
		}, note, "diary", ""},
		"the tap moved in another one's place": {func(t *testing.T, h *home) {
			h.capability("wool", "*", knits...)
			h.approveTap()
			must(t, os.Rename(filepath.Join(h.dir, "tap"), filepath.Join(h.dir, "away")),
				os.MkdirAll(h.inTap(""), 0o700), os.Rename(filepath.Join(h.dir, "away", "capabilities", "wool"), h.inTap("wool")))
		}, note, "diary", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tapped(t)
			h.settings(sure)
			if strings.Contains(name, "branch") {
				h.branches()
			}
			s := h.start()
			s.initialize(`{}`)
			s.eventually(c.text, c.before)
			c.change(t, h)
			s.eventually(c.text, c.after)
		})
	}
}

func (h *home) git(args ...string) {
	h.t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		h.t.Skip("there is no git")
	}
	cmd := exec.Command(git, append([]string{"-C", filepath.Join(h.dir, "tap"), "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(h.env, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// branches makes the tap a repository that has, on the branch wool, forty
// other capabilities in place of the first ones.
func (h *home) branches() {
	h.t.Helper()
	h.git("init", "-q", "-b", "first")
	h.git("add", ".")
	h.git("commit", "-q", "-m", "first")
	h.git("checkout", "-q", "-b", "wool")
	h.git("rm", "-rq", "capabilities")
	h.capability("wool", "*", knits...)
	for i := range 40 {
		h.capability(fmt.Sprintf("filler-%d", i), "*", fmt.Sprintf("polish the brass lantern %d", i), fmt.Sprintf("oil hinge number %d", i))
	}
	h.git("add", ".")
	h.git("commit", "-q", "-m", "wool")
	h.git("checkout", "-q", "first")
}

func TestATapThatIsALinkIsFollowedToWhereItLeads(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.capability("diary", "*_note", "write a note into my diary", "read yesterday's diary note", "delete a diary note")
	first, second, link := filepath.Join(h.dir, "first"), filepath.Join(h.dir, "second"), filepath.Join(h.dir, "tap")
	must(t, os.Rename(link, first), os.Symlink(first, link))
	h.declare()
	h.wrap()
	h.addTap()
	h.settings(sure)
	s := h.start()
	s.initialize(`{}`)
	s.eventually(note, "diary")
	h.capability("wool", "*", knits...)
	h.approveTap()
	s.eventually(scarf, "wool")
	// The link is made to lead elsewhere, in one step.
	must(t, os.MkdirAll(filepath.Join(second, "capabilities"), 0o700),
		os.Rename(filepath.Join(first, "capabilities", "wool"), filepath.Join(second, "capabilities", "wool")),
		os.Symlink(second, link+".new"), os.Rename(link+".new", link))
	s.eventually(note, "")
	s.eventually(scarf, "wool")
}

func TestATapThatIsGoneAndComesBackIsThereAgain(t *testing.T) {
	t.Parallel()
	h := tapped(t)
	h.settings(sure)
	s := h.start()
	s.initialize(`{}`)
	s.eventually(note, "diary")
	tap, away := filepath.Join(h.dir, "tap"), filepath.Join(h.dir, "away")
	must(t, os.Rename(tap, away))
	s.eventually(note, "")
	must(t, os.Rename(away, tap))
	s.eventually(note, "diary")
	// And edits are seen in it as before.
	writeFile(t, h.inTap("garden/config.toml"), triggers(knits...))
	s.eventually(scarf, "garden")
}

// A broken edit costs nothing that worked, and is told by file and line.
func TestABrokenEditKeepsWhatTheFileSaidBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, where string }{
		"the routing":             {"diary/config.toml", "triggers = [\n\"knit\n", "config.toml:2"},
		"the provider":            {"diary/default.toml", "[[mcp.servers]\n", "default.toml:1"},
		"another kind of trigger": {"diary/config.toml", "triggers = 7\n", "config.toml:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tapped(t)
			h.settings(sure)
			s := h.start()
			s.initialize(`{}`)
			s.eventually(note, "diary")
			good, err := os.ReadFile(h.inTap(c.file))
			must(t, err)
			writeFile(t, h.inTap(c.file), c.text)
			eventually(t, "the fault is told", func() bool {
				return strings.Contains(s.call("capability", `{"action":"list"}`), c.where)
			})
			eventually(t, "the fault is in the log", func() bool {
				log, err := os.ReadFile(h.layout.Log("gateway"))
				return err == nil && strings.Contains(string(log), c.where)
			})
			for prompt, want := range map[string]string{note: "diary", "please water the tomatoes": "garden"} {
				if got := s.brings(prompt); got != want {
					t.Errorf("%q brings in %q", prompt, got)
				}
			}
			writeFile(t, h.inTap(c.file), string(good))
			eventually(t, "the fault is gone", func() bool {
				return !strings.Contains(s.call("capability", `{"action":"list"}`), c.where)
			})
			s.eventually(note, "diary")
		})
	}
}
