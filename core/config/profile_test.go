package config

import (
	"strings"
	"testing"
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
