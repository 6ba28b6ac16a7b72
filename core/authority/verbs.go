package authority

import (
	"strings"
	"sync"
)

// effect is what a verb does to the world.
type effect uint8

const (
	none    effect = iota
	observe        // looks at something
	compute        // makes something of what it is given
	change         // alters something: here or elsewhere, as the nouns say
	here           // alters something on this machine
	away           // alters something elsewhere, or tells somebody
	act            // handles what is on a screen or a page
	destroy        // something is gone afterwards
	spend          // costs money
	run            // carries something out: which tier depends on what
)

// verb is what is known of one.
type verb struct {
	effect effect
	noun   bool // is as often a noun, or an adjective
}

// English verbs by what they do, in their base form. Those that a name or a
// description uses as often for a thing ("release", "order") are marked with ~.
const (
	observing = `get try take give say ~document hold serve surface spot spell  ~state pretend list search find read show view describe lookup look ~query ~count check inspect explore ~browse ~scan analyze
analyse compare ~diff verify validate ~test preview ~print ~display return retrieve fetch ~tail stat grep glob watch
monitor ~track ~trace ping echo ~estimate predict ~forecast ~rank recommend suggest discover detect identify recognize
recognise classify categorize determine measure ~profile ~benchmark ~audit ~review assess see tell ~report lint
~highlight ~outline ~summary enumerate poll peek observe whoami help ~select choose pick ~filter ~group aggregate
~match consult locate geocode ~sample demonstrate provide offer ~access obtain collect gather crawl scrape ~research
study learn visit wait sleep know understand contain cover ~supply ~present reveal expose introspect ask answer think
reason ~plan explain ~debug iterate ~guess roll extract parse tokenize tokenise transcribe summarize summarise
interpret resolve receive ~log_in ~dry_run ~simulate ~sort trend ~google acquire examine grade quote ~quiz screenshot
~capture ~snapshot ~cite surface illustrate reference ~caption ~debate ~critique ~chat diagnose troubleshoot probe
~survey ~hint correlate contrast derive infer deduce ~tally enrich ~deduplicate confirm introduce involve focus recall
~point indicate represent reflect correspond ~feature include`

	computing = `generate convert render transform translate compute calculate ~draw ~plot visualize visualise encode decode ~format
beautify prettify minify compress decompress ~hash encrypt decrypt normalize normalise ~split join concat concatenate
combine ~round reformat rephrase paraphrase rewrite turn shuffle randomize randomise compose ~design ~produce
synthesize synthesise invert ~crop blur colorize upscale transpose ~project interpolate make ~sketch solve ~model
brainstorm serialize deserialize sanitize humanize pluralize slugify ~escape unescape ~strip ~trim ~pad ~reverse
anonymize redact ~filter approximate integrate differentiate factor ~multiply subtract divide ~sum ~average annotate
simulate imagine work_out`

	changing = `add update edit modify ~change set insert put ~patch write append prepend ~replace rename move ~copy duplicate ~clone
create new unassign enable disable activate deactivate toggle mark ~tag ~label ~link attach detach register configure
~config adjust apply ~archive unarchive restore rollback revert undo redo ~lock unlock hide ~pin unpin close reopen
~start ~stop ~pause resume ~restart reboot ~trigger ~schedule reschedule ~queue enqueue ~sync synchronize ~import
increment decrement reorder reprioritize prioritize ~merge ~rebase ~stash ~commit ~checkout ~branch ~stage unstage
initialize initialise init ~setup provision scaffold ~seed populate fill ~record ~log ~store ~cache remember memorize
~rate ~vote manage mutate ~process upsert define allocate assign complete finish migrate promote demote extend ~note
protect authorize reindex ~index ~train tune ~switch rotate refactor fix correct improve ~place lay
~connect disconnect login logout sign_in log_in authenticate reset clear ~empty clean cleanup optimize optimise ~mount
~compact unlink ~revise ~customize personalize ~arrange align ~bind unbind ~shift pair unpair ~reconfigure ~upgrade
~downgrade ~scale resize rescale ~backup ~tweak ~flag unflag ~block unblock ~join leave ~bookmark clock ~punch
~check_in check_out reassign relabel retag ~transition ~advance ~dispatch ~load unload open bump ~transfer ~feed
~water arm disarm ~dim turn_on turn_off ~power_on ~cool ~heat ~deny ~renew ~redeem ingest ~fork ~spawn
upload ~exchange sow persist keep tick untick enter correct thin ~photograph equip fasten loosen shorten lengthen widen narrow ~warm warmup ~end unregister prefill reload ~refresh`

	hereOnly = `save ~download install unmount launch navigate scroll go minimize maximize unzip unpack ~zip mkdir touch chmod chown
symlink ~compile ~build bootstrap ~paste ~export ~dump ~pull ~screencap wake ~hibernate ~dock ~undock ~mute ~play speak silence`

	awayOnly = `send ~post publish ~share ~tweet retweet ~email ~mail notify ~message ~reply respond ~comment ~broadcast announce push
deploy submit invite ~book reserve subscribe unsubscribe follow unfollow ~like unlike ~star unstar ~react rsvp
~forward escalate dial ~text ~call ~file ~request approve reject accept decline dismiss acknowledge snooze ~release
~contact hire enroll enrol ~host nominate ~page ~alert ~mention ~grant upvote downvote ~remind ~ticket inform cast vote ~warn ~signal relay circulate distribute disseminate ~brief ~nudge ~pledge applaud congratulate thank canvass summon rent lease ~ship deliver
sign_up ~dm ~fax ~ring ~whisper ~campaign recruit ~syndicate advertise boost unshare ~crosspost ~livestream ~stream
endorse petition ~apologize lodge`

	acting = `~click ~type ~press ~tap ~swipe ~drag hover ~keypress ~key rightclick ~input`

	destroying = `delete remove erase destroy ~drop purge wipe truncate kill terminate revoke uninstall shred expunge ~prune evict
discard ~flush overwrite clobber nuke obliterate invalidate ~abort cancel expire ~ban ~kick ~trash unpublish ~void
shutdown poweroff rm rmdir del ~drain decommission deprovision teardown disband delist deregister deauthorize
blacklist forget dispose reclaim ~burn force_push hard_reset factory_reset sign_out ~take_away annul rescind ~zap
~forfeit suspend ~scrap unfriend quarantine ~shutoff`

	spending = `pay purchase buy ~charge ~refund withdraw donate ~bid ~trade ~order invest ~stake unstake ~swap ~tip remit ~deposit
~payout borrow lend repay settle ~mint ~wire sell liquidate ~gift prepay overpay reimburse disburse ~bet ~wager
~top_up topup debit ~bill deduct ~hedge`

	running = `~run execute exec eval evaluate invoke perform carry_out interact`
)

// phrases are verbs of two words, as one.
var phrases = map[[2]string]string{
	{"check", "in"}: "check_in", {"check", "out"}: "check_out", {"sign", "out"}: "sign_out", {"log", "out"}: "logout",
	{"sign", "in"}: "sign_in", {"log", "in"}: "log_in", {"sign", "up"}: "sign_up", {"shut", "down"}: "shutdown",
	{"roll", "back"}: "rollback", {"clean", "up"}: "cleanup", {"set", "up"}: "setup", {"back", "up"}: "backup",
	{"tear", "down"}: "teardown", {"power", "off"}: "poweroff", {"turn", "off"}: "turn_off", {"turn", "on"}: "turn_on",
	{"force", "push"}: "force_push", {"look", "up"}: "lookup", {"dry", "run"}: "dry_run", {"hard", "reset"}: "hard_reset",
	{"factory", "reset"}: "factory_reset", {"take", "away"}: "take_away", {"carry", "out"}: "carry_out",
	{"carries", "out"}: "carry_out", {"carried", "out"}: "carry_out", {"work", "out"}: "work_out", {"worked", "out"}: "work_out",
	{"works", "out"}: "work_out", {"takes", "away"}: "take_away", {"turns", "off"}: "turn_off", {"turns", "on"}: "turn_on",
	{"checks", "out"}: "check_out", {"signs", "out"}: "sign_out", {"logs", "out"}: "logout", {"shuts", "down"}: "shutdown",
	{"rolls", "back"}: "rollback", {"cleans", "up"}: "cleanup", {"sets", "up"}: "setup", {"tears", "down"}: "teardown",
	{"throws", "out"}: "discard", {"throw", "out"}: "discard", {"thrown", "away"}: "discard", {"wiped", "out"}: "wipe", {"wipes", "out"}: "wipe",
	{"pays", "back"}: "repay", {"gives", "up"}: "forfeit", {"strikes", "out"}: "discard", {"crosses", "off"}: "complete",
	{"hand", "in"}: "submit", {"hands", "in"}: "submit", {"turn", "in"}: "submit", {"turns", "in"}: "submit", {"send", "off"}: "send",
	{"sends", "off"}: "send", {"hand", "over"}: "transfer", {"hands", "over"}: "transfer", {"hand", "out"}: "distribute", {"hands", "out"}: "distribute",
	{"warm", "up"}: "warmup", {"top", "up"}: "top_up", {"tops", "up"}: "top_up", {"throw", "away"}: "discard", {"throws", "away"}: "discard",
	{"gets", "rid"}: "discard", {"get", "rid"}: "discard", {"blow", "away"}: "discard", {"switch", "off"}: "turn_off",
	{"switches", "off"}: "turn_off", {"switch", "on"}: "turn_on", {"switches", "on"}: "turn_on", {"pay", "out"}: "payout",
	{"pays", "out"}: "payout", {"hang", "up"}: "hangup", {"write", "off"}: "discard", {"writes", "off"}: "discard",
}

// verbs are the English ones, by their base form.
var verbs = sync.OnceValue(func() map[string]verb {
	all := make(map[string]verb, 1024)
	for _, class := range []struct {
		effect effect
		words  string
	}{
		{observe, observing}, {compute, computing}, {change, changing}, {here, hereOnly}, {away, awayOnly},
		{act, acting}, {destroy, destroying}, {spend, spending}, {run, running},
	} {
		for w := range strings.FieldsSeq(class.words) {
			w, noun := strings.CutPrefix(w, "~")
			if old, known := all[w]; known && old.effect == class.effect {
				noun = noun || old.noun
			}
			all[w] = verb{class.effect, noun}
		}
	}
	return all
})
