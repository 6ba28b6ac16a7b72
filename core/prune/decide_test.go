package prune

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func server(name string, level inventory.Level) inventory.Record {
	return inventory.Record{
		ID: "mcp_server:user:" + name, Kind: surface.KindServer, Provider: "user", Name: name, Standing: inventory.Loaded, Level: level,
	}
}

func tool(srv, name string, tier authority.Tier, level inventory.Level) inventory.Record {
	return inventory.Record{
		ID: "mcp_tool:" + srv + ":" + name, Kind: surface.KindTool, Provider: srv, Name: name, Standing: inventory.Loaded, Level: level,
		Authority: &authority.Judgement{Tier: tier}, Cost: surface.Cost{Resident: 100},
	}
}

func skill(name string, needs ...inventory.Need) inventory.Record {
	return inventory.Record{
		ID: "skill:project:" + name, Kind: surface.KindSkill, Provider: "project", Name: name, Standing: inventory.Loaded, Level: inventory.L1, Requires: needs,
	}
}

// goes decides and returns the ids of what goes, and the decisions by id.
func goes(records []inventory.Record, choices Choices) (string, map[string]Decision) {
	inv := inventory.Inventory{Records: records}
	by := map[string]Decision{}
	var ids []string
	for _, d := range Decide(inv, Candidates(inv), choices, "mcp__{server}__{tool}", time.Time{}) {
		by[d.ID] = d
		if !d.Keep {
			ids = append(ids, d.ID)
		}
	}
	return strings.Join(ids, " "), by
}

func github() []inventory.Record {
	return []inventory.Record{
		server("github", inventory.L1),
		tool("github", "get_file", authority.Read, inventory.L1),
		tool("github", "create_issue", authority.RemoteWrite, inventory.L3),
		tool("github", "delete_repo", authority.Destructive, inventory.L4),
	}
}

func TestTheRuleTakesLevelTwoAndAbove(t *testing.T) {
	t.Parallel()
	got, by := goes(github(), nil)
	if got != "mcp_tool:github:create_issue mcp_tool:github:delete_repo" {
		t.Errorf("goes: %s", got)
	}
	if d := by["mcp_tool:github:delete_repo"]; d.By != ByRule || d.Where != AtHost || !strings.HasPrefix(d.Why, "L4: destructive") || d.Tokens != 100 {
		t.Errorf("%+v", d)
	}
}

func TestAServerOfWhichNothingStaysGoesWhole(t *testing.T) {
	t.Parallel()
	records := []inventory.Record{
		server("db", inventory.L3),
		tool("db", "insert", authority.RemoteWrite, inventory.L3),
		tool("db", "drop", authority.Destructive, inventory.L4),
	}
	if got, _ := goes(records, nil); got != "mcp_server:user:db mcp_tool:db:insert mcp_tool:db:drop" {
		t.Errorf("goes: %s", got)
	}
	got, by := goes(records, Choices{"mcp_tool:db:insert": true})
	if got != "mcp_tool:db:drop" || by["mcp_server:user:db"].Why != "its tool insert stays" {
		t.Errorf("goes: %s; %+v", got, by["mcp_server:user:db"])
	}
	if got, _ := goes(records, Choices{"mcp_server:user:db": true}); got != "" {
		t.Errorf("of a server that the user keeps goes: %s", got)
	}
}

func TestAServerThatTheUserPrunesTakesItsToolsAlong(t *testing.T) {
	t.Parallel()
	got, by := goes(github(), Choices{"mcp_server:user:github": false})
	if len(strings.Fields(got)) != 4 || by["mcp_tool:github:get_file"].By != ByUser {
		t.Errorf("goes: %s", got)
	}
	// But not one that the user keeps by its own name.
	got, _ = goes(github(), Choices{"mcp_server:user:github": false, "mcp_tool:github:get_file": true})
	if got != "mcp_tool:github:create_issue mcp_tool:github:delete_repo" {
		t.Errorf("goes: %s", got)
	}
}

func TestWhatAKeptTextNeedsStays(t *testing.T) {
	t.Parallel()
	need := inventory.Need{ID: "mcp_tool:github:delete_repo", Text: "mcp__github__delete_repo", Place: surface.Place{Line: 7}}
	records := append(github(), skill("tidy", need))
	got, by := goes(records, nil)
	if got != "mcp_tool:github:create_issue" || by[need.ID].Why != "skill:project:tidy needs it (line 7: mcp__github__delete_repo)" {
		t.Errorf("goes: %s; %+v", got, by[need.ID])
	}
	if got, _ := goes(records, Choices{need.ID: false}); got != "mcp_tool:github:create_issue" {
		t.Errorf("though the user wants it gone, a text that stays needs it; goes: %s", got)
	}
	if got, _ := goes(records, Choices{"skill:project:tidy": false}); got != "mcp_tool:github:create_issue mcp_tool:github:delete_repo skill:project:tidy" {
		t.Errorf("with the text goes: %s", got)
	}
}

func TestATextThatNamesAServerNeedsAllOfIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mcp__github":              "",
		"mcp__github__":            "",
		"mcp__github__delete_repo": "mcp_tool:github:create_issue",
	} {
		records := github()
		for i := range records {
			records[i].Standing = inventory.HeldBack
		}
		// Behind the gateway the name means nothing to the host, but it is still
		// what the text is about.
		need := inventory.Need{ID: "mcp_server:user:github", Text: text, Broken: "the server is behind ctx-gateway"}
		if got, _ := goes(append(records, skill("x", need)), nil); got != want {
			t.Errorf("with %s goes: %q, want %q", text, got, want)
		}
	}
}

func TestABrokenNeedKeepsNothing(t *testing.T) {
	t.Parallel()
	need := inventory.Need{ID: "mcp_server:user:github", Text: "mcp__github", Broken: "the server is switched off"}
	if got, _ := goes(append(github(), skill("x", need)), nil); got == "" {
		t.Error("nothing goes")
	}
}

func TestWhatNothingSwitchesOffStaysAndSaysWhy(t *testing.T) {
	t.Parallel()
	inv := inventory.Inventory{Records: []inventory.Record{skill("plugged")}}
	all := Candidates(inv)
	all[0].Stuck = "it comes with a plugin"
	d := Decide(inv, all, Choices{all[0].ID: false}, "mcp__{server}__{tool}", time.Time{})[0]
	if !d.Keep || d.Why != "it comes with a plugin" {
		t.Errorf("%+v", d)
	}
}

func TestKernelAndInstructionsAreNoCandidates(t *testing.T) {
	t.Parallel()
	own := server("ctx", inventory.L0)
	own.Own = true
	off := server("off", inventory.L4)
	off.Standing = inventory.Off
	inv := inventory.Inventory{Records: []inventory.Record{
		own, off,
		{ID: "repo_instructions:project:CLAUDE.md", Kind: surface.KindInstructions, Standing: inventory.Loaded},
		{ID: "hook:project:x", Kind: surface.KindHook, Standing: inventory.Loaded},
	}}
	if all := Candidates(inv); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

func TestEarlierDecisionsStand(t *testing.T) {
	t.Parallel()
	old := time.Unix(1, 0)
	calls := 3
	before := &HostReceipt{Decisions: []Decision{
		{ID: "gone", By: ByRule, Where: AtHost, At: old},                          // pruned, not there any more
		{ID: "both", By: ByRule, Where: AtHost, At: old, Tokens: 9},               // pruned and visible again
		{ID: "kept", Keep: true, By: ByUser, Why: chosen, At: old},                // by the user
		{ID: "needed", Keep: true, By: ByRule, Why: "x", At: old, Level: "L4"},    // by the rule, not there any more
		{ID: "named", By: ByRule, Where: AtGateway, At: old, Invocations: &calls}, // pruned; now named by --keep
	}}
	if diff := cmp.Diff(Choices{"kept": true}, before.Standing()); diff != "" {
		t.Errorf("choices that still hold (-want +got):\n%s", diff)
	}
	got := before.Carry([]Decision{{ID: "both", By: ByRule, Where: AtHost, At: time.Unix(9, 0)}, {ID: "new", By: ByRule, Where: AtHost}}, Choices{"named": true})
	want := []Decision{
		before.Decisions[1], before.Decisions[0], before.Decisions[2],
		{ID: "named", Keep: true, By: ByUser, Why: chosen, At: old, Invocations: &calls}, {ID: "new", By: ByRule, Where: AtHost},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
