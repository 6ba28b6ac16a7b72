package authority

// named is what a tool's name says.
type named struct {
	tokens []string // without those that repeat the server's name; verbs of two words joined
	effect effect
	verb   string  // the lemma
	words  string  // as evidence
	firm   float64 // how sure it is, 0 to 1
	open   bool    // the description may say that it means something else
	hidden bool    // the name is written to be taken for another
	target int     // position after the verb
}

func readName(server, name string) named {
	tokens, hidden := nameTokens(name)
	n := named{tokens: joinPhrases(unprefixed(tokens, server)), hidden: hidden}
	n.decide()
	return n
}

// unprefixed leaves out a server's own name at the front of its tools'.
func unprefixed(tokens []string, server string) []string {
	own, _ := nameTokens(server)
	rest := tokens
	for len(rest) > 1 {
		known := rest[0] == "mcp" || rest[0] == "api"
		for _, o := range own {
			known = known || o == rest[0]
		}
		if _, _, f, verb := find(rest[0]); !known || verb && f == base {
			break
		}
		rest = rest[1:]
	}
	return rest
}

func joinPhrases(tokens []string) []string {
	out := tokens[:0:0]
	for i := 0; i < len(tokens); i++ {
		if i+1 < len(tokens) {
			if joined, ok := phrases[[2]string{tokens[i], tokens[i+1]}]; ok {
				out = append(out, joined)
				i++
				continue
			}
		}
		out = append(out, tokens[i])
	}
	return out
}

func (n *named) decide() {
	if len(n.tokens) == 0 {
		return
	}
	last := len(n.tokens) - 1
	negated := false
	best := -1
	for i, t := range n.tokens {
		if negations.has(t) || t == "protect" {
			negated = true
			if t != "protect" {
				continue
			}
		}
		if i == 0 && last > 0 && superlatives.has(t) {
			n.take(i, verb{effect: observe, noun: true}, t, .55)
			return
		}
		if i == 0 && questions.has(t) {
			n.take(i, verb{effect: observe}, t, .9)
			return
		}
		v, lemma, f, ok := find(t)
		strange, strangeEnd := false, false
		if !ok && i == 0 {
			v, lemma, ok = foreign(t)
			strange = ok
		}
		if !ok && i == last {
			v, lemma, ok = agent(t)
			f, strangeEnd = third, ok
		}
		if !ok || negated && i > 0 || i < last && (n.tokens[i+1] == "nothing" || n.tokens[i+1] == "none") {
			continue
		}
		firm := 0.0
		switch {
		case i == 0 && f == base && !v.noun:
			firm = .95
		case strange:
			firm = .55
		case i == 0 && f == base && last == 0 && v.noun && v.effect == change:
			firm = .45 // "log": a thing as well
		case i == 0 && f == base:
			firm = .7
		case i == last && f == base && !v.noun:
			firm = .8
		case i == last && f == base && (v.effect == change || v.effect >= away):
			firm = .65
		case f == base && !v.noun && v.effect >= change:
			firm = .7
		case f == base && !v.noun:
			firm = .6
		case i == last && strangeEnd:
			firm = .5
		}
		// An imperative in front is the tool's; after "and" and "or" come more of them.
		if best >= 0 && i > 0 && (n.tokens[i-1] == "and" || n.tokens[i-1] == "or") && f == base {
			if v.effect > n.effect || v.effect == run {
				n.take(i, v, lemma, max(firm, .7))
			}
			continue
		}
		if best < 0 && firm > 0 || firm > n.firm && n.firm < .9 {
			looks := best == 0 && n.effect == observe
			n.take(i, v, lemma, firm)
			n.open = n.open || looks // "diff_only_deploy"
			best = i
		}
	}
	if best >= 0 && best < last && n.effect > compute && reports.of(n.tokens[last]) {
		n.open = true
	}
	if n.firm == 0 && reports.of(n.tokens[last]) {
		n.effect, n.verb, n.words, n.firm, n.open, n.target = observe, "", n.tokens[last], .55, true, 0
	}
}

func (n *named) take(i int, v verb, lemma string, firm float64) {
	n.effect, n.verb, n.words, n.firm, n.open, n.target = v.effect, lemma, n.tokens[i], firm, v.noun, i+1
}

// agent reads a noun that is made of a verb: "merger", "deletion", "removal".
func agent(t string) (verb, string, bool) {
	n := len(t)
	for _, s := range []struct{ suffix, with string }{
		{"er", ""}, {"er", "e"}, {"or", ""}, {"or", "e"}, {"tion", "te"}, {"ion", ""}, {"ion", "e"}, {"al", ""}, {"al", "e"}, {"ment", ""}, {"ment", "e"},
		{"ation", "e"}, {"ation", ""},
	} {
		stem := cut(t, s.suffix, s.with)
		if stem == "" || n < 6 {
			continue
		}
		for _, lemma := range []string{stem, undouble(stem)} {
			if v, ok := verbs()[lemma]; ok {
				v.noun = true
				return v, lemma, true
			}
		}
	}
	return verb{}, "", false
}
