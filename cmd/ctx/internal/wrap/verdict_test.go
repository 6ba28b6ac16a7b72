package wrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
	"github.com/ctx-sidecar/ctx/plugins"
)

func TestSurvey(t *testing.T) {
	mine := &surface.Place{File: "/home/me/.host.json", Line: 3}
	tests := []struct {
		name    string
		server  surface.Server
		status  trust.Status
		include []string
		verdict Verdict
		reason  string // a part of it
		by      string
	}{
		{"of the user's own file", surface.Server{Scope: surface.ScopeUser, ApprovedBy: mine}, trust.Unknown, nil, Front, "", "/home/me/.host.json:3"},
		{"of the repository", surface.Server{Scope: surface.ScopeProject}, trust.Unknown, nil, Front, "", ""},
		{"approved before", surface.Server{Scope: surface.ScopeProject}, trust.Approved, nil, Front, "", approvedBefore},
		{"changed by the repository, approved by name", surface.Server{Scope: surface.ScopeProject, ApprovedBy: mine}, trust.Changed, nil, Front, "", ""},
		{"of the user's, changed by the repository that the user trusts", surface.Server{Scope: surface.ScopeUser, Place: surface.Place{File: "/home/me/.host.json", Line: 1}, ApprovedBy: &surface.Place{File: "/home/me/.host.json", Line: 7}}, trust.Changed, nil, Front, "", ""},
		{"changed by the user", surface.Server{Scope: surface.ScopeUser, Place: *mine, ApprovedBy: mine}, trust.Changed, nil, Front, "", "/home/me/.host.json:3"},
		{"rejected, though the host would start it", surface.Server{Scope: surface.ScopeUser, ApprovedBy: mine}, trust.Rejected, nil, Direct, "you rejected it", ""},
		{"switched off", surface.Server{Disabled: true, ApprovedBy: mine}, trust.Approved, nil, Disabled, "", ""},
		{"switched off and included", surface.Server{Disabled: true}, trust.Approved, []string{"s"}, Disabled, "", ""},
		{"named by a hook", surface.Server{Direct: "a hook names it"}, trust.Approved, nil, Direct, "a hook names it", ""},
		{"named by a hook and included", surface.Server{Direct: "a hook names it"}, trust.Approved, []string{"s"}, Front, "", approvedBefore},
		{"over a websocket", surface.Server{Transport: surface.WS}, trust.Approved, []string{"s"}, Direct, "does not speak ws", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.server.Name = "s"
			if tt.server.Transport == "" {
				tt.server.Transport = surface.Stdio
			}
			got := survey([]surface.Server{{Name: "ctx", Own: true}, tt.server}, tt.include, func(surface.Server) trust.Status { return tt.status })
			if len(got) != 1 {
				t.Fatalf("%d servers, want one without our own", len(got))
			}
			g := got[0]
			if g.Verdict != tt.verdict || !strings.Contains(g.Reason, tt.reason) || (tt.reason == "" && g.Reason != "") || g.Approval != tt.by {
				t.Errorf("verdict %q, reason %q, approval %q", g.Verdict, g.Reason, g.Approval)
			}
		})
	}
}

// asked is a run for one host with one server that nobody has approved.
func asked(s *iostreams.Streams, o options) *wrapper {
	srv := surface.Server{Name: "files", Scope: surface.ScopeProject, Transport: surface.Stdio, Command: "npx", Args: []string{"-y", "files; rm -rf /"}}
	return &wrapper{
		options: &o, f: &cmdutil.Factory{IO: s},
		jobs: []*job{{
			host:    &hosts.Host{Description: plugins.Description{Name: "acme", Title: "Acme"}},
			servers: []Server{{Server: srv, Verdict: Front}},
		}},
	}
}

func TestAnApprovalCoversWhatWasPrinted(t *testing.T) {
	for _, tt := range []struct {
		name        string
		interactive bool
		answer      string
		o           options
		approved    bool
		printed     bool
	}{
		{"yes at the terminal", true, "y\n", options{}, true, true},
		{"no at the terminal", true, "n\n", options{}, false, true},
		{"return alone", true, "\n", options{}, false, true},
		{"end of input", true, "", options{}, false, true},
		{"nobody to ask", false, "y\n", options{}, false, false},
		{"--yes", false, "", options{yes: true}, true, true},
		{"dry run at a terminal", true, "y\n", options{dryRun: true}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, in, _, errOut := iostreams.Test()
			s.Interactive = tt.interactive
			in.WriteString(tt.answer)
			w := asked(s, tt.o)
			if err := w.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.jobs[0].servers[0].Approval == approvedByUser; got != tt.approved {
				t.Errorf("approved: %v", got)
			}
			if printed := strings.Contains(errOut.String(), "npx -y 'files; rm -rf /'"); printed != tt.printed {
				t.Errorf("printed %q", errOut.String())
			}
		})
	}
}

func TestNumber(t *testing.T) {
	got := []string{number(0), number(999), number(1000), number(1234567)}
	if d := cmp.Diff([]string{"0", "999", "1,000", "1,234,567"}, got); d != "" {
		t.Error(d)
	}
}
