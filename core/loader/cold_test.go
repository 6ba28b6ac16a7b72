package loader

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// everyone is a user without rules and without servers.
type everyone struct{}

func (everyone) Host() []surface.Server   { return nil }
func (everyone) AdmitsServer(string) bool { return true }
func (everyone) Admits(listing.Tool) bool { return true }

// user is one whose conversations have no gateway that could be asked.
type user struct {
	*testing.T
	options Options
}

func newUser(t *testing.T) *user {
	r := lexical(t)
	at := 0.3
	c := config.Config{AutoCapabilities: true}
	c.Activate.ActivateAt, c.Activate.MaxActive, c.Activate.MinChars = &at, 4, 8
	return &user{t, Options{
		Taps:   early{newEngine(func(func(*activate.Router)) (*activate.Router, error) { return r, nil })},
		Config: c, Trust: trust.Open(t.TempDir() + "/trust.json"), Sessions: state.Open(t.TempDir()), Log: hclog.NewNullLogger(),
	}}
}

func (u *user) asks(ctx context.Context, session, text string) (string, error) {
	o := u.options
	o.Session = func() string { return session }
	return Cold(ctx, time.Minute, o, everyone{}, text)
}

func (u *user) wants(session string) string {
	s, err := u.options.Sessions.Load(session)
	if err != nil {
		u.Error(err)
	}
	return fmt.Sprint(s.Wanted)
}

const (
	diaryText  = "write a note into my diary about the meeting"
	gardenText = "plan which beds to plant and water the tomatoes"
)

func TestFiftyConversationsWithoutAGatewayStayApart(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	var all sync.WaitGroup
	for i := range 50 {
		name, text := "diary", diaryText
		if i%2 == 1 {
			name, text = "garden", gardenText
		}
		session := fmt.Sprint("conversation-", i)
		all.Go(func() {
			line, err := u.asks(t.Context(), session, text)
			if err != nil || !strings.Contains(line, "the capability "+name+" is enabled") {
				t.Errorf("%s: %q, %v", session, line, err)
			}
			if w := u.wants(session); !strings.Contains(w, name+" prompt") || strings.Count(w, "prompt") != 1 {
				t.Errorf("%s wants %s", session, w)
			}
		})
	}
	all.Wait()
}

func TestWhatIsOnItsWayIsNotSaidAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known state.Session
		said  bool
	}{
		"nothing":       {state.Session{}, true},
		"wanted":        {state.Session{Wanted: []state.Want{{Ref: "acme/diary", By: "user"}}}, false},
		"active":        {state.Session{Capabilities: []state.Capability{{Ref: "acme/diary"}}}, false},
		"another one":   {state.Session{Wanted: []state.Want{{Ref: "acme/garden"}}}, true},
		"not any more":  {state.Session{Wanted: []state.Want{{Ref: "acme/diary", Off: true}}}, true},
		"gone from tap": {state.Session{Wanted: []state.Want{{Ref: "acme/cellar"}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			if _, err := u.options.Sessions.Update("s", func(s *state.Session) {
				s.Wanted, s.Capabilities = c.known.Wanted, c.known.Capabilities
			}); err != nil {
				t.Fatal(err)
			}
			line, err := u.asks(t.Context(), "s", diaryText)
			if err != nil || strings.Contains(line, "diary") != c.said {
				t.Errorf("said %q, %v", line, err)
			}
		})
	}
}

func TestNothingIsNotedForAHookThatHasGone(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if line, err := u.asks(gone, "s", diaryText); line != "" || err == nil {
		t.Errorf("said %q, %v", line, err)
	}
	if w := u.wants("s"); w != "[]" {
		t.Errorf("wants %s", w)
	}
}

func TestNothingIsSaidOfWhatCouldNotBeNoted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	if err := os.RemoveAll(u.options.Sessions.Dir()); err != nil {
		t.Fatal(err)
	}
	u.options.Sessions = state.Open(u.options.Sessions.Dir() + "/gone/for/good")
	if line, err := u.asks(t.Context(), "s", diaryText); line != "" || err == nil {
		t.Errorf("said %q, %v", line, err)
	}
}

// decided are taps for which every prompt comes out the same.
type decided struct {
	Taps
	activate.Decision
}

func (d decided) Decide(context.Context, activate.Request) (activate.Decision, error, error) {
	return d.Decision, nil, nil
}

// Catalog has a server for the garden.
func (d decided) Catalog() *tap.Catalog {
	var list []tap.Capability
	for _, c := range desks.Capabilities {
		if c.Name == "garden" {
			c.Servers = []tap.Server{{Server: surface.Server{Name: c.Name, Command: c.Name}}}
		}
		list = append(list, c)
	}
	return tap.Of(list)
}

// denying is a user whose rules leave nothing of a server.
type denying struct {
	everyone
	server string
}

func (w denying) AdmitsServer(name string) bool { return name != w.server }

func TestNothingIsNamedThatTheUsersRulesDeny(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for name, c := range map[string]struct {
		activate.Decision
		denied string
		want   string
	}{
		"beside":             {activate.Decision{Outcome: activate.Activate, Winner: "acme/diary", Suggested: []string{"acme/garden"}}, "", "May fit too, not enabled: acme/garden."},
		"beside, denied":     {activate.Decision{Outcome: activate.Activate, Winner: "acme/diary", Suggested: []string{"acme/garden"}}, "garden", "diary is enabled."},
		"one of two, denied": {activate.Decision{Outcome: activate.Suggest, Suggested: []string{"acme/garden", "acme/diary"}}, "garden", "not enabled: acme/diary. "},
		"all denied":         {activate.Decision{Outcome: activate.Suggest, Suggested: []string{"acme/garden"}}, "garden", ""},
	} {
		o := u.options
		o.Taps, o.Session = decided{o.Taps, c.Decision}, func() string { return name }
		line, err := Cold(t.Context(), time.Minute, o, denying{server: c.denied}, "anything at all")
		if err != nil || !strings.Contains(line, c.want) || c.want == "" && line != "" || c.denied != "" && strings.Contains(line, c.denied) {
			t.Errorf("%s: %q (%v)", name, line, err)
		}
	}
}
