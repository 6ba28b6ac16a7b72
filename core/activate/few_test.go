package activate

import "testing"

// unrelated is what people say in a session that has nothing to do with shop's
// capabilities.
var unrelated = []string{
	"thanks, that makes 12 for today, see you tomorrow", "fix the failing test in parser.go", "why is the build red on main?",
	"rename the variable tmp to buffer everywhere", "looks good to me, go on", "what does a mutex do, in plain words?",
	"explain this stack trace", "add a unit test for the date parser", "no, I meant the other file", "write a haiku about autumn",
	"the second option please", "refactor this function so that it takes a context", "good morning! how are you?",
	"is it going to rain in Lisbon tomorrow?", "bump the version to 1.4.2 and update the changelog", "haha, fair enough",
	"can you make the loop faster?", "show me the last three commits", "translate this paragraph into French", "let's stop here",
}

// A tap with one capability has no other to tell what a prompt is not about.
func TestFewCapabilitiesStaySilentOnWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	routers := map[string]*Router{"lexical": lexicalRouter(t)}
	if model := openModel(t); model != nil {
		s, err := ReadScorer(defaultBundle + "/" + ScorerFile)
		if err != nil {
			t.Fatal(err)
		}
		if routers["model"], err = New(s, model, t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range routers {
		fired, shown, rows, right, own := 0, 0, 0, 0, 0
		for _, tap := range smallTaps() {
			for _, prompt := range unrelated {
				d := decide(t, r, Request{Prompt: prompt, Domain: "logistics", Candidates: tap})
				rows++
				if d.Outcome == Activate {
					fired++
				}
				if d.Outcome != Silence {
					shown++
				}
			}
			for _, c := range tap {
				own++
				d := decide(t, r, Request{Prompt: "please " + c.Triggers[0], Domain: "logistics", Candidates: tap})
				if d.Winner == c.Name {
					right++
				}
			}
		}
		if fired > rows*3/100 || shown > rows*15/100 {
			t.Errorf("%s: %d activated and %d answered at all of %d", name, fired, shown, rows)
		}
		if right < own*9/10 {
			t.Errorf("%s: %d of %d triggers of theirs activate them", name, right, own)
		}
	}
}

// smallTaps is shop's capabilities in every choice of one to three.
func smallTaps() (taps [][]Candidate) {
	all := shop[:4]
	for chosen := 1; chosen < 1<<len(all); chosen++ {
		var tap []Candidate
		for i, c := range all {
			if chosen>>i&1 == 1 {
				tap = append(tap, c)
			}
		}
		if len(tap) < len(all) {
			taps = append(taps, tap)
		}
	}
	return taps
}
