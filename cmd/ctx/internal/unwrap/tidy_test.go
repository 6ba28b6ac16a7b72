package unwrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
)

func surfaceWith(t *testing.T, names ...string) (l paths.Layout, workspace, dir string) {
	t.Helper()
	base := t.TempDir()
	workspace = filepath.Join(base, "w")
	dir = filepath.Join(workspace, ".ctx-surface")
	for _, n := range names {
		path := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths.Layout{State: filepath.Join(base, "state")}, workspace, dir
}

func TestTidyTakesAllThatIsOurs(t *testing.T) {
	l, ws, dir := surfaceWith(t, ".gitignore", "probe-cache.json", "probe-cache.json.lock", "probe-cache.json.bad", "sessions/s1.json",
		"sessions.lock", "usage.jsonl", "usage.1.jsonl", "mcp.claude.json", "compiled.json", "compiled.json.lock", "report.html",
		"agents/reader/mcp.claude.json", "agents/writer/settings.claude.json", "agents/writer/.mcp.claude.json.ctx-1")
	if left := tidy(l, ws, []string{"claude"}); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is still there")
	}
}

func TestTidyLeavesAndNamesWhatIsNot(t *testing.T) {
	l, ws, dir := surfaceWith(t, ".gitignore", "probe-cache.json", "notes.txt", "mcp.emacs.json")
	left := tidy(l, ws, []string{"claude"})
	if len(left) != 1 || !strings.Contains(left[0], "mcp.emacs.json, notes.txt") {
		t.Errorf("left: %q", left)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

func TestTidyTakesWhatTheRecordSaysWasCompiled(t *testing.T) {
	l, ws, dir := surfaceWith(t, ".gitignore", "antigravity-home/.gemini/config/mcp_config.json", "agents/reader/antigravity-home/.gemini/config/mcp_config.json")
	const none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // the SHA-256 of nothing
	record := `{"schema":"ctx.compiled/v1","slices":{
		"antigravity/":{"antigravity-home/.gemini/config/mcp_config.json":"` + none + `"},
		"antigravity/reader":{"antigravity-home/.gemini/config/mcp_config.json":"` + none + `"}}}`
	if err := os.WriteFile(filepath.Join(dir, "compiled.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	if left := tidy(l, ws, []string{"antigravity"}); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is still there")
	}
}

func TestTidyLeavesWhatTheUserHasInACompiledHome(t *testing.T) {
	mine := []string{"antigravity-home/.gemini/login", "antigravity-home/.gemini/config/changed.json", "agents/reader/antigravity-home/login", "notes.txt"}
	l, ws, dir := surfaceWith(t, append(mine, ".gitignore", "antigravity-home/.gemini/config/mcp_config.json", "agents/reader/mcp_config.antigravity.json")...)
	const none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // the SHA-256 of nothing
	record := `{"schema":"ctx.compiled/v1","slices":{"antigravity/":{
		"antigravity-home/.gemini/config/mcp_config.json":"` + none + `",
		"antigravity-home/.gemini/config/changed.json":"` + strings.Repeat("0", 64) + `",
		"../.ctx-surface/notes.txt":"` + none + `"}}}`
	if err := os.WriteFile(filepath.Join(dir, "compiled.json"), []byte(record), 0o600); err != nil {
		t.Fatal(err)
	}
	left := tidy(l, ws, []string{"antigravity"})
	if len(left) != 1 || !strings.HasSuffix(left[0], ": agents/reader/antigravity-home, antigravity-home, notes.txt") {
		t.Errorf("left: %q", left)
	}
	for _, name := range mine {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"antigravity-home/.gemini/config/mcp_config.json", "agents/reader/mcp_config.antigravity.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestTidyFollowsNoLink(t *testing.T) {
	l, ws, dir := surfaceWith(t)
	elsewhere := t.TempDir()
	precious := filepath.Join(elsewhere, "usage.jsonl")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	if left := tidy(l, ws, nil); len(left) != 1 || !strings.Contains(left[0], "not a folder") {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestTidyLeavesWhatTheRepositoryBrought(t *testing.T) {
	l, ws, dir := surfaceWith(t, ".gitignore", "probe-cache.json", "sessions/s1.json")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", ".ctx-surface/probe-cache.json"}} {
		if out, err := exec.Command("git", append([]string{"-C", ws}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("git: %v: %s", err, out)
		}
	}
	if left := tidy(l, ws, nil); len(left) != 1 || !strings.Contains(left[0], "the git repository has files in it") {
		t.Errorf("left: %q", left)
	}
	for _, name := range []string{".gitignore", "probe-cache.json", "sessions/s1.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
