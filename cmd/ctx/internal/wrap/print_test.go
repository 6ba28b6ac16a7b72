package wrap

import (
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestWhatIsNotMeasuredIsNotZero(t *testing.T) {
	s, _, out, _ := iostreams.Test()
	printLoad(s, HostResult{
		Before: Load{Servers: 2, Unmeasured: []string{"a", "b"}},
		After:  Load{Servers: 1, Tools: 4, Bytes: 1294, Tokens: 324},
	})
	if got := strings.Fields(strings.Split(out.String(), "\n")[1]); strings.Join(got, " ") != "before 2 ? ? ?" {
		t.Errorf("nothing is known of what is loaded before:\n%s", out)
	}
	if strings.Contains(out.String(), "not pay") {
		t.Errorf("a verdict without a measure:\n%s", out)
	}
}

func TestHooksAloneSayThatTheGatewayGoes(t *testing.T) {
	for fronted, want := range map[bool]string{
		false: "  hooks alone: its 1 MCP server stay as they are\n",
		true:  "  hooks alone: the gateway goes, and the host loads its 1 MCP server itself again (--gateway keeps it)\n",
	} {
		s, _, out, _ := iostreams.Test()
		j := &job{host: &hosts.Host{}, servers: []Server{{Server: surface.Server{Name: "a"}}}, fronted: fronted}
		printHooksAlone(s, (&wrapper{options: &options{}, jobs: []*job{j}}).result().Hosts[0])
		if out.String() != want {
			t.Errorf("fronted %t: %q, want %q", fronted, out, want)
		}
	}
}

func TestWhatIsToBeKnownOfTheChangeIsTold(t *testing.T) {
	s, _, out, _ := iostreams.Test()
	w := &wrapper{options: &options{}, f: &cmdutil.Factory{IO: s}, jobs: []*job{{
		host: &hosts.Host{}, plan: plugins.WrapPlan{Notes: []string{"of the plan"}}, notes: []string{"cannot tell whether git tracks it"},
	}}}
	if err := w.print(); err != nil {
		t.Fatal(err)
	}
	for _, note := range []string{"of the plan", "cannot tell whether git tracks it"} {
		if !strings.Contains(out.String(), note) {
			t.Errorf("not said: %s\n%s", note, out)
		}
	}
}

func TestAServerThatStaysDirectDoesNotHideTheVerdict(t *testing.T) {
	mute := surface.Server{Name: "mute"}
	known := surface.Server{Name: "known"}
	priced := func(cost int) surface.Inventory {
		return surface.Inventory{Servers: []surface.PricedServer{
			{Name: "mute", Standing: surface.Loaded, Unmeasured: "never listed"},
			{Name: "known", Standing: surface.Loaded, Cost: surface.Cost{Bytes: cost}},
		}}
	}
	for _, tt := range []struct {
		verdict     Verdict // of the server that did not list its tools
		before      int
		pays, known bool
	}{
		{Direct, 100, false, true},
		{Direct, 2000, true, true},
		{Front, 2000, false, false},
	} {
		j := &job{
			host: &hosts.Host{}, before: priced(tt.before), after: priced(1300),
			servers: []Server{{Server: mute, Verdict: tt.verdict}, {Server: known, Verdict: Front}},
		}
		h := (&wrapper{options: &options{gateway: true}, jobs: []*job{j}}).result().Hosts[0]
		if h.Pays != tt.pays || h.measured != tt.known {
			t.Errorf("%+v: pays %v, measured %v", tt, h.Pays, h.measured)
		}
	}
}

func TestWhoWasNotAskedSeesTheExactCommand(t *testing.T) {
	h := HostResult{Servers: []ServerResult{{
		Name: "a", Verdict: Direct, Reason: notApproved, Start: "npx -y a", details: []string{"env ROOT=/"},
	}}}
	for unasked, want := range map[bool]bool{true: true, false: false} {
		s, _, out, _ := iostreams.Test()
		printServers(s, h, unasked)
		if got := strings.Contains(out.String(), "npx -y a\n      env ROOT=/\n"); got != want {
			t.Errorf("unasked %v:\n%s", unasked, out)
		}
	}
}

func TestAnApprovalIsOfWhoGaveIt(t *testing.T) {
	w := &wrapper{workspace: "/w", trust: trust.Open(t.TempDir() + "/trust.json")}
	for by, want := range map[string]string{
		approvedByUser:                     "approved by you before",
		"claude: /home/me/.claude.json:11": "approved by claude: /home/me/.claude.json:11",
	} {
		srv := surface.Server{Name: by[:4], Scope: surface.ScopeUser, Transport: surface.Stdio, Command: "x"}
		if err := w.pin(Server{Server: srv}, by); err != nil {
			t.Fatal(err)
		}
		if got := w.approvedBy(srv); got != want {
			t.Errorf("approved by %q: %q, want %q", by, got, want)
		}
	}
}
