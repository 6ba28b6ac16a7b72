package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

// user is someone who stands in a workspace.
type user struct {
	t    *testing.T
	home string
}

func (u user) must(code int, words []string, args ...string) string {
	u.t.Helper()
	s, _, o, e := iostreams.Test()
	got := root.Main(args, []string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH")}, s)
	said := o.String() + e.String()
	for _, w := range words {
		if !strings.Contains(said, w) {
			u.t.Errorf("ctx %s does not say %q:\n%s", strings.Join(args, " "), w, said)
		}
	}
	if got != code {
		u.t.Fatalf("ctx %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, said)
	}
	return said
}

// workspace is a new one with a tool, in which the user stands from now on.
func (u user) workspace(text string) string {
	u.t.Helper()
	ws := u.t.TempDir()
	if err := os.MkdirAll(filepath.Join(ws, ".agents", "tools"), 0o755); err != nil {
		u.t.Fatal(err)
	}
	u.t.Chdir(ws)
	u.tool(text)
	return ws
}

func (u user) tool(text string) {
	u.t.Helper()
	if err := os.WriteFile(filepath.Join(".agents", "tools", "deploy"), []byte("#!/bin/sh\n# @description Deploy.\n"+text), 0o755); err != nil {
		u.t.Fatal(err)
	}
}

func TestTheUserSeesTheTextOfAToolBeforeDeciding(t *testing.T) {
	u := user{t, t.TempDir()}
	ws := u.workspace("echo one\necho two\n")
	u.must(0, []string{"waits", "local:deploy@" + ws}, "trust", "list")
	u.must(0, []string{"+ SHA-256: ", "+ #!/bin/sh", "+ echo two"}, "trust", "diff", "local:deploy")
	u.must(0, []string{"approved local:deploy@" + ws}, "trust", "approve", "local:deploy")
	u.must(0, []string{"nothing has changed"}, "trust", "diff", "local:deploy")

	u.tool("echo one\necho \x1b[2Jthree\n")
	u.must(0, []string{"changed, waits"}, "trust", "list")
	said := u.must(0, []string{"- echo two", "+ echo ", "three"}, "trust", "diff", "local:deploy")
	if strings.Contains(said, "+ echo one") || strings.Contains(said, "\x1b") {
		t.Errorf("shows %q", said)
	}
	u.must(0, []string{"rejected"}, "trust", "reject", "local:deploy")
	u.must(0, []string{"you rejected it"}, "trust", "diff", "local:deploy")

	// The same name in another workspace is another tool.
	other := u.workspace("echo other\n")
	u.must(0, []string{"approved local:deploy@" + other}, "trust", "approve", "local:deploy")
	u.must(0, nil, "trust", "reject", "local:deploy@"+other)
	copies, err := os.ReadDir(filepath.Join(u.home, ".local", "state", "ctx", "tools"))
	if err != nil || len(copies) != 1 { // of the first workspace's
		t.Errorf("copies: %v, %v", copies, err)
	}

	u.tool("# @param x what\n")
	u.must(0, []string{"deploy:3: ", "no type"}, "trust", "list")
	u.must(1, []string{"ctx trust list"}, "trust", "approve", "local:nobody")
}
