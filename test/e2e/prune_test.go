package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pruneDoc is what ctx prune --json prints.
type pruneDoc struct {
	Schema           string
	Applied, Changed bool
	Receipt          string
	Hosts            []struct {
		Host              string
		Bytes_per_request struct{ Before, After, Saved int }
		Decisions         []pruneDecision
		Diff, Refused     string
		Hint              string
		Notes             []string
	}
}

type pruneDecision struct {
	ID, By, Why, Where, Level string
	Keep                      bool
}

// prune runs ctx prune and reads what it prints.
func (u *user) prune(dir string, args ...string) pruneDoc {
	u.t.Helper()
	r := u.tryCtx(dir, append([]string{"prune", "--json"}, args...)...)
	var doc pruneDoc
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || r.code != 0 || doc.Schema != "ctx.prune/v1" {
		u.t.Fatalf("ctx prune %q: exit %d, %v: %s%s", args, r.code, err, r.out, r.err)
	}
	return doc
}

// goes are the ids of what a host is to lose, in their order.
func (d pruneDoc) goes(t *testing.T, host string) []string {
	t.Helper()
	for _, h := range d.Hosts {
		if h.Host != host {
			continue
		}
		ids := []string{}
		for _, x := range h.Decisions {
			if !x.Keep {
				ids = append(ids, x.ID)
			}
		}
		slices.Sort(ids)
		return ids
	}
	t.Fatalf("nothing about %s", host)
	return nil
}

func (d pruneDoc) decision(t *testing.T, id string) pruneDecision {
	t.Helper()
	for _, h := range d.Hosts {
		for _, x := range h.Decisions {
			if x.ID == id {
				return x
			}
		}
	}
	t.Fatalf("no decision on %s", id)
	return pruneDecision{}
}

// shelf declares the servers "shelf", of which something stays, and "bin", of
// which nothing does.
func (u *user) shelf(dir string) map[string]any {
	definition := func(name, description string, hints string) string {
		return fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":%s}`+"\n", name, description, hints)
	}
	tools := u.write("shelf.tools", definition("read_note", "Reads a note.", `{"readOnlyHint":true}`)+
		definition("delete_note", "Deletes a note for good.", `{"destructiveHint":true}`)+
		definition("erase_all_notes", "Deletes every note for good. This cannot be undone.", `{"destructiveHint":true}`), u.home)
	gone := u.write("bin.tools", definition("delete_bin", "Deletes a bin for good.", `{"destructiveHint":true}`), u.home)
	return map[string]any{
		"shelf": args{"command": stub, "args": []string{"--tools", tools}},
		"bin":   args{"command": stub, "args": []string{"--tools", gone}},
	}
}

var byRule = []string{"mcp_server:project:bin", "mcp_tool:bin:delete_bin", "mcp_tool:shelf:delete_note", "mcp_tool:shelf:erase_all_notes"}

func (u *user) listed(dir, host string) {
	u.t.Helper()
	if r := u.tryCtx(dir, "surface", "inventory", "--host", host, "--probe-mcp", "--yes"); r.code != 0 {
		u.t.Fatal(r.err)
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestPruneIsAPreviewUntilItIsApplied(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.listed(dir, "claude")
	before := u.snapshot(dir)
	doc := u.prune(dir, "--host", "claude")
	same(t, "goes", doc.goes(t, "claude"), byRule)
	if diff := doc.Hosts[0].Diff; !strings.Contains(diff, "+      \"mcp__shelf__delete_note\"") || strings.Contains(diff, "mcp__bin") || doc.Applied {
		t.Errorf("%+v", doc)
	}
	out := u.ctx(dir, "prune", "--host", "claude")
	for _, want := range []string{"mcp tool: 3 of 4 go", "L2", "destructive", `its name says "delete"`, "unmeasured is not unused", "would be saved", "Nothing was changed", "not seen: "} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	u.mustBe(before, dir)
	u.listed(dir, "claude")

	doc = u.prune(dir, "--host", "claude", "--apply", "--yes", "--keep", "mcp_tool:shelf:delete_note")
	if info, err := os.Stat(doc.Receipt); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if d := doc.decision(t, "mcp_tool:shelf:delete_note"); !d.Keep || d.By != "user" {
		t.Errorf("%+v", d)
	}
	receipt := u.read(doc.Receipt)
	again := u.prune(dir, "--host", "claude", "--apply", "--yes")
	if again.Changed || u.read(again.Receipt) != receipt {
		t.Errorf("a second time changes something: %+v\n%s\n%s", again, receipt, u.read(again.Receipt))
	}
	u.ctx(dir, "prune", "--undo")
	u.mustBe(before, dir)
	if out := u.ctx(dir, "prune", "--undo"); !strings.Contains(out, "Nothing is pruned") {
		t.Error(out)
	}
}

func TestAPrunedServerTakesLaterToolsAndAPrunedToolDoesNot(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.wrap(dir, "claude")
	doc := u.prune(dir, "--host", "claude", "--apply", "--yes")
	for _, id := range byRule {
		if d := doc.decision(t, id); d.Where != "gateway" {
			t.Errorf("%+v", d)
		}
	}
	for _, name := range []string{"shelf", "bin"} {
		path := filepath.Join(u.home, name+".tools")
		more := u.read(path) + fmt.Sprintf(`{"name":"wipe_%s","description":"Deletes what is new.","inputSchema":{"type":"object"}}`+"\n", name)
		if err := os.WriteFile(path, []byte(more), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u.ctx(dir, "trust", "list")
	r := u.tryCtx(dir, "tools", "search", "wipe", "--json")
	if strings.Contains(r.out, "wipe_bin") || strings.Contains(r.out, "delete_note") {
		t.Errorf("a search finds what was pruned: %s", r.out)
	}
}

func TestWhatIsPrunedIsNowhereInTheGateway(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.wrap(dir, "claude")
	if out := u.ctx(dir, "tools", "search", "delete a note"); !strings.Contains(out, "shelf:delete_note") {
		t.Fatalf("before: %s", out)
	}
	u.prune(dir, "--host", "claude", "--apply", "--yes")
	for _, r := range []result{
		u.tryCtx(dir, "tools", "search", "delete note"), u.tryCtx(dir, "tools", "search", "bin"),
		u.tryCtx(dir, "surface", "inventory", "--host", "claude"),
	} {
		for _, gone := range []string{"delete_note", "erase_all_notes", "delete_bin"} {
			if strings.Contains(r.out, gone) {
				t.Errorf("%s is shown: %s", gone, r.out)
			}
		}
	}
	if r := u.tryCtx(dir, "tools", "describe", "shelf:delete_note", "--json"); !strings.Contains(r.out, `"unknown"`) || strings.Contains(r.out, "for good") {
		t.Errorf("described: %s%s", r.out, r.err)
	}
	if r := u.tryCtx(dir, "tools", "call", "shelf:delete_note", "--args", "{}"); r.code == 0 || !strings.Contains(r.err, "no tool shelf:delete_note") {
		t.Errorf("called: %s%s", r.out, r.err)
	}
	u.ctx(dir, "prune", "--undo")
	if out := u.ctx(dir, "tools", "search", "delete a note"); !strings.Contains(out, "shelf:delete_note") {
		t.Errorf("after: %s", out)
	}
}

// Every order of wrap, prune, unwrap and undo ends with the first bytes.
func TestPruneAndWrapUndoInEveryOrder(t *testing.T) {
	t.Parallel()
	wrap := []string{"wrap", "setup", "--gateway", "--yes", "--host", "claude", "--host", "codex"}
	apply := []string{"prune", "--apply", "--yes", "--host", "claude", "--host", "codex"}
	unwrap, undo := []string{"unwrap"}, []string{"prune", "--undo"}
	for name, order := range map[string][][]string{
		"prune, undo":                               {apply, undo},
		"wrap, prune, undo, unwrap":                 {wrap, apply, undo, unwrap},
		"wrap, prune, unwrap, undo":                 {wrap, apply, unwrap, undo},
		"wrap, prune, unwrap, prune, undo":          {wrap, apply, unwrap, apply, undo},
		"prune, wrap, undo, unwrap":                 {apply, wrap, undo, unwrap},
		"prune, wrap, unwrap, undo":                 {apply, wrap, unwrap, undo},
		"prune, wrap, prune, unwrap, undo":          {apply, wrap, apply, unwrap, undo},
		"prune, wrap, prune, undo, wrap, unwrap":    {apply, wrap, apply, undo, wrap, unwrap},
		"wrap, prune, unwrap, wrap, undo, unwrap":   {wrap, apply, unwrap, wrap, undo, unwrap},
		"wrap, prune, unwrap, prune, wrap, unwrap…": {wrap, apply, unwrap, apply, wrap, unwrap, undo},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir := u.workspace("w", u.shelf)
			u.awkward(dir)
			shelf := u.write("codex.tools", u.read(filepath.Join(u.home, "shelf.tools")), u.home)
			config := filepath.Join(u.home, ".codex/config.toml")
			text := u.read(config) + "[mcp_servers.rack]\r\ncommand = '" + stub + "'\r\nargs = [\"--tools\", '" + shelf + "']\r\n"
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			u.listed(dir, "claude")
			u.listed(dir, "codex")
			before := u.snapshot(dir)
			changed := false
			for _, args := range order {
				if r := u.tryCtx(dir, args...); r.code != 0 {
					t.Fatalf("ctx %q: exit %d\n%s%s", args, r.code, r.out, r.err)
				}
				changed = changed || u.read(config) != text
			}
			if !changed {
				t.Error("nothing ever happened to Codex's file")
			}
			u.mustBe(before, dir)
		})
	}
}

func TestATargetThatGitTracksIsRefusedWithAHint(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.listed(dir, "claude")
	u.write(".claude/settings.local.json", "{}\n", dir)
	if r := u.run(dir, u.environ(), "git", "add", "-f", ".claude/settings.local.json"); r.code != 0 {
		t.Fatal(r.err)
	}
	before := u.snapshot(dir)
	doc := u.prune(dir, "--host", "claude")
	if h := doc.Hosts[0]; !strings.Contains(h.Refused, "tracked by git") || !strings.Contains(h.Hint, "git rm --cached") {
		t.Errorf("%+v", h)
	}
	r := u.tryCtx(dir, "prune", "--host", "claude", "--apply", "--yes")
	if r.code != 1 || !strings.Contains(r.err, "tracked by git") || !strings.Contains(r.err, "hint: ") || !strings.Contains(r.err, "git rm --cached") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	u.mustBe(before, dir)
}

func TestAMalformedSettingsFileIsNamedAndNothingIsPruned(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.listed(dir, "claude")
	u.write(".claude/settings.local.json", "{\n  \"permissions\": [\n", dir)
	before := u.snapshot(dir)
	r := u.tryCtx(dir, "prune", "--host", "claude", "--apply", "--yes")
	if r.code != 1 || !strings.Contains(r.err, "settings.local.json:3:1") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	u.mustBe(before, dir)
}

func TestWhatATextNeedsStaysAndSaysWhoNeedsIt(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.write(".claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up.\n---\n\nCall mcp__shelf__delete_note.\n", dir)
	u.listed(dir, "claude")
	doc := u.prune(dir, "--host", "claude")
	same(t, "goes", doc.goes(t, "claude"), slices.DeleteFunc(slices.Clone(byRule), func(id string) bool { return id == "mcp_tool:shelf:delete_note" }))
	if d := doc.decision(t, "mcp_tool:shelf:delete_note"); !strings.Contains(d.Why, "skill:project:tidy needs it (line 6: mcp__shelf__delete_note)") {
		t.Errorf("%+v", d)
	}
}

func TestUninstallPutsBackWhatWasPruned(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	if r := u.install(); r.code != 0 {
		t.Fatal(r.err)
	}
	program := filepath.Join(u.home, ".local/bin/ctx")
	before := u.read(filepath.Join(dir, ".git/info/exclude"))
	for _, args := range [][]string{
		{"surface", "inventory", "--host", "claude", "--probe-mcp", "--yes"}, {"prune", "--host", "claude", "--apply", "--yes"},
	} {
		if r := u.run(dir, u.environ(), program, args...); r.code != 0 {
			t.Fatalf("ctx %q: exit %d\n%s%s", args, r.code, r.out, r.err)
		}
	}
	settings := filepath.Join(dir, ".claude/settings.local.json")
	if !strings.Contains(u.read(settings), "delete_note") {
		t.Fatal("nothing was pruned")
	}
	if r := u.install("--uninstall"); r.code != 0 {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if _, err := os.Stat(settings); err == nil || u.read(filepath.Join(dir, ".git/info/exclude")) != before {
		t.Errorf("left: %v", err)
	}
}

// What the preview says is what the request of a real Claude Code shrinks by.
func TestPruneSavesWhatItSaysOnClaude(t *testing.T) {
	t.Parallel()
	for _, search := range []string{"ENABLE_TOOL_SEARCH=false", "ENABLE_TOOL_SEARCH=true"} {
		t.Run(search, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			needClients(t)
			dir := u.workspace("w", func(dir string) map[string]any {
				all := u.shelf(dir)
				for name, srv := range u.reference(dir) {
					all[name] = srv
				}
				return all
			})
			for _, name := range []string{"one", "two"} {
				u.write(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Does the thing called "+name+" when it is asked to.\n---\nBody.\n", dir)
				u.write(".claude/agents/"+name+".md", "---\nname: agent-"+name+"\ndescription: Works on "+name+".\n---\nYou are it.\n", dir)
			}
			u.env = []string{"MCP_CONNECTION_NONBLOCKING=0", search}
			u.listed(dir, "claude")
			first := u.request(dir, search)
			said := u.prune(dir, "--host", "claude").Hosts[0].Bytes_per_request.Saved
			if said <= 0 {
				t.Fatal("nothing would be saved")
			}
			applied := u.prune(dir, "--host", "claude", "--apply", "--yes")
			after := u.request(dir, search)
			t.Logf("preview %d bytes, request %d -> %d", said, first.bytes(), after.bytes())
			within(t, "pruned", said, first.bytes()-after.bytes())
			for _, id := range applied.goes(t, "claude") {
				name := id[strings.LastIndex(id, ":")+1:]
				if strings.Contains(after.text, "__"+name) {
					t.Errorf("the model is still sent %s", id)
				}
			}
			u.ctx(dir, "prune", "--undo")
			if back := u.request(dir, search); back.text != first.text || back.tools != first.tools {
				t.Errorf("after undo the request has %d bytes, before it had %d", back.bytes(), first.bytes())
			}
		})
	}
}

// sent is what a request tells its model, without what differs from run to run.
type sent struct{ tools, text string }

func (s sent) bytes() int { return len(s.tools) + len(s.text) }

func (u *user) request(dir, search string) sent {
	u.t.Helper()
	s := u.claude(dir, nil, append([]string{search}, approved...)...)
	var body struct{ Tools json.RawMessage }
	if err := json.Unmarshal(s.turn(0).Body, &body); err != nil {
		u.t.Fatal(err)
	}
	return sent{string(body.Tools), s.text()}
}

// The same on Codex, whose requests hold a group for each server, or a line where
// the model searches.
func TestPruneSavesWhatItSaysOnCodex(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-5", "gpt-5.5"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			u, dir, config := codexUser(t)
			servers := u.shelf(u.home)
			text := fmt.Sprintf("model = %q\n", model) + u.read(config)
			for _, name := range []string{"bin", "shelf"} {
				srv := servers[name].(args)
				text += fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [\"--tools\", %q]\n", name, srv["command"], srv["args"].([]string)[1])
			}
			text = strings.ReplaceAll(text, "\ncommand", "\nrequired = true\ncommand") // all are there in the first request
			if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			u.env = []string{"CODEX_HOME=" + filepath.Join(u.home, ".codex")}
			u.listed(dir, "codex")
			request := func() (n int, body string) {
				env := u.env
				u.env = nil
				defer func() { u.env = env }()
				s := u.codex(dir, model, nil)
				for _, raw := range s.turn(0).Tools() {
					if strings.HasPrefix(string(raw), `{"type":"namespace","name":"mcp__`) {
						n += len(raw)
					}
				}
				lines, _ := s.lines("- mcp__")
				return n + lines, string(s.turn(0).Body)
			}
			before, _ := request() // a conversation that uses nothing
			said := u.prune(dir, "--host", "codex").Hosts[0].Bytes_per_request.Saved
			applied := u.prune(dir, "--host", "codex", "--apply", "--yes")
			if !strings.Contains(strings.Join(applied.Hosts[0].Notes, " "), "every workspace") {
				t.Errorf("it does not say how far this reaches: %q", applied.Hosts[0].Notes)
			}
			after, body := request()
			t.Logf("preview %d bytes, %d -> %d", said, before, after)
			within(t, "pruned", said, before-after)
			if strings.Contains(body, "mcp__bin") || strings.Contains(body, "erase_all_notes") {
				t.Error("the model is still told of what was pruned")
			}
			u.ctx(dir, "prune", "--undo")
			if back, _ := request(); back != before || u.read(config) != text {
				t.Errorf("after undo %d bytes, before %d", back, before)
			}
		})
	}
}

func TestWhatWasPrunedIsExplainedAndCounted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.wrap(dir, "claude")
	u.prune(dir, "--host", "claude", "--apply", "--yes", "--keep", "mcp_tool:shelf:erase_all_notes")
	for id, want := range map[string][]string{
		"mcp_tool:shelf:delete_note":     {"pruned", "by rule, 2", "not shown by ctx-gateway", "ctx prune --apply --keep mcp_tool:shelf:delete_note", "ctx prune --undo"},
		"mcp_tool:shelf:erase_all_notes": {"kept", "by the user, 2"},
	} {
		out := u.ctx(dir, "surface", "explain", id, "--host", "claude")
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: it does not say %q:\n%s", id, w, out)
			}
		}
	}
	if r := u.tryCtx(dir, "surface", "explain", "mcp_tool:shelf:delete_noet", "--host", "claude"); r.code != 1 || !strings.Contains(r.err, "did you mean: mcp_tool:shelf:delete_note") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	if r := u.tryCtx(dir, "surface", "audit", "--host", "claude"); !strings.Contains(r.out, "3 things pruned") {
		t.Error(r.out)
	}
	if r := u.tryCtx(dir, "doctor", "--host", "claude"); !strings.Contains(r.out, "3 by ctx-gateway, 0 in the host's own files") {
		t.Error(r.out)
	}
	// Keeping one that was pruned brings it back alone.
	u.prune(dir, "--host", "claude", "--apply", "--yes", "--keep", "mcp_tool:shelf:delete_note")
	out := u.ctx(dir, "tools", "search", "delete")
	if !strings.Contains(out, "shelf:delete_note") || strings.Contains(out, "delete_bin") {
		t.Error(out)
	}
}

// A receipt lies where a repository or an archive can put a file. It can only
// take away, and what is wrong with it costs nothing else.
func TestABrokenReceiptIsNamedAndTheRestWorks(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", u.shelf)
	u.wrap(dir, "claude")
	u.write(".ctx-surface/prune.json", "{\n  \"schema\": \"ctx.prune/v1\",\n  \"hosts\": [{]\n", dir)
	r := u.tryCtx(dir, "prune", "--host", "claude")
	if r.code != 0 || !strings.Contains(r.err, "prune.json:3:") || !strings.Contains(r.err, "prune.json.bad") || !strings.Contains(r.out, "mcp tool: 3 of 4 go") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if out := u.ctx(dir, "tools", "search", "delete a note"); !strings.Contains(out, "shelf:delete_note") {
		t.Error(out)
	}
}
