package authority

// argument looks at an argument's name.
func (j *judge) argument(e *execution, p parameter, about []word, data bool) {
	if len(p.values) > 0 || len(p.tokens) == 0 {
		return
	}
	var says struct{ lang, harmless, runs, sql, reads bool }
	for _, w := range about {
		says.lang = says.lang || languages.has(w.text) || interpreters.has(w.text)
		says.harmless = says.harmless || harmlessCode.has(w.text)
		says.runs = says.runs || w.text == "run" || w.text == "execute" || w.text == "executed" || w.text == "evaluate" || w.text == "evaluated"
		says.sql = says.sql || sqlWords.has(w.text)
	}
	for _, t := range p.tokens[:len(p.tokens)-1] {
		says.harmless = says.harmless || harmlessCode.has(t)
		says.lang = says.lang || languages.has(t) || interpreters.has(t)
	}
	running := j.name.effect == run && j.name.firm > 0 || says.runs
	switch last := p.last(); last {
	case "command", "cmd", "commands", "cmdline", "commandline", "argv", "executable":
		if !data && (!says.harmless || running) {
			e.raise(.75, Schema, p.name)
		} else if says.runs || running || j.tellsOfRunning() {
			e.raise(.6, Schema, p.name)
		}
	case "script", "scripts", "code", "javascript", "js", "python", "lua", "applescript", "snippet", "program", "macro", "expression":
		switch {
		case says.harmless && !says.lang:
		case running:
			e.raise(.75, Schema, p.name)
		case !data && (says.lang || last != "code" && last != "snippet" && last != "program" && last != "expression" && last != "macro"):
			e.raise(.65, Schema, p.name)
		}
	case "shell", "bash", "powershell":
		if !data {
			e.raise(.6, Schema, p.name)
		}
	case "sql", "query", "statement", "statements", "queries", "cypher":
		says.sql = says.sql || sqlWords.has(last) || j.mentionsSQL()
		if says.sql && !j.selectsOnly() && (j.name.effect != observe || j.name.verb == "query") && !(data && j.leadVerb() != "query") {
			e.raise(.65, Schema, p.name)
		}
	}
}

// leadVerb is the verb that the tool is about.
func (j *judge) leadVerb() string {
	if lead := j.lead(); lead != nil {
		return lead.verb
	}
	return j.name.verb
}

func (j *judge) mentionsSQL() bool {
	for _, t := range j.name.tokens {
		if sqlWords.has(t) || t == "sqlite" || t == "postgres" || t == "mysql" {
			return true
		}
	}
	for _, w := range j.prose.words[:min(len(j.prose.words), 60)] {
		if sqlWords.has(w.text) {
			return true
		}
	}
	return false
}

// selectsOnly reports whether queries are said to be reading ones.
func (j *judge) selectsOnly() bool {
	if j.prose.readOnly || len(j.name.tokens) > 0 && sqlReads.has(j.name.tokens[0]) {
		return true
	}
	reads := false
	for _, w := range j.prose.words[:min(len(j.prose.words), 60)] {
		switch w.text {
		case "select":
			reads = true
		case "insert", "update", "delete", "drop", "arbitrary", "any", "ddl", "alter":
			return false
		}
	}
	return reads
}
