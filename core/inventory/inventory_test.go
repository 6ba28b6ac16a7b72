package inventory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/leakage"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

func tool(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"description":"","inputSchema":{"type":"object"}%s}`, name, more)
}

const (
	reads   = `,"annotations":{"readOnlyHint":true}`
	deletes = `,"annotations":{"destructiveHint":true}`
)

// world is a host with some servers and texts.
type world struct {
	sources surface.Sources
	lists   map[string]listing.Listing
	texts   map[string]string
	fronted []string
	uses    *inventory.Uses
	work    *leakage.Workspace
}

func newWorld() *world {
	w := &world{
		sources: surface.Sources{Host: "fake", Loading: surface.Eager, ToolName: "mcp__{server}__{tool}"},
		lists:   map[string]listing.Listing{}, texts: map[string]string{},
	}
	w.server("git", tool("list_branches", reads), tool("delete_branch", deletes), tool("push_commits", ""))
	w.server("github", tool("search_code", reads), tool("create_issue", ""))
	return w
}

func (w *world) server(name string, tools ...string) {
	l := listing.Listing{Server: name, At: time.Now()}
	for _, t := range tools {
		l.Tools = append(l.Tools, json.RawMessage(t))
	}
	w.sources.Servers = append(w.sources.Servers, surface.Server{Name: name, Scope: surface.ScopeUser, Place: surface.Place{File: "/c.json", Line: 3}})
	w.lists[name] = l
}

func (w *world) skill(name, text string) {
	w.sources.Items = append(w.sources.Items, surface.Item{
		Kind: surface.KindSkill, Provider: "project", Name: name, Place: surface.Place{File: "/" + name}, Resident: 20, OnDemand: len(text),
	})
	w.texts["/"+name] = text
}

func (w *world) build() inventory.Inventory {
	priced := inventory.Price(inventory.Loads{
		Sources: w.sources, Fronted: w.fronted,
		Listing: func(s surface.Server) (listing.Listing, bool) { l, ok := w.lists[s.Name]; return l, ok },
	})
	return inventory.Build(inventory.Input{
		Title: "Fake", Sources: w.sources, Priced: priced, Uses: w.uses, Workspace: w.work,
		Others: []surface.Item{{Kind: surface.KindInstructions, Provider: "other", Name: ".otherrules", Place: surface.Place{File: "/.otherrules"}}},
		Text:   func(it surface.Item) (string, bool) { t, ok := w.texts[it.Place.File]; return t, ok },
	})
}

func get(t *testing.T, inv inventory.Inventory, id string) inventory.Record {
	t.Helper()
	r := inv.Find(id)
	if r == nil {
		var ids []string
		for _, r := range inv.Records {
			ids = append(ids, r.ID)
		}
		t.Fatalf("no %s in %q", id, ids)
	}
	return *r
}

func used(server, tool, session string) inventory.Seen {
	return inventory.Seen{Kind: surface.KindTool, Server: server, Name: tool, Session: session, At: time.Unix(100, 0)}
}

func seen(sessions int, all ...inventory.Seen) *inventory.Uses {
	u := &inventory.Uses{}
	u.Transcripts(sessions, []surface.Kind{surface.KindServer, surface.KindTool, surface.KindSkill}, all)
	return u
}

// Fault 9: what nothing could see was taken for never used.
func TestUnmeasuredIsNotUnused(t *testing.T) {
	t.Parallel()
	inv := newWorld().build()
	for _, r := range inv.Records {
		if r.Use.Measured || r.Use.Unused() {
			t.Errorf("%s: %+v", r.ID, r.Use)
		}
	}
	if got := get(t, inv, "mcp_tool:github:create_issue").Level; got != inventory.L1 {
		t.Errorf("a write that nothing could see is at %s", got)
	}
	if !slices.ContainsFunc(inv.Unseen, func(u string) bool { return strings.Contains(u, "nothing counts as unused") }) {
		t.Errorf("it is not said: %q", inv.Unseen)
	}
}

// Fault 9: the server git also counted the tools of github, and a bare name those
// of any server.
func TestUseCountsForItsOwnServerAlone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.server("git__hub", tool("create_issue", ""))
	w.uses = seen(2, used("github", "create_issue", "a"), used("github", "create_issue", "b"), used("git", "hub__create_issue", "a"))
	inv := w.build()
	for id, calls := range map[string]int{
		"mcp_server:user:github": 2, "mcp_tool:github:create_issue": 2, "mcp_server:user:git": 0,
		// A host splits the name of this one too early.
		"mcp_server:user:git__hub": 1, "mcp_tool:git__hub:create_issue": 1,
	} {
		if got := get(t, inv, id).Use; got.Calls != calls || got.Of != 2 {
			t.Errorf("%s: %+v, want %d calls of 2 sessions", id, got, calls)
		}
	}
	if got := get(t, inv, "mcp_tool:github:create_issue").Use.Sessions; got != 2 {
		t.Errorf("used in %d sessions", got)
	}
}

// Fault 9: use was summed over all sessions, without a time.
func TestUseIsKeptBySessionAndTime(t *testing.T) {
	t.Parallel()
	at := func(session string, second int64, failed bool) inventory.Seen {
		s := used("git", "push_commits", session)
		s.At, s.Failed = time.Unix(second, 0), failed
		return s
	}
	w := newWorld()
	w.uses = seen(3, at("a", 100, false), at("b", 300, true), at("a", 200, false))
	r := get(t, w.build(), "mcp_tool:git:push_commits")
	want := []inventory.SessionUse{
		{Session: "b", Calls: 1, Failed: 1, First: time.Unix(300, 0), Last: time.Unix(300, 0)},
		{Session: "a", Calls: 2, First: time.Unix(100, 0), Last: time.Unix(200, 0)},
	}
	if got := r.PerSession(); !slices.Equal(got, want) || !r.Use.Last.Equal(time.Unix(300, 0)) || r.Use.Sessions != 2 || r.Use.Of != 3 {
		t.Errorf("%+v of %+v", got, r.Use)
	}
}

// Fault 9: behind the gateway every use read zero.
func TestACallThroughTheGatewayIsTheRealToolsUse(t *testing.T) {
	t.Parallel()
	for _, written := range []string{"github:create_issue", "mcp__github__create_issue", "github__create_issue", "create_issue"} {
		w := newWorld()
		w.fronted = []string{"github"}
		w.uses = seen(1, inventory.Seen{Kind: surface.KindTool, Name: written, Through: true, Session: "a"})
		inv := w.build()
		if got := get(t, inv, "mcp_tool:github:create_issue").Use.Calls; got != 1 {
			t.Errorf("%q: %d calls", written, got)
		}
	}
}

func TestTheLogIsNotCountedBesideAConversationOfTheSameSession(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.uses = seen(1, used("git", "list_branches", "a"))
	w.uses.Log("fake", []usage.Call{
		{Host: "fake", Session: "a", Server: "git", Tool: "list_branches"},
		{Host: "fake", Session: "old", Server: "git", Tool: "list_branches", Failed: true},
		{Host: "another", Session: "x", Server: "git", Tool: "list_branches"},
	})
	got := get(t, w.build(), "mcp_tool:git:list_branches").Use
	if got.Calls != 2 || got.Failed != 1 || got.Sessions != 2 || got.Of != 2 {
		t.Errorf("%+v", got)
	}
}

// Fault 8: what is unused was decided before use was known.
func TestLevelsComeFromAuthorityAndUse(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.uses = seen(3, used("git", "push_commits", "a"))
	w.skill("s", "delete and drop everything")
	inv := w.build()
	for id, want := range map[string]inventory.Level{
		"mcp_tool:git:list_branches":          inventory.L1,
		"mcp_tool:git:push_commits":           inventory.L1,
		"mcp_tool:git:delete_branch":          inventory.L4,
		"mcp_tool:github:create_issue":        inventory.L3,
		"mcp_server:user:git":                 inventory.L1,
		"skill:project:s":                     inventory.L1, // a text is not dangerous for its words
		"repo_instructions:other:.otherrules": inventory.L0,
	} {
		if got := get(t, inv, id).Level; got != want {
			t.Errorf("%s is at %s, want %s", id, got, want)
		}
	}
	if r := get(t, inv, "skill:project:s"); r.Authority != nil || !r.Prose() {
		t.Errorf("a skill has authority: %+v", r.Authority)
	}
	w.uses = seen(3, used("git", "push_commits", "a"), used("git", "delete_branch", "a"))
	if got := get(t, w.build(), "mcp_tool:git:delete_branch").Level; got != inventory.L2 {
		t.Errorf("destructive and used: %s", got)
	}
}

func TestFilesOfOtherToolsCostNothing(t *testing.T) {
	t.Parallel()
	r := get(t, newWorld().build(), "repo_instructions:other:.otherrules")
	if r.Standing != inventory.NotLoaded || r.Why != "not loaded by Fake" || r.Cost != (surface.Cost{}) {
		t.Errorf("%+v", r)
	}
}

// Fault 7: servers that nobody asked all "provided" what their placeholder said.
func TestAnUnmeasuredServerProvidesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sources.Servers = append(w.sources.Servers, surface.Server{Name: "run-me"}, surface.Server{Name: "run-too"})
	inv := w.build()
	for _, c := range inv.Graph().Clusters {
		t.Errorf("cluster %+v", c)
	}
	if r := get(t, inv, "mcp_server::run-me"); r.Unmeasured == "" || r.Cost != (surface.Cost{}) {
		t.Errorf("%+v", r)
	}
}

func TestClustersAreOfToolsThatSayTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.server("gitlab", tool("createIssue", ""), tool("get_project", reads))
	w.server("fs", tool("read_file", reads), tool("thread", ""))
	w.server("fs2", tool("get_files", reads))
	var got []string
	for _, c := range w.build().Graph().Clusters {
		got = append(got, c.Provides+": "+strings.Join(c.IDs, " "))
		if !c.Shadow {
			t.Errorf("%s is not marked as shadow", c.Provides)
		}
	}
	want := []string{
		"create issue: mcp_tool:github:create_issue mcp_tool:gitlab:createIssue",
		"read file: mcp_tool:fs2:get_files mcp_tool:fs:read_file",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestIDsAreUniqueAndStable(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.skill("twice", "a")
	w.skill("twice", "b")
	w.sources.Items = append(w.sources.Items, surface.Item{Kind: surface.KindSkill, Provider: "plugin:kit", Name: "kit:tool"})
	first, second := w.build(), w.build()
	seen := map[string]bool{}
	for i, r := range first.Records {
		if seen[r.ID] || second.Records[i].ID != r.ID {
			t.Errorf("%s comes twice, or elsewhere the next time", r.ID)
		}
		seen[r.ID] = true
	}
	for _, id := range []string{"skill:project:twice", "skill:project:twice#2", "skill:plugin/kit:kit:tool"} {
		if !seen[id] {
			t.Errorf("no %s", id)
		}
	}
}

// Fault 12: a server behind the gateway was still counted as resident.
func TestWhatIsHeldBackIsNotResident(t *testing.T) {
	t.Parallel()
	w := newWorld()
	before := w.build()
	w.fronted = []string{"git", "github"}
	after := w.build()
	if before.Total.Resident == 0 || after.Total.Resident != 0 {
		t.Errorf("%d tokens before, %d behind the gateway", before.Total.Resident, after.Total.Resident)
	}
	if r := get(t, after, "mcp_tool:git:push_commits"); r.Cost != (surface.Cost{}) || r.Direct.Resident == 0 || r.Standing != inventory.HeldBack {
		t.Errorf("%+v", r)
	}
}

func TestAnInventorySumsToItsTotal(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.skill("s", "text")
	w.sources.Frames = []surface.Frame{{Kind: surface.KindSkill, Text: "these are the skills"}}
	inv := w.build()
	var sum surface.Cost
	for _, r := range inv.Records {
		sum = sum.Plus(r.Cost)
	}
	for _, a := range inv.Around {
		sum = sum.Plus(a.Cost)
	}
	if sum != inv.Total {
		t.Errorf("the records sum to %+v, the total is %+v", sum, inv.Total)
	}
}

// Fault 12: schemas of output were counted, or forgotten without a word.
func TestOutputSchemasAreCountedAsUnsent(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.server("out", tool("a", `,"outputSchema":{"type":"object","properties":{"r":{"type":"string"}}}`), tool("b", ""))
	inv := w.build()
	a, b := get(t, inv, "mcp_tool:out:a"), get(t, inv, "mcp_tool:out:b")
	if a.Cost.Resident != b.Cost.Resident || a.Unsent == 0 || b.Unsent != 0 {
		t.Errorf("%+v\n%+v", a, b)
	}
}
