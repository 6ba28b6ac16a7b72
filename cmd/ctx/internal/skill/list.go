package skill

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/skill"
)

// List is what ctx skill list --json prints.
type List struct {
	Session  string              `json:"session"` // "" where none is known
	Skills   []loader.SkillEntry `json:"skills"`
	Shadowed []skill.Shadow      `json:"shadowed"`
	Problems []skill.Problem     `json:"problems"`
}

func newList(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the skills, with what they are in a session and what is wrong with them",
		Long: `List the skills, with what they are in a session: active, of another domain, loaded
by the host itself, or not usable. What is wrong in their files follows by file and
line.`,
		Example: "  ctx skill list --json",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.open()
			c := s.library.Load()
			l := List{
				Session: s.id, Skills: append([]loader.SkillEntry{}, s.entries(cmd.Context(), c)...),
				Shadowed: append([]skill.Shadow{}, c.Shadowed...), Problems: append([]skill.Problem{}, c.Problems...),
			}
			return f.Print("skills", l, l.print)
		},
	}
	s.flag(cmd)
	return cmd
}

func (l List) print(s *iostreams.Streams) {
	if len(l.Skills) == 0 {
		fmt.Fprintln(s.Out, "There is no skill. Write one: .agents/skills/NAME/SKILL.md, or add a tap that has some: ctx tap add ORG/NAME PATH")
	} else {
		t := iostreams.NewTable("SKILL", "FROM", "STATE", "TITLE")
		for _, e := range l.Skills {
			t.Row(e.Name, from(e.Skill), mark(e), iostreams.Clean(e.Title))
		}
		t.Write(s)
	}
	for _, p := range l.Problems {
		fmt.Fprintf(s.Err, "%s: %s\n", p.Severity, iostreams.Clean(p.String()))
	}
}

func from(s skill.Skill) string {
	if s.Tap != "" {
		return s.Tap
	}
	return string(s.Origin)
}

// mark says what a skill is in the session.
func mark(e loader.SkillEntry) string {
	switch {
	case e.Broken != "":
		return "not usable"
	case e.Loaded:
		return "the host's own"
	case e.Active:
		return "active"
	case e.OutOfDomain:
		return "other domain"
	}
	return ""
}
