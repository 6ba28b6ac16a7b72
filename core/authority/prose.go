package authority

import "strings"

// said is one thing that a text says the tool does.
type said struct {
	effect   effect
	verb     string // the lemma
	firm     float64
	at       int // position of the word
	sentence int
	lead     bool // it is what the sentence is about
}

// prose is what a description says.
type prose struct {
	text    string
	words   []word
	said    []said
	led     bool // a verb has been found that a sentence is about
	noun    bool // it begins with what the tool has, not with what it does
	foreign bool // it has letters of languages that are written without spaces
	hidden  bool // words are written to be taken for others
	addressed
}

// addressed are words that speak to the reader rather than of the tool.
type addressed struct {
	readOnly bool // says outright that nothing is changed
	pleads   bool // asks to be classified as harmless
}

// nearby is how many words back something may stand that a word depends on.
const nearby = 40

func readProse(text string) prose {
	p := prose{text: text, words: scan(text), foreign: hasUnspaced(text)}
	sentence := 0
	for i := 0; i < len(p.words); {
		end := i + 1
		for end < len(p.words) && !p.breaks(i, end) {
			end++
		}
		if stop := p.sentence(i, end, sentence); stop {
			break
		}
		sentence++
		i = end
	}
	for _, w := range p.words {
		p.hidden = p.hidden || w.hidden
	}
	return p
}

// breaks reports whether a sentence that began at start ends before word i.
func (p *prose) breaks(start, i int) bool {
	switch w := p.words[i]; w.after {
	case 's':
		return true
	case 'l':
		// A line that is wrapped goes on; one that begins anew does not.
		return w.proper || parts.has(w.text)
	case 'c':
		return i == start+1 && parts.in(&p.words[start])
	}
	return false
}

var (
	// parts head the sections of a description that speak of other things.
	parts = words(`args arguments parameters params returns return raises example examples e.g usage note notes
output outputs input inputs response yields throws see tip tips hint important warning attention prerequisites`)

	// ending parts: nothing that follows says what the tool does.
	ending = words(`args arguments parameters params returns raises yields throws examples example response outputs inputs`)

	// modals come between a tool and what it does.
	modals = words(`will can may also automatically then it this tool always shall`)

	// plurals are verbs of the third person that are things as often.
	plurals = words(`updates mentions edits reads writes views lists shows opens calls finds moves adds assigns creates attaches submits
requests results returns tells sets puts gets fits saves installs renames downloads imports invites approves rejects cancels
subscribes connects buys sells pays deploys restores manages kills bans`)

	copulas = words(`is are be being gets get getting become becomes`)

	lists = words(`including include includes supports supporting by while via through with support allows allowing`)
)

// sentence reads the words from i to end. It reports whether the rest of the
// text is about other things.
func (p *prose) sentence(i, end, nth int) (stop bool) {
	first := p.words[i]
	if i+1 < len(p.words) && end == i+1 && p.words[i+1].after != 0 || i+1 < end && p.words[i+1].after == 'c' {
		if ending.has(first.text) && p.colon(i) {
			return true
		}
	}
	if p.plea(i, end) {
		p.pleads = true
		return false
	}
	if nth > 0 && aside(p.words[i:end]) {
		return false
	}
	weight := 1.0
	later := nth > 0 && (p.led || p.noun)
	if later {
		weight = .72
	}
	lead, leadForm, found := p.lead(i, end)
	p.led = p.led || found
	if nth == 0 && !found && lead == i && leadForm == third && p.strangeLead(i, end) {
		p.say(said{effect: change, firm: .55, at: i, lead: true})
	}
	negated, sub := false, false
	p.noun = p.noun || nth == 0 && i < end && (!found && p.beginsWithFact(i, end) || p.beginsWithThing(i, end))
	for j := i; j < end; j++ {
		w := p.words[j]
		if w.after == 'c' && j > i {
			sub = false
		}
		if w.text == "but" {
			negated = false
		}
		if j >= lead && subordinates.has(w.text) && w.text != "of" {
			sub = true
		}
		if negations.has(w.text) && !p.idiom(j, end) {
			negated = true
		}
		if w.text == "in" && j+1 < end && p.words[j+1].text == "place" && p.words[j+1].after == 0 && found && !negated {
			p.say(said{effect: change, firm: .7 * weight, at: j, sentence: nth})
		}
		if (w.text == "gets" || w.text == "receives") && j > i && !negated && p.told(j, end) && !p.hypothetical(i, j) {
			p.say(said{effect: away, firm: .7 * weight, at: j, sentence: nth})
		}
		if p.readOnlyAt(j, end) && !negated {
			p.readOnly = true
		}
		if p.gone(j, end) && !negated && !p.hypothetical(i, j) {
			p.say(said{effect: destroy, firm: .8 * weight, at: j, sentence: nth})
		}
		v, lemma, f, ok := p.verbAt(j, end)
		if !ok && !negated && leadForm == third && p.strange(j, end) {
			p.say(said{effect: change, firm: .55 * weight, at: j, sentence: nth})
		}
		if !ok || p.quotedAt(j) {
			continue
		}
		if j+1 < end && p.words[j+1].after == 0 && (p.words[j+1].text == "nothing" || p.words[j+1].text == "no" && v.effect != observe) {
			negated = true
		}
		s := said{effect: v.effect, verb: lemma, at: j, sentence: nth}
		switch {
		case j == lead && found:
			s.lead = true
			s.firm = p.leadFirm(v, f, j, end)
			if later && f == base {
				s.firm *= .7 // may be advice to the reader
			}
		case f != base && f == leadForm && p.coordinated(j) && (f == ing || p.determined(j, end) || !v.noun && !p.nounish(j, end)):
			sub = false
			s.firm = .85
		case f == base && leadForm == base && found && !sub && lemma != "like" && p.coordinated(j) && (!v.noun || p.determined(j, end) || p.between(j, end)):
			s.firm = .85
		case f == ing && found && j > i && p.words[j-1].text == "for":
		case f == ing && !sub && j > i && (lists.in(&p.words[j-1]) || p.coordinated(j) && p.inList(i, j)):
			s.firm = .75
			if p.words[j-1].text == "by" {
				s.firm = .45
			}
		case f == ing && w.after == 'c' && found && v.effect >= destroy && !p.quotedAt(j):
			s.firm = .65
		case f == base && !v.noun && j > i && modals.in(&p.words[j-1]) && p.ofTool(i, j):
			s.firm = .7
			sub = false
		case f == third && !v.noun && j > i && (p.words[j-1].text == "it" || p.words[j-1].text == "this" || adverbs.in(&p.words[j-1]) && p.ofTool(i, j)):
			s.firm = .65
		case f == past && p.passive(i, j) && v.effect >= destroy:
			s.firm = .75
		}
		if s.firm == 0 || negated {
			continue
		}
		if (v.effect == change || v.effect == away) && !keeps.has(lemma) && p.forEver(j, end) {
			s.effect = destroy
		}
		if later && !s.lead && (!found || first.text == "if" || first.text == "when") && v.effect < destroy {
			s.firm *= .6
		}
		s.firm *= weight
		p.say(s)
	}
	return false
}

func (p *prose) say(s said) { p.said = append(p.said, s) }

// colon reports whether a colon stands behind a word.
func (p *prose) colon(i int) bool {
	to := p.words[i].to
	return to < len(p.text) && p.text[to] == ':'
}

// quotedAt reports whether a word stands behind a quotation mark.
func (p *prose) quotedAt(j int) bool {
	from := p.words[j].from
	return from > 0 && (p.text[from-1] == '"' || p.text[from-1] == '`' || p.text[from-1] == '\'') || from > 2 && (p.text[from-3:from] == "“" || p.text[from-3:from] == "「")
}

// verbAt reads the verb at j, joined with a particle: "carries out".
func (p *prose) verbAt(j, end int) (verb, string, form, bool) {
	w := p.words[j].text
	if j+1 < end && p.words[j+1].after == 0 {
		if joined, ok := phrases[[2]string{w, p.words[j+1].text}]; ok {
			f := formOf(w)
			return verbs()[joined], joined, f, verbs()[joined].effect != none
		}
		// "Checks a guest in", "takes something away"
		if far := distant(w); far != "" {
			for k := j + 2; k < end && k < j+6; k++ {
				if joined, ok := phrases[[2]string{far, p.words[k].text}]; ok && (k+1 == end || !determiners.in(&p.words[k+1])) {
					f := formOf(w)
					if verbs()[joined].effect != none {
						return verbs()[joined], joined, f, true
					}
				}
			}
		}
	}
	return p.words[j].asVerb()
}

func formOf(w string) form {
	switch {
	case strings.HasSuffix(w, "ing"):
		return ing
	case strings.HasSuffix(w, "ed"):
		return past
	case strings.HasSuffix(w, "s"):
		return third
	}
	return base
}

func distant(w string) string {
	switch w {
	case "check", "checks":
		return "check"
	case "take", "takes":
		return "take"
	case "throw", "throws":
		return "throw"
	case "sign", "signs":
		return "sign"
	case "log", "logs":
		return "log"
	case "shut", "shuts":
		return "shut"
	case "roll", "rolls":
		return "roll"
	}
	return ""
}

// lead finds the verb that a sentence is about.
func (p *prose) lead(i, end int) (at int, f form, found bool) {
	for j := i; j < end && j < i+16; j++ {
		w := p.words[j]
		if w.after == 'c' && j > i+1 && !p.inSubject(i, j) {
			return j, base, false
		}
		v, _, f, ok := p.verbAt(j, end)
		if ok && v.effect != none && f != past && w.text != "new" && w.text != "news" && !(subjects.has(w.text) && j+1 < end && p.leadsOn(j, end)) {
			if f == ing && j+1 < end && copulas.in(&p.words[j+1]) {
				return j, base, false // "sending is left to the user"
			}
			if v.noun && j > i && determiners.in(&p.words[j-1]) {
				return j, base, false // a thing: "a release"
			}
			return j, f, true
		}
		if !subjects.has(w.text) && !adverbs.has(w.text) && !determiners.has(w.text) {
			if n := len(w.text); j == i && n > 3 && w.text[n-1] == 's' && (p.determined(j, end) || j+1 < end && particles.in(&p.words[j+1])) {
				return j, third, false
			}
			if j == i && j+1 < end && subjects.in(&p.words[j+1]) && p.words[j+1].text != "and" {
				continue // "Batch tool that ..."
			}
			return j, base, false
		}
	}
	return end, base, false
}

// leadsOn reports whether the word after j goes on with the subject: "provides
// a way to", "supports deleting".
func (p *prose) leadsOn(j, end int) bool {
	next := p.words[j+1].text
	_, _, f, verb := find(next)
	return subjects.has(next) && next != "and" && next != "call" || verb && f == ing
}

func (p *prose) inSubject(i, j int) bool {
	for k := i; k < j; k++ {
		if !subjects.in(&p.words[k]) {
			return false
		}
	}
	return true
}

// leadFirm is how sure it is that a sentence's first verb is one.
func (p *prose) leadFirm(v verb, f form, j, end int) float64 {
	if f == base && j+1 < end && p.words[j+1].text == "of" {
		return .3
	}
	if !v.noun {
		return .95
	}
	if j+1 < end {
		switch next := p.words[j+1]; {
		case next.after != 0:
			return .4
		case next.text == "of" || next.text == "that" && f == third || next.text == "who" || next.text == "for" || next.text == "from" || next.text == "on" || next.text == "is" || next.text == "are":
			return .3
		case determiners.has(next.text):
			return .9
		case next.text == "and" || next.text == "or":
			return .7
		case f == base && j+2 < end && p.words[j+2].text == "of" && p.words[j+2].after == 0:
			return .4 // "download counts of"
		}
	}
	if f == third {
		return .6
	}
	return .65
}
