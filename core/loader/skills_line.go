package loader

import (
	"fmt"
	"slices"
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

// withSkills adds to what a prompt is answered, in one line, which skills are
// enabled and which capabilities they brought.
func withSkills(r reply, names, brought []string) string {
	may := slices.DeleteFunc(slices.Clone(r.may), func(name string) bool { return slices.Contains(brought, name) })
	switch {
	case len(names) == 0 && r.enables:
		return r.line + besides(may, mostLine-len(r.line))
	case len(names) == 0:
		return r.line
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
	if r.enables {
		line := r.line + " " + said
		return line + besides(may, mostLine-len(line))
	}
	said = "ctx: t" + said[1:]
	if r.line == "" { // none of what may fit can be named
		return said
	}
	for n := len(may); n > 0; n-- {
		var named []string
		for _, name := range may[:n] {
			named = append(named, plain(name))
		}
		if more := " May fit, not enabled: " + strings.Join(named, ", ") + "."; len(said)+len(more) <= mostSuggestion {
			return said + more
		}
	}
	return said
}
