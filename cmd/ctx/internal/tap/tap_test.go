package tap_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

// user is someone with a home and a tap of their own.
type user struct {
	t    *testing.T
	home string
	tap  string
}

func newUser(t *testing.T) *user {
	home := t.TempDir()
	u := &user{t, home, filepath.Join(home, "src", "tools")}
	u.capability("db", "db-mcp", `"--url", "{{ENV:DB_URL}}"`)
	u.capability("mail", "mail-mcp", "")
	return u
}

func (u *user) capability(name, command, args string) {
	u.write("capabilities/"+name+"/config.toml", `triggers = ["query `+name+`", "ask `+name+`", "open `+name+`"]`)
	u.write("capabilities/"+name+"/default.toml", "# Title: The "+name+" tools\n# Description: All that there is to do with "+name+".\n\n"+
		"[roles.mcp]\nserver_refs = [\""+name+"\"]\nallowed_tools = [\""+name+":*\"]\n\n[[mcp.servers]]\nname = \""+name+"\"\ntype = \"stdio\"\n"+
		"command = \""+command+"\"\nargs = ["+args+"]\nenv = { API_KEY = \"{{ENV:KEY}}\" }\n")
}

func (u *user) write(name, text string) {
	u.t.Helper()
	path := filepath.Join(u.tap, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

// run runs one command line; answer is what the user types on a terminal, ""
// where there is none.
func (u *user) run(answer string, args ...string) (code int, out, errOut string) {
	u.t.Helper()
	s, in, o, e := iostreams.Test()
	if answer != "" {
		s.Interactive = true
		in.WriteString(answer)
	}
	code = root.Main(args, []string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH")}, s)
	return code, o.String(), e.String()
}

func (u *user) must(code int, words string, args ...string) string {
	u.t.Helper()
	got, out, errOut := u.run("", args...)
	if got != code || !strings.Contains(out+errOut, words) {
		u.t.Fatalf("ctx %s: exit %d, want %d and %q\n%s%s", strings.Join(args, " "), got, code, words, out, errOut)
	}
	return out
}

func (u *user) approvals() map[string]string {
	u.t.Helper()
	var l struct {
		Servers []struct{ ID, Status string }
	}
	if err := json.Unmarshal([]byte(u.must(0, "", "trust", "list", "--json")), &l); err != nil {
		u.t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range l.Servers {
		got[s.ID] = s.Status
	}
	return got
}

func TestAddShowsEveryCommandAndAsksOnce(t *testing.T) {
	u := newUser(t)
	u.write("deps/acme/db.sh", "exit 0\n")
	u.write("capabilities/db/default.toml", "# Title: The db tools\n[deps]\nrequire = [\"acme/db\"]\n[[mcp.servers]]\nname = \"db\"\ncommand = \"db-mcp\"\nargs = [\"a b\"]\n")
	code, out, errOut := u.run("y\n", "tap", "add", "acme/tools", u.tap)
	if code != 0 || !strings.Contains(out, "added acme/tools: 2 capabilities, 2 of them for prompts to activate; 3 commands approved") {
		t.Fatalf("exit %d\n%s%s", code, out, errOut)
	}
	for _, part := range []string{"acme/db", "db-mcp 'a b'", "mail-mcp", "env API_KEY={{ENV:KEY}}", "deps/acme/db.sh", "SHA-256", "Approve 3 commands?"} {
		if !strings.Contains(errOut, part) {
			t.Errorf("%q is not shown:\n%s", part, errOut)
		}
	}
	if strings.Count(errOut, "[y/N]") != 1 {
		t.Errorf("asked more than once:\n%s", errOut)
	}
	got := u.approvals()
	for _, id := range []string{"tap:acme/tools/db/db", "tap:acme/tools/mail/mail", "tap:acme/tools/db/deps/acme/db.sh"} {
		if got[id] != "approved" {
			t.Errorf("%s is %q", id, got[id])
		}
	}
}

func TestMuchOfOneKindIsNamedInOneLine(t *testing.T) {
	u := newUser(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		u.write("capabilities/"+name+"/default.toml", "# Title: The "+name+" tools\n[[mcp.servers]]\nname = \""+name+"\"\ncommand = \"x-mcp\"\n")
	}
	_, _, errOut := u.run("", "tap", "add", "acme/tools", u.tap)
	if strings.Count(errOut, "has no config.toml") != 3 || !strings.Contains(errOut, "2 more of the kind no-config: d/config.toml, e/config.toml; more of each: ctx tap lint PATH\n") {
		t.Errorf("five capabilities without triggers:\n%s", errOut)
	}
	if got := u.must(0, "", "tap", "list", "--json"); strings.Count(got, `"rule": "no-config"`) != 5 {
		t.Errorf("--json lacks some:\n%s", got)
	}
}

func TestNoLeavesTheTapUnready(t *testing.T) {
	for name, answer := range map[string]string{"a no": "n\n", "no terminal": ""} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			code, out, errOut := u.run(answer, "tap", "add", "acme/tools", u.tap)
			if code != 0 || !strings.Contains(out, "not approved yet: 2 commands") || !strings.Contains(errOut, "mail-mcp") {
				t.Fatalf("exit %d\n%s%s", code, out, errOut)
			}
			if got := u.approvals(); got["tap:acme/tools/db/db"] != "unknown" {
				t.Errorf("%v", got)
			}
			u.must(0, "2 commands approved", "tap", "update", "acme/tools", "--yes")
			if got := u.approvals(); got["tap:acme/tools/db/db"] != "approved" {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestUpdateAsksForWhatIsNewOrChangedAlone(t *testing.T) {
	u := newUser(t)
	u.must(0, "2 commands approved", "tap", "add", "acme/tools", u.tap, "--yes")
	u.capability("db", "db-mcp", `"--drop"`)
	_, out, errOut := u.run("y\n", "tap", "update")
	if !strings.Contains(out, "1 command approved") || strings.Contains(errOut, "mail-mcp") {
		t.Errorf("%s%s", out, errOut)
	}
	for _, part := range []string{"changed since you approved it", `- args: ["--url", "{{ENV:DB_URL}}"]`, `+ args: ["--drop"]`} {
		if !strings.Contains(errOut, part) {
			t.Errorf("%q is not shown:\n%s", part, errOut)
		}
	}
	if code, out, errOut := u.run("y\n", "tap", "update"); code != 0 || strings.Contains(errOut, "y/N") || strings.Contains(out, "approved") {
		t.Errorf("nothing is new, and yet:\n%s%s", out, errOut)
	}
}

func TestListAndRemove(t *testing.T) {
	u := newUser(t)
	u.must(0, "There is no tap; none is built in", "tap", "list")
	u.must(0, "", "tap", "add", "acme/tools", u.tap, "--yes")
	u.must(0, "", "tap", "add", "beta/tools", u.tap)
	u.write("capabilities/mail/config.toml", "triggers = [")
	out := u.must(0, "", "tap", "list", "--json")
	var l struct {
		Schema string
		Taps   []struct {
			Name                            string
			Capabilities, Shadowed, Waiting int
		}
		Problems []struct{ File string }
	}
	if err := json.Unmarshal([]byte(out), &l); err != nil {
		t.Fatal(err)
	}
	if l.Schema != "ctx.taps/v1" || len(l.Taps) != 2 || l.Taps[0].Name != "acme/tools" || l.Taps[1].Shadowed != 2 || l.Taps[1].Waiting != 2 || len(l.Problems) != 2 {
		t.Errorf("%s", out)
	}
	u.must(1, "did you mean: acme/tools", "tap", "remove", "acme/tool")
	u.must(0, "removed acme/tools", "tap", "remove", "acme/tools")
	if got := u.approvals(); got["tap:acme/tools/db/db"] != "" || got["tap:beta/tools/db/db"] != "unknown" {
		t.Errorf("approvals left: %v", got)
	}
	if _, err := os.Stat(u.tap); err != nil {
		t.Errorf("the user's folder is gone: %v", err)
	}
}

func TestWhatCannotBeAddedIsNamed(t *testing.T) {
	u := newUser(t)
	u.must(2, "is no name for a tap", "tap", "add", "tools", u.tap)
	u.must(3, "is not there", "tap", "add", "acme/tools", filepath.Join(u.home, "nobody"))
	u.must(1, "it has no folder capabilities", "tap", "add", "acme/tools", u.home)
	u.must(3, "fetch file://", "tap", "add", "acme/tools", "file://"+filepath.Join(u.home, "nobody"))
	u.must(0, "There is no tap", "tap", "list")
	u.must(0, "", "tap", "add", "acme/tools", u.tap)
	u.must(1, "is there already", "tap", "add", "acme/tools", u.tap)
}

func TestAGitTap(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	u := newUser(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", u.tap, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "-m", "one")
	u.must(0, "2 commands approved", "tap", "add", "acme/tools", "file://"+u.tap, "--yes")
	u.must(0, "is up to date", "tap", "update")
	u.capability("chat", "chat-mcp", "")
	git("add", ".")
	git("commit", "--quiet", "-m", "two")
	u.must(0, "1 command; the capabilities behind are unready", "tap", "update")
	if err := os.RemoveAll(u.tap); err != nil {
		t.Fatal(err)
	}
	u.must(1, "1 tap could not be brought up to date", "tap", "update")
	u.must(0, "", "tap", "remove", "acme/tools")
}

func TestLintAnswersNoWhereThereIsAFinding(t *testing.T) {
	u := newUser(t)
	u.must(0, "2 capabilities, 0 findings", "tap", "lint", u.tap)
	u.write("capabilities/mail/config.toml", "triggers = [\"query mail\", \"mail tools\", \"ask mail\"]\n")
	u.must(1, filepath.FromSlash("capabilities/mail/config.toml:1:27: warning: the trigger \"mail tools\" reads like a label [label-trigger]"), "tap", "lint", u.tap)
	out := u.must(1, "", "tap", "lint", u.tap, "--json")
	if !strings.Contains(out, `"schema": "ctx.tap-lint/v1"`) || !strings.Contains(out, `"rule": "label-trigger"`) {
		t.Error(out)
	}
	u.must(3, "is no folder", "tap", "lint", filepath.Join(u.home, "nobody"))
	u.must(1, "[no-capabilities]", "tap", "lint", u.home)
}

// Text out of a tap must not steer the terminal on which it is approved.
func TestNothingOfATapSteersTheTerminal(t *testing.T) {
	u := newUser(t)
	u.write("capabilities/db/default.toml", "# Title: x\n[[mcp.servers]]\nname = \"db\"\ncommand = \"a\\u001b[2Kb\"\nargs = [\"\\u202e\"]\nenv = { \"K\\u001b\" = \"\\u001b]0;x\\u0007\" }\n")
	_, out, errOut := u.run("n\n", "tap", "add", "acme/tools", u.tap)
	if text := out + errOut; strings.ContainsAny(text, "\x1b\x07") || strings.Contains(text, "\u202e") {
		t.Errorf("%q", text)
	}
}
