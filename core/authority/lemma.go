package authority

import (
	"strings"
	"sync"
)

// form is how a verb is inflected.
type form uint8

const (
	base  form = iota // delete
	third             // deletes
	ing               // deleting
	past              // deleted
)

// irregular past forms that the endings do not show.
const irregular = `written write sent send found find built build made make got get gotten get shown show seen see ran run
kept keep taken take took take given give gave give wrote write paid pay bought buy sold sell chosen choose drawn draw
drew draw laid lay left leave undone undo redone redo overwritten overwrite forgotten forget hidden hide bound bind
lent lend understood understand known know woken wake sown sow`

var pasts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	words := strings.Fields(irregular)
	for i := 0; i < len(words); i += 2 {
		all[words[i]] = words[i+1]
	}
	return all
})

// find looks a word up as a verb, in any of its forms.
func find(w string) (v verb, lemma string, f form, ok bool) {
	all := verbs()
	if v, ok = all[w]; ok {
		return v, w, base, true
	}
	try := func(lemma string, as form) bool {
		if v, ok = all[lemma]; ok {
			f = as
		}
		return ok
	}
	n := len(w)
	if n < 4 {
		return verb{}, "", base, false
	}
	switch {
	case w[n-1] == 's':
		for _, lemma = range []string{w[:n-1], cut(w, "es", ""), cut(w, "ies", "y")} {
			if try(lemma, third) {
				return v, lemma, f, true
			}
		}
	case strings.HasSuffix(w, "ing"):
		for _, lemma = range []string{w[:n-3], w[:n-3] + "e", undouble(w[:n-3]), cut(w, "ying", "ie")} {
			if try(lemma, ing) {
				return v, lemma, f, true
			}
		}
	case strings.HasSuffix(w, "ed"):
		for _, lemma = range []string{w[:n-1], w[:n-2], undouble(w[:n-2]), cut(w, "ied", "y")} {
			if try(lemma, past) {
				return v, lemma, f, true
			}
		}
	}
	if l, known := pasts()[w]; known && try(l, past) {
		return v, l, past, true
	}
	return verb{}, "", base, false
}

func cut(w, suffix, with string) string {
	if s, ok := strings.CutSuffix(w, suffix); ok {
		return s + with
	}
	return ""
}

// undouble takes back the doubling of a last consonant: "dropp" is "drop".
func undouble(w string) string {
	if n := len(w); n > 2 && w[n-1] == w[n-2] {
		return w[:n-1]
	}
	return ""
}
