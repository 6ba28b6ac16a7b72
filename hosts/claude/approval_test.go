package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const approving = `{"enableAllProjectMcpServers": true}`

// git runs git in dir with nothing of the machine's configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestLocalSettingsApproveUnlessCommitted has the workspace's own
// settings.local.json approve its servers, in every state git can have it in.
func TestLocalSettingsApproveUnlessCommitted(t *testing.T) {
	t.Parallel()
	const local = ".claude/settings.local.json"
	for _, c := range []struct {
		name     string
		prepare  func(t *testing.T, ws string)
		approved bool
	}{
		{"no repository", func(*testing.T, string) {}, true},
		{"nothing added yet", func(t *testing.T, ws string) { git(t, ws, "init", "-q") }, true},
		{"untracked beside others", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, ws, "add", ".mcp.json")
		}, true},
		{"ignored", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			write(t, filepath.Join(ws, ".gitignore"), local+"\n")
			git(t, ws, "add", ".gitignore")
		}, true},
		{"another folder's is tracked", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			write(t, filepath.Join(ws, "sub", local), "{}")
			git(t, ws, "add", "-f", "sub")
		}, true},
		{"added", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, ws, "add", "-f", local)
		}, false},
		{"committed", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, ws, "add", "-f", local)
			git(t, ws, "commit", "-qm", "x")
		}, false},
		{"committed, in a compressed index", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, ws, "add", "-f", ".")
			git(t, ws, "update-index", "--index-version=4")
		}, false},
		{"committed, in a split index", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, ws, "add", "-f", ".")
			git(t, ws, "update-index", "--split-index")
		}, false},
		{"an index that is damaged", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			write(t, filepath.Join(ws, ".git", "index"), "rubbish")
		}, false},
		{"a link", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			write(t, filepath.Join(ws, "committed.json"), approving)
			if err := os.Remove(filepath.Join(ws, local)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../committed.json", filepath.Join(ws, local)); err != nil {
				t.Fatal(err)
			}
			git(t, ws, "add", "-f", ".")
		}, false},
		{"in a folder that is a link", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			if err := os.Rename(filepath.Join(ws, ".claude"), filepath.Join(ws, "dot")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("dot", filepath.Join(ws, ".claude")); err != nil {
				t.Fatal(err)
			}
			git(t, ws, "add", "-f", ".")
		}, false},
		{"a repository of its own", func(t *testing.T, ws string) {
			git(t, ws, "init", "-q")
			git(t, filepath.Join(ws, ".claude"), "init", "-q")
			git(t, filepath.Join(ws, ".claude"), "add", ".")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := unpack(t, archive(
				"workspace/.mcp.json", `{"mcpServers": {"s": {"command": "x"}}}`,
				"workspace/"+local, approving,
			))
			c.prepare(t, f.ws())
			s, err := f.adapter.Sources(t.Context(), f.request)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Servers[0].ApprovedBy != nil; got != c.approved {
				t.Errorf("approved: %v, want %v", got, c.approved)
			}
		})
	}
}
