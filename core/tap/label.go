package tap

import (
	"slices"
	"strings"
)

// looksLikeLabel guesses whether a trigger names a subject ("slack messages",
// "git operations") where it should say what a user wants ("send a message on
// slack"). A request begins with a verb, a question word or a pronoun, or is a
// phrase of four words or more with an article or pronoun in it; a label is one
// word, or a phrase with none of that, or ends in a word that names a kind of
// software. It knows words, not grammar, so it is a warning and no more.
func looksLikeLabel(trigger string) bool {
	words := strings.FieldsFunc(strings.ToLower(trigger), func(r rune) bool {
		return r == ' ' || r == '\t' || r == ',' || r == '/' || r == '?' || r == '!' || r == '.' || r == '`' || r == '"'
	})
	for len(words) > 1 && slices.Contains(courtesies, words[0]) {
		words = words[1:]
	}
	if len(words) < 2 {
		return true
	}
	if foreign(trigger) {
		return false // it is not judged by English words
	}
	spoken := slices.ContainsFunc(words, func(w string) bool { return slices.Contains(references, w) })
	if len(words) <= 3 && !spoken && slices.Contains(kinds, words[len(words)-1]) {
		return true
	}
	first, _, _ := strings.Cut(words[0], "'")
	if slices.Contains(openings, first) || isVerb(first) {
		return false
	}
	return !spoken || len(words) < 4
}

// foreign reports whether a text is written with other letters than English.
func foreign(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > 0x24f })
}

// isVerb reports whether a word can begin a request.
func isVerb(word string) bool {
	_, after, joined := strings.Cut(word, "-")
	if joined && isVerb(after) { // live-migrate, reverse-lookup
		return true
	}
	if slices.Contains(verbs, word) {
		return true
	}
	if base, ok := strings.CutPrefix(word, "re"); ok && slices.Contains(verbs, strings.TrimPrefix(base, "-")) {
		return true
	}
	for _, ending := range []string{"ize", "ise", "yse", "yze", "ify"} {
		if strings.HasSuffix(word, ending) && len(word) > len(ending)+1 {
			return true
		}
	}
	return false
}

var (
	courtesies = strings.Fields(`please hey hi ok okay now then also just quickly kindly`)
	openings   = strings.Fields(`what who whom whose where when which why how is are was were am do does did can could
		will would shall should may might must has have had i i'm we you let let's lets there's it's any anything anyone
		need want dont don't never`)
	references = strings.Fields(`a an the my our your his her their this that these those me us it its them some any all every
		each what how why where when who which i we you`)
	kinds = strings.Fields(`management manager tool tools tooling integration integrations support api apis server
		helper helpers utility utilities operation operations automation capability capabilities feature
		functionality mcp plugin service provider access workflow handling processing
		administration monitoring development engineering`)
)

// verbs are those that people give orders to software with.
var verbs = strings.Fields(`
	accept accelerate acknowledge activate adapt add adjust advise align allocate allow alter amend analyse analyze
	annotate announce answer append apply appoint approve archive arrange ask assemble assert assess assign assist
	attach audit authenticate author automate average back backup balance bake ban batch begin benchmark bill bind block
	blur book bookmark boost boot bootstrap brainstorm branch break bridge brief bring broadcast browse buffer build bulk bump
	bundle buy bypass cache calculate calibrate call cancel capture cast cat catch change charge chart chase chat check
	checkout cherry-pick choose chop circulate cite claim clean clear click clip clone close cluster coach code collect
	combine comment commit compare compile complete compose compress compute concat conduct configure confirm connect
	consolidate construct consult contact contain continue contribute control convert cook coordinate copy correct
	correlate count cover craft crawl create crop cross-check curl customize cut deactivate debug decide declare decline
	decode decompress decrease decrypt deduplicate deep-dive define delay delegate delete deliver demo deny deploy
	deprecate derive describe design destroy detach detect detonate determine develop diagnose dial diff digest direct
	disable disassemble discard disconnect discover discuss dismiss dispatch display distribute dive dm dock document
	double-check download downscale draft drag drain draw drill drive drop dump duplicate earn edit eject eliminate
	email embed emit emulate enable encode encrypt end enforce enhance enlarge enlist enqueue enrich enrol enroll ensure
	enter enumerate erase escalate establish estimate evaluate evict examine exchange exclude execute exit expand expire
	explain explore export expose extend extract fail fast-forward favourite favorite fax feature feed fetch figure file
	fill filter finalize find finish fire fit fix flag flash flip flush focus follow forecast forge forget fork form
	format forward free freeze fund gather generate get give go google grab grade grant graph grep group grow guess guide
	hand handle hang harden harvest hash have head heal hear help hide highlight hire hit hold host hunt identify ignore
	illustrate implement import improve include increase increment indent index inform ingest initialize inject insert
	inspect install instruct insure integrate interpret interrupt introduce introspect invalidate invent invert invest
	investigate invite invoke issue iterate jog join judge jump keep kick kill know label land launch lay lead learn
	leave lend lengthen level limit link lint list listen load localize locate lock log login look lookup loop lower ls
	mail maintain make manage map mark mask match maximize measure merge message migrate minify mint mirror mock model
	moderate modify monitor mount move multiply mute name navigate negotiate nest nudge note notify number observe obtain
	offer onboard open operate optimize orchestrate order organise organize orient outline output overlay override
	overwrite package pack page paginate paint pair parse partition paste patch pause pay peek perform permit persist
	phone pick pin ping pipe pitch pivot place plan plant play plot plug point poll polish populate port post power
	practice pre-fill predict prefetch prepare present preserve press prevent preview price print prioritize probe
	process procure produce profile program project promote prompt proofread propose protect prototype prove provide
	provision prune publish pull pulse purchase purge push put qualify quantify query question queue quit quote race
	raise rank rate reach read readjust recall receive reclaim recite recognize recommend reconcile record recover
	recruit redact redeem redirect reduce refactor refer refine reflect refresh refund register regress reject relate
	relax release relocate rely remain remember remind remove rename render renew rent repair repeat replace replay reply
	report repost represent reproduce request require reschedule research reserve reset reshape resize resolve respond
	restart restore restrict restructure resume retain retire retrieve retry return reveal reverse revert review revise
	revoke rewind rewrite ring roll rotate round route run sample sanitize save say scaffold scale scan schedule score
	scrape scroll search secure see seed segment select sell send separate sequence serve set settle setup shape share
	shift ship shorten show shrink shuffle shut sign silence simplify simulate sing sink sketch skip sleep slice slide
	slow smoke-test smooth snapshot snooze solve sort source speak specify speed spell spin splice split sponsor spot
	spawn squash stack stage stake star start stash state stay step stitch stop store stream stress-test stretch strip
	structure study style submit subscribe substitute subtract suggest sum summarise summarize supply suppress surface
	survey suspend swap sweep swipe switch sync synchronize tag tail take talk tally tap target teach tell test text
	think throttle throw tighten tile time toggle tokenize total touch trace track trade train transcribe transfer
	transform translate transpile trash traverse treat triage trigger trim troubleshoot truncate trust try tune turn tweak
	tweet type unarchive unblock undelete undo unfollow uninstall unlink unlock unmute unpack unpin unsubscribe untangle
	unzip update upgrade upload upscale use vacuum validate value verify version view visit visualize vote wait wake walk
	want warm warn wash watch wean weigh whip whitelist widen wipe wire withdraw work wrap write yank zip zoom
`)
