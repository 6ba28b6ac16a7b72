package wrap

import (
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
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
