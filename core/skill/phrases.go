package skill

import (
	"regexp"
	"strings"
	"sync"
)

// EdgeKind is how the prose of a skill leads to another one.
type EdgeKind string

const (
	ByPhrase EdgeKind = "phrase" // "see X", "pair this with X", "the X skill"
	ByCall   EdgeKind = "call"   // "/X", "$X", "skill:X", skill(name="X"), skills/X/
	ByList   EdgeKind = "list"   // an item of a list of companions
	ByTable  EdgeKind = "table"  // a cell of a table of skills
)

// token is a word that may be the name of a skill.
var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9][A-Za-z0-9._-]*`) })

var (
	// leads end right before the name of a skill that the reader is sent to.
	leads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^a-z-])(?:` +
			`us(?:e|es|ed|ing)|invok(?:e|es|ed|ing)|run|runs|running|call|calls|calling|load|loads|loaded|loading|` +
			`apply|applies|follow|follows|see|read|reads|consult|consults|consulted|(?:co-)?activat(?:e|es|ed)|` +
			`pair|pairs|paired|compos(?:e|es|ed)|combin(?:e|es|ed)|extends?|defers?|delegates?|switch|recommends?|` +
			`hand(?:s|ed)? (?:off|over)|start|continue|proceed|then|next|alongside|together|complements?|refer|` +
			`feed(?:s|ing)?|feeds? into|l(?:ive|ives) in|(?:full|same|complete|whole) lists? (?:in|as)|covered (?:in full )?by|companion|companions` +
			`)(?:\s+(?:the|this|that|its|it|our|your|both|also|first|only|on top of|to|in|with|by|from|together|alongside|skill|skills|panel|workflow))*:?$`)
	})

	// label is what introduces names: "Companion skills: ".
	label = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:skills?|panels?|companions?)\b[^.:;|]{0,40}:$`)
	})

	// hand is a sentence that hands a part of the work over.
	hand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bhand(?:s|ed)? (?:off |over )?(?:the |this |it )?[a-z ]{0,30}to\b[^.;]{0,40}$`)
	})

	// noun follows a name that is said to be a skill's.
	noun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[`*_\"']*\\s+(?:skill|skills|panel|workflow)\\b") })

	// joins stand between two names of one enumeration; what is in parentheses
	// says something of the first.
	joins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:['’]s)?[`*_\"']*(?:\\s*\\([^()]*\\))?\\s*(?:,?\\s*(?:and|or|then)|,|\\+|&|/|→|->)\\s*(?:the\\s+)?[`*_\"'(]*$")
	})

	// negated is a sentence part that sends nobody anywhere.
	negated = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\b(?:not|never|without|instead of|rather than|unlike|no longer|avoid)\b|n['’]t\b)[^.;:—]*$`)
	})

	// another is a name that is also said to be something else's.
	another = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^[`*_\"']*\\s+(?:capability|capabilities|agent|model|table|file|folder|directory|package|command|branch)\\b")
	})

	companions = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:composition|composes?|companions?|related|pairs?|combine|works? with|use with|see also|next steps?|hand-?offs?|(?:other|related|companion) skills|skills? (?:the|this|to|that)\b.*(?:with|use|load|invoke))\b`)
	})
	columns = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:skills?|panels?|invokes?|loads?|rulebooks?)\b`)
	})
	injection = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\binjection\b`) })
	item      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^\\s*(?:[-*+]|\\d+[.)])\\s+(?:\\[[ xX]\\]\\s+)?[`*_]*$")
	})
	// emphasis is what may stand around a name, and space.
	emphasis = " \t`*_\"'“”([{"
)

// where is what the lines before have said of a line.
type where struct {
	companions bool // a heading or lead-in announces companions
	injection  bool // a heading announces an injection table
	column     int  // of a table, in which names are skills; -1: none
}

// kindOf says how a line leads to the name at line[start:end], "" where it only
// has the word.
func kindOf(line string, start, end int, w where) EdgeKind {
	before, after := line[:start], line[end:]
	switch {
	case another().MatchString(after):
		return ""
	case called(before, after):
		return ByCall
	}
	if strings.HasPrefix(after, "/") || strings.HasSuffix(before, "/") || strings.HasSuffix(before, "\\") || strings.HasPrefix(after, "*") && !strings.HasPrefix(after, "**") || inURL(before) {
		return ""
	}
	marked := marked(before, after)
	if w.column >= 0 && cell(before) == w.column && (marked || w.injection) {
		return ByTable
	}
	if w.companions && item().MatchString(before) {
		return ByList
	}
	part := clause(before)
	if negated().MatchString(part) {
		return ""
	}
	bare := strings.TrimRight(part, emphasis)
	// A word of one part can be a word of the language.
	named := marked || strings.ContainsAny(line[start:end], "-_.0123456789")
	switch {
	case noun().MatchString(after) && (named || strings.HasSuffix(strings.ToLower(bare), " the") || leads().MatchString(bare)):
		return ByPhrase
	case named && (leads().MatchString(bare) || label().MatchString(bare) || hand().MatchString(bare)):
		return ByPhrase
	}
	return ""
}

// called recognises the forms in which skills are called by name.
func called(before, after string) bool {
	switch {
	case strings.HasSuffix(before, "skills/"):
		return strings.HasPrefix(after, "/")
	case strings.HasSuffix(strings.ToLower(before), "skill:"), strings.HasSuffix(before, "Skill("):
		return true
	case strings.HasSuffix(before, "/"), strings.HasSuffix(before, "$"):
		head := before[:len(before)-1]
		return (head == "" || strings.HasSuffix(head, "`") || strings.HasSuffix(head, " ") && !strings.HasSuffix(head, "/ ")) && !strings.HasPrefix(after, "/")
	}
	i := strings.LastIndex(strings.ToLower(before), "skill(")
	return i >= 0 && !strings.Contains(before[i:], ")") && strings.HasSuffix(strings.TrimRight(before, " \"'="), "name")
}

// inURL reports whether a text ends within an address.
func inURL(before string) bool {
	return strings.Contains(before[strings.LastIndexAny(before, " \t(<[")+1:], "://")
}

// marked reports whether a name is set off from the words around it.
func marked(before, after string) bool {
	for _, m := range []string{"`", "**", "\"", "*"} {
		if strings.HasSuffix(before, m) && strings.HasPrefix(after, m) {
			return true
		}
	}
	return false
}

// clause is the part of a sentence that a text ends with. The dots of "e.g."
// and of file names end none.
func clause(before string) string {
	for i := len(before) - 1; i > 0; i-- {
		switch before[i] {
		case ';', '|':
			return before[i+1:]
		case ' ':
			if c := before[i-1]; c == '.' || c == '!' || c == '?' {
				return before[i+1:]
			}
		}
	}
	return before
}

// cell counts the columns before the end of a text, -1 outside of a table.
func cell(before string) int {
	if !strings.HasPrefix(strings.TrimSpace(before), "|") {
		return -1
	}
	return strings.Count(strings.ReplaceAll(before, `\|`, ""), "|") - 1
}
