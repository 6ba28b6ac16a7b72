package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// compilation is what ctx surface compile --json prints.
type compilation struct {
	Schema   string
	Profile  string
	Selected []string
	Excluded []struct{ ID, Reason string }
	Dropped  []string `json:"servers_dropped"`
	Off      []string `json:"switched_off"`
	Told     []string `json:"still_told"`
	Tokens   struct{ Before, Config, Gateway int }
	Files    []string
	Launch   []string
	Applied  bool
}

// compile runs ctx surface compile, the servers asked first, and reads what it
// prints.
func (u *user) compile(dir, profile, host string, args ...string) (compilation, result) {
	u.t.Helper()
	r := u.tryCtx(dir, append([]string{"surface", "compile", "--profile", profile, "--host", host, "--probe-mcp", "--yes", "--json"}, args...)...)
	var c compilation
	if err := json.Unmarshal([]byte(r.out), &c); err != nil || c.Schema != "ctx.surface/v1" {
		u.t.Fatalf("%v: exit %d\n%s%s", err, r.code, r.out, r.err)
	}
	return c, r
}

// shown are the names that a host gives the kept tools.
func (c compilation) shown() []string {
	var names []string
	for _, id := range c.Selected {
		if rest, ok := strings.CutPrefix(id, "mcp_tool:"); ok {
			server, tool, _ := strings.Cut(rest, ":")
			names = append(names, "mcp__"+server+"__"+tool)
		}
	}
	slices.Sort(names)
	return names
}

// shows is what a host really sent, in the same form.
func (s *session) shows() []string {
	all := names(s.mcpTools())
	slices.Sort(all)
	return all
}

// untouched fails unless every file of before is as it was; there may be more.
func (u *user) untouched(before map[string]string, dir string) {
	u.t.Helper()
	after := u.snapshot(dir)
	for name, was := range before {
		if after[name] != was {
			u.t.Errorf("%s is %.300s\nand was %.300s", name, after[name], was)
		}
	}
}

var prose = map[string]string{
	".claude/skills/noter/SKILL.md": "---\nname: noter\ndescription: Larkspur keeps notes.\n---\nIt calls mcp__memory__create_entities.\n",
	".claude/skills/plain/SKILL.md": "---\nname: plain\ndescription: Foxglove needs nothing.\n---\nBody.\n",
	".claude/agents/deleter.md":     "---\nname: deleter\ndescription: Monkshood deletes.\ntools: mcp__memory__delete_entities\n---\nYou delete.\n",
	".claude/commands/forget.md":    "---\ndescription: Hemlock forgets\n---\nUse mcp__memory__delete_entities.\n",
	".agents/skills/noter/SKILL.md": "---\nname: noter\ndescription: Larkspur keeps notes.\n---\nIt calls mcp__memory__create_entities.\n",
}

func TestClaudeShowsExactlyWhatAProfileKeeps(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	for name, content := range prose {
		u.write(name, content, dir)
	}
	before := u.snapshot(dir)
	c, r := u.compile(dir, "read-only", "claude", "--apply")
	if r.code != 0 || !c.Applied {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	u.untouched(before, dir)
	s := u.claude(dir, nil, append(c.Launch[1:], "--permission-mode", "bypassPermissions")...)
	if got := s.shows(); !slices.Equal(got, c.shown()) || len(got) == 0 {
		t.Errorf("Claude Code shows %q\nthe profile keeps %q", got, c.shown())
	}
	deferred := u.claude(dir, nil, append([]string{"ENABLE_TOOL_SEARCH="}, append(c.Launch[1:], "--permission-mode", "bypassPermissions")...)...)
	for _, x := range []struct {
		text string
		told bool
	}{
		{"Larkspur", false}, {"Monkshood", false}, {"Hemlock", false}, {"Foxglove", true},
		{"mcp__filesystem__read_text_file", true}, {"mcp__filesystem__write_file", false}, {"mcp__memory__delete_entities", false},
	} {
		if strings.Contains(string(deferred.turn(0).Body), x.text) != x.told {
			t.Errorf("told of %s: %v", x.text, !x.told)
		}
	}
	if c.Tokens.Config >= c.Tokens.Before {
		t.Errorf("tokens: %+v", c.Tokens)
	}
}

func TestReadOnlyKeepsTheReadsOfRealServersAndNoneOfTheirWrites(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	c, r := u.compile(u.workspace("w", u.reference), "read-only", "claude")
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	for tool, kept := range map[string]bool{
		"filesystem:directory_tree": true, "filesystem:get_file_info": true, "memory:open_nodes": true, "everything:echo": true,
		"filesystem:move_file": false, "filesystem:edit_file": false, "everything:gzip-file-as-resource": false, "memory:delete_entities": false,
	} {
		if slices.Contains(c.Selected, "mcp_tool:"+tool) != kept {
			t.Errorf("%s is kept: %v", tool, !kept)
		}
	}
}

func TestCodexShowsExactlyWhatAProfileKeeps(t *testing.T) {
	t.Parallel()
	needClients(t)
	u, dir, _ := codexUser(t)
	for name, content := range prose {
		u.write(name, content, dir)
	}
	c, r := u.compile(dir, "read-only", "codex", "--apply")
	if r.code != 0 || !c.Applied {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	s := u.codex(dir, "gpt-5", nil, append(c.Launch[1:], codexWaits()...)...)
	kept := strings.Split(strings.ReplaceAll(strings.Join(c.shown(), " "), "-", "_"), " ") // as Codex writes names
	if got := s.shows(); !slices.Equal(got, kept) || len(got) == 0 {
		t.Errorf("Codex shows %q\nthe profile keeps %q", got, kept)
	}
	if strings.Contains(string(s.turn(0).Body), "Larkspur") {
		t.Error("a skill that is left out is told of")
	}

	// The file itself is one that Codex loads.
	other := newUser(t)
	other.write(".codex/config.toml", u.read(c.Files[0]), other.home)
	if got := other.codex(dir, "gpt-5", nil, codexWaits()...).shows(); !slices.Equal(got, kept) {
		t.Errorf("of the file alone Codex shows %q\nthe profile keeps %q", got, kept)
	}
}

// Fault 14 of the predecessor: env, cwd, url, headers and timeouts were lost.
func TestACompiledServerKeepsItsEnvironmentByReference(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", func(dir string) map[string]any {
		memory := u.reference(dir)["memory"].(args)
		memory["env"] = args{"MEMORY_FILE_PATH": "${NOTES_FILE}"}
		memory["timeout"] = 61000
		return args{
			"memory": memory,
			"remote": args{"type": "http", "url": "https://mcp.example.invalid/${TEAM}", "headers": args{"Authorization": "Bearer ${TOKEN}"}},
		}
	})
	file := filepath.Join(u.home, "notes.json")
	u.env = []string{"NOTES_FILE=" + file}
	c, r := u.compile(dir, "full", "claude", "--apply")
	if r.code != 0 {
		t.Fatalf("exit %d: %s", r.code, r.err)
	}
	text := u.read(c.Files[0])
	for _, want := range []string{"${NOTES_FILE}", "61000", "https://mcp.example.invalid/${TEAM}", "Bearer ${TOKEN}"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is lost:\n%s", want, text)
		}
	}
	if info, err := os.Stat(c.Files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	u.claude(dir, []modelstub.Step{{Tool: "mcp__memory__create_entities", Input: args{
		"entities": []args{{"name": "larkspur", "entityType": "flower", "observations": []string{"blue"}}},
	}}}, append(c.Launch[1:], "--permission-mode", "bypassPermissions")...)
	if !strings.Contains(u.read(file), "larkspur") {
		t.Errorf("the server did not write where its environment says: %q", u.read(file))
	}
}

// What a profile keeps out of the gateway is in no list, no search and no index,
// and a call says why.
func TestAWrappedHostWorksUnderItsProfile(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	before := u.snapshot(dir)
	u.ctx(dir, "wrap", "setup", "--profile", "read-only", "--host", "claude", "--yes")
	s := u.claude(dir, []modelstub.Step{
		call("tool_search", args{"query": "write a file", "limit": 20}),
		call("describe_tool", args{"tools": []string{"filesystem:write_file"}}),
		call("call_tool_write", args{"tool": "filesystem:write_file", "arguments": args{"path": dir + "/data/evil.txt", "content": "x"}}),
		call("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}}),
	}, "--permission-mode", "bypassPermissions")
	s.mustSay("larkspur", "filesystem:write_file is left out", "read-only")
	if _, err := os.Stat(dir + "/data/evil.txt"); err == nil {
		t.Error("the tool was run")
	}
	if strings.Contains(string(s.turn(0).Body), "write_file") || strings.Contains(string(s.turn(1).Body), "create_directory") {
		t.Error("what the profile leaves out is shown")
	}
	u.ctx(dir, "unwrap")
	u.untouched(before, dir)
}

func TestTheProfileOfAWrapStaysUntilAnotherIsNamed(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.notes()
	before := u.snapshot(dir)
	wrap := func(more ...string) string {
		t.Helper()
		r := u.tryCtx(dir, append([]string{"wrap", "setup", "--gateway", "--host", "claude", "--yes"}, more...)...)
		if r.code != 0 {
			t.Fatalf("%s%s", r.out, r.err)
		}
		return r.out
	}
	u.write(".config/ctx/ctx.toml", "[surface.profiles.reads]\nauthority_ceiling = \"read\"\n", u.home)
	in := func(text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	in(wrap("--profile", "reads"), "the gateway under the profile reads")
	in(wrap(), "the gateway under the profile reads")
	in(u.ctx(dir, "profile", "list"), "in force: claude")
	in(u.tryCtx(dir, "doctor", "--host", "claude").out, "the gateway works under reads: up to read")
	in(u.tryCtx(dir, "surface", "audit", "--host", "claude").out, "the gateway works under the profile reads")
	in(u.tryCtx(dir, "tools", "call", "notes:write_note", "--args", `{"name":"a","text":"x"}`).err, "is left out")
	in(u.ctx(dir, "tools", "search", "note"), "notes:read_note")
	if out := u.ctx(dir, "tools", "search", "write a note"); strings.Contains(out, "write_note") {
		t.Errorf("found: %s", out)
	}
	// A file of ours could not have Claude Code load what the wrap keeps from it.
	if r := u.tryCtx(dir, "surface", "compile", "--profile", "full", "--host", "claude", "--apply"); r.code != 1 || !strings.Contains(r.err, "ctx wrap setup --profile full") {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	// So what a profile leaves is told by the gateway alone, and from there the tools are known.
	bench := u.ctx(dir, "profile", "bench", "--host", "claude")
	for _, row := range []string{`read-only +1 +[1-9]\d* +[1-9]\d* +- +[1-9]`, `full +1 +[1-9]\d* +[1-9]\d* +- +[1-9]`} {
		if !regexp.MustCompile(row).MatchString(bench) {
			t.Errorf("no row %q in:\n%s", row, bench)
		}
	}
	if out := wrap("--profile", ""); strings.Contains(out, "under the profile") {
		t.Errorf("no profile was named: %s", out)
	}
	in(u.ctx(dir, "tools", "search", "write a note"), "notes:write_note")

	// A profile that cannot be followed admits nothing, and is named.
	wrap("--profile", "review")
	u.write("ctx.toml", "[surface.profiles.review]\nauthority_ceiling = \"raed\"\n", dir)
	in(u.tryCtx(dir, "doctor", "--host", "claude").out, "ctx.toml:2: surface.profiles.review.authority_ceiling must be")
	if out := u.tryCtx(dir, "tools", "search", "note").out; strings.Contains(out, "notes:read_note") {
		t.Errorf("found: %s", out)
	}
	os.Remove(filepath.Join(dir, "ctx.toml"))
	u.ctx(dir, "unwrap")
	u.untouched(before, dir)
}

// Fault 15 of the predecessor, and its measured faults 5 and 7: exit 0 with
// issues, a deny file that nothing loads, a line that Codex refuses.
func TestTheRealClientsLoadWhatWasCompiled(t *testing.T) {
	t.Parallel()
	needClients(t)
	u, dir, _ := codexUser(t)
	env := u.environ("CODEX_HOME=" + filepath.Join(u.home, ".codex"))
	program := filepath.Join(clients, "node_modules/.bin/codex")
	u.write(".codex/config.toml", u.read(filepath.Join(u.home, ".codex/config.toml"))+"\n[mcp_servers.dropped]\ncommand = \"/bin/false\"\n", u.home)
	codex, _ := u.compile(dir, "read-only", "codex", "--apply")
	r := u.run(dir, env, program, append(codex.Launch[1:], "mcp", "list", "--json")...)
	var servers []struct {
		Name    string
		Enabled bool
	}
	if err := json.Unmarshal([]byte(r.out), &servers); err != nil {
		t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	for _, s := range servers {
		if s.Enabled == slices.Contains(codex.Dropped, s.Name) {
			t.Errorf("%s is enabled: %v; dropped are %q", s.Name, s.Enabled, codex.Dropped)
		}
	}
	if len(servers) != 4 || !slices.Contains(codex.Dropped, "dropped") {
		t.Errorf("servers %+v, dropped %q", servers, codex.Dropped)
	}

	v := newUser(t)
	ws := v.workspace("w", v.reference)
	claude, _ := v.compile(ws, "read-only", "claude", "--apply")
	// Claude Code's own loader takes the file, and has the kept servers alone.
	loads := v.workspace("loads", nil)
	v.write(".mcp.json", v.read(claude.Files[0]), loads)
	listed := v.run(loads, v.environ(), filepath.Join(clients, "node_modules/.bin/claude"), "mcp", "list")
	for _, id := range claude.Selected {
		if name, ok := strings.CutPrefix(id, "mcp_server:project:"); ok && !strings.Contains(listed.out, "\n"+name+": ") {
			t.Errorf("claude mcp list has no %s:\n%s%s", name, listed.out, listed.err)
		}
	}
	if n := strings.Count(listed.out, "/start.sh"); n != len(v.reference(ws))-len(claude.Dropped) {
		t.Errorf("claude mcp list has %d servers, dropped are %q:\n%s", n, claude.Dropped, listed.out)
	}
	in := strings.Join(claude.Launch, " ")
	for _, file := range claude.Files {
		if !strings.Contains(in, file) {
			t.Errorf("%s is not in the launch line %s", file, in)
		}
	}
	for _, id := range []string{"mcp_tool:filesystem:directory_tree", "mcp_tool:filesystem:get_file_info"} {
		if !slices.Contains(claude.Selected, id) {
			t.Errorf("%s only reads and is left out", id)
		}
	}
	if slices.Contains(claude.Selected, "mcp_tool:filesystem:move_file") {
		t.Error("move_file is kept")
	}
}
