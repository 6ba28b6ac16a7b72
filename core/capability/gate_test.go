package capability

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// Every way to a capability passes the gate of domains: by name, by the role,
// beforehand, for a skill, by another process's wish, after a restart.
func TestTheDomainGateIsOnEveryPath(t *testing.T) {
	t.Parallel()
	legal := simple("legal")[0]
	legal.Domains = []string{"lawyer"}
	w := newWorld(t, append(simple("mail"), legal)...)
	w.opts.Role = []string{"legal"}
	r := w.registry()
	r.StartRole(t.Context())
	for _, by := range []string{"user", "prompt", "skill:contracts"} {
		_, err := r.Enable(t.Context(), "legal", by)
		blocked(t, err, Domain, "lawyer", `"developer"`)
		_, err = r.Enable(t.Context(), "acme/legal", by)
		blocked(t, err, Domain)
	}
	r.Preload(t.Context(), []string{"legal", "mail"})
	w.want(r, "mail", "mail")
	if _, err := w.cold().Enable(t.Context(), "legal", "prompt"); err == nil {
		t.Error("a process without servers may wish for it")
	}
	r.Close()
	w.opts.Domain = "lawyer"
	lawyer := w.registry()
	lawyer.Bind(t.Context(), "s1") // with mail, and in its own domain
	enable(t, lawyer, "legal")
	w.opts.Domain = "" // only what is universal
	lawyer.Close()
	nobody := w.registry()
	nobody.Bind(t.Context(), "s1")
	w.want(nobody, "mail", "mail")
	if got := nobody.Status(); got[0].Effective || !strings.Contains(got[0].Blocked, "this session has none") {
		t.Errorf("status: %+v", got)
	}
}

func TestReadinessLooksEverywhereAPlaceholderCanStand(t *testing.T) {
	t.Parallel()
	const ref = "x {{ENV:TOKEN}} y"
	for where, s := range map[string]surface.Server{
		"command": {Command: "{{ENV:TOKEN}}"},
		"args":    {Command: "c", Args: []string{"a", ref}},
		"env":     {Command: "c", Env: map[string]string{"K": ref}},
		"cwd":     {Command: "c", Cwd: ref},
		"url":     {Transport: surface.HTTP, URL: "https://host/{{ENV:TOKEN}}/mcp"},
		"headers": {Transport: surface.HTTP, URL: "https://host", Headers: map[string]string{"Authorization": "Bearer {{INPUT:TOKEN}}"}},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			s.Name = "s"
			w := newWorld(t, capability("cap", tap.Server{Server: s}))
			w.opts.Env = []string{"OTHER=1", "TOKEN="}
			_, err := w.registry().Enable(t.Context(), "cap", "prompt")
			blocked(t, err, Variable, "TOKEN is not set", "export TOKEN=")
			w.opts.Env = append(w.opts.Env, "TOKEN=secret")
			r := w.registry()
			enable(t, r, "cap")
			if got := w.fleet.up["s"]; len(tap.Missing(got, nil)) != 1 {
				t.Errorf("a secret is where it need not be: %+v", got)
			}
			got := tap.Expand(w.fleet.up["s"], w.opts.Env)
			if !strings.Contains(strings.Join(append(got.Args, got.Command, got.Cwd, got.URL, got.Env["K"], got.Headers["Authorization"]), " "), "secret") {
				t.Errorf("started as %+v", got)
			}
			if running := r.Running(); len(tap.Missing(running[0], nil)) != 1 {
				t.Errorf("a secret is among what is told: %+v", running)
			}
		})
	}
}

func TestWhatIsNewOrChangedIsUnreadyUntilItIsApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.list = simple("db")
	r := w.registry()
	_, err := r.Enable(t.Context(), "db", "user")
	blocked(t, err, Approval, "nobody has approved the server db", "ctx trust approve tap:acme/tools/db/db")
	if waits := w.trust.Entries(); len(waits) != 1 || !waits[0].Waits() {
		t.Errorf("the user is shown %+v", waits)
	}
	w.approve()
	enable(t, r, "db")
	disable(t, r, "db")
	changed := simple("db")[0]
	changed.Servers[0].Args = []string{"--root", "/"}
	w.list = []tap.Capability{changed}
	_, err = r.Enable(t.Context(), "db", "user")
	blocked(t, err, Approval, "another one than the user approved")
	if err := w.trust.Reject("tap:acme/tools/db/db", changed.Servers[0].Fingerprint()); err != nil {
		t.Fatal(err)
	}
	_, err = r.Enable(t.Context(), "db", "user")
	blocked(t, err, Approval, "rejected")
	w.want(r, "", "")
}

func TestWhatCannotBeStartedFromHereSaysSo(t *testing.T) {
	t.Parallel()
	builtin := capability("core", tap.Server{Server: surface.Server{Name: "core"}, Unstartable: "it is built into another program"})
	broken := capability("half")
	broken.Broken = "default.toml:3:1: no TOML"
	w := newWorld(t, builtin, broken)
	r := w.registry()
	_, err := r.Enable(t.Context(), "core", "user")
	blocked(t, err, Builtin, "built into another program")
	_, err = r.Enable(t.Context(), "half", "user")
	blocked(t, err, Broken, "default.toml:3:1")
	var unknown *UnknownError
	if _, err := r.Enable(t.Context(), "cor", "user"); !errors.As(err, &unknown) || !strings.Contains(unknown.Hint(), "core") {
		t.Errorf("got %v", err)
	}
}

func TestTheListMarksWhatIsWhat(t *testing.T) {
	t.Parallel()
	legal := simple("legal")[0]
	legal.Domains = []string{"lawyer"}
	unset := capability("unset", srv("u", "u-mcp"))
	unset.Servers[0].Args = []string{"{{ENV:NOBODYS}}"}
	w := newWorld(t, append(simple("active", "idle", "role"), legal, unset)...)
	w.opts.Role = []string{"role"}
	r := w.registry()
	r.StartRole(t.Context())
	enable(t, r, "active")
	got := map[string]string{}
	for _, e := range r.List() {
		marks := ""
		for mark, on := range map[string]bool{"A": e.Active, "S": e.Static, "D": e.OutOfDomain, "U": len(e.Unready) > 0 && !e.OutOfDomain, "I": e.Idle()} {
			if on {
				marks += mark
			}
		}
		got[e.Name] = marks
	}
	want := map[string]string{"active": "A", "idle": "I", "role": "S", "legal": "D", "unset": "U"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// What is active is so, whatever its tap says now.
	w.list[0].Servers = []tap.Server{srv("active", "another-mcp", "*")}
	if e, _ := r.Find("active"); !e.Active || len(e.Unready) > 0 {
		t.Errorf("an active one: %+v", e)
	}
	effective := map[string]bool{}
	for _, s := range r.Status() {
		effective[s.Name] = s.Effective
		if s.Effective == (s.Blocked != "") && s.Name != "idle" {
			t.Errorf("%+v", s)
		}
	}
	if diff := cmp.Diff(map[string]bool{"active": true, "idle": false, "role": true, "legal": false, "unset": false}, effective); diff != "" {
		t.Error(diff)
	}
}

// Those that are active or unready take part: a prompt that is theirs must not
// fall to the runner-up.
func TestDiscoverScoresEveryCapabilityOfTheDomain(t *testing.T) {
	t.Parallel()
	legal := simple("legal")[0]
	legal.Domains = []string{"lawyer"}
	unset := capability("unset", srv("u", "{{ENV:NOBODYS}}"))
	w := newWorld(t, append(simple("a", "b", "c", "d", "e"), legal, unset)...)
	r := w.registry()
	enable(t, r, "a")
	values := map[string]float64{"a": .9, "unset": .8, "b": .3, "c": .5, "d": .21, "e": .2, "legal": 1}
	var asked []string
	found, err := r.Discover(t.Context(), func(_ context.Context, list []tap.Capability) ([]Score, error) {
		var scores []Score
		for _, c := range list {
			asked = append(asked, c.Ref)
			scores = append(scores, Score{c.Ref, values[c.Ref]})
		}
		return append(scores, Score{"legal", 1}, Score{"nobody", 1}), nil
	}, .2)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range found {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "a unset c b d" || !found[0].Active || len(found[1].Unready) == 0 {
		t.Errorf("found %s", got)
	}
	if strings.Join(asked, " ") != "a b c d e unset" {
		t.Errorf("scored %v", asked)
	}
	score := func(context.Context, []tap.Capability) (scores []Score, _ error) {
		for name, v := range values {
			scores = append(scores, Score{name, v})
		}
		return scores, nil
	}
	for floor, want := range map[float64]int{0: 5, .3: 3, .9: 0} { // at most five, above the floor
		if found, err := r.Discover(t.Context(), score, floor); err != nil || len(found) != want || want > 0 && found[0].Name != "a" {
			t.Errorf("above %v: %d, %v", floor, len(found), err)
		}
	}
	boom := errors.New("no model")
	if _, err := r.Discover(t.Context(), func(context.Context, []tap.Capability) ([]Score, error) { return nil, boom }, 0); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}
