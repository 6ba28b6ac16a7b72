package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

func TestWrapStartsTheHostWithItsArgumentsAndExitCode(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	host := u.write("bin/claude", "#!/bin/sh\necho \"$@\"\nexit 7\n", filepath.Dir(u.home))
	if err := os.Chmod(host, 0o755); err != nil {
		t.Fatal(err)
	}
	env := u.environ("PATH=" + filepath.Dir(host) + ":" + os.Getenv("PATH"))
	r := u.run(dir, env, prefix+"/bin/ctx", "wrap", "claude", "--gateway", "--yes", "--", "-p", "two words", "--json")
	if r.code != 7 || !strings.HasSuffix(r.out, "-p two words --json\n") {
		t.Errorf("exit %d: %q %s", r.code, r.out, r.err)
	}
	if strings.Contains(r.out, "Claude Code in") || !strings.Contains(r.err, "Claude Code in") {
		t.Errorf("standard output is the host's; it holds\n%s", r.out)
	}
	r = u.run(dir, env, prefix+"/bin/ctx", "wrap", "claude", "--dry-run", "--", "-p", "x")
	if r.code != 0 || r.out != "" {
		t.Errorf("a dry run started the host: exit %d, printed %q", r.code, r.out)
	}
	r = u.run(dir, u.environ("PATH=/nonexistent:/usr/bin:/bin"), prefix+"/bin/ctx", "wrap", "claude", "--", "-p", "x")
	if r.code != 3 || !strings.Contains(r.err, "hint: ") {
		t.Errorf("without the host: exit %d: %s", r.code, r.err)
	}
}

func TestAHostThatIsNotInstalledIsLeftAlone(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	host := u.write("bin/claude", "#!/bin/sh\necho 2.1.0\n", filepath.Dir(u.home))
	if err := os.Chmod(host, 0o755); err != nil {
		t.Fatal(err)
	}
	env := u.environ("PATH=" + filepath.Dir(host) + ":/usr/bin:/bin")
	r := u.run(dir, env, prefix+"/bin/ctx", "wrap", "setup", "--gateway", "--yes")
	if r.code != 0 || !strings.Contains(r.out, "Claude Code in") {
		t.Fatalf("exit %d: %s%s", r.code, r.out, r.err)
	}
	for name := range u.snapshot(dir) {
		for _, other := range []string{".codex", ".gemini", ".agents", "antigravity"} {
			if strings.Contains(name, other) {
				t.Errorf("written for a host that is not there: %s", name)
			}
		}
	}
}

func TestRealClaudeIsStartedByWrap(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", u.reference)
	s := u.stub([]modelstub.Step{call("tool_search", args{"query": "read a file"})})
	env := u.environ("PATH="+filepath.Join(clients, "node_modules/.bin")+":"+os.Getenv("PATH"),
		"ANTHROPIC_BASE_URL="+s.stub.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
	s.result = u.run(dir, env, prefix+"/bin/ctx", append([]string{"wrap", "claude", "--gateway", "--yes", "--", "-p", "go"}, approved...)...)
	if s.code != 0 {
		t.Errorf("exit %d: %s%s", s.code, s.out, s.err)
	}
	kernelOnly(t, s)
	s.mustSay("filesystem:read_text_file")
}

func TestWrapSaysWhatIsMissingOrMeantOtherwise(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", nil)
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"wrap", "setup", "--gateway"}, 3, "no host was found"},
		{[]string{"wrap", "setup", "--host", "claud"}, 2, "hosts: antigravity, claude, codex"},
		{[]string{"wrap", "claud"}, 2, "did you mean: ctx wrap claude"},
		{[]string{"wrap", "setpu"}, 2, "did you mean: ctx wrap setup"},
		{[]string{"wrap", "claude", "-p", "x"}, 2, "hint: "},
		{[]string{"wrap", "setup", "--scope", "machine"}, 2, "--scope project or --scope user"},
		{[]string{"wrap", "setup", "--host", "claude", "--include", "nothing"}, 1, `no server "nothing"`},
		{[]string{"unwrap"}, 1, "not wrapped"},
		{[]string{"doctor"}, 1, "not wrapped"},
		{[]string{"tools", "search", "x"}, 3, "ctx wrap setup --gateway"},
		{[]string{"tools", "call", "x:y", "--args", "[]"}, 2, "--args is not a JSON object"},
		{[]string{"trust", "approve", "nobody"}, 1, "ctx trust list"},
		{[]string{"approve", "abcde-fghij"}, 1, "no call waits"},
		{[]string{"plugins", "trust", "nobody"}, 1, "ctx plugins list"},
	} {
		r := u.tryCtx(dir, tt.args...)
		if r.code != tt.code || !strings.HasPrefix(r.err, "error: ") || !strings.Contains(r.err, tt.want) {
			t.Errorf("ctx %s: exit %d, want %d with %q:\n%s", strings.Join(tt.args, " "), r.code, tt.code, tt.want, r.err)
		}
	}
	u.mustBe(map[string]string{u.home: u.snapshot()[u.home]})
}

func TestEveryReportIsOneJSONDocumentWithItsSchema(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a", "b"))
	for _, tt := range []struct {
		schema string
		args   []string
	}{
		{"ctx.wrap/v1", []string{"wrap", "setup", "--gateway", "--host", "claude", "--yes", "--dry-run"}},
		{"ctx.wrap/v1", []string{"wrap", "setup", "--gateway", "--host", "claude", "--yes"}},
		{"ctx.detect/v1", []string{"wrap", "detect"}},
		{"ctx.doctor/v1", []string{"doctor"}},
		{"ctx.surface/v1", []string{"surface", "inventory"}},
		{"ctx.surface/v1", []string{"surface", "audit"}},
		{"ctx.install-gateway/v1", []string{"surface", "install-gateway", "--host", "claude"}},
		{"ctx.tools-search/v1", []string{"tools", "search", "read a note"}},
		{"ctx.tools-describe/v1", []string{"tools", "describe", "a:read_note"}},
		{"ctx.tools-call/v1", []string{"tools", "call", "a:echo", "--args", `{"text":"x"}`}},
		{"ctx.trust/v1", []string{"trust", "list"}},
		{"ctx.trust-diff/v1", []string{"trust", "diff", "a"}},
		{"ctx.trust/v1", []string{"trust", "reject", "b"}},
		{"ctx.approve/v1", []string{"approve"}},
		{"ctx.plugins/v1", []string{"plugins", "list"}},
		{"ctx.unwrap/v1", []string{"unwrap"}},
	} {
		out := u.ctx(dir, append(tt.args, "--json")...)
		var doc struct{ Schema string }
		if err := json.Unmarshal([]byte(out), &doc); err != nil || doc.Schema != tt.schema {
			t.Errorf("ctx %s --json: schema %q, %v\n%s", strings.Join(tt.args, " "), doc.Schema, err, out)
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("ctx %s prints colour into a pipe", strings.Join(tt.args, " "))
		}
	}
}

func TestUnwrapOfAWorkspaceThatIsGone(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.write(".codex/config.toml", "# mine\r\n[mcp_servers.notes]\r\n\tcommand = \""+stub+"\"  # a comment\r\n", u.home)
	before := u.snapshot()
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	u.ctx(u.home, "unwrap", "--all")
	u.mustBe(before)
	if _, err := os.Stat(dir); err == nil {
		t.Error("unwrap made the workspace again")
	}
}

func TestHooksAloneLeaveTheServersToTheHost(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	before := u.snapshot(dir)
	u.ctx(dir, "wrap", "setup", "--host", "claude")
	if m := u.marks(dir); m != "" {
		t.Errorf("started %s", m)
	}
	if s := u.read(dir + "/.claude/settings.local.json"); strings.Contains(s, "deniedMcpServers") {
		t.Errorf("a server was switched off:\n%s", s)
	}
	u.ctx(dir, "doctor")
	u.ctx(dir, "unwrap")
	u.mustBe(before, dir)
}
