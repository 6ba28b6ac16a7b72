package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ctx-sidecar/ctx/core/paths"
)

func TestWhatIsWrongWithAProfileIsToldByLineWithAHint(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ text, problem string }{
		{"authority_ceiling = \"raed\"", `user:2: surface.profiles.p.authority_ceiling must be "read", "local-write", "remote-write" or "destructive", not "raed" (did you mean read?)`},
		{"authority_ceiling = \"local_write\"", `user:2: surface.profiles.p.authority_ceiling must be "read", "local-write", "remote-write" or "destructive", not "local_write" (did you mean local-write?)`},
		{"families = [\"files\", \"databse\"]", `user:2: surface.profiles.p.families has no family "databse" (entry 2) (did you mean database?)`},
		{"families = [\"zzzzzzzzzzzz\"]", `user:2: surface.profiles.p.families has no family "zzzzzzzzzzzz" (entry 1) (families: source-control, `},
		{"exclude = [\"github\"]", `user:2: surface.profiles.p.exclude must be a list of SERVER:TOOL: entry 1 is "github" (all tools of a server: "github:*")`},
		{"familie = []", "user:2: unknown key surface.profiles.p.familie (did you mean surface.profiles.p.families?)"},
	} {
		c, problems := load(t, "[surface.profiles.p]\n"+x.text+"\n", "")
		if len(problems) != 1 || !strings.HasPrefix(problems[0], x.problem) {
			t.Errorf("problems %q\nwant     %q", problems, x.problem)
		}
		if faults := c.Surface.Profiles["p"].Faults; len(faults) != 1 || faults[0].Line != 2 {
			t.Errorf("%s: the profile does not know of its fault: %+v", x.text, faults)
		}
	}
}

func TestAProfileThatIsNoTableIsFlawed(t *testing.T) {
	t.Parallel()
	c, _ := load(t, "", "surface.profiles.p = 5")
	if len(c.Surface.WorkspaceProfiles["p"].Faults) != 1 {
		t.Errorf("profiles %+v", c.Surface.WorkspaceProfiles)
	}
}

// What a workspace may not say is passed over, which leaves what the user said.
func TestAWorkspaceThatMeansToRaiseACeilingFlawsNothing(t *testing.T) {
	t.Parallel()
	const profile = "[surface.profiles.p]\nauthority_ceiling = "
	c, problems := load(t, profile+"\"read\"", profile+"\"destructive\"")
	if len(problems) != 1 || len(c.Surface.WorkspaceProfiles["p"].Faults)+len(c.Surface.Profiles["p"].Faults) != 0 {
		t.Errorf("problems %q, %+v", problems, c.Surface)
	}
}

// Where the user's own file may speak of profiles and nobody can tell, what it
// narrows is not known.
func TestAUserFileThatCannotBeReadIsNotOneThatSaysNothing(t *testing.T) {
	t.Parallel()
	const profiles = "[surface]\ndefault_profile = \"p\"\n[surface.profiles.p]\nauthority_ceiling = \"read\"\n"
	text := func(s string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(s), 0o600) }
	}
	utf16 := func(mark string) string {
		wide := mark
		for _, b := range []byte(profiles) {
			wide += string(b) + "\x00"
		}
		return wide
	}
	for name, c := range map[string]struct {
		make func(path string) error
		want bool
	}{
		"not there":               {func(string) error { return nil }, false},
		"broken, of other things": {text("[embed\n"), false},
		"broken":                  {text(profiles + "["), true},
		"too large":               {text(profiles + "#" + strings.Repeat("x", mostBytes)), true},
		"UTF-16":                  {text(utf16("\xff\xfe")), true},
		"UTF-16 without a mark":   {text(utf16("")), true},
		"Latin-1":                 {text(profiles + "# \xe9\n"), true},
		"a folder":                {func(path string) error { return os.Mkdir(path, 0o700) }, true},
		"a pipe":                  {func(path string) error { return syscall.Mkfifo(path, 0o600) }, true},
		"a loop":                  {func(path string) error { return os.Symlink(path, path) }, true},
		"not for the user":        {func(path string) error { return os.WriteFile(path, []byte(profiles), 0) }, os.Geteuid() != 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := paths.Layout{Config: t.TempDir()}
			path := filepath.Join(l.Config, fileName)
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			got, problems := Load(l, t.TempDir(), nil)
			if (got.Surface.Unread != nil) != c.want || c.want && got.Surface.Unread.File != path {
				t.Errorf("unread %v, problems %v", got.Surface.Unread, problems)
			}
			// A workspace has no say in what the user's own file narrows.
			if got, _ := Load(paths.Layout{Config: t.TempDir()}, l.Config, nil); got.Surface.Unread != nil {
				t.Errorf("in a workspace: unread %v", got.Surface.Unread)
			}
		})
	}
}
