package skill

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Situation is what the rules of skills look at.
type Situation struct {
	Prompt    string   // the user's own words
	Session   []string // the conversation's title and id, as far as they are known
	Env       []string // of the host, in the form of os.Environ
	Dir       string   // absolute working folder
	Workspace string   // absolute; files outside of it are not looked at
	Domain    string   // of the session, "" for none
}

// Thresholds are those of a sentence model.
type Thresholds struct {
	Floor float64 // least cosine of a phrase
	Gap   float64 // by which the best skill is better than the second
}

// Similar compares a text with phrases: cosines, in their order, and what they
// are to be measured against. Where there is no model to tell it answers nil.
type Similar func(ctx context.Context, text string, phrases []string) ([]float64, Thresholds, error)

// Fired is a skill that a prompt fires.
type Fired struct {
	Skill  Skill
	Rule   Rule    // that holds
	Cosine float64 // 0 where no model took part
}

// Decision is what a prompt fires, and what might have been fired if there were
// a model.
type Decision struct {
	Fired []Fired // most specific first
	// Unheard is how many rules had to be passed over for want of a model.
	Unheard int
}

// mostPrompt is how much of a prompt is read, in bytes.
const mostPrompt = 8 << 10

// How long rules may take, since a prompt waits: all of them before the next
// regular expression, and those that look at files. Tests, which are to hold on a busy machine, give them more.
var (
	thinking = 300 * time.Millisecond
	looking  = 50 * time.Millisecond
)

// Decide evaluates the rules of skills. A skill with a rule that holds and needs
// no model fires; of those whose rules need one the best does, where it is good
// enough and clearly better than the next. taken are skills that need not fire,
// since they are there already: where such a one is what is meant, none does for
// the likeness of its rules.
func Decide(ctx context.Context, list []Skill, taken func(Skill) bool, s Situation, similar Similar) (Decision, error) {
	if len(s.Prompt) > mostPrompt {
		s.Prompt = strings.ToValidUTF8(s.Prompt[:mostPrompt], "")
	}
	e := evaluation{Situation: s, known: map[string]bool{}}
	var cancel func()
	e.ctx, cancel = context.WithTimeout(ctx, thinking)
	defer cancel()
	e.files, cancel = context.WithTimeout(ctx, looking)
	defer cancel()
	defer e.close()
	var d Decision
	var asked []asking
	for _, one := range list {
		if one.Broken != "" || !one.In(s.Domain) {
			continue
		}
		if !taken(one) {
			if rule, fires := e.first(one); fires {
				d.Fired = append(d.Fired, Fired{Skill: one, Rule: rule})
				continue
			}
		}
		asked = append(asked, e.asking(one)...)
	}
	slices.SortStableFunc(d.Fired, func(a, b Fired) int {
		return cmp.Or(cmp.Compare(about(a.Rule), about(b.Rule)), cmp.Compare(a.Skill.Name, b.Skill.Name))
	})
	best, heard, err := compete(ctx, asked, s.Prompt, similar)
	if !heard {
		d.Unheard = len(asked)
	}
	if best != nil && !taken(best.Skill) {
		d.Fired = append(d.Fired, *best)
	}
	return d, err
}

// about orders rules: those that look at the prompt know more of it than those
// that look at the folder alone.
func about(r Rule) int {
	if slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Kind == Match || c.Kind == Content || c.Kind == Session }) {
		return 0
	}
	return 1
}

// asking is a rule that holds if the model says so.
type asking struct {
	skill Skill
	rule  Rule
}

// compete lets the best of the rules that need a model fire; heard is false
// where there is none.
func compete(ctx context.Context, asked []asking, prompt string, similar Similar) (best *Fired, heard bool, err error) {
	var phrases []string
	for _, a := range asked {
		for _, c := range a.rule.Checks {
			if c.Kind == Semantic {
				phrases = append(phrases, c.Arg)
			}
		}
	}
	if len(phrases) == 0 || strings.TrimFunc(prompt, unicode.IsSpace) == "" {
		return nil, true, nil
	}
	cosines, t, err := similar(ctx, prompt, phrases)
	if err != nil || len(cosines) != len(phrases) || t.Floor <= 0 {
		return nil, false, err
	}
	return winner(asked, cosines, t), true, nil
}

// winner is the skill that is likest and clearly so; nil: none is. cosines are
// those of the phrases in asked, one after the other.
func winner(asked []asking, cosines []float64, t Thresholds) *Fired {
	at := 0
	best := map[string]Fired{}  // by skill, of the rules that hold
	all := map[string]float64{} // by skill, of every rule that asks for no more than the floor: one below it can be what is meant
	for _, a := range asked {
		holds, asks, least := true, false, 1.0
		for _, c := range a.rule.Checks {
			if c.Kind != Semantic {
				continue
			}
			holds = holds && cosines[at] >= cmp.Or(c.AtLeast, t.Floor)
			asks = asks || c.AtLeast > 0
			least = min(least, cosines[at])
			at++
		}
		if holds || !asks {
			all[a.skill.Name] = max(all[a.skill.Name], least)
		}
		if holds && least > best[a.skill.Name].Cosine {
			best[a.skill.Name] = Fired{a.skill, a.rule, least}
		}
	}
	var top *Fired
	for _, f := range best {
		if top == nil || f.Cosine > top.Cosine || f.Cosine == top.Cosine && f.Skill.Name < top.Skill.Name {
			top = &f
		}
	}
	for name, other := range all {
		if top != nil && name != top.Skill.Name && top.Cosine-other < t.Gap {
			return nil
		}
	}
	return top
}

// evaluation looks at each thing once.
type evaluation struct {
	ctx   context.Context // of regular expressions
	files context.Context // of what looks at files
	Situation
	known map[string]bool
	trees []*tree // of the working folder and the workspace, once they are looked at
}

func (e *evaluation) close() {
	for _, t := range e.trees {
		t.close()
	}
}

// first is the first rule of a skill that holds without a model, those that look
// at the prompt before the others.
func (e *evaluation) first(s Skill) (Rule, bool) {
	for _, wanted := range []int{0, 1} {
		for _, r := range s.Rules {
			if !r.semantic() && about(r) == wanted && e.holds(r) {
				return r, true
			}
		}
	}
	return Rule{}, false
}

// asking are the rules of a skill that hold but for the model.
func (e *evaluation) asking(s Skill) []asking {
	var list []asking
	for _, r := range s.Rules {
		if r.semantic() && e.holds(r) {
			list = append(list, asking{s, r})
		}
	}
	return list
}

// holds reports whether all checks hold that need no model, the cheap ones
// looked at first. What there is no time for does not hold.
func (e *evaluation) holds(r Rule) bool {
	for _, dear := range []bool{false, true} {
		for _, c := range r.Checks {
			if (c.Kind == File || c.Kind == Grep) == dear && c.Kind != Semantic && !e.check(c) {
				return false
			}
		}
	}
	return true
}

func (e *evaluation) check(c Check) bool {
	key := c.String()
	is, looked := e.known[key]
	if !looked {
		is = (c.Kind != Match || e.ctx.Err() == nil) && e.look(c)
		e.known[key] = is
	}
	return is
}

func (e *evaluation) look(c Check) bool {
	switch c.Kind {
	case Match:
		return c.re.MatchString(e.Prompt)
	case Content:
		return mentions(e.Prompt, c.Arg)
	case Session:
		return slices.ContainsFunc(e.Session, func(s string) bool { return contains(s, c.Arg) })
	case Workdir:
		return contains(e.Dir, c.Arg)
	case Env:
		value, set := lookup(e.Env, c.Arg)
		if c.HasSecond {
			return set && value == c.Second
		}
		return value != ""
	case Bin:
		return inPath(e.Env, c.Arg)
	case File:
		return e.anywhere(func(t *tree) bool { return t.has(c.Arg) })
	case Grep:
		return e.anywhere(func(t *tree) bool { return t.grep(c.re, c.Second) })
	}
	return false
}

// anywhere looks in the working folder and, where that is a part of it, in the
// workspace.
func (e *evaluation) anywhere(look func(*tree) bool) bool {
	if e.trees == nil {
		rel, err := filepath.Rel(e.Workspace, e.Dir)
		if err == nil && rel != "." && filepath.IsLocal(rel) {
			e.trees = append(e.trees, openTree(e.files, e.Dir))
		}
		e.trees = append(e.trees, openTree(e.files, e.Workspace))
	}
	return slices.ContainsFunc(e.trees, look)
}

// contains reports whether s has a part, whatever the case.
func contains(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

func lookup(env []string, name string) (value string, set bool) {
	for _, v := range env {
		if n, val, ok := strings.Cut(v, "="); ok && n == name {
			value, set = val, true
		}
	}
	return value, set
}

// inPath reports whether a program is in the folders of PATH. Relative ones are
// passed over: what they hold depends on where one stands.
func inPath(env []string, name string) bool {
	list, _ := lookup(env, "PATH")
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}
