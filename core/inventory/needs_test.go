package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestBrokenDependenciesAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.sources.Servers = append(w.sources.Servers, surface.Server{Name: "asleep", Disabled: true})
	w.server("held", tool("x", reads))
	w.fronted = []string{"held"}
	w.skill("s", "First mcp__git__list_branches.\nThen mcp__git__* and mcp__github.\nNot mcp__git__gone,\nnor mcp__jira__search_issues\nnor mcp__asleep__x nor mcp__held__x; xmcp__no__word is none.\n")
	g := w.build().Graph()
	var broken []string
	for _, e := range g.Broken {
		broken = append(broken, fmt.Sprintf("%d %s %s", e.Place.Line, e.ID, e.Broken))
	}
	want := []string{
		"3 mcp_tool:git:gone the server lists no such tool",
		"4 mcp_server::jira no server is called that",
		"5 mcp_server::asleep the server is switched off",
	}
	if !slices.Equal(broken, want) {
		t.Errorf("%q, want %q", broken, want)
	}
	if len(g.Needs) != 7 {
		t.Errorf("%d needs: %+v", len(g.Needs), g.Needs)
	}
}

// The gateway takes the host's names from a model that has read them; the host
// itself finds nothing by them.
func TestWhatIsBehindTheGatewayIsMissingToAnAgentsListAlone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fronted = []string{"git"}
	for _, kind := range []surface.Kind{surface.KindAgent, surface.KindSkill} {
		w.sources.Items = append(w.sources.Items, surface.Item{Kind: kind, Provider: "project", Name: "a", Place: surface.Place{File: "/a"}})
	}
	for text, broken := range map[string]int{
		"---\nname: a\ntools: Read, mcp__git__list_branches\n---\nLists.": 1,
		"---\nname: a\n---\nUse mcp__git__list_branches.":                 0,
		"Use mcp__git__list_branches.":                                    0,
		"Use mcp__git__gone.":                                             2, // the agent and the skill
	} {
		w.texts["/a"] = text
		if g := w.build().Graph(); len(g.Broken) != broken || len(g.Needs) != 2 {
			t.Errorf("%q: %+v of %+v", text, g.Broken, g.Needs)
		}
	}
}

// Fault 6: what a text needs was found within words. A name counts where a text
// sets it apart, and only what is called a server can be missing.
func TestNeedsInWordsAreOfWholeNames(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.server("mobile-mcp", tool("list_devices", reads), tool("tap", ""))
	w.server("other", tool("list_devices_too", reads))
	w.fronted = []string{"other"}
	for _, tt := range []struct{ text, want, broken string }{
		{"Use the `mobile-mcp` MCP server.", "mcp_server:user:mobile-mcp", ""},
		{"Use the MCP server `mobile-mcp`.", "mcp_server:user:mobile-mcp", ""},
		{"Use the `other` MCP server.", "mcp_server:user:other", ""},
		{"Call `list_devices` first.", "mcp_tool:mobile-mcp:list_devices", ""},
		{"Call `mobile-mcp:tap` first.", "mcp_tool:mobile-mcp:tap", ""},
		{"Use the `desktop-automation` MCP server.", "mcp_server::desktop-automation", "no server is called that"},
		{"Use the `desktop-automation` MCP server: `list_devices`.", "mcp_server::desktop-automation", "no server is called that"},
		{"Write your `my-server` MCP server.", "", ""},
		{"Tap on it: `tap`, list_devices, `list_devices()`, `list_devices_x`.", "", ""},
		{"`type: mcp`, `git:main`, `git`, `max_iterations`, `exit_when`.", "", ""},
		{"An MCP server `https://x` of the mobile-mcp kind.", "", ""},
	} {
		w.sources.Items = nil
		w.skill("s", "\n"+tt.text)
		r := get(t, w.build(), "skill:project:s")
		switch {
		case tt.want == "" && len(r.Requires) > 0:
			t.Errorf("%q: %+v", tt.text, r.Requires)
		case tt.want != "" && len(r.Requires) > 0 && r.Requires[0].Loose != strings.HasPrefix(tt.text, "Call `list_devices`"):
			t.Errorf("%q: loose %v", tt.text, r.Requires[0].Loose)
		case tt.want != "" && (len(r.Requires) != 1 || r.Requires[0].ID != tt.want || r.Requires[0].Broken != tt.broken || r.Requires[0].Place.Line != 2):
			t.Errorf("%q: %+v", tt.text, r.Requires)
		}
	}
}
