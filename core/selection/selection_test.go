package selection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/selection"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func tool(server, name string, tier authority.Tier, tokens int) inventory.Record {
	r := inventory.Record{
		ID: inventory.ID(surface.KindTool, server, name), Kind: surface.KindTool, Provider: server, Name: name, Standing: inventory.Loaded,
		Family:    surface.FamilyOf(server, name, ""),
		Authority: &authority.Judgement{Tier: tier, Confidence: 1},
	}
	r.Direct.Resident = tokens
	return r
}

func server(name string) inventory.Record {
	return inventory.Record{ID: inventory.ID(surface.KindServer, "user", name), Kind: surface.KindServer, Provider: "user", Name: name, Standing: inventory.Loaded}
}

func skill(name string, needs ...inventory.Record) inventory.Record {
	r := inventory.Record{ID: inventory.ID(surface.KindSkill, "user", name), Kind: surface.KindSkill, Provider: "user", Name: name, Standing: inventory.Loaded}
	for _, n := range needs {
		r.Requires = append(r.Requires, inventory.Need{ID: n.ID, Text: n.Name})
	}
	return r
}

func named(t *testing.T, name string, s config.Surface) *profile.Profile {
	t.Helper()
	p, err := profile.Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

var (
	reads  = tool("fs", "read_file", authority.Read, 10)
	writes = tool("fs", "write_file", authority.Destructive, 10)
	posts  = tool("chat", "post_message", authority.RemoteWrite, 10)
)

func TestEveryExclusionHasItsReason(t *testing.T) {
	t.Parallel()
	unlisted := server("late")
	unlisted.Unmeasured = "never listed"
	off := server("off")
	off.Standing = inventory.Off
	records := []inventory.Record{server("fs"), reads, writes, server("chat"), posts, unlisted, off, skill("needy", posts), skill("free"), server("plug")}
	s := selection.Of(records, selection.Options{Profile: named(t, "read-only", config.Surface{}), Lost: func(name string) string {
		if name == "plug" {
			return "it belongs to a plugin"
		}
		return ""
	}})
	want := map[string]string{
		writes.ID:              "it is destructive",
		posts.ID:               "it is remote-write",
		"mcp_server:user:chat": "none of its tools is kept",
		"mcp_server:user:late": "never listed",
		"mcp_server:user:plug": "it belongs to a plugin",
		"skill:user:needy":     "it needs post_message, which is left out",
	}
	for _, x := range s.Excluded {
		if w, ok := want[x.ID]; !ok || !strings.Contains(x.Reason, w) {
			t.Errorf("%s: %s", x.ID, x.Reason)
		}
		delete(want, x.ID)
	}
	for id := range want {
		t.Errorf("%s is not left out", id)
	}
	if !slices.Equal(s.Servers, []string{"fs"}) || !slices.Equal(s.Deny["fs"], []string{"write_file"}) || len(s.Off) != 1 {
		t.Errorf("servers %q, denied %v, off %v", s.Servers, s.Deny, s.Off)
	}
}

func TestASkillThatNeedsSomethingThatIsNotThereAtAllIsNoFailure(t *testing.T) {
	t.Parallel()
	s := selection.Of([]inventory.Record{server("fs"), reads, skill("old", tool("gone", "x", authority.Read, 1))}, selection.Options{Profile: named(t, "full", config.Surface{})})
	for _, c := range s.Checks() {
		if len(c.Failures) > 0 {
			t.Errorf("%s: %+v", c.Name, c.Failures)
		}
	}
	if len(s.Off) != 0 {
		t.Errorf("off: %v", s.Off)
	}
}

// A bare name may be a word of the text's own.
func TestASkillThatSpeaksOfAToolByItsBareNameStays(t *testing.T) {
	t.Parallel()
	r := skill("speaks", writes)
	r.Requires[0].Loose = true
	s := selection.Of([]inventory.Record{server("fs"), reads, writes, r}, selection.Options{Profile: named(t, "read-only", config.Surface{})})
	for _, c := range s.Checks() {
		if len(c.Failures) > 0 {
			t.Errorf("%s: %+v", c.Name, c.Failures)
		}
	}
	if len(s.Off) != 0 {
		t.Errorf("off: %v", s.Off)
	}
}

// many is n tools of one family, of so many tokens each.
func many(server, stem string, n, tokens int) []inventory.Record {
	all := []inventory.Record{}
	for i := range n {
		all = append(all, tool(server, fmt.Sprintf("%s_%c", stem, 'a'+i), authority.Read, tokens))
	}
	return all
}

func cover(t *testing.T, task string, records ...[]inventory.Record) selection.Task {
	t.Helper()
	s := selection.Of(slices.Concat(records...), selection.Options{Profile: named(t, "full", config.Surface{})})
	first := s.Cover(task)
	slices.Reverse(records)
	again := selection.Of(slices.Concat(records...), selection.Options{Profile: named(t, "full", config.Surface{})}).Cover(task)
	if fmt.Sprintf("%+v", first) != fmt.Sprintf("%+v", again) {
		t.Errorf("another order of the same tools: %+v, then %+v", first, again)
	}
	return first
}

func TestTheFewestFamiliesCoverATask(t *testing.T) {
	t.Parallel()
	files, git, chat := many("fs", "read_file", 3, 10), many("git", "list_commit", 2, 10), many("slack", "send_message", 2, 10)
	for task, want := range map[string]string{
		"read the files":                            "files",
		"Read the file and send it as a message":    "collaboration files",
		"list commits of the repository":            "source-control",
		"summarise nothing but commits in messages": "source-control collaboration",
	} {
		got := cover(t, task, files, git, chat)
		var names []string
		for _, f := range got.Families {
			names = append(names, string(f.Family))
		}
		if !got.Fits || strings.Join(names, " ") != want {
			t.Errorf("%q: %v %q, want %q (%s)", task, got.Fits, names, want, got.Why)
		}
	}
	got := cover(t, "deploy with zebra and read", files)
	if !slices.Equal(got.Uncovered, []string{"deploy", "zebra"}) {
		t.Errorf("uncovered %q", got.Uncovered)
	}
}

func TestATaskThatTakesTooMuchIsToldWhy(t *testing.T) {
	t.Parallel()
	if got := cover(t, "read files", many("fs", "read_file", 8, 500)); !got.Fits || got.Tools != 8 || got.Tokens != 4000 {
		t.Errorf("just within: %+v", got)
	}
	for what, records := range map[string][]inventory.Record{"tools": many("fs", "read_file", 9, 1), "tokens": many("fs", "read_file", 8, 501)} {
		got := cover(t, "read files", records)
		if got.Fits || !strings.Contains(got.Why, "over 8 tools or 4000 tokens") || got.Hint == "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
	// Of two sets as small, the one that fits.
	got := cover(t, "invoke", many("fs", "invoke_file", 9, 1), many("slack", "invoke_message", 2, 1))
	if !got.Fits || got.Families[0].Family != "collaboration" {
		t.Errorf("%+v", got)
	}
	if got := cover(t, "the and of"); got.Fits || got.Why == "" {
		t.Errorf("a task of no words: %+v", got)
	}
}
