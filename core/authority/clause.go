package authority

// coordinated reports whether a word stands in a row with what comes before.
func (p *prose) coordinated(j int) bool {
	if j == 0 {
		return false
	}
	if p.words[j].after == 'c' {
		return true
	}
	k := j - 1
	for k > 0 && adverbs.in(&p.words[k]) {
		k--
	}
	switch p.words[k].text {
	case "and", "or", "then", "also":
		return true
	}
	return p.words[j].from > 0 && (p.text[p.words[j].from-1] == '/' || p.text[p.words[j].from-1] == '&') ||
		p.words[j].from > 1 && p.text[p.words[j].from-2] == '&'
}

// determined reports whether what follows is a thing that something is done to.
func (p *prose) determined(j, end int) bool {
	return j+1 < end && p.words[j+1].after == 0 && determiners.in(&p.words[j+1])
}

// strangeLead reports whether a sentence begins with a verb that nobody knows.
func (p *prose) strangeLead(i, end int) bool {
	w := p.words[i].text
	return len(w) > 3 && !determiners.has(w) && !copulas.has(w) && !subordinates.has(w) && !facts.of(w) && p.words[i+1].text != "that"
}

// strange reports whether an unknown word is a verb by its place: "and flimbs
// the door".
func (p *prose) strange(j, end int) bool {
	w := p.words[j].text
	return len(w) > 3 && w[len(w)-1] == 's' && p.words[j].after == 0 && p.coordinated(j) && p.determined(j, end) && !subordinates.in(&p.words[j+1]) &&
		!determiners.has(w) && !copulas.has(w) && p.words[j+1].text != "that" && p.words[j+1].text != "no" && w != "does"
}

// nounish reports whether a word that ends in s is followed as a plural is:
// "mentions, reviews", "updates on issues".
func (p *prose) nounish(j, end int) bool {
	if !plurals.in(&p.words[j]) {
		return false
	}
	if j+1 >= end || p.words[j+1].after != 0 {
		return true
	}
	switch p.words[j+1].text {
	case "of", "for", "from", "on", "in", "at", "by", "with", "to", "is", "are", "and", "or", "that", "which":
		return true
	}
	return false
}

// between reports whether a verb stands among others: "create, update or delete".
func (p *prose) between(j, end int) bool {
	for _, k := range []int{j - 1, j - 2, j + 1, j + 2} {
		if k >= 0 && k < end {
			if v, _, f, ok := p.words[k].asVerb(); ok && f == base && !v.noun && v.effect >= change {
				return true
			}
		}
	}
	return false
}

// inList reports whether a row of gerunds began before j: "including running, deleting".
func (p *prose) inList(i, j int) bool {
	i = max(i, j-nearby)
	for k := j - 1; k > i; k-- {
		if _, _, f, ok := p.words[k].asVerb(); ok && f == ing {
			return lists.in(&p.words[k-1]) || p.inList(i, k) || k == i+1
		}
		if p.words[k].text == "and" || p.words[k].text == "or" {
			continue
		}
		if j-k > 5 {
			break
		}
	}
	return false
}

// ofTool reports whether a modal before j belongs to the tool: "it will
// overwrite", and not "a prune would take away".
func (p *prose) ofTool(i, j int) bool {
	i = max(i, j-nearby)
	k := j - 1
	for k > i && (modals.in(&p.words[k]) || adverbs.in(&p.words[k])) {
		switch p.words[k].text {
		case "it", "this", "tool":
			return true
		}
		k--
	}
	switch p.words[k].text {
	case "it", "this", "tool", "operation", "action", "command", "function", "which":
		return true
	}
	return k == i && modals.in(&p.words[k])
}

// passive reports whether the past form at j is what happens now: "older ones
// are deleted", and not "records that were deleted" or "is not deleted".
func (p *prose) passive(i, j int) bool {
	k := j - 1
	for k > i && adverbs.in(&p.words[k]) {
		k--
	}
	if k > i && p.words[k].text == "be" {
		switch p.words[k-1].text {
		case "can", "could", "may", "to", "must", "should", "cannot", "can't", "might", "would":
			return false // what may be done with something
		}
	}
	return k >= i && copulas.in(&p.words[k]) && !p.hypothetical(i, k)
}

// hypothetical reports whether what stands at j is only thought of, or said of
// something by the way: "records that were deleted".
func (p *prose) hypothetical(i, j int) bool {
	i = max(i, j-nearby)
	verbs := 0
	for k := j - 1; k >= i; k-- {
		if p.words[k+1].after == 'c' {
			return false
		}
		switch w := p.words[k].text; w {
		case "would", "could", "if", "whether", "might", "unless", "when":
			return true
		case "that", "which", "who", "what":
			// "files that are only there are deleted", "after which it is gone"
			if k > i && (p.words[k-1].text == "after" || p.words[k-1].text == "upon" || p.words[k-1].text == "whereupon") {
				return false
			}
			return verbs == 0 && (k+1 >= len(p.words) || p.words[k+1].text != "it" && p.words[k+1].text != "they")
		default:
			if copulas.has(w) && k < j-1 {
				verbs++
			}
		}
	}
	return false
}
