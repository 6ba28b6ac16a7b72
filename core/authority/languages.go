package authority

import (
	"slices"
	"strings"
	"sync"
)

// tongue is a language, ready for looking up.
type tongue struct {
	verbs   map[string]effect
	postfix bool
}

// role is what a word is in the languages, each a bit.
type role struct {
	stop, negation, relative, verb uint16
}

type dictionary struct {
	tongues []tongue
	roles   map[string]role
}

var foreignWords = sync.OnceValue(func() dictionary {
	d := dictionary{roles: make(map[string]role, 2048)}
	for i, l := range slices.Concat(westernLanguages(), easternLanguages()) {
		t := tongue{map[string]effect{}, l.postfix}
		bit := uint16(1) << i
		mark := func(list string, set func(*role)) {
			for w := range strings.FieldsSeq(list) {
				r := d.roles[w]
				set(&r)
				d.roles[w] = r
			}
		}
		mark(l.stop, func(r *role) { r.stop |= bit })
		mark(l.negations, func(r *role) { r.negation |= bit })
		mark(l.relative, func(r *role) { r.relative |= bit })
		for e, list := range l.verbs {
			mark(list, func(r *role) { r.verb |= bit })
			for w := range strings.FieldsSeq(list) {
				t.verbs[w] = max(t.verbs[w], e)
			}
		}
		d.tongues = append(d.tongues, t)
	}
	return d
})

// foreign looks a word of a name up in all languages but English: the most
// powerful meaning counts.
func foreign(w string) (verb, string, bool) {
	var e effect
	ascii := w != "" && w[0] < 0x80
	if ascii && len(w) < 4 {
		return verb{}, "", false
	}
	for _, t := range foreignWords().tongues {
		e = max(e, t.verbs[w])
	}
	if !ascii {
		found, _, _ := unspaced(w)
		e = max(e, found)
	}
	return verb{e, true}, w, e != none
}

// told is what a text in another language says.
type told struct {
	effect effect
	firm   float64
}

// foreignProse reads a description that is not in English. It reports false
// where it is, or says nothing that is understood.
func foreignProse(text string, ws []word, unspacedScript, english bool) (told, string, bool) {
	if unspacedScript {
		if e, words, firm := unspaced(text); e != none {
			return told{e, firm}, words, true
		}
	}
	d := foreignWords()
	at := d.recognise(ws, english)
	if at < 0 {
		return told{}, "", false
	}
	t, bit := d.tongues[at], uint16(1)<<at
	best, word := none, ""
	negated, relative := false, false
	for i, w := range ws {
		switch w.after {
		case 's', 'l':
			negated, relative = false, false
		case 'c':
			relative = false
		}
		is := d.roles[w.text]
		e := t.verbs[w.text]
		switch {
		case is.negation&bit != 0:
			negated = true
			if t.postfix && i > 0 && ws[i-1].text == word {
				best, word = none, ""
			}
		case is.relative&bit != 0 && i > 0 && w.after == 'c':
			relative = true
		case e == none, is.stop&bit != 0, negated, relative:
		case t.postfix && d.follows(ws, i, bit):
		case e > best:
			best, word = e, w.text
		}
	}
	if best == none {
		return told{}, "", false
	}
	return told{best, .75}, word, true
}

// follows reports whether a negation stands close behind the verb at i.
func (d dictionary) follows(ws []word, i int, bit uint16) bool {
	for k := i + 1; k < len(ws) && k < i+3 && ws[k].after == 0; k++ {
		if d.roles[ws[k].text].negation&bit != 0 {
			return true
		}
	}
	return false
}

var (
	english = words(`the and this with from returns that it by to or get when your you`)
	smaller = words(`the of and to for a is this with from in by an or returns on that it`)
)

// recognise tells a text's language by its small words; -1 is English or none
// that is known. led is true where an English verb has been found in front.
func (d dictionary) recognise(ws []word, led bool) int {
	var scores, verbs [16]int
	surely, en := 0, 0
	ws = ws[:min(len(ws), 80)]
	for i := range ws {
		if english.in(&ws[i]) {
			if surely++; surely > 2 {
				return -1
			}
		}
		if smaller.in(&ws[i]) {
			en++
		}
		is := d.roles[ws[i].text]
		if is == (role{}) {
			continue
		}
		for at := range d.tongues {
			bit := uint16(1) << at
			if (is.stop|is.negation)&bit != 0 {
				scores[at]++
			}
			if is.verb&bit != 0 {
				verbs[at]++
			}
		}
	}
	best, most := -1, en
	for at := range d.tongues {
		score, v := scores[at], verbs[at]
		if v > 0 && score+2*v > most && (score > 0 || en == 0) && score+v > en && (!led || score > 1) {
			best, most = at, score+2*v
		}
	}
	return best
}
