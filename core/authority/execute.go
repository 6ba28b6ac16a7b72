package authority

// execution says whether a caller can have anything of theirs run, and which
// words say so.
type execution struct {
	firm   float64
	source Source
	words  string
}

func (e *execution) raise(firm float64, source Source, words string) {
	if firm > e.firm {
		*e = execution{firm, source, words}
	}
}

func (j *judge) executes() execution {
	var e execution
	data := j.treatsAsData()
	// By name: execute_command, run_script, eval.
	if j.name.effect == run && j.name.firm > 0 {
		rest := j.name.tokens[min(j.name.target, len(j.name.tokens)):]
		code := false
		for _, t := range rest {
			code = code || t == "cell" || t == "cells" || t == "notebook" || firmCode.of(t) || languages.has(t) || interpreters.has(t) || t == "sql"
		}
		switch {
		case code && !j.selectsOnly():
			e.raise(.9, Name, j.name.words)
		case j.name.verb == "eval" || j.name.verb == "exec":
			e.raise(.75, Name, j.name.words)
		}
	}
	for i, t := range j.name.tokens {
		if i == len(j.name.tokens)-1 && (t == "bash" || t == "shell" || t == "powershell" || t == "repl" || t == "terminal" || t == "exec" || t == "eval") && len(j.name.tokens) <= 2 && !data {
			e.raise(.7, Name, t)
		}
	}
	for i := 0; i < len(j.prose.words); {
		end := i + 1
		for end < len(j.prose.words) && j.prose.words[end].after != 's' && !(j.prose.words[end].after == 'l' && j.prose.words[end].proper) {
			end++
		}
		if !aside(j.prose.words[i:end]) {
			j.unit(&e, j.prose.words[i:end], Description, data)
			if i > 0 && !j.worksOnCode() {
				j.isCode(&e, j.prose.words[i:end])
			}
		}
		i = end
	}
	data = data || j.leavesUnrun()
	for _, p := range j.params {
		about := scan(p.about)
		j.unit(&e, about, Schema, data)
		j.argument(&e, p, about, data)
	}
	return e
}

// codeVerbs are done to code without running it.
var codeVerbs = words(`format lint explain highlight parse count review convert translate minify check validate analyze analyse document outline tokenize
compare diff search find beautify prettify say tell show read print measure classify describe summarize summarise detect look`)

// worksOnCode reports whether code is what the tool's own verb is about.
func (j *judge) worksOnCode() bool {
	if lead := j.lead(); lead != nil {
		return codeVerbs.has(lead.verb) && j.leavesUnrun() || codeVerbs.has(lead.verb) && j.leadsWithCode()
	}
	return false
}

// leadsWithCode reports whether the first sentence speaks of code.
func (j *judge) leadsWithCode() bool {
	for i := range j.prose.words {
		w := &j.prose.words[i]
		if i > 0 && w.after == 's' {
			break
		}
		if firmCode.of(w.text) || languages.in(w) || sqlWords.in(w) {
			return true
		}
	}
	return false
}

// isCode reads a later sentence that says what an argument is: "The rule is a
// Perl expression", "Formulas may use all of Python".
func (j *judge) isCode(e *execution, ws []word) {
	is := -1
	for i := range ws {
		w := &ws[i]
		switch {
		case negations.in(w):
			return
		case is < 0 && i > 0 && i < 5 && (copulas.in(w) || w.text == "may" || w.text == "can"):
			is = i
		case is >= 0 && i < is+8 && (languages.in(w) || interpreters.in(w)):
			if codeOnly.in(&ws[is]) && !(is+1 < len(ws) && (ws[is+1].text == "use" || ws[is+1].text == "call" || ws[is+1].text == "contain" || ws[is+1].text == "hold")) {
				return
			}
			e.raise(.65, Description, w.text)
			return
		}
	}
}

var codeOnly = words(`may can`)

// tellsOfRunning reports whether the description says that a command is run.
func (j *judge) tellsOfRunning() bool {
	if j.leavesUnrun() {
		return false
	}
	ran, command := false, false
	for i := range j.prose.words {
		w := &j.prose.words[i]
		ran = ran || runs.in(w)
		command = command || w.text == "command" || w.text == "commands"
	}
	return ran && command && !j.worksOnCode()
}

// leavesUnrun reports whether the description says that nothing is run.
func (j *judge) leavesUnrun() bool {
	ws := j.prose.words
	for i := 1; i < len(ws); i++ {
		if !runs.in(&ws[i]) && ws[i].text != "running" && ws[i].text != "executing" && ws[i].text != "evaluating" {
			continue
		}
		for k := i - 1; k >= 0 && k > i-4; k-- {
			if negations.in(&ws[k]) {
				return true
			}
		}
	}
	return false
}

// treatsAsData reports whether the tool's own verb takes code for a text.
func (j *judge) treatsAsData() bool {
	lead := ""
	for _, s := range j.prose.said {
		if s.lead && s.sentence == 0 {
			lead = s.verb
		}
	}
	named := j.name.verb
	if lead != "" {
		return asData.has(lead) && (named == "" || named == lead || asData.has(named) || j.name.effect != run || j.name.open)
	}
	return named != "" && asData.has(named) || named == "" && j.name.effect == observe
}

// unit looks at one sentence, or at what is said of one argument.
func (j *judge) unit(e *execution, ws []word, source Source, data bool) {
	interp, lang, code, moved, anything, ran, given, negated := -1, -1, -1, -1, -1, -1, -1, false
	harmless := false
	for i, w := range ws {
		t := w.text
		harmless = harmless || harmlessCode.has(t)
		switch {
		case negations.has(t) && !(t == "without" && i+1 < len(ws) && (withoutCare.in(&ws[i+1]) || i+2 < len(ws) && withoutCare.in(&ws[i+2]))):
			negated = true
		case negated:
		case i == 0 && t == "types":
			moved = i
		case movers.has(t) && !(i > 0 && (ws[i-1].text == "to" || ws[i-1].text == "was" || ws[i-1].text == "were" || ws[i-1].text == "last")):
			moved = i
		}
		if interpreters.has(t) && (interp < 0 || moved >= 0) {
			interp = i
		}
		if languages.has(t) {
			lang = i
		}
		if codeNouns.has(t) {
			code = i
		}
		if arbitrary.has(t) && t != "given" && t != "provided" && t != "valid" {
			for k := i + 1; k < len(ws) && k < i+5 && ws[k].after == 0; k++ {
				if firmCode.of(ws[k].text) && (k == i+1 || t == "any" || t == "arbitrary" || t == "whatever") && !negated {
					anything = i
				}
			}
		}
		if (t == "given" || t == "any" || t == "own") && i > 1 && i+1 < len(ws) && (ws[i+1].text == "line" || ws[i+1].text == "lines") && !negated && runningWords.in(&ws[i-2]) {
			anything = i
		}
		if arbitrary.has(t) && i+1 < len(ws) && sqlWords.in(&ws[i+1]) && !negated && t != "valid" {
			anything = i
		}
		if (t == "can" || t == "may") && i+2 < len(ws) && !negated && (ws[i+1].text == "start" || ws[i+1].text == "launch" || runs.in(&ws[i+1]) || ws[i+1].text == "call" || ws[i+1].text == "invoke") {
			for k := i + 2; k < len(ws) && k < i+6; k++ {
				if programs.in(&ws[k]) {
					anything = i + 1
				}
			}
		}
		if handed.has(t) && !negated && i+2 < len(ws) {
			for k := i + 1; k < len(ws)-1 && k < i+4; k++ {
				if to := ws[k].text; (to == "to" || to == "into" || to == "through") && after(ws, k, interpreters, languages) {
					given = i
				}
			}
		}
		if t == "r" && w.proper && source == Description {
			lang = i
		}
		if !negated && i > 0 && (copulas.in(&ws[i-1]) || i > 2 && ws[i-1].text == "and" && copulas.in(&ws[i-3])) && runs.has(t) && code >= 0 && code > i-9 {
			ran = i
		}
		if (t == "program" || t == "executable" || t == "command") && i+2 < len(ws) && ws[i+1].text == "to" && (ws[i+2].text == "start" || runs.in(&ws[i+2])) {
			anything = i
		}
		if i+1 < len(ws) && (ws[i+1].text == "line" || ws[i+1].text == "lines") && (t == "program" || t == "shell" || t == "bash" || t == "terminal") {
			anything = i
		}
		if t == "command" && i+1 < len(ws) && ws[i+1].text == "line" {
			interp = i
		}
	}
	if negated && moved < 0 {
		return
	}
	at := func(i int) string { return ws[i].text }
	switch {
	case moved >= 0 && interp >= 0 && interp > moved-8 && (!data || interp > moved):
		e.raise(.75, source, at(interp))
	case given >= 0:
		e.raise(.75, source, at(given))
	case ran >= 0 && !harmless:
		e.raise(.75, source, at(ran))
	case anything >= 0 && (!data || moved >= 0 || source == Schema || precededBy(ws, anything, "through", "into", "with")):
		e.raise(.75, source, at(anything))
	case moved >= 0 && lang >= 0 && !data:
		e.raise(.75, source, at(lang))
	case moved >= 0 && lang >= 0 && code >= 0 && moved > 0 && lang > moved-8 && source == Description && !(data && moved < 2):
		e.raise(.6, source, at(lang))
	case !data && lang >= 0 && (code >= 0 || source == Schema && len(ws) <= 8) && j.computesWithIt() && !harmless:
		e.raise(.65, source, at(lang))
	case !data && interp >= 0 && code >= 0 && source == Schema:
		e.raise(.65, source, at(interp))
	}
	// "Executes the command", "runs a script": the verb is at its place and the thing is code.
	if source == Description && len(ws) > 0 {
		for _, s := range j.ran() {
			w := j.prose.words[s.at]
			if w.from < ws[0].from || w.from >= ws[len(ws)-1].to {
				continue
			}
			for k := range ws {
				if ws[k].from > w.from && ws[k].from < w.from+12 && (ws[k].text == "it" || ws[k].text == "them") && loaded(ws[:k]) {
					e.raise(.75, source, w.text+" "+ws[k].text)
					break
				}
				if ws[k].from > w.from && ws[k].from < w.from+60 && (firmCode.of(ws[k].text) || ws[k].text == "cells" || ws[k].text == "cell" || languages.in(&ws[k]) || interpreters.in(&ws[k])) {
					e.raise(.85, source, w.text+" "+ws[k].text)
					break
				}
			}
		}
	}
}

// ran are the verbs of the description that carry something out; so many are
// enough.
func (j *judge) ran() []said {
	const enough = 20
	if j.running == nil {
		j.running = []said{}
		for _, s := range j.prose.said {
			if s.effect == run && s.firm >= .5 && len(j.running) < enough {
				j.running = append(j.running, s)
			}
		}
	}
	return j.running
}

// loaded reports whether what comes before is a thing that runs.
func loaded(ws []word) bool {
	for _, w := range ws {
		switch w.text {
		case "plugin", "script", "code", "program", "module", "binary", "file", "executable", "snippet", "extension", "macro", "package", "download":
			return true
		}
	}
	return false
}

// after reports whether one of the words stands close behind k.
func after(ws []word, k int, sets ...set) bool {
	for m := k + 1; m < len(ws) && m < k+4 && ws[m].after == 0; m++ {
		for _, s := range sets {
			if s.in(&ws[m]) {
				return true
			}
		}
	}
	return false
}

func precededBy(ws []word, i int, any ...string) bool {
	for k := max(0, i-2); k < i; k++ {
		for _, a := range any {
			if ws[k].text == a {
				return true
			}
		}
	}
	return false
}

// computesWithIt reports whether the tool does something with what it is
// given beyond handing it on.
func (j *judge) computesWithIt() bool { return j.name.verb != "search" && !j.treatsAsData() }
