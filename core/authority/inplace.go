package authority

// performed is what performing something does: "performs a deletion". Where the
// thing says nothing, the name does.
func (j *judge) performed(object []string) effect {
	for i, o := range object {
		if i > 4 {
			break
		}
		v, lemma, _, ok := find(o)
		if !ok {
			v, lemma, ok = agent(o)
		}
		if ok && lemma != "perform" {
			return j.weigh(v.effect, lemma, object[i+1:])
		}
	}
	if j.name.effect > compute {
		return j.name.effect
	}
	return observe
}

func (j *judge) readsOnlyByObject(object []string) bool {
	for _, o := range object {
		if firmCode.of(o) {
			return false
		}
		if o == "query" || o == "sql" {
			return j.selectsOnly() || !j.mentionsSQL()
		}
		if runsOf.of(o) {
			return false
		}
	}
	return true
}

// inPlace is what working on something does: it alters a file where one is
// named and nothing else is handed over, and else hands back what it made.
func (j *judge) inPlace() effect {
	file := false
	for _, p := range j.params {
		if !p.top {
			continue
		}
		switch p.last() {
		case "text", "content", "code", "markdown", "html", "json", "data", "input", "source", "string", "value", "xml", "svg", "csv":
			return compute
		case "filename", "path", "filepath", "file", "document", "workbook", "sheet", "presentation", "files", "paths":
			file = true
		}
	}
	if file {
		return change
	}
	return compute
}

// replacesFiles reports whether the tool writes whole files over what is there.
func (j *judge) replacesFiles() bool {
	if j.name.verb != "write" && j.name.verb != "overwrite" && j.name.verb != "save" || j.name.effect == none {
		return false
	}
	file, content := false, false
	for _, p := range j.params {
		if !p.top {
			continue
		}
		switch p.last() {
		case "path", "filepath", "filename", "file":
			file = true
		case "content", "contents", "text", "data":
			content = true
		case "sheet", "row", "cell", "range", "sha", "branch", "repo", "worksheet":
			return false
		}
	}
	if !file || !content || j.name.verb == "save" {
		return false
	}
	for _, w := range j.prose.words[:min(len(j.prose.words), 80)] {
		switch w.text {
		case "append", "appends", "fails", "exclusively":
			if w.text != "append" || len(j.params) < 3 {
				return false
			}
		}
	}
	t, _, _ := j.place()
	return t == LocalWrite
}
