package authority

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// judge is one tool in the making of its judgement.
type judge struct {
	server string
	name   named
	prose  prose
	params []parameter
	ann    Annotations

	claims  []Claim
	running []said
	placed  *placed
}

// mostClaims bounds the evidence that is kept.
const mostClaims = 12

// enough is the confidence from which a claim alone settles a tier.
const enough = 0.5

// Judge judges a tool of a server. It takes time in proportion to the length
// of the definition.
func Judge(server string, d Definition) Judgement {
	text := d.Description
	if strings.TrimSpace(text) == "" {
		text = cmp.Or(d.Title, d.Annotations.Title)
	}
	j := &judge{server: server, name: readName(server, d.Name), prose: readProse(text), params: parameters(d.InputSchema), ann: d.Annotations}
	j.doubt()
	j.fromName()
	j.fromProse()
	j.fromMethods()
	if e := j.executes(); e.firm > 0 {
		j.claim(e.source, "arbitrary execution: "+e.words, Destructive, e.firm)
	}
	j.fromSchema()
	return j.conclude()
}

// doubt takes a name's last noun for nothing where the name and the description
// begin with the same word, and nobody knows what that does.
func (j *judge) doubt() {
	if len(j.name.tokens) < 2 || len(j.prose.words) < 2 || j.name.target <= 1 || j.prose.led {
		return
	}
	first, said := j.name.tokens[0], j.prose.words[0].text
	if said == first || said == first+"s" || said == first+"es" {
		if determiners.in(&j.prose.words[1]) {
			j.name.firm = 0
		}
	}
}

func (j *judge) claim(source Source, words string, tier Tier, confidence float64) {
	j.claims = append(j.claims, Claim{source, printable(words), tier, confidence})
}

// decide adds the claim that settles the tier, before all others.
func (j *judge) decide(source Source, words string, tier Tier, confidence float64) {
	j.claims = slices.Insert(j.claims, 0, Claim{source, words, tier, confidence})
}

// printable is a short text without what could hide or rearrange it.
func printable(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || Invisible(r) {
			return '?'
		}
		return r
	}, s)
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

func (j *judge) conclude() Judgement {
	slices.SortStableFunc(j.claims, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Tier, a.Tier))
	})
	out := Judgement{Tier: Read, Evidence: j.claims}
	for _, c := range j.claims {
		if c.Confidence < enough || c.Source == Annotation {
			continue
		}
		if c.Tier > out.Tier || c.Tier == out.Tier && c.Confidence > out.Confidence {
			out.Tier, out.Confidence = c.Tier, c.Confidence
		}
	}
	settled := out.Confidence > 0
	hidden := j.name.hidden || j.prose.hidden
	switch {
	case !settled && j.annotated(j.ann.Destructive):
		out.Tier, out.Confidence = Destructive, .55
		j.decide(Annotation, "destructiveHint: true", Destructive, .55)
	case !settled && j.annotated(j.ann.ReadOnly) && !hidden && !j.prose.pleads:
		out.Tier, out.Confidence = Read, .6
		j.decide(Annotation, "readOnlyHint: true", Read, .6)
	case !settled && j.prose.readOnly && !hidden && !j.prose.pleads:
		out.Tier, out.Confidence = Read, .55
		j.decide(Description, "read-only", Read, .55)
	case !settled:
		out.Tier, out.Confidence = RemoteWrite, .3
		for _, c := range j.claims {
			out.Tier = max(out.Tier, c.Tier)
		}
		j.decide(Name, "nothing says what it does", RemoteWrite, .3)
	case hidden && out.Tier < RemoteWrite:
		out.Tier, out.Confidence = RemoteWrite, .45
		j.decide(cond(j.name.hidden, Name, Description), "letters that pass for others", RemoteWrite, .45)
	case out.Tier == Read && out.Confidence <= .6 && j.ann.ReadOnly != nil && !*j.ann.ReadOnly && !j.annotated(j.ann.Destructive):
		// Nouns alone spoke for a look, and the server says that it is none.
		out.Tier, out.Confidence = RemoteWrite, .5
		j.decide(Annotation, "readOnlyHint: false", RemoteWrite, .5)
	case j.annotated(j.ann.Destructive) && (out.Tier > Read && out.Confidence < .6 || out.Tier == Read && out.Confidence <= .6):
		out.Tier, out.Confidence = Destructive, .55
		j.decide(Annotation, "destructiveHint: true", Destructive, .55)
	}
	out.Evidence = j.claims[:min(len(j.claims), mostClaims)]
	return out
}

func cond[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}

func (j *judge) annotated(hint *bool) bool { return hint != nil && *hint }

// tierOf is the tier of an effect, with the confidence that it has.
func (j *judge) tierOf(e effect, lemma string, firm float64, object []string, source Source) (Tier, float64) {
	switch e {
	case observe, compute:
		return Read, firm
	case here:
		return LocalWrite, firm
	case away:
		if t, word, sure := j.place(); t == LocalWrite && sure >= .8 && word != "" && (lemma == "file" || lemma == "text" || lemma == "call" || lemma == "push" || lemma == "comment" || lemma == "note") {
			return LocalWrite, firm * .9
		}
		return RemoteWrite, firm
	case destroy, spend:
		return Destructive, firm
	case act:
		return RemoteWrite, firm
	case change, run:
		t, _, sure := j.place()
		return t, min(firm, .5+sure/2)
	}
	return RemoteWrite, 0
}
