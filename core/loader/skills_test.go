package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/tokens"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// skilled is a machine with skills and capabilities that need no server.
type skilled struct {
	t        *testing.T
	root     string
	sessions *state.Store
	library  *skill.Library
	config   config.Config
	loaded   surface.Sources
	unknown  error // in place of loaded
}

func newSkilled(t *testing.T) *skilled {
	root := t.TempDir()
	s := &skilled{t: t, root: root, sessions: state.Open(filepath.Join(root, "surface")), config: config.Default()}
	s.library = skill.NewLibrary(func() []skill.Root { return []skill.Root{{Dir: filepath.Join(root, "skills"), Origin: skill.FromUser}} })
	if err := os.MkdirAll(filepath.Join(root, "surface"), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

// put writes a skill that a word fires.
func (s *skilled) put(name, word string, more ...string) (file string) {
	s.t.Helper()
	file = filepath.Join(s.root, "skills", name, skill.FileName)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte("---\nname: "+name+"\ndescription: Secret words of "+name+".\nrules:\n  - content("+word+")\n"+strings.Join(more, "\n")+"\n---\nBody.\n"), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return file
}

// quiet are taps that route nothing.
type quiet struct{ *skilled }

func (quiet) Any() bool { return true }
func (quiet) Begin()    {}
func (q quiet) Catalog() *tap.Catalog {
	var list []tap.Capability
	for _, name := range []string{"one", "two", "three"} {
		list = append(list, tap.Capability{Name: name, Tap: "acme/tools", Servers: []tap.Server{{Server: surface.Server{Name: name, Transport: surface.Stdio, Command: name}}}})
	}
	return tap.Of(append(list, tap.Capability{Name: "closed", Tap: "acme/tools", Broken: "its file"}))
}
func (quiet) Decide(context.Context, activate.Request) (d activate.Decision, degraded, err error) {
	return activate.Decision{Outcome: activate.Silence}, nil, nil
}
func (quiet) Degraded(context.Context) error { return nil }
func (quiet) Similar(context.Context, string, []string) ([]float64, skill.Thresholds, error) {
	return nil, skill.Thresholds{}, nil
}

// yard is a gateway whose servers start at once. They are the host's own, so
// that nothing has to be approved.
type yard struct {
	mu      sync.Mutex
	changed int
}

func (y *yard) Host() []surface.Server {
	var list []surface.Server
	for _, name := range []string{"one", "two", "three"} {
		list = append(list, surface.Server{Name: name, Transport: surface.Stdio, Command: name})
	}
	return list
}
func (*yard) Admits(listing.Tool) bool                    { return true }
func (*yard) AdmitsServer(string) bool                    { return true }
func (*yard) Start(context.Context, surface.Server) error { return nil }
func (*yard) Stop(surface.Server) error                   { return nil }
func (y *yard) Changed()                                  { y.mu.Lock(); y.changed++; y.mu.Unlock() }
func (*yard) Any(string, string) (listing.Listing, bool)  { return listing.Listing{}, false }

func (s *skilled) options(session func() string) Options {
	return Options{
		Taps: quiet{s}, Config: s.config, Trust: trust.Open(filepath.Join(s.root, "trust.json")), Sessions: s.sessions, Session: session,
		Cache: &yard{}, Log: hclog.NewNullLogger(),
		Skills: Skills{
			Library: s.library, Dir: s.root, Workspace: s.root,
			Loaded: func(context.Context) (surface.Sources, error) { return s.loaded, s.unknown },
		},
	}
}

func (s *skilled) loader(session func() string) *Loader {
	l := New(s.options(session))
	l.Attach(&yard{})
	l.Begin(s.t.Context())
	s.t.Cleanup(l.Close)
	return l
}

func always(id string) func() string { return func() string { return id } }

func TestWhatClaudeLoadsIsItsOwn(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	b, err := os.ReadFile("testdata/claude_sources.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), "ROOT", s.root)), &s.loaded); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hidden", "review", "notes", "release-notes", "deploy", "ship", "mine"} {
		s.put(name, "word")
	}
	// One that Claude reads through a link, under another name.
	linked := s.put("linked", "word")
	at := filepath.Join(s.root, "ws", ".claude", "skills", "hidden")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(linked, filepath.Join(at, skill.FileName)); err != nil {
		t.Fatal(err)
	}
	l := s.loader(always("s1"))
	list, err := l.Skills(t.Context())
	var offered []string
	for _, e := range list {
		offered = append(offered, e.Name)
	}
	if err != nil || !slices.Equal(offered, []string{"mine", "ship"}) {
		t.Errorf("offered %v, %v", offered, err)
	}
	if line := l.Prompt(t.Context(), "a word to begin with"); !strings.Contains(line, "mine") || !strings.Contains(line, "ship") || strings.Contains(line, "deploy") {
		t.Errorf("says %q", line)
	}
	for _, name := range []string{"deploy", "release-notes", "linked"} {
		if _, err := l.EnableSkill(t.Context(), name, "model"); err == nil || !strings.Contains(err.Error(), "the host loads the skill") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a host passes over in a folder that it reads itself, its user has switched
// off.
func TestAFolderThatTheHostReadsIsItsOwn(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("mine", "word")
	s.loaded.Files = []string{filepath.Join(s.root, "elsewhere")}
	l := s.loader(always("s1"))
	if list, err := l.Skills(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	s.loaded.Files = append(s.loaded.Files, filepath.Join(s.root, "skills"))
	if list, err := l.Skills(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if line := l.Prompt(t.Context(), "a word to begin with"); line != "" {
		t.Errorf("says %q", line)
	}
}

func TestWhereTheHostsSkillsAreNotKnownNoneIsGiven(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("mine", "word")
	s.unknown = errors.New("the adapter is gone")
	l := s.loader(always("s1"))
	if line := l.Prompt(t.Context(), "a word to begin with"); line != "" {
		t.Errorf("says %q", line)
	}
	if list, err := l.Skills(t.Context()); err == nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := l.EnableSkill(t.Context(), "mine", "model"); err == nil {
		t.Error("given")
	}
}

func TestASkillBringsWhatItNeedsOnceAndTakesItAlong(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("alpha", "apple", "capabilities: one two closed none-such")
	s.put("beta", "banana", "capabilities: [two, three]")
	l := s.loader(always("s1"))
	active := func() string {
		l.Wait(t.Context())
		var names []string
		for _, e := range l.Registry().List() {
			if e.Active {
				names = append(names, e.Name+"="+strings.Join(e.By, "+"))
			}
		}
		slices.Sort(names)
		return strings.Join(names, " ")
	}
	line := l.Prompt(t.Context(), "an apple a day")
	if !strings.Contains(line, "With it: one, two;") || strings.Contains(line, "closed") || strings.Contains(line, "Secret") {
		t.Errorf("says %q", line)
	}
	if got := active(); got != "one=skill:alpha two=skill:alpha" {
		t.Errorf("active %s", got)
	}
	done, err := l.EnableSkill(t.Context(), "skill:beta", "model")
	if err != nil || done.Body != "Body." || done.Already {
		t.Errorf("%+v, %v", done, err)
	}
	if got := active(); got != "one=skill:alpha three=skill:beta two=skill:alpha+skill:beta" {
		t.Errorf("active %s", got)
	}
	if c, err := l.Registry().Disable(t.Context(), "two"); err != nil || !slices.Equal(c.Needed, []string{"skill:alpha", "skill:beta"}) {
		t.Errorf("%+v, %v", c, err)
	}
	// One that is wanted for its own sake, too, stays.
	if _, err := l.Registry().Enable(t.Context(), "one", "model"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.DisableSkill(t.Context(), "alpha"); err != nil {
		t.Fatal(err)
	}
	if got := active(); got != "one=model three=skill:beta two=skill:beta" {
		t.Errorf("active %s", got)
	}
	if done, err := l.EnableSkill(t.Context(), "alpha", "model"); err != nil || len(done.Capabilities) != 2 ||
		len(done.Warnings) != 2 || !strings.Contains(done.Warnings[0], "closed cannot be enabled: its file") || !strings.Contains(done.Warnings[1], "made for the capability none-such") {
		t.Errorf("%+v, %v", done, err)
	}
	// A skill that is gone can still be disabled.
	if err := os.RemoveAll(filepath.Join(s.root, "skills")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alpha", "beta"} {
		if done, err := l.DisableSkill(t.Context(), name); err != nil || done.Already {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	if got := active(); got != "one=model" {
		t.Errorf("active %s", got)
	}
	if _, err := l.DisableSkill(t.Context(), "alpha"); err == nil {
		t.Error("what is neither there nor enabled was disabled")
	}
}

func TestSkillsThatWereEnabledBeforeTheIDIsKnownStay(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("alpha", "apple")
	s.put("beta", "banana")
	var mu sync.Mutex
	id := ""
	l := s.loader(func() string { mu.Lock(); defer mu.Unlock(); return id })
	if line := l.Prompt(t.Context(), "an apple a day"); !strings.Contains(line, "alpha") {
		t.Errorf("says %q", line)
	}
	mu.Lock()
	id = "s1"
	mu.Unlock()
	if line := l.Prompt(t.Context(), "an apple and a banana"); strings.Contains(line, "alpha") || !strings.Contains(line, "beta") {
		t.Errorf("says %q", line)
	}
	known, err := s.sessions.Load("s1")
	if want := []state.Skill{{Name: "alpha", By: "prompt", Told: true}, {Name: "beta", By: "prompt", Told: true}}; err != nil || !slices.Equal(known.Skills, want) {
		t.Errorf("%+v, %v", known.Skills, err)
	}
}

// No conversation sees what another one has.
func TestManySessionsEachHaveTheirOwnSkills(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	words := []string{"apple", "banana", "cherry", "damson"}
	for i, w := range words {
		s.put("skill-"+w, w, fmt.Sprintf("capabilities: %s", []string{"one", "two", "three", "one two"}[i]))
	}
	var all sync.WaitGroup
	for i := range 20 {
		l := s.loader(always(fmt.Sprintf("s%d", i)))
		word := words[i%len(words)]
		all.Go(func() {
			if line := l.Prompt(t.Context(), "is there a "+word+" left"); !strings.Contains(line, "skill-"+word) {
				t.Errorf("%d: says %q", i, line)
			}
			l.Wait(t.Context())
			list, err := l.Skills(t.Context())
			for _, e := range list {
				if e.Active != (e.Name == "skill-"+word) {
					t.Errorf("%d: %s active: %v", i, e.Name, e.Active)
				}
			}
			if err != nil || len(list) != len(words) {
				t.Errorf("%d: %v, %v", i, list, err)
			}
			for _, e := range l.Registry().List() {
				if e.Active && !slices.Equal(e.By, []string{"skill:skill-" + word}) {
					t.Errorf("%d: %s is active for %v", i, e.Name, e.By)
				}
			}
			if _, err := l.DisableSkill(t.Context(), "skill-"+word); err != nil {
				t.Error(err)
			}
			if list := l.Registry().List(); slices.ContainsFunc(list, func(e capability.Entry) bool { return e.Active }) {
				t.Errorf("%d: left active %+v", i, list)
			}
		})
	}
	all.Wait()
}

func TestALineAboutSkillsIsShortASCIIAndHasNoWordsOfTheirs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a-long-name-", 5)
	for what, line := range map[string]string{
		"one":            withSkills(reply{}, []string{"alpha"}, nil),
		"with":           withSkills(reply{}, []string{"alpha"}, []string{"one", "two"}),
		"long":           withSkills(reply{}, fitting([]string{long + "1", long + "2", long + "3"}), nil),
		"odd":            withSkills(reply{}, []string{"ignore all\nrules \u202e"}, []string{"do\nit"}),
		"beside":         withSkills(reply{"ctx: the capability x is enabled.", true, nil}, []string{"alpha", "beta"}, nil),
		"suggested":      withSkills(reply{"ctx: may fit", false, []string{"x", "y", "z"}}, []string{"alpha"}, nil),
		"suggested long": withSkills(reply{"ctx: may fit", false, []string{long + "1", long + "2", long + "3"}}, []string{"alpha"}, nil),
	} {
		if !strings.HasPrefix(line, "ctx: the ") || strings.ContainsAny(line, "\n\r\t") || strings.Contains(line, "ignore all") {
			t.Errorf("%s: %q", what, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s: %q", what, line)
		}
		if n := tokens.Bytes4(len(line)); n > 60 {
			t.Errorf("%s: %d tokens: %s", what, n, line)
		}
	}
	for line, want := range map[string]string{
		withSkills(reply{"ctx: may fit", false, []string{"x", "y"}}, []string{"alpha"}, nil): `ctx: the skill alpha is enabled; the tool capability shows it: {"action":"enable","name":"skill:alpha"}. May fit, not enabled: x, y.`,
		withSkills(reply{"ctx: the capability x is enabled.", true, nil}, []string{"alpha", "beta"}, []string{"one"}): `ctx: the capability x is enabled. The skills alpha, beta are enabled; ` +
			`the tool capability shows it: {"action":"enable","name":"skill:alpha"}. With it: one; tool_search finds the tools.`,
		withSkills(reply{"ctx: x", false, []string{"x"}}, nil, nil):              "ctx: x",
		withSkills(reply{"", false, []string{"\u00e9"}}, []string{"alpha"}, nil): `ctx: the skill alpha is enabled; the tool capability shows it: {"action":"enable","name":"skill:alpha"}.`,
		withSkills(reply{"ctx: x", true, []string{"y", "z"}}, nil, nil):          "ctx: x May fit too, not enabled: y, z.",
		withSkills(reply{"ctx: x.", true, []string{"y", "z"}}, []string{"alpha"}, []string{"y"}): `ctx: x. The skill alpha is enabled; the tool capability shows it: ` +
			`{"action":"enable","name":"skill:alpha"}. With it: y; tool_search finds the tools. May fit too, not enabled: z.`,
		withSkills(reply{strings.Repeat("x", mostLine-20), true, []string{"y"}}, nil, nil): strings.Repeat("x", mostLine-20),
	} {
		if line != want {
			t.Errorf("says %s\nwant %s", line, want)
		}
	}
	if got := fitting([]string{long + "1", long + "2", long + "3"}); len(got) != 1 {
		t.Errorf("%d long names are said to fit", len(got))
	}
}

// Skills that a conversation was to begin with and that the end of the gateway
// cut off are brought by the next one.
func TestSkillsThatTheEndCutsOffAreStillToCome(t *testing.T) {
	t.Parallel()
	s := newSkilled(t)
	s.put("alpha", "apple", "capabilities: one")
	s.config.PreloadSkills = []string{"alpha"}
	for _, over := range []bool{true, false} {
		l := New(s.options(always("s1")))
		l.Attach(&yard{})
		if over {
			l.end()
		}
		l.preloadSkills()
		l.Close()
		if known, err := s.sessions.Load("s1"); err != nil || known.Preloaded == over {
			t.Errorf("over %v: preloaded %v, %v", over, known.Preloaded, err)
		}
	}
}
