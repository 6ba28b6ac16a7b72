package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/state"
)

func few(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.NarrowAbove = 8 }

func inMode(mode string) func(*Options, *Rules, *fakeBackends) {
	return func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.Mode = mode }
}

func TestAFewToolsAreListedAsTheyAreWithoutSearch(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, few)
	if index := instructions(t, b.initialize(`{}`)); index != "" {
		t.Errorf("an index of what is listed anyway: %s", index)
	}
	list := b.must("tools/list", "")
	if got := strings.Join(toolNames(t, list), " "); got != "fs__read_text_file fs__write_file memory__read_graph memory__delete_all call_tool" {
		t.Fatalf("listed %s", got)
	}
	listed := tools(t, list)[0]
	delete(listed, "name")
	var sent map[string]json.RawMessage
	if err := json.Unmarshal([]byte(readText), &sent); err != nil {
		t.Fatal(err)
	}
	delete(sent, "name")
	if listing.Canonical(encode(listed)) != listing.Canonical(encode(sent)) {
		t.Errorf("listed %s", encode(listed))
	}
	if r := b.call("fs__read_text_file", `{"path":"a"}`); r.text() != `fs tools/call {"name":"read_text_file","arguments":{"path":"a"}}` {
		t.Errorf("called: %s", r.text())
	}
}

func TestNobodyDecidesForAFewToolsBeforeAllAreKnown(t *testing.T) {
	t.Parallel()
	for name, behind := range map[string]map[string][]string{
		"one was never listed": {"fs": {readText}, "unseen": nil},
		"nine tools":           {"a": manyTools("a", 9)},
		"none at all":          {},
	} {
		b := serve(t, behind, few)
		b.initialize(`{}`)
		if got := toolNames(t, b.must("tools/list", "")); got[0] != toolSearch {
			t.Errorf("%s: listed %q", name, got)
		}
	}
}

func TestListedNamesAreFitForEveryHostAndCallTheRightTool(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a_rather_long_name_", 4)
	named := func(n string) string { return fmt.Sprintf(`{"name":%q,"inputSchema":{}}`, n) }
	b := serve(t, map[string][]string{
		"web": {named("search-a"), named("search_a"), named("search a"), named(long + "x"), named(long + "y"), named("call_tool"), named("工具")},
	}, few)
	b.initialize(`{}`)
	names := toolNames(t, b.must("tools/list", ""))
	if len(names) != 8 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 8 {
		t.Fatalf("listed %q", names)
	}
	for i, want := range []string{"search-a", "search_a", "search a", long + "x", long + "y", "call_tool", "工具"} {
		if full := "mcp__plugin_ctx_ctx__" + names[i]; len(full) > 64 {
			t.Errorf("%s has %d characters", full, len(full))
		}
		if r := b.call(names[i], `{}`); !strings.Contains(r.text(), fmt.Sprintf(`"name":%q`, want)) {
			t.Errorf("%s called %s", names[i], r.text())
		}
	}
}

func TestTheHostIsToldOfARealChangeAndOfNoOther(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText}}, few)
	b.initialize(`{}`)
	b.must("tools/list", "")
	b.backends.set(list("fs", readText))
	if got := b.host.notes(); len(got) != 0 {
		t.Fatalf("told %q", got)
	}
	b.backends.set(list("fs", readText, writeFile))
	if got := b.host.notes(); len(got) != 1 || !strings.HasPrefix(got[0], "notifications/tools/list_changed") {
		t.Fatalf("told %q", got)
	}
	if names := toolNames(t, b.must("tools/list", "")); len(names) != 3 {
		t.Errorf("listed %q", names)
	}
}

func TestRevealedToolsAreListedUntilTheyAreHidden(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, inMode("reveal"))
	b.initialize(`{}`)
	before := toolNames(t, b.must("tools/list", ""))
	if !slices.Equal(before, []string{toolSearch, describeTool, callTool, callToolWrite, surfaceTool}) {
		t.Fatalf("listed %q", before)
	}
	r := b.call(surfaceTool, `{"action":"reveal","tools":["fs:read_text_file","nothing:here"]}`)
	if !strings.Contains(r.text(), "fs__read_text_file") || !strings.Contains(r.text(), "callable at once") || !strings.Contains(r.text(), "unknown: nothing:here") {
		t.Errorf("said %s", r.text())
	}
	if got := b.host.notes(); len(got) != 1 || !strings.HasPrefix(got[0], "notifications/tools/list_changed") {
		t.Errorf("told %q", got)
	}
	if got := toolNames(t, b.must("tools/list", "")); !slices.Contains(got, "fs__read_text_file") || len(got) != 6 {
		t.Errorf("listed %q", got)
	}
	if r := b.call(surfaceTool, `{"action":"reveal","family":"memory"}`); !strings.Contains(r.text(), "memory__delete_all") {
		t.Errorf("said %s", r.text())
	}
	if r := b.call(surfaceTool, `{"action":"reveal","family":"nothing"}`); !r.IsError {
		t.Errorf("said %s", r.text())
	}
	b.call(surfaceTool, `{"action":"hide","family":"memory"}`)
	if got := toolNames(t, b.must("tools/list", "")); len(got) != 6 {
		t.Errorf("listed %q", got)
	}
	if r := b.call(surfaceTool, `{"action":"index"}`); !strings.Contains(r.text(), "memory (2)") {
		t.Errorf("said %s", r.text())
	}
}

func TestAToolInUseIsNeverTakenAway(t *testing.T) {
	t.Parallel()
	b := serve(t, twoServers, inMode("reveal"))
	b.initialize(`{}`)
	b.call(surfaceTool, `{"action":"reveal","family":"fs"}`)
	b.call("fs__read_text_file", `{"path":"a"}`)
	b.record.close() // what is in use is on record now
	r := b.call(surfaceTool, `{"action":"hide","family":"fs"}`)
	if !strings.Contains(r.text(), "kept, because in use: fs:read_text_file") || !strings.Contains(r.text(), "taken out: fs:write_file") {
		t.Errorf("said %s", r.text())
	}
	if got := toolNames(t, b.must("tools/list", "")); !slices.Contains(got, "fs__read_text_file") || slices.Contains(got, "fs__write_file") {
		t.Errorf("listed %q", got)
	}
}

func TestWhatStaysListedAllTheSameIsNotSaidToBeTakenOut(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"fs": {readText, writeFile}, "memory": {readGraph}, "web": {searchAny}}, inMode("narrow"), func(o *Options, r *Rules, _ *fakeBackends) {
		o.Config.Gateway.Pin = []string{"fs:read_text_file"}
		r.bringing = map[string]bool{"memory": true}
	})
	b.initialize(`{}`)
	if err := b.opts.Memory.update("session-1", func(s *state.Session) { s.Relevant = []string{"web:search"} }); err != nil {
		t.Fatal(err)
	}
	b.call(surfaceTool, `{"action":"reveal","tools":["fs:write_file"]}`)
	r := b.call(surfaceTool, `{"action":"hide","tools":["fs:read_text_file","fs:write_file","memory:read_graph","web:search"]}`)
	for _, said := range []string{
		"taken out: fs:write_file\n", "kept, because pinned: fs:read_text_file",
		"kept, because of an enabled capability: memory:read_graph", "kept, because fit for the prompt: web:search",
	} {
		if !strings.Contains(r.text(), said) {
			t.Errorf("%q is not said: %s", said, r.text())
		}
	}
	if s := string(r.StructuredContent); !strings.Contains(s, `"hidden":["fs:write_file"]`) || !strings.Contains(s, `"pinned":["fs:read_text_file"]`) {
		t.Errorf("said %s", s)
	}
	if got := toolNames(t, b.must("tools/list", ""))[5:]; !slices.Equal(got, []string{"fs__read_text_file", "memory__read_graph", "web__search"}) {
		t.Errorf("listed %q", got)
	}
	if r := b.call(surfaceTool, `{"action":"hide","family":"fs","tools":null}`); strings.Contains(r.text(), "unknown") {
		t.Errorf("no tools: %s", r.text())
	}
}

func TestOneConversationNeverSeesTheRevealsOfAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	with := func(session string) *bench {
		b := serve(t, twoServers, inMode("reveal"), func(o *Options, _ *Rules, _ *fakeBackends) {
			o.Memory = NewMemory(state.Open(dir), o.Binding)
		})
		b.binding.Bind(session)
		b.initialize(`{}`)
		return b
	}
	count := func(b *bench) int { return len(toolNames(t, b.must("tools/list", ""))) }
	one, two, unnamed := with("one"), with("two"), with("")
	one.call(surfaceTool, `{"action":"reveal","family":"fs"}`)
	unnamed.call(surfaceTool, `{"action":"reveal","tools":["memory:read_graph"]}`)
	if a, b, c := count(one), count(two), count(unnamed); a != 7 || b != 5 || c != 6 {
		t.Errorf("listed %d, %d and %d", a, b, c)
	}
	one.binding.Bind("after-clear")
	if got := count(one); got != 5 {
		t.Errorf("a cleared conversation still lists %d", got)
	}
	one.binding.Bind("one")
	if got := count(one); got != 7 {
		t.Errorf("resumed, it lists %d", got)
	}
}

func TestNarrowListsWhatFitsThePromptIsPinnedOrOnlyWorksWhole(t *testing.T) {
	t.Parallel()
	named := func(n string) string { return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, n) }
	b := serve(t, map[string][]string{
		"chrome": {named("browser_open"), named("browser_click"), named("screenshot")},
		"git":    {named("commit"), named("push"), named("log")},
		"pinned": {named("always")},
	}, inMode("narrow"), func(o *Options, _ *Rules, _ *fakeBackends) {
		o.Config.Gateway.Pin = []string{"pinned:*"}
		o.Config.Gateway.NarrowTo = 2
	})
	b.initialize(`{}`)
	err := b.opts.Memory.update("session-1", func(s *state.Session) {
		s.Relevant = []string{"git:log", "chrome:browser_open", "git:push"}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := toolNames(t, b.must("tools/list", ""))[5:]
	if want := []string{"chrome__browser_open", "chrome__browser_click", "git__log", "pinned__always"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

func TestWhatOthersRevealIsToldToTheHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wake := make(chan struct{}, 1)
	b := serve(t, twoServers, inMode("reveal"), func(o *Options, _ *Rules, _ *fakeBackends) {
		o.Memory = NewMemory(state.Open(dir), o.Binding)
		o.Wake = func(context.Context) <-chan struct{} { return wake }
	})
	b.initialize(`{}`)
	b.must("tools/list", "")
	told := func(n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); len(b.host.notes()) < n; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("told %q", b.host.notes())
			}
		}
	}
	// The watching begins in its own time, so the change is made until it is seen.
	for end := time.Now().Add(time.Minute); len(b.host.notes()) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the host was not told")
		}
		_, err := state.Open(dir).Update("session-1", func(s *state.Session) {
			s.Revealed = []string{"fs"}
			s.Advised = !s.Advised
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := toolNames(t, b.must("tools/list", "")); len(got) != 7 {
		t.Errorf("listed %q", got)
	}
	b.binding.Bind("after-clear")
	wake <- struct{}{}
	told(2)
	if got := toolNames(t, b.must("tools/list", "")); len(got) != 5 {
		t.Errorf("listed %q", got)
	}
}

func TestRevealsStayBelowWhatHostsAccept(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"big": manyTools("big", 200)}, inMode("reveal"))
	b.initialize(`{}`)
	b.call(surfaceTool, `{"action":"reveal","family":"big"}`)
	if n := len(toolNames(t, b.must("tools/list", ""))); n > 100 {
		t.Errorf("%d tools are listed", n)
	}
}

func TestLegacyDiscoveryListsEverything(t *testing.T) {
	t.Parallel()
	b := serve(t, map[string][]string{"big": manyTools("big", 40)}, inMode("reveal"), func(o *Options, _ *Rules, _ *fakeBackends) {
		o.Config.Discovery.Legacy = true
	})
	b.initialize(`{}`)
	if n := len(toolNames(t, b.must("tools/list", ""))); n != 41 {
		t.Errorf("%d tools are listed", n)
	}
}
