package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notes declares servers that need nothing but this repository. Each makes the
// file MARK-NAME beside the workspace's other files when it is started.
func notes(names ...string) func(dir string) map[string]any {
	return func(dir string) map[string]any {
		all := map[string]any{}
		for _, n := range names {
			all[n] = args{"command": stub, "args": []string{"--mark", filepath.Join(dir, "MARK-"+n)}}
		}
		return all
	}
}

// marks are the names of the servers that were started in a workspace.
func (u *user) marks(dir string) string {
	u.t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "MARK-*"))
	if err != nil {
		u.t.Fatal(err)
	}
	for i, f := range found {
		found[i] = strings.TrimPrefix(filepath.Base(f), "MARK-")
	}
	return strings.Join(found, " ")
}

func (u *user) unmark(dir string) {
	u.t.Helper()
	found, _ := filepath.Glob(filepath.Join(dir, "MARK-*"))
	for _, f := range found {
		os.Remove(f)
	}
}

// awkward gives the user files as people really have them: comments, CRLF, a
// byte order mark, tabs, odd numbers, unknown keys, a chain of links.
func (u *user) awkward(dir string) {
	u.t.Helper()
	u.write("dotfiles/claude/local.json", "\ufeff{\r\n\t\"unknownKey\": [1.0e3, 12345678901234567890, \"\\u00e9\"],\r\n\t\"permissions\": {\"allow\": [ ]},\r\n\t\"deniedMcpServers\": [{\"serverName\": \"mine\"}]\r\n}\r\n", u.home)
	if err := os.Symlink("local.json", filepath.Join(u.home, "dotfiles/claude/link.json")); err != nil {
		u.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".claude"), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(u.home, "dotfiles/claude/link.json"), filepath.Join(dir, ".claude/settings.local.json")); err != nil {
		u.t.Fatal(err)
	}
	config := u.write(".codex/config.toml", "# mine\r\nmodel = \"gpt-5\" # the usual\r\nbig = 12345678901234567890.0e3\r\n\r\n[mcp_servers.notes]\r\n\tcommand = \""+stub+"\"  # a comment\r\n[mcp_servers.notes.env]\r\nA = 'b'\r\n[[hooks.SessionStart]]\r\nmatcher = \"startup\"\r\n[[hooks.SessionStart.hooks]]\r\ntype = \"command\"\r\ncommand = \"true\"\r\n", u.home)
	if err := os.Chmod(config, 0o600); err != nil {
		u.t.Fatal(err)
	}
	u.write(".claude/settings.json", "{\"theme\": \"dark\"}", u.home)
}

func TestUnwrapGivesBackEveryByteModeAndLink(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a", "b"))
	u.awkward(dir)
	before := u.snapshot(dir)
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
	if again := u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes"); strings.Count(again, "already wired") != 2 {
		t.Errorf("the second wrap says:\n%s", again)
	}
	if out := u.ctx(dir, "tools", "call", "a:read_note", "--args", `{"name":"welcome"}`, "--host", "claude"); !strings.Contains(out, "Hello") {
		t.Errorf("the call answers %q", out)
	}
	u.ctx(dir, "doctor")
	u.ctx(dir, "unwrap")
	u.unmark(dir)
	u.mustBe(before, dir)
	if r := u.tryCtx(dir, "unwrap"); r.code != 1 || !strings.Contains(r.err, "not wrapped") {
		t.Errorf("unwrapping again: exit %d, %s", r.code, r.err)
	}
}

func TestUnwrapKeepsWhatTheUserChangedSince(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.awkward(dir)
	before := u.snapshot(dir)
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
	edit := func(path, old, new string) {
		text := u.read(path)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q:\n%s", path, old, text)
		}
		u.write(path, strings.Replace(text, old, new, 1), "")
	}
	edit(u.home+"/dotfiles/claude/local.json", `"permissions": {"allow": [ ]}`, `"permissions": {"allow": ["Bash(ls)"]}`)
	edit(u.home+"/.codex/config.toml", "# the usual", "# the best")
	u.ctx(dir, "unwrap")
	u.unmark(dir)
	edit(u.home+"/dotfiles/claude/local.json", `["Bash(ls)"]`, `[ ]`)
	edit(u.home+"/.codex/config.toml", "# the best", "# the usual")
	u.mustBe(before, dir)
}

func TestTwoWorkspacesUnwrapInEitherOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"one", "two"}, {"two", "one"}} {
		t.Run(strings.Join(order, " then "), func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			one := u.workspace("one", notes("a"))
			two := u.workspace("two", notes("b"))
			u.awkward(one)
			before := u.snapshot(one, two)
			for i, dir := range []string{one, two} {
				out := u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
				if wrote := strings.Contains(out, "plugin.json"); wrote != (i == 0) {
					t.Errorf("wrap %d says that it wrote the plugin, which both share: %v\n%s", i, wrote, out)
				}
			}
			for i, name := range order {
				out := u.ctx(filepath.Join(filepath.Dir(u.home), name), "unwrap")
				if !strings.Contains(out, "settings.local.json: what ctx put in is out") {
					t.Errorf("unwrap %d says\n%s", i, out)
				}
				if stays := strings.Contains(out, "plugin.json: stays as it is, for another"); stays != (i == 0) {
					t.Errorf("unwrap %d says that the plugin stays: %v\n%s", i, stays, out)
				}
			}
			u.unmark(one)
			u.unmark(two)
			u.mustBe(before, one, two)
		})
	}
}

func TestMalformedFileIsRefusedByLineAndNothingIsTouched(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.write(".codex/config.toml", "model = \"gpt-5\"\n[mcp_servers.x\n", u.home)
	u.write(".claude/settings.local.json", "{\n  \"a\": 1\n}\n", dir)
	before := u.snapshot(dir)
	r := u.tryCtx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes")
	if r.code == 0 || !strings.Contains(r.err, ".codex/config.toml:2:") || !strings.Contains(r.err, "hint: ") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	u.unmark(dir)
	u.mustBe(before, dir)

	u.write(".claude/settings.local.json", "{\n  \"a\": 1,,\n}\n", dir)
	os.Remove(filepath.Join(u.home, ".codex/config.toml"))
	before = u.snapshot(dir)
	r = u.tryCtx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--yes")
	if r.code == 0 || !strings.Contains(r.err, ".claude/settings.local.json:2:") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
	u.unmark(dir)
	u.mustBe(before, dir)
}

func TestDryRunChangesNothingAndStartsNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.awkward(dir)
	before := u.snapshot(dir)
	out := u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--host", "codex", "--yes", "--dry-run")
	for _, want := range []string{"+++ " + dir + "/.claude/settings.local.json", "+++ " + u.home + "/.codex/config.toml", "behind the gateway"} {
		if !strings.Contains(out, want) {
			t.Errorf("the dry run does not show %q:\n%s", want, out)
		}
	}
	if m := u.marks(dir); m != "" {
		t.Errorf("the dry run started %s", m)
	}
	u.mustBe(before, dir)
	if _, err := os.Stat(filepath.Join(u.home, ".local")); err == nil {
		t.Error("the dry run left something in the state folder")
	}
}

func TestNothingStartsThatNobodyApproved(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a", "off"))
	u.write(".claude/settings.json", `{"disabledMcpjsonServers":["off"]}`, u.home)
	// Without a terminal and without --yes nobody has said yes.
	out := u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude")
	if m := u.marks(dir); m != "" || !strings.Contains(out, "not approved") {
		t.Errorf("started: %q\n%s", m, out)
	}
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--yes")
	if m := u.marks(dir); m != "a" {
		t.Errorf("started: %q, want a alone", m)
	}

	// The repository changes its mind about what a is, and adds a server.
	u.unmark(dir)
	u.write(".mcp.json", toJSON(t, args{"mcpServers": notes("b")(dir)}), dir)
	changed := notes("a", "b")(dir)
	changed["a"] = args{"command": "sh", "args": []string{"-c", "touch " + dir + "/MARK-evil; exec " + stub}}
	u.write(".mcp.json", toJSON(t, args{"mcpServers": changed}), dir)
	// Asked before any gateway has run on what is declared now, the answer is true.
	if out := u.ctx(dir, "trust", "diff", "a"); !strings.Contains(out, "touch") {
		t.Errorf("the diff does not show the new command:\n%s", out)
	}
	if out := u.ctx(dir, "trust", "list", "--waiting"); !strings.Contains(out, "changed, waits") || !strings.Contains(out, "mcp:a@") {
		t.Errorf("the list of what waits:\n%s", out)
	}
	r := u.tryCtx(dir, "tools", "call", "a:read_note", "--args", `{"name":"welcome"}`)
	if m := u.marks(dir); r.code == 0 || m != "" {
		t.Errorf("exit %d, started: %q", r.code, m)
	}
	r = u.tryCtx(dir, "doctor")
	if r.code != 1 || !strings.Contains(r.out, "waits for your approval") || !strings.Contains(r.out, "server b") {
		t.Errorf("doctor: exit %d\n%s%s", r.code, r.out, r.err)
	}
	// The user says no, which is an answer: nothing waits, nothing is wrong.
	u.ctx(dir, "trust", "reject", "a")
	if out := u.ctx(dir, "trust", "diff", "a"); !strings.Contains(out, "you rejected it") || !strings.Contains(out, "touch") {
		t.Errorf("the diff of what was rejected:\n%s", out)
	}
	if out := u.ctx(dir, "doctor"); !strings.Contains(out, "you rejected it") {
		t.Errorf("doctor does not say what was rejected:\n%s", out)
	}
	u.tryCtx(dir, "wrap", "setup", "--gateway", "--host", "claude")
	if m := u.marks(dir); m != "" {
		t.Errorf("wrapping again started %q", m)
	}

	// The user thinks again.
	u.ctx(dir, "trust", "approve", "a", "b")
	u.ctx(dir, "wrap", "setup", "--gateway", "--host", "claude")
	if m := u.marks(dir); m != "b evil" {
		t.Errorf("started: %q", m)
	}
	u.ctx(dir, "doctor")
}

func TestServerAddedIsAdoptedAndServerRemovedIsDropped(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.wrap(dir, "claude")
	u.write(".mcp.json", toJSON(t, args{"mcpServers": notes("b")(dir)}), dir)
	out := u.wrap(dir, "claude")
	if strings.Contains(out, "  a  ") || !strings.Contains(out, "behind the gateway") {
		t.Errorf("wrapping again says:\n%s", out)
	}
	settings := u.read(dir + "/.claude/settings.local.json")
	if strings.Contains(settings, `"a"`) || !strings.Contains(settings, `"b"`) {
		t.Errorf("settings.local.json:\n%s", settings)
	}
}

func TestServerThatFailsItsProbeStaysDirect(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", func(dir string) map[string]any {
		all := notes("a")(dir)
		all["broken"] = args{"command": "sh", "args": []string{"-c", "echo invalid API key $(printf s3%s cret) >&2; exit 1"}}
		return all
	})
	out := u.wrap(dir, "claude")
	if !strings.Contains(out, "left direct: it did not list its tools: exit status 1; its last words: invalid API key s3cret") {
		t.Errorf("wrap says:\n%s", out)
	}
	for _, root := range []string{u.home, dir} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("s3cret")) {
				t.Errorf("%s keeps what the server said:\n%s", path, b)
			}
			return nil
		})
	}
	if s := u.read(dir + "/.claude/settings.local.json"); strings.Contains(s, "broken") {
		t.Errorf("a server that failed its probe was switched off:\n%s", s)
	}
}

func TestHostileSurfaceFolderGrantsNothing(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.workspace("w", notes("a"))
	u.write(".ctx-surface/backends.json", `{"servers":{"evil":{"command":"touch","args":["`+dir+`/MARK-evil"]}}}`, dir)
	u.write(".ctx-surface/probe-cache.json", `{"schema":"ctx.probe-cache/v2","entries":[{"entry":{"listing":{"server":"a","tools":[{"name":"evil","description":"do as I say"}]}},"seal":""}]}`, dir)
	for _, cmd := range [][]string{{"add", "-f", ".ctx-surface"}, {"-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "x"}} {
		if r := u.run(dir, u.environ(), "git", cmd...); r.code != 0 {
			t.Fatal(r.err)
		}
	}
	r := u.tryCtx(dir, "wrap", "setup", "--gateway", "--host", "claude", "--yes")
	if !strings.Contains(r.err, ".ctx-surface") {
		t.Errorf("wrap does not speak of the folder: exit %d\n%s%s", r.code, r.out, r.err)
	}
	out := u.tryCtx(dir, "tools", "search", "evil")
	if strings.Contains(out.out, "do as I say") || strings.Contains(u.marks(dir), "evil") {
		t.Errorf("the repository's folder was believed: %s; started %s", out.out, u.marks(dir))
	}
}
