package authority

import "strings"

// weigh adjusts a verb by the things that it is done to.
func (j *judge) weigh(v effect, lemma string, object []string) effect {
	has := func(s set, within int) bool {
		for i, o := range object {
			if i >= within {
				break
			}
			if s.of(o) {
				return true
			}
		}
		return false
	}
	switch lemma {
	case "rate", "grade", "mark", "log":
		if len(object) > 0 && questions.has(object[0]) {
			return observe
		}
	case "leave":
		if has(untouched, 4) {
			return observe
		}
	case "logout":
		if has(sessionsOf, 5) {
			return destroy
		}
	case "push":
		if has(forcing, 9) {
			return destroy
		}
	case "take":
		switch {
		case has(cash, 3):
			return spend
		case has(outward, 6) && !has(picture, 3):
			return change
		}
	case "format":
		if has(disks, 3) {
			return destroy
		}
		return j.inPlace()
	case "place", "submit", "create", "put":
		if has(orders, 3) && (lemma == "place" || j.hasParam("qty", "quantity", "side", "price", "symbol", "amount")) {
			return spend
		}
		if lemma == "create" && has(artefacts, 4) && !j.writesSomewhere() && !j.namesRemote() {
			return compute
		}
	case "work_out":
		return compute
	case "give":
		if has(cash, 6) {
			return spend
		}
		if has(marks, 6) {
			return away
		}
		if has(given, 6) {
			return change
		}
	case "warn", "alert", "notify", "inform":
		if len(object) > 0 && (questions.has(object[0]) || object[0] == "whether") {
			return observe
		}
	case "tell", "ask", "say", "answer":
		if len(object) > 0 && !questions.has(object[0]) && object[0] != "if" && object[0] != "whether" && has(people, 4) {
			return away
		}
		return observe
	case "accept":
		if !has(requests, 4) {
			return observe
		}
	case "play":
		if has(games, 4) {
			return change
		}
	case "fill", "select", "check", "choose", "drag", "hover":
		if lemma == "select" && has(tabs, 1) {
			return here
		}
		if j.acts() == act && (lemma != "check" || has(browsing, 4)) {
			return act
		}
	case "save":
		if t, _, sure := j.place(); t == RemoteWrite && sure >= .6 && !j.writesSomewhere() {
			return change
		}
	case "upload":
		return away
	case "install":
		if t, _, sure := j.place(); t == RemoteWrite && sure > .6 {
			return away
		}
	case "resolve":
		if has(disputes, 5) {
			return change
		}
		return observe
	case "transfer", "wire", "exchange", "send", "interact", "move", "shift":
		if (lemma == "send" || lemma == "interact") && has(processInputs, 6) {
			return destroy
		}
		if lemma == "move" || lemma == "shift" {
			if has(cash, 8) {
				return spend
			}
			return v
		}
		if has(cash, 6) || lemma == "transfer" && has(money, 6) || j.hasParam("amount", "lamports", "wei") {
			return spend
		}
	case "take_away", "remove", "drop", "erase":
		if has(rights, 4) && lemma == "take_away" || has(attributes, 2) {
			return change
		}
	case "write", "type", "input", "paste":
		if has(processInputs, 5) {
			return destroy
		}
	case "reset", "clear", "empty", "clean", "cleanup":
		switch {
		case has(buffers, 4):
			return change
		case has(harshOnes, 3) || (lemma == "clear" || lemma == "empty") && !j.edits():
			return destroy
		}
	case "start", "begin", "launch", "queue":
		if has(looksOf, 4) && j.name.effect == observe {
			return observe
		}
	case "stop", "end", "restart", "reboot", "suspend", "close":
		if lemma != "restart" && lemma != "reboot" && has(processes, 3) && lemma != "close" {
			return destroy
		}
		if lemma == "end" && has(sessions, 4) {
			return destroy
		}
	case "flush":
		if has(buffers, 3) {
			return change
		}
	case "make", "build", "new":
		switch {
		case lemma == "build" && has(products, 4), lemma == "new":
		case lemma == "build":
			return compute
		case has(spendings, 4):
			return spend
		case has(bookings, 4):
			return away
		case has(conditions, 6), has(makings, 3):
			return change
		}
		if has(artefacts, 4) && !j.writesSomewhere() && !j.namesRemote() {
			return compute
		}
	case "open":
		if has(disputes, 4) || has(openings, 4) {
			return away
		}
		if has(openable, 4) || has(screens, 12) {
			return here
		}
		return observe
	case "load":
		if has(openable, 4) {
			return here
		}
		return observe
	case "run", "execute", "perform", "invoke", "evaluate", "exec":
		switch {
		case has(looksOf, 4) && j.readsOnlyByObject(object):
			return observe
		case lemma == "perform":
			return j.performed(object)
		case lemma == "evaluate":
			return observe
		}
	case "merge":
		if has(artefacts, 3) || has(documents, 3) && !j.namesRemote() {
			return j.inPlace()
		}
	case "split", "join", "convert", "compress", "crop", "invert", "blur", "upscale", "strip", "trim", "annotate", "redact", "combine", "minify", "rewrite",
		"normalize", "colorize", "transpose", "turn":
		return j.inPlace()
	}
	return v
}

func (j *judge) hasParam(names ...string) bool {
	for _, p := range j.params {
		if p.top && p.has(names...) {
			return true
		}
	}
	return false
}

func (j *judge) writesSomewhere() bool {
	for _, p := range j.params {
		if p.top && p.writes() {
			return true
		}
	}
	return false
}

func (j *judge) namesRemote() bool {
	for _, p := range j.params {
		if p.top && remoteParams.has(p.last()) {
			return true
		}
	}
	return false
}

func (j *judge) fromName() {
	n := &j.name
	if n.firm == 0 {
		return
	}
	rest := n.tokens[min(n.target, len(n.tokens)):]
	if len(rest) == 0 {
		rest = n.tokens[:max(0, n.target-1)]
	}
	e := j.weigh(n.effect, n.verb, rest)
	if e == act {
		e = j.acts()
	}
	tier, firm := j.tierOf(e, n.verb, n.firm, rest, Name)
	if n.verb == "" && n.effect == observe {
		firm = n.firm
	}
	// A look that ends in a place: "get it to disk".
	if tier == Read {
		for i, t := range n.tokens {
			if t == "to" && i+1 < len(n.tokens) && (strongLocal.of(n.tokens[i+1]) || disks.of(n.tokens[i+1])) {
				tier, firm = LocalWrite, .7
			}
		}
	}
	if n.hidden && tier == Read {
		firm = min(firm, .4)
	}
	// A name that may mean something else yields to a description that shows something.
	if (n.open || j.prose.noun && tier > Read && n.effect < destroy) && tier > Read {
		if j.shows() {
			firm = min(firm, .4)
		} else if j.lead() == nil && n.firm >= enough && n.firm < .6 {
			firm = .5
		}
	}
	n.effect = e
	j.claim(Name, n.words, tier, firm)
}

// acts is what handling a page does: on a page of the web it reaches others.
func (j *judge) acts() effect {
	server, _ := nameTokens(j.server)
	for _, t := range append(server, j.name.tokens...) {
		if browsing.of(t) {
			return act
		}
	}
	for _, w := range j.prose.words[:min(len(j.prose.words), 30)] {
		if browsing.of(w.text) {
			return act
		}
	}
	return here
}

func (j *judge) lead() *said {
	for i, s := range j.prose.said {
		if s.lead && s.sentence <= 1 {
			return &j.prose.said[i]
		}
	}
	return nil
}

// object are the words of what something is done to, and some behind them.
func (p *prose) object(s said) []string {
	var object []string
	for k := s.at + 1; k < len(p.words) && k < s.at+14 && p.words[k].after != 's'; k++ {
		if !determiners.in(&p.words[k]) && !adverbs.in(&p.words[k]) {
			object = append(object, p.words[k].text)
		}
	}
	if next := s.at + 1; next < len(p.words) && (p.words[next].text == "it" || p.words[next].text == "them") {
		// What it stands for was named before.
		for k := s.at - 1; k >= max(0, s.at-6); k-- {
			object = append(object, p.words[k].text)
		}
	}
	return object
}

// shows reports whether the description begins by saying that something is
// looked at, or made of what is given.
func (j *judge) shows() bool {
	lead := j.lead()
	if lead == nil || lead.firm < .6 {
		return j.prose.noun
	}
	e := j.weigh(lead.effect, lead.verb, j.prose.object(*lead))
	return e == observe || e == compute || lead.effect == compute || j.prose.noun
}

func (j *judge) fromProse() {
	p := &j.prose
	for _, s := range p.said {
		object := p.object(s)
		e := j.weigh(s.effect, s.verb, object)
		firm := s.firm
		if s.effect == compute && e == change && !s.lead && j.name.verb != s.verb {
			e = compute
		}
		if e == act {
			e = j.acts()
		}
		switch {
		case s.verb == "download" && (j.name.effect == observe || j.name.effect == compute) && j.name.firm >= .6 && !j.toDisk(s):
			e = observe
		case e == run:
			e, firm = change, firm*.8
			if j.name.effect == observe && j.name.firm >= .6 {
				e = observe
			}
		case (s.verb == "remove" || s.verb == "clear" || s.verb == "reset") && e == destroy && j.edits() && !s.lead:
			e = change
		case e == change && !s.lead && s.sentence > 0:
			firm *= .6
		}
		if (e == observe || e == compute) && (p.pleads || p.hidden) {
			firm = min(firm, .4)
		}
		tier, firm := j.tierOf(e, s.verb, firm, object, Description)
		if tier == LocalWrite && e == change && j.name.effect == observe && j.name.firm > .9 && !s.lead {
			firm *= .6
		}
		if e == observe && j.toDisk(s) {
			tier, firm = LocalWrite, .7
		}
		if firm >= .2 {
			j.claim(Description, j.excerpt(s), tier, firm)
		}
	}
	if p.noun {
		firm := .6
		if p.pleads || p.hidden {
			firm = .3
		}
		j.claim(Description, j.excerpt(said{at: 0}), Read, firm)
	}
	if words := p.handsPath(); words != "" {
		j.claim(Description, words, LocalWrite, .55)
	}
	if t, words, ok := foreignProse(p.text, p.words, p.foreign, p.led); ok {
		tier, firm := j.tierOf(t.effect, "", t.firm, nil, Description)
		if tier == Read && (p.pleads || p.hidden) {
			firm = min(firm, .4)
		}
		j.claim(Description, words, tier, firm)
	}
}

// edits reports whether the tool's name says that it alters something that stays.
func (j *judge) edits() bool {
	switch j.name.verb {
	case "update", "set", "edit", "modify", "change", "configure", "adjust", "patch":
		return true
	}
	return false
}

// toDisk reports whether what is fetched or made ends up in a file.
func (j *judge) toDisk(s said) bool {
	p := &j.prose
	for k := s.at + 1; k < min(len(p.words), s.at+nearby) && p.words[k].after != 's'; k++ {
		switch p.words[k].text {
		case "into", "to", "as", "onto":
			if k > 0 && (p.words[k-1].text == "path" || p.words[k-1].text == "access") {
				continue
			}
			for m := k + 1; m < len(p.words) && m < k+5 && p.words[m].after == 0; m++ {
				switch p.words[m].text {
				case "disk", "folder", "directory", "downloads", "drive", "filesystem", "computer":
					return true
				case "file":
					return p.words[k].text != "as" && (p.words[m-1].text == "a" || p.words[m-1].text == "local" || p.words[m-1].text == "the" || p.words[m-1].text == "output")
				}
			}
		}
	}
	return false
}

// handsPath finds a promise of the path to what was made: then it was written.
func (p *prose) handsPath() string {
	for i, w := range p.words {
		if w.text != "path" {
			continue
		}
		for k := i + 1; k < len(p.words) && k < i+5; k++ {
			switch p.words[k].text {
			case "generated", "saved", "created", "resulting", "downloaded", "written", "exported":
				return "path " + p.words[k].text
			}
		}
	}
	return ""
}

func (j *judge) excerpt(s said) string {
	p := &j.prose
	end := min(s.at+5, len(p.words))
	if s.at >= end {
		return ""
	}
	return strings.Join(strings.Fields(p.text[p.words[s.at].from:p.words[end-1].to]), " ")
}

// fromMethods reads what a caller may choose: the most powerful counts.
func (j *judge) fromMethods() {
	for _, p := range j.params {
		for _, m := range p.methods() {
			n := readName("", m)
			if n.firm <= .5 || n.verb == "" {
				continue
			}
			rest := n.tokens[min(n.target, len(n.tokens)):]
			e := j.weigh(n.effect, n.verb, rest)
			switch {
			case e == run:
				e = change
			case e == act:
				e = j.acts()
			case n.verb == "download" || n.verb == "export":
				e = observe
			}
			if e == observe || e == compute {
				continue
			}
			firm := .8
			if n.open && !sure.has(p.last()) || n.target > 1 && n.firm < .6 {
				firm = .4
			} else if !sure.has(p.last()) {
				firm = .55
			}
			tier, firm := j.tierOf(e, n.verb, firm, rest, Schema)
			j.claim(Schema, p.name+": "+m, tier, firm)
		}
	}
}

func (j *judge) fromSchema() {
	if j.replacesFiles() {
		j.claim(Schema, "writes whole files", Destructive, .6)
	}
	for _, p := range j.params {
		if !p.top {
			continue
		}
		joined := strings.Join(p.tokens, "")
		switch {
		case p.writes():
			firm := .7
			if j.name.effect == observe && j.name.firm > .8 && p.last() == "name" {
				firm = .4
			}
			j.claim(Schema, p.name, LocalWrite, firm)
		case (joined == "overwrite" || joined == "overwriteexisting") && j.name.effect >= change:
			j.claim(Schema, p.name, Destructive, .5)
		case joined == "force" && j.name.effect >= change:
			j.claim(Schema, p.name, Destructive, .45)
		case joined == "confirm" || joined == "confirmation" || joined == "iunderstand":
			j.claim(Schema, p.name, RemoteWrite, .4)
		}
	}
	if j.hasParam("amount") && (j.hasParam("recipient", "to", "payee", "account", "iban", "beneficiary", "destination")) && j.name.effect != observe && j.name.effect != compute {
		j.claim(Schema, "amount and recipient", Destructive, .6)
	}
}
