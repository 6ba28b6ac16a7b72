package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

func TestCodexWhereAWrapReaches(t *testing.T) {
	t.Parallel()
	u, dir, config := codexUser(t)
	u.write("sub/deep/file.txt", "text\n", dir)
	for _, cmd := range [][]string{
		{"git", "add", "README.md", "sub"},
		{"git", "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "first"},
		{"git", "worktree", "add", "-q", "../tree"},
	} {
		if r := u.run(dir, u.environ(), cmd[0], cmd[1:]...); r.code != 0 {
			t.Fatalf("%q: %s", cmd, r.err)
		}
	}
	other, second := u.workspace("other", nil), u.workspace("second", nil)
	original := u.read(config)
	u.wrap(dir, "codex")
	u.wrap(second, "codex")
	read := []modelstub.Step{onCodex("call_tool", args{"tool": "filesystem:read_text_file", "arguments": args{"path": dir + "/data/note.txt"}})}
	for name, at := range map[string]string{
		"subfolder": dir + "/sub/deep", "worktree": filepath.Join(filepath.Dir(dir), "tree"), "second workspace": second, "unwrapped workspace": other,
	} {
		// Codex is wired for all of them: the user's servers work everywhere.
		t.Run(name, func(t *testing.T) {
			s := u.codex(at, "gpt-5", read)
			kernelOnly(t, s)
			s.mustSay("larkspur")
		})
	}
	if p := u.parents(dir); strings.Contains(p, "codex") {
		t.Errorf("the host itself started a server:\n%s", p)
	}

	// Whoever changes a server, or takes one out, after wrap.
	text := u.read(config)
	text = strings.Replace(text, `MEMORY_FILE_PATH = "`+dir+"/memory.json\"", `MEMORY_FILE_PATH = "`+dir+"/other.json\"", 1)
	u.write(config, text, "")
	s := u.codex(dir, "gpt-5", append(read, onCodex("call_tool", args{"tool": "memory:read_graph", "arguments": args{}})))
	s.mustSay("larkspur")
	s.mustNotSay(`entities\":[]`)
	u.write(config, strings.Replace(text, dir+"/other.json", dir+"/memory.json", 1), "")

	u.ctx(dir, "unwrap")
	s = u.codex(second, "gpt-5", read)
	kernelOnly(t, s)
	u.ctx(second, "unwrap")
	if got := u.read(config); got != original {
		t.Errorf("config.toml after both unwraps:\n%s\nbefore:\n%s", got, original)
	}
}

func TestClaudeServersOfEveryScopeAreFronted(t *testing.T) {
	t.Parallel()
	needClients(t)
	u := newUser(t)
	dir := u.workspace("w", notes("project", "shared"))
	user, local := notes("user", "shared")(dir), notes("local")(dir)
	path := u.write(".claude.json", toJSON(t, args{"mcpServers": user, "projects": args{dir: args{"mcpServers": local}}}), u.home)
	before := u.read(path)
	u.wrap(dir, "claude")
	if u.read(path) != before {
		t.Error("~/.claude.json was edited")
	}
	var script []modelstub.Step
	for _, name := range []string{"project", "user", "local", "shared"} {
		script = append(script, call("call_tool", args{"tool": name + ":echo", "arguments": args{"text": "from " + name + "!"}}))
	}
	s := u.claude(dir, script, approved...)
	kernelOnly(t, s)
	for _, name := range []string{"project", "user", "local", "shared"} {
		if n := strings.Count(s.said(), "from "+name+"!"); n < 2 {
			t.Errorf("%s does not answer:\n%s", name, s.said())
		}
	}
}
