package reconcile

import (
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// loads is an inventory of tools "server:tool", each as heavy as its place from
// the end.
func loads(st inventory.Standing, ids ...string) inventory.Inventory {
	var inv inventory.Inventory
	servers := map[string]bool{}
	for i, id := range ids {
		server, name, _ := strings.Cut(id, ":")
		j := authority.Judge(server, authority.Definition{Name: name})
		r := inventory.Record{
			ID: inventory.ID(surface.KindTool, server, name), Kind: surface.KindTool, Provider: server, Name: name, Standing: st,
			Authority: &j, Family: surface.FamilyOf(server, name, ""),
		}
		r.Direct.Resident = 100 * (len(ids) - i)
		inv.Records = append(inv.Records, r)
		if !servers[server] {
			servers[server] = true
			inv.Records = append(inv.Records, inventory.Record{ID: inventory.ID(surface.KindServer, "project", server), Kind: surface.KindServer, Name: server, Standing: st})
		}
	}
	return inv
}

var house = []string{
	"argo:deploy_release", "argo:rollback_release", "postgres:run_query", "pytest:run_tests", "git:git_log", "git:git_commit",
	"fs:read_file", "fs:write_file", "slack:post_message", "odd:frobnicate",
}

func called(ids ...string) []usage.Call {
	var calls []usage.Call
	for _, id := range ids {
		server, tool, _ := strings.Cut(id, ":")
		calls = append(calls, usage.Call{Session: "s", Server: server, Tool: tool})
	}
	return calls
}

func families(changes []Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, string(c.Family))
	}
	return strings.Join(all, " ")
}

func TestHidesTheHeaviestOfWhatThePhaseDoesNotNeedFirst(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	for phase, want := range map[Phase]string{
		Explore: "deployment testing",
		Edit:    "deployment source-control testing collaboration",
		Verify:  "deployment source-control database collaboration",
		Deliver: "database files testing",
	} {
		p := Make(Input{Surface: s, Phase: phase})
		if got := families(p.Hides); got != want || p.Phase != phase {
			t.Errorf("%s hides %q, want %q", phase, got, want)
		}
		if !slices.IsSortedFunc(p.Hides, func(a, b Change) int { return b.Tokens - a.Tokens }) {
			t.Errorf("%s: not by weight: %+v", phase, p.Hides)
		}
	}
}

func TestWhatNobodyKnowsIsNeverHidden(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, "odd:frobnicate"), config.Gateway{})
	for _, phase := range Phases {
		if p := Make(Input{Surface: s, Phase: phase}); len(p.Hides) != 0 {
			t.Errorf("%s hides %+v", phase, p.Hides)
		}
	}
}

// Fault 9: what was used read as unused, and was hidden.
func TestFault9WhatTheSessionUsesIsNotHidden(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	p := Make(Input{Surface: s, Phase: Explore, Calls: called("argo:rollback_release")})
	if got := families(p.Hides); got != "testing" {
		t.Errorf("it hides %q", got)
	}
	if !slices.ContainsFunc(p.Kept, func(k Kept) bool { return k.Family == "deployment" && k.Why == "the session uses it" }) {
		t.Errorf("kept: %+v", p.Kept)
	}
}

func TestPinnedRequiredAndOwnFamiliesAreNeverHidden(t *testing.T) {
	t.Parallel()
	inv := loads(inventory.HeldBack, house...)
	own := inventory.Record{ID: "mcp_tool:ctx:deploy", Kind: surface.KindTool, Provider: "ctx", Name: "deploy", Own: true, Family: "scheduling", Standing: inventory.Loaded}
	skill := inventory.Record{ID: "skill:project:ship", Kind: surface.KindSkill, Standing: inventory.Loaded, Requires: []inventory.Need{
		{ID: "mcp_server:project:pytest", Text: "mcp__pytest__run_tests", Broken: "the server is behind ctx-gateway, which shows it under another name"},
	}}
	off := skill
	off.ID, off.Standing, off.Requires = "skill:project:off", inventory.NotLoaded, []inventory.Need{{ID: "mcp_tool:argo:deploy_release"}}
	inv.Records = append(inv.Records, own, skill, off)
	s := Of(inv, config.Gateway{Pin: []string{"slack:*"}, FamiliesWhole: []string{"database"}})
	for _, phase := range Phases {
		p := Make(Input{Surface: s, Phase: phase})
		for _, never := range []string{"testing", "collaboration", "database", "scheduling"} {
			if strings.Contains(families(p.Hides), never) {
				t.Errorf("%s hides %s", phase, never)
			}
		}
		if phase != Deliver && !strings.Contains(families(p.Hides), "deployment") {
			t.Errorf("%s: what only an unloaded skill refers to is kept: %q", phase, families(p.Hides))
		}
	}
	p := Make(Input{Surface: s, Phase: Explore})
	if i := slices.IndexFunc(p.Kept, func(k Kept) bool { return k.Family == "testing" }); i < 0 || p.Kept[i].Why != "skill:project:ship refers to mcp__pytest__run_tests" {
		t.Errorf("kept: %+v", p.Kept)
	}
}

func TestWhatIsWantedComesAndIsNotHidden(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	p := Make(Input{Surface: s, Phase: Explore, Intent: Intent("deploy it, but do not run the tests, and no browser")})
	if families(p.Reveals) != "deployment" || families(p.Hides) != "testing" {
		t.Errorf("reveals %q, hides %q", families(p.Reveals), families(p.Hides))
	}
	if p := Make(Input{Surface: s, Intent: Intent("click on the page in the browser")}); len(p.Reveals) != 0 {
		t.Errorf("a family that is not there comes: %+v", p.Reveals)
	}
}

func TestAHiddenFamilyComesBackWhenItIsNeededAgain(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, house...), config.Gateway{})
	in := Input{Surface: s, Hidden: []surface.Family{"deployment"}}
	if p := Make(in); strings.Contains(families(p.Hides)+families(p.Reveals), "deployment") {
		t.Errorf("hidden again, or shown: %+v", p)
	}
	in.Calls = called("git:git_commit")
	if p := Make(in); p.Phase != Deliver || families(p.Reveals) != "deployment" {
		t.Errorf("phase %s reveals %q", p.Phase, families(p.Reveals))
	}
	in.Calls = called("argo:deploy_release", "fs:write_file")
	if p := Make(in); p.Phase != Edit || families(p.Reveals) != "deployment" {
		t.Errorf("phase %s reveals %q", p.Phase, families(p.Reveals))
	}
}

// Fault 11: the phase deliver could not be reached.
func TestFault11EveryPhaseIsReachedByWhatASessionDoes(t *testing.T) {
	t.Parallel()
	s := Of(loads(inventory.HeldBack, append(house, "github:create_pull_request", "github:list_pull_requests", "ci:run_linter", "vercel:get_deployment")...), config.Gateway{})
	reads := slices.Repeat([]string{"fs:read_file"}, recent)
	for _, c := range []struct {
		calls []string
		want  Phase
	}{
		{nil, Explore},
		{[]string{"fs:read_file", "git:git_status", "postgres:list_tables"}, Explore},
		{[]string{"fs:read_file", "fs:write_file", "fs:read_file"}, Edit},
		{[]string{"fs:write_file", "pytest:run_tests"}, Verify},
		{[]string{"fs:write_file", "ci:run_linter"}, Verify},
		{[]string{"pytest:run_tests", "fs:write_file"}, Edit},
		{[]string{"pytest:run_tests", "git:git_commit", "git:git_status"}, Deliver},
		{[]string{"github:create_pull_request"}, Deliver},
		{[]string{"github:list_pull_requests"}, Explore},
		{[]string{"argo:deploy_release"}, Deliver},
		{[]string{"vercel:get_deployment"}, Explore},
		{[]string{"unknown:git_push"}, Deliver}, // of a server that is not there any more
		{append([]string{"git:git_commit"}, reads...), Explore},
		{append([]string{"git:git_commit"}, reads[1:]...), Deliver},
		{[]string{"slack:post_message"}, Explore},
	} {
		if got := s.PhaseOf(called(c.calls...)); got != c.want {
			t.Errorf("after %q the phase is %s, want %s", c.calls, got, c.want)
		}
	}
}

func TestPhasesAreChecked(t *testing.T) {
	t.Parallel()
	for _, p := range Phases {
		if got, err := ParsePhase(string(p)); got != p || err != nil {
			t.Errorf("%s: %s, %v", p, got, err)
		}
	}
	for _, name := range []string{"", "Explore", "ship"} {
		if _, err := ParsePhase(name); err == nil || !strings.Contains(err.Error(), "explore, edit, verify, deliver") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEveryFamilyThatIsJudgedIsThereAndNeededSometime(t *testing.T) {
	t.Parallel()
	for f, phases := range needs {
		if !slices.Contains(surface.Families(), f) || len(phases) == 0 || len(phases) == len(Phases) {
			t.Errorf("%s: %q", f, phases)
		}
	}
}
