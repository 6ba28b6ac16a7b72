package authority

import (
	"strings"
	"sync"
)

// set is a list of words: a number of one.
type set uint8

// wordLists are the words of every set, as they are written.
var wordLists []string

// words makes a set of the words of a text. What it costs is paid by the first
// judgement, not by every program that starts.
func words(list string) set {
	wordLists = append(wordLists, list)
	return set(len(wordLists) - 1)
}

// entry is what is known of a word.
type entry struct {
	sets [2]uint64 // by a set's number, a bit
}

var lexicon = sync.OnceValue(func() map[string]entry {
	all := make(map[string]entry, 4096)
	for i, list := range wordLists {
		for w := range strings.FieldsSeq(list) {
			e := all[w]
			e.sets[i/64] |= 1 << (i % 64)
			all[w] = e
		}
	}
	return all
})

func (e entry) in(s set) bool { return e.sets[s/64]&(1<<(s%64)) != 0 }

// has reports whether a word is in the set.
func (s set) has(w string) bool { return lexicon()[w].in(s) }

// in reports whether a word of a text is in the set.
func (s set) in(w *word) bool { return w.entry.in(s) }

// of reports whether a word or its singular is in the set.
func (s set) of(w string) bool {
	m := lexicon()
	if m[w].in(s) {
		return true
	}
	n := len(w)
	return n > 3 && w[n-1] == 's' && (m[w[:n-1]].in(s) || n > 4 && w[n-2] == 'e' && m[w[:n-2]].in(s) || n > 4 && strings.HasSuffix(w, "ies") && m[w[:n-3]+"y"].in(s))
}

var (
	// questions begin the names of tools that answer them.
	questions = words(`is are has have can could does should will was what which who whose where when how why would if exists dry preview pretend simulated
simulate hypothetical noop explain howto`)

	// superlatives begin the names of tools that show a thing.
	superlatives = words(`last latest current recent upcoming today total average available top best nearest popular trending daily weekly`)

	// reports are nouns that name what is looked at: they end the names of tools
	// that show something, whatever verb stands before.
	reports = words(`report candidate preview impact estimate eligibility help stat statistic status overview summary
info information detail history log list listing calendar level contact forecast price rate schedule table tree map
weather news time date version metadata count total result score rank ranking trend chart graph diff difference
dependency usage metric insight analysis analytics profile catalog catalogue directory index gallery guide doc
documentation reference example definition schema property feature option setting type category language timezone
timeline feed quote balance reading measurement record entry transcript lyric definition synonym route direction
distance location address coordinate elevation population fact joke recipe review opinion recommendation suggestion
tip hint alert advisory base state warning error trace snapshot screenshot capability quota limit permission policy rule term
answer query search lookup finder explorer viewer reader checker counter inspector analyzer browser fetcher scraper
crawler retriever detector validator tester calculator converter capacity availability leaderboard standing lineup
title description name id me self tool prompt resource template model checkup audit comparison breakdown distribution
speed time method cost reason duration size window syntax test simulator simulation audit sighting lookup finder
demo demonstration sample tutorial lesson rumour rumor overview departure arrival term pattern relation relationship similarity sentiment outlook horoscope rates levels progress health uptime activity event`)

	// facts are what a description begins with that names no verb at all.
	facts = words(`information detail list listing statistic stat rate overview summary status data history report
index table catalog catalogue collection record result answer view guide documentation reference content metadata
lookup search viewer reader explorer dictionary encyclopedia calculator forecast weather news price quote number name
description definition explanation value score rank ranking level total count average comparison tool latest current
real-time live full complete basic general access quick`)

	determiners = words(`a an the all any this that these those your my our its their his her one two three new every each
another some it them him itself what whatever given specified selected existing multiple several specific single both
either no`)

	negations = words(`not never no nothing without cannot neither nor none nobody nowhere don't doesn't won't can't
isn't aren't didn't wouldn't shouldn't couldn't mustn't needn't hasn't haven't unable avoid avoids avoiding prevent
prevents preventing refuse refuses disallow disallows prohibit prohibits forbid forbids non dont doesnt wont cant`)

	// subordinates begin what is said of something else than the tool.
	subordinates = words(`that which who whom whose where when whenever whether how what why would could might if unless while
because since before until once so after than as though although with whereby of`)

	subjects = words(`this the a an it tool tools function utility utilities operation endpoint command method action api mcp helper
that which to for will can may you users user use used using is allows allow allowing lets let enables enable enabling helps help
agent agents llm model client clients ability able supports support functionality perform performs operations automatically
quickly easily safely efficiently then also optionally please simply just only securely directly recursively completely
first when need needs want wants wish wishes designed intended provides provide capability feature service server
wrapper interface simple powerful advanced comprehensive flexible program module plugin and should must be call one in
order bulk batch these operations caution`)

	particles = words(`out up off away down together`)

	adverbs = words(`also then automatically permanently immediately optionally subsequently finally afterwards thereby
simultaneously silently completely irreversibly recursively instantly directly fully safely either both even already
entirely really actually forcibly quietly later now still instead too once again`)
)
