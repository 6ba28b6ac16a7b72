package authority

// mostWords bounds the words of a phrase that is looked for.
const mostWords = 4

// losses are phrases that say that something is gone.
var losses = words(`gone-afterwards cannot-be-undone can't-be-undone cannot-be-reversed not-be-undone not-be-reversed
not-be-recovered not-be-restored cannot-be-recovered cannot-be-restored is-irreversible are-irreversible irreversibly
lost-forever lost-for-good gone-for-good gone-forever are-gone is-gone no-way-back permanently-lost data-loss
beyond-recovery without-recovery no-undo not-reversible all-data-lost make-invalid makes-invalid is-lost are-lost
will-be-lost be-lost irrecoverable irrecoverably unrecoverable unrecoverably for-good irreversible
overwrites-existing replaces-everything gone-for-ever lost-for-ever no-longer-exist no-longer-exists be-gone
will-disappear disappears-forever cease-to-exist ceases-to-exist stop-existing without-trace starts-over-empty
no-longer-recoverable out-of-existence no-longer-valid becomes-invalid become-invalid and-keys-invalid is-void are-void is-invalid are-invalid becomes-void stops-working stop-working`)

// gone reports whether a phrase of loss begins at j.
func (p *prose) gone(j, end int) bool {
	phrase := p.words[j].text
	if phrase == "without" && j+1 < end && withoutCare.in(&p.words[j+1]) && p.replacesBefore(j) {
		return true
	}
	if p.irreversible(j, end) {
		return true
	}
	if !lossStart.has(phrase) {
		return p.invalidates(j, end)
	}
	if losses.has(phrase) {
		return true
	}
	for k := j + 1; k < end && k < j+mostWords; k++ {
		phrase += "-" + p.words[k].text
		if losses.has(phrase) {
			return true
		}
	}
	return p.invalidates(j, end)
}

var (
	returning  = words(`undo undone revert reverted recover recovered restore restored reverse reversed return retrieve retrieved rescued repaired`)
	impossibly = words(`cannot can't never not impossible without no unable nobody`)
)

// irreversible reads "cannot be brought back", "without a way to undo it".
func (p *prose) irreversible(j, end int) bool {
	if !impossibly.in(&p.words[j]) {
		return false
	}
	way := p.words[j].text == "impossible" || p.words[j].text == "nobody"
	for k := j + 1; k < end && k < j+6; k++ {
		switch w := p.words[k].text; {
		case w == "be" || w == "way" || w == "undo" || w == "can":
			way = true
		case w == "back" && way && (p.words[k-1].text == "brought" || p.words[k-1].text == "got" || p.words[k-1].text == "taken" || p.words[k-1].text == "come" || p.words[k-1].text == "get"):
			return true
		}
		if way && returning.in(&p.words[k]) {
			return true
		}
	}
	return false
}

// keeps are verbs of which a long time is no loss.
var keeps = words(`save store keep persist remember memorize record log archive cache add create make show enable activate grant allow install pin
bookmark share publish write append subscribe follow register`)

// forEver reports whether what is done at j is said to last.
func (p *prose) forEver(j, end int) bool {
	if j > 0 && (p.words[j-1].text == "permanently" || p.words[j-1].text == "irrevocably") {
		return true
	}
	for k := j + 1; k < end && k < j+9 && (p.words[k].after == 0 || k < j+2); k++ {
		switch p.words[k].text {
		case "forever", "permanently", "irrevocably":
			return true
		case "ever", "good":
			return p.words[k-1].text == "for"
		}
	}
	return false
}

// replacesBefore reports whether something is replaced close before j.
func (p *prose) replacesBefore(j int) bool {
	for k := j - 1; k >= 0 && k > j-12; k-- {
		if _, lemma, _, ok := p.words[k].asVerb(); ok && (lemma == "replace" || lemma == "overwrite" || lemma == "write" && k > j-6 || (lemma == "move" || lemma == "copy") && p.has(k, j, "over")) {
			return true
		}
	}
	return false
}

// told reports whether somebody gets a message at j: "the sender gets a mail".
func (p *prose) told(j, end int) bool {
	for k := j + 1; k < end && k < j+4; k++ {
		switch p.words[k].text {
		case "mail", "email", "e-mail", "message", "sms", "notification", "text":
			return people.of(p.words[j-1].text)
		}
	}
	return false
}

// has reports whether a word stands between from and to.
func (p *prose) has(from, to int, text string) bool {
	for k := from; k < to; k++ {
		if p.words[k].text == text {
			return true
		}
	}
	return false
}

var lossStart = words(`stops gone cannot can't not is are irreversibly lost no permanently data beyond without all will be
irrecoverable irrecoverably unrecoverable unrecoverably for irreversible overwrites replaces disappears cease ceases stop
starts out becomes become and`)

// invalidates reads "makes every key of theirs invalid", "leaves the disk empty".
func (p *prose) invalidates(j, end int) bool {
	switch p.words[j].text {
	case "becomes", "become", "makes", "make", "making", "renders", "leaves", "leave", "leaving", "render":
	default:
		return false
	}
	for k := j + 1; k < end && k < j+10 && p.words[k].after == 0; k++ {
		switch p.words[k].text {
		case "invalid", "unusable", "unreadable", "void", "empty", "useless", "unrecoverable", "inaccessible", "worthless", "blank":
			return true
		}
	}
	return false
}

// idiom reports whether a negation at j negates no verb: "without warning",
// "cannot be undone", "not only".
func (p *prose) idiom(j, end int) bool {
	if j+1 >= end {
		return false
	}
	switch next := p.words[j+1].text; p.words[j].text {
	case "without":
		if p.gone(j, end) {
			return true
		}
		switch next {
		case "warning", "confirmation", "asking", "prompting", "further", "sandbox", "approval", "checking", "a", "any", "question", "notice":
			return next != "a" && next != "any" || j+2 < end && withoutCare.in(&p.words[j+2])
		}
	case "not", "cannot", "can't", "never":
		return next == "only" || next == "just" || next == "be" && p.gone(j, end) || p.gone(j, end)
	case "no", "none":
		return p.gone(j, end) || next == "longer" || withoutCare.has(next) || next == "matter"
	case "non", "nobody":
		return true
	}
	return false
}

var withoutCare = words(`asking prompting warning confirmation prompt sandbox approval check question notice backup undo safeguard limit restriction review`)

// readOnlyAt reports whether the text says at j that nothing is changed.
func (p *prose) readOnlyAt(j, end int) bool {
	w := p.words[j].text
	if w == "readonly" || w == "nondestructive" {
		return true
	}
	if j+1 >= end {
		return false
	}
	next := p.words[j+1].text
	return w == "read" && next == "only" || w == "non" && next == "destructive" ||
		w == "no" && j+2 < end && next == "side" && p.words[j+2].text == "effects"
}

// plea reports whether a sentence tells its reader how to class the tool. What
// a text says about its own harmlessness to whoever judges is no reason.
func (p *prose) plea(i, end int) bool {
	asks, as := false, false
	for j := i; j < end; j++ {
		switch p.words[j].text {
		case "classify", "classified", "classifier", "classifiers", "classification", "categorize", "categorise", "label", "labelled", "labeled", "treat", "treated", "regard",
			"consider", "considered", "rate", "rated", "mark", "marked", "judge", "judged", "authority", "tier", "reviewer", "auditor", "assistant", "scanner":
			asks = true
		case "safe", "harmless", "readonly", "benign", "trusted", "innocuous", "approved", "allowed":
			as = true
		case "read":
			as = as || j > i && (p.words[j-1].text == "as" || p.words[j-1].text == "be" || p.words[j-1].text == "tier") ||
				j+1 < end && p.words[j+1].text == "only"
		}
	}
	return asks && as
}

// aside reports whether a sentence speaks of something else than what the tool
// does: of other tools, of examples, of when to use it.
func aside(words []word) bool {
	if len(words) == 0 {
		return true
	}
	switch first := words[0].text; first {
	case "example", "examples", "e.g", "see", "prefer", "usage", "tip", "tips", "instead", "alternatively", "otherwise", "unlike", "ask", "try":
		return true
	case "for":
		return len(words) > 1 && (words[1].text == "example" || words[1].text == "instance")
	case "note":
		return len(words) > 2 && words[1].text == "that" && aside(words[2:])
	case "use", "call", "using", "combine":
		return len(words) > 1 && words[1].text != "this" && words[1].text != "it" && words[1].text != "to" && words[1].text != "with"
	case "to":
		for _, w := range words {
			if w.text == "use" || w.text == "call" {
				return true
			}
		}
	case "do", "don't", "never", "must":
		return true
	}
	for i, w := range words {
		if (w.text == "asks" || w.text == "mentions" || w.text == "wants" || w.text == "requests" || w.text == "says") && i > 0 && (words[i-1].text == "user" || words[i-1].text == "users") {
			return true
		}
		if w.text == "instead" && i > 1 || w.text == "use" && i > 0 && words[i].after == 'c' {
			return true
		}
	}
	return false
}

// beginsWithThing reports whether a description begins with a plural, or with a
// question: "orders of a customer", "which ways a shop takes".
func (p *prose) beginsWithThing(i, end int) bool {
	switch p.words[i].text {
	case "how", "which", "what", "whether", "where", "who", "when":
		return p.words[i].text != "when"
	}
	if superlatives.in(&p.words[i]) || p.words[i].text == "past" || p.words[i].text == "previous" {
		return true
	}
	if first := p.words[i].text; first == "the" || first == "a" || first == "an" || first == "all" {
		return p.thingOf(i, end)
	}
	for j := i; j < end-1 && j < i+4 && (j == i || p.words[j].after == 0); j++ {
		w, next := p.words[j].text, p.words[j+1]
		if determiners.has(w) || determiners.has(next.text) && next.text != "that" {
			return false
		}
		if v, _, f, ok := find(w); j == i && ok && (!v.noun && f != past && f != ing || f == third && !ofThings.has(next.text)) {
			return false
		}
		plural := len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's'
		v, _, f, verb := find(w)
		switch next.text {
		case "of", "that", "who", "in", "on", "from", "for":
			return next.after == 0 && (plural || verb && f == base && v.noun && next.text == "of")
		}
	}
	return false
}

// thingOf reports whether a description begins as "the words that …", "a list
// of …" and not as "a tool that …".
func (p *prose) thingOf(i, end int) bool {
	for j := i + 1; j < end-1 && j < i+5 && p.words[j].after == 0; j++ {
		if subjects.in(&p.words[j]) && p.words[j].text != "first" {
			return false
		}
		switch next := p.words[j+1]; next.text {
		case "that", "which", "who":
			return next.after == 0 && p.words[i].text != "a" && p.words[i].text != "an"
		case "of", "in", "on", "at", "from":
			return next.after == 0
		}
	}
	return false
}

var ofThings = words(`of that who in on from for and`)

// beginsWithFact reports whether a description begins with what there is to know.
func (p *prose) beginsWithFact(i, end int) bool {
	for j := i; j < end && j < i+7; j++ {
		if p.words[j].after == 'c' && j > i {
			return false
		}
		if subordinates.in(&p.words[j]) && p.words[j].text != "of" {
			return false
		}
		if facts.of(p.words[j].text) {
			return true
		}
	}
	return false
}
