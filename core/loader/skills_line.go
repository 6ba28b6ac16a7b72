package loader

import (
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/skill"
)

// mostSuggestion is 60 tokens, in bytes.
const mostSuggestion = 240

// skillLine says which skills are enabled and how they are read: never what
// they say.
func skillLine(names []string) string {
	var plainNames []string
	for _, n := range names {
		plainNames = append(plainNames, plain(n))
	}
	what := "The skill " + plainNames[0] + " is"
	if len(names) > 1 {
		what = "The skills " + strings.Join(plainNames, ", ") + " are"
	}
	return fmt.Sprintf(`%s enabled; the tool capability shows it: {"action":"enable","name":"%s%s"}.`, what, skill.Prefix, plainNames[0])
}

// fitting drops names from the end until a line about the others is short.
func fitting(names []string) []string {
	for len(names) > 1 && len("ctx: ")+len(skillLine(names)) > mostSuggestion {
		names = names[:len(names)-1]
	}
	return names
}

// withSkills adds to what a prompt is answered, one line with the suggested
// names or "", which skills are enabled and which capabilities they brought.
func withSkills(line string, suggested, names, brought []string) string {
	if len(names) == 0 {
		return line
	}
	said := skillLine(names)
	if len(brought) > 0 {
		with := " With it: " + plain(brought[0])
		for _, b := range brought[1:] {
			with += ", " + plain(b)
		}
		if with += "; tool_search finds the tools."; len(said)+len(with) <= mostTools {
			said += with
		}
	}
	switch {
	case line == "":
		return "ctx: t" + said[1:]
	case len(suggested) == 0:
		return line + " " + said
	}
	said = "ctx: t" + said[1:]
	for n := len(suggested); n > 0; n-- {
		var may []string
		for _, name := range suggested[:n] {
			may = append(may, plain(name))
		}
		if more := " May fit, not enabled: " + strings.Join(may, ", ") + "."; len(said)+len(more) <= mostSuggestion {
			return said + more
		}
	}
	return said
}
