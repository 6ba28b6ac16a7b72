package selection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// The surface with which a small model still picks the right tool.
const (
	MostTools        = 8
	MostSchemaTokens = 4000
)

// Task is the smallest set of families that covers the words of a task.
type Task struct {
	Text      string   `json:"text"`
	Words     []string `json:"words"`
	Uncovered []string `json:"uncovered"` // words that no tool speaks of
	Families  []Cover  `json:"families"`
	Tools     int      `json:"tools"`
	Tokens    int      `json:"schema_tokens"`

	MostTools  int    `json:"most_tools"`
	MostTokens int    `json:"most_schema_tokens"`
	Fits       bool   `json:"fits"`
	Why        string `json:"why,omitempty"` // where it does not
	Hint       string `json:"hint,omitempty"`
}

// Cover is a chosen family and the words of the task that it is chosen for.
type Cover struct {
	Family surface.Family `json:"family"`
	Words  []string       `json:"words"`
	Tools  int            `json:"tools"`
	Tokens int            `json:"schema_tokens"`
	// Idle are its tools that share no word with the task.
	Idle []string `json:"idle,omitempty"`
}

// candidate is a family that could be chosen.
type candidate struct {
	Cover
	mask uint64 // of the words that it covers
}

// Cover chooses, among the families of the tools that a selection keeps, the
// fewest that together cover every word of the task that any of them does; of
// as many, those with the fewest tools, then the fewest tokens. All sets are
// tried: there are not many families.
func (s *Selection) Cover(text string) Task {
	t := Task{Text: text, Words: []string{}, Uncovered: []string{}, Families: []Cover{}, MostTools: MostTools, MostTokens: MostSchemaTokens}
	words := taskWords(text)
	t.Words = append(t.Words, words...)
	all, need := s.candidates(words)
	for i, w := range words {
		if need&(1<<i) == 0 {
			t.Uncovered = append(t.Uncovered, w)
		}
	}
	if need == 0 {
		t.Why = "no tool that the profile keeps shares a word with the task"
		t.Hint = "say it in the words of the tools (ctx tools search), or choose a wider profile"
		return t
	}
	best, small := smallest(all, need)
	chosen := small
	if t.Fits = best != nil; t.Fits {
		chosen = best
	}
	for _, c := range chosen {
		t.Families = append(t.Families, c.Cover)
		t.Tools += c.Tools
		t.Tokens += c.Tokens
	}
	if !t.Fits {
		t.tooLarge()
	}
	return t
}

// tooLarge says why, and which tools the task could do without.
func (t *Task) tooLarge() {
	var parts, idle []string
	for _, c := range t.Families {
		parts = append(parts, fmt.Sprintf("%s: %d tools, %d tokens, for %s", c.Family, c.Tools, c.Tokens, strings.Join(c.Words, ", ")))
		idle = append(idle, c.Idle...)
	}
	t.Why = fmt.Sprintf("the smallest set of families that covers the task has %d tools and %d schema tokens, over %d tools or %d tokens (%s)",
		t.Tools, t.Tokens, t.MostTools, t.MostTokens, strings.Join(parts, "; "))
	t.Hint = "split the task, or choose a narrower profile"
	if len(idle) > 0 {
		more := ""
		if len(idle) > 8 {
			idle, more = idle[:8], " ..."
		}
		t.Hint = "split the task, or let the profile exclude tools that share no word with it: " + strings.Join(idle, ", ") + more
	}
}

// candidates are the families of the kept tools, and the words that any of them
// covers. The words of tools' names and of the family itself count; those of
// descriptions where no name has the word.
func (s *Selection) candidates(words []string) (all []candidate, need uint64) {
	by := map[surface.Family][]inventory.Record{}
	for _, r := range s.Tools() {
		by[r.Family] = append(by[r.Family], r)
	}
	for _, f := range surface.Families() {
		if len(by[f]) == 0 {
			continue
		}
		c := candidate{Cover: Cover{Family: f, Words: []string{}}}
		c.mask = maskOf(words, f.Words())
		for _, r := range by[f] {
			of := maskOf(words, surface.Words(r.Provider+" "+r.Name))
			c.mask |= of
			c.Tools++
			c.Tokens += SchemaTokens(r)
			if of == 0 {
				c.Idle = append(c.Idle, r.Provider+":"+r.Name)
			}
		}
		all = append(all, c)
		need |= c.mask
	}
	said := need
	for i := range all {
		for _, r := range by[all[i].Family] {
			all[i].mask |= maskOf(words, surface.Words(r.Says)) &^ said
		}
		need |= all[i].mask
	}
	for i := range all {
		for w, word := range words {
			if all[i].mask&(1<<w) != 0 {
				all[i].Words = append(all[i].Words, word)
			}
		}
	}
	return all, need
}

func maskOf(words, of []string) uint64 {
	var mask uint64
	for i, w := range words {
		if slices.Contains(of, w) {
			mask |= 1 << i
		}
	}
	return mask
}

// smallest returns the best set that covers and fits, nil where there is none,
// and the best that covers.
func smallest(all []candidate, need uint64) (fits, covers []candidate) {
	better := func(a, b []candidate) bool {
		if b == nil {
			return true
		}
		at, ak := weigh(a)
		bt, bk := weigh(b)
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(at, bt), cmp.Compare(ak, bk)) < 0
	}
	for set := 1; set < 1<<len(all); set++ {
		var mask uint64
		for i, c := range all {
			if set&(1<<i) != 0 {
				mask |= c.mask
			}
		}
		if mask&need != need {
			continue
		}
		var chosen []candidate
		for i, c := range all {
			if set&(1<<i) != 0 {
				chosen = append(chosen, c)
			}
		}
		if better(chosen, covers) {
			covers = chosen
		}
		if tools, tokens := weigh(chosen); tools <= MostTools && tokens <= MostSchemaTokens && better(chosen, fits) {
			fits = chosen
		}
	}
	return fits, covers
}

func weigh(set []candidate) (tools, tokens int) {
	for _, c := range set {
		tools += c.Tools
		tokens += c.Tokens
	}
	return tools, tokens
}

// taskWords are the words of a task that can tell one family from another, each
// once, at most 64.
func taskWords(text string) []string {
	var words []string
	for _, w := range surface.Words(text) {
		if !empty[w] && len(w) > 1 && !slices.Contains(words, w) && len(words) < 64 {
			words = append(words, w)
		}
	}
	return words
}

var empty = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a about after all also am an and any are as at be been before but by can could do doe doing done for from
		had has have he her here him his how i if in into is it its just let like make many may me more most must my need new no not now of off on
		once one only or other our out over please should so some such than that the their them then there these they this those through to too
		under until up us use using very via want was we were what when where which while who will with would you your thi thei`) {
		m[w] = true
	}
	return m
}()
