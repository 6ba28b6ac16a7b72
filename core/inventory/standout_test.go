package inventory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

func (w *world) price() surface.Inventory {
	return inventory.Price(inventory.Loads{
		Sources: w.sources, Fronted: w.fronted,
		Listing: func(s surface.Server) (listing.Listing, bool) { l, ok := w.lists[s.Name]; return l, ok },
	})
}

func (w *world) stand(most int, calls ...usage.Call) inventory.Standout {
	return inventory.Stand(w.price(), w.sources.ToolName, calls, func(it surface.Item) (string, bool) { t, ok := w.texts[it.Place.File]; return t, ok }, most)
}

func TestAHookIsToldOfWhatIsPowerfulAndUnused(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.fronted = []string{"github"}
	if s := w.stand(4); s.Unused != nil || s.Sessions != 0 {
		t.Errorf("before any session: %+v", s)
	}
	s := w.stand(4, usage.Call{Host: "fake", Session: "a", Server: "git", Tool: "push_commits"}, usage.Call{Host: "another", Session: "b", Server: "github", Tool: "create_issue"})
	if want := []string{"git:delete_branch", "github:create_issue"}; !slices.Equal(s.Unused, want) || s.More || s.Sessions != 1 {
		t.Errorf("%+v, want %q", s, want)
	}
	if s := w.stand(1, usage.Call{Host: "fake", Session: "a", Server: "git", Tool: "list_branches"}); !slices.Equal(s.Unused, []string{"git:delete_branch"}) || !s.More {
		t.Errorf("one of several: %+v", s)
	}
}

// What a hook tells is what the audit tells, of the same use.
func TestAHookAndAnAuditAgree(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.server("many", tool("drop_table", ""), tool("send_mail", ""), tool("get_mail", reads), tool("frobnicate", ""), tool("write_file", ""))
	w.skill("s", "Use mcp__git__gone, mcp__nobody__x and mcp__git__push_commits. Again mcp__nobody__x.")
	calls := []usage.Call{{Host: "fake", Session: "a", Server: "git", Tool: "list_branches"}}
	w.uses = &inventory.Uses{}
	w.uses.Log("fake", calls)
	inv := w.build()
	var unused, broken []string
	for _, r := range inv.Records {
		if r.Kind == surface.KindTool && r.Use.Unused() && r.Level >= inventory.L3 {
			unused = append(unused, r.Provider+":"+r.Name)
		}
	}
	for _, e := range inv.Graph().Broken {
		broken = append(broken, fmt.Sprint(e))
	}
	s := w.stand(100, calls...)
	got := slices.Clone(s.Unused)
	slices.Sort(got)
	slices.Sort(unused)
	if !slices.Equal(got, unused) || len(got) < 5 {
		t.Errorf("the hook has %q, the audit %q", got, unused)
	}
	var told []string
	for _, e := range s.Broken {
		told = append(told, fmt.Sprint(e))
	}
	if !slices.Equal(told, broken) || len(told) != 2 {
		t.Errorf("the hook has %q, the audit %q", told, broken)
	}
}

func TestAHookReadsFewTexts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range 100 {
		w.skill(fmt.Sprintf("s%d", i), "Use mcp__nobody__x.")
	}
	read := 0
	s := inventory.Stand(w.price(), w.sources.ToolName, nil, func(surface.Item) (string, bool) {
		read++
		return "Use mcp__nobody__x. " + strings.Repeat("x", 1000), true
	}, 3)
	if read > 40 || len(s.Broken) != 3 {
		t.Errorf("%d texts read, %d needs are broken", read, len(s.Broken))
	}
}

func BenchmarkStand(b *testing.B) {
	w := newWorld()
	w.sources.Servers = nil
	for i := range 3 {
		var tools []string
		for k := range 13 {
			tools = append(tools, tool(fmt.Sprintf("list_things_%d", k), `,"title":"Lists the things of a store"`))
		}
		w.server(fmt.Sprintf("s%d", i), tools...)
	}
	priced := w.price()
	calls := []usage.Call{{Host: "fake", Session: "a", Server: "git", Tool: "list_branches"}}
	for b.Loop() {
		inventory.Stand(priced, w.sources.ToolName, calls, nil, 4)
	}
}
