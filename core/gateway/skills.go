package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/skill"
)

// mostSkills is how many skills discover answers with.
const mostSkills = 3

// readSkill is the answer of enabling a skill.
type readSkill struct {
	Skill        string       `json:"skill"`
	Outcome      string       `json:"outcome"` // "enabled"
	Already      bool         `json:"already,omitempty"`
	Folders      []string     `json:"folders,omitempty"`      // absolute
	Capabilities []string     `json:"capabilities,omitempty"` // enabled with it
	Tools        []callHint   `json:"tools,omitempty"`        // of these
	NextSteps    []skill.Step `json:"nextSteps"`
	Evicted      []string     `json:"evicted,omitempty"`
	Warnings     []string     `json:"warnings,omitempty"`
	Body         string       `json:"body"`
}

// enableSkill enables a skill and answers with its prose. The host is told once
// of all that has changed by it.
func (g *Gateway) enableSkill(ctx context.Context, name string) json.RawMessage {
	var done loader.SkillChange
	var err error
	g.quietly(func() bool {
		done, err = g.opts.Capabilities.EnableSkill(ctx, name, "model")
		if err == nil {
			g.brought.Changed()
		}
		return err == nil && !done.Already
	})
	if err != nil {
		return refuse("%s", line(loader.Explain(err), 600))
	}
	c := g.current(ctx)
	r := readSkill{
		Skill: done.Skill.Name, Outcome: "enabled", Already: done.Already, Folders: done.Folders,
		NextSteps: []skill.Step{}, Body: readable(done.Body), Warnings: done.Warnings,
	}
	for _, change := range done.Capabilities {
		r.Capabilities = append(r.Capabilities, change.Name)
		r.Evicted = append(r.Evicted, change.Evicted...)
		r.Warnings = append(r.Warnings, change.Warnings...)
		r.Tools = append(r.Tools, c.hints(change.Servers)...)
	}
	for _, step := range done.Next {
		r.NextSteps = append(r.NextSteps, skill.Step{Skill: step.Skill, Reason: line(step.Reason, mostLine)})
	}
	// The prose is from a file that may be larger than any answer should be.
	return g.kept.Cut(answer(r.text(done.Skill), r), g.opts.Config.MaxResponseTokens, false)
}

func (r readSkill) text(s skill.Skill) string {
	var b strings.Builder
	what := "is enabled"
	if r.Already {
		what = "was enabled already"
	}
	fmt.Fprintf(&b, "The skill %s %s.\n", r.Skill, what)
	for _, f := range r.Folders {
		b.WriteString("folder: " + f + "\n")
	}
	if len(r.Capabilities) > 0 {
		b.WriteString("with the capabilities: " + strings.Join(r.Capabilities, ", ") + "\n")
	}
	for _, t := range r.Tools {
		fmt.Fprintf(&b, "%s (%s)\n", t.Tool, t.Call)
	}
	if len(r.Evicted) > 0 {
		fmt.Fprintf(&b, "Disabled for it, being the least recently used: %s.\n", strings.Join(r.Evicted, ", "))
	}
	for _, step := range r.NextSteps {
		fmt.Fprintf(&b, "next: %s%s (%s)\n", skill.Prefix, step.Skill, step.Reason)
	}
	writeWarnings(&b, r.Warnings)
	from := string(s.Origin)
	if s.Tap != "" {
		from += " " + s.Tap
	}
	fmt.Fprintf(&b, "Its text, from the %s (%s):\n\n%s\n", line(from, 100), s.File, r.Body)
	return b.String()
}

// readable takes out of a text what its reader would not see and a model would.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // the last two join letters
			return r
		case unicode.In(r, unicode.C):
			return -1
		}
		return r
	}, text)
}

// quietly changes what is there without a word to the host, and then tells it
// once where change answers true.
func (g *Gateway) quietly(change func() bool) {
	g.mu.Lock()
	g.silent++
	g.mu.Unlock()
	if change() {
		// Before others may tell of it: the host is told of it once.
		list := g.toolList(g.current(g.ctx))
		g.tell("notifications/tools/list_changed", func(s *announced) {
			if s.tools != nil {
				s.tools = list
			}
		})
	}
	g.mu.Lock()
	g.silent--
	g.mu.Unlock()
	g.announce() // of what else there is
}

// disableSkill disables a skill and the capabilities that nobody else needs.
func (g *Gateway) disableSkill(ctx context.Context, name string) json.RawMessage {
	done, err := g.opts.Capabilities.DisableSkill(ctx, name)
	if err != nil {
		return refuse("%s", line(loader.Explain(err), 600))
	}
	g.brought.Changed()
	d := enabled{Name: skill.Prefix + done.Skill.Name, Outcome: "disabled", Already: done.Already}
	what := "The skill " + done.Skill.Name + " is not enabled any more."
	if len(done.Capabilities) > 0 {
		var names []string
		for _, c := range done.Capabilities {
			names = append(names, c.Name)
			d.Warnings = append(d.Warnings, c.Warnings...)
		}
		d.Released = names
		what += " With it went: " + strings.Join(names, ", ") + "."
	}
	return answer(d.text(what), d)
}

// skillsOffered are the skills of the session in an answer, those alone that fit
// an intent where there is one.
func (g *Gateway) skillsOffered(ctx context.Context, intent string) (list []offered, warnings []string) {
	entries, err := g.opts.Capabilities.Skills(ctx)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if intent != "" {
		entries = bestSkills(entries, intent, mostSkills)
	}
	for _, e := range entries {
		list = append(list, offered{Kind: "skill", Name: skill.Prefix + e.Name, Title: line(e.Title, 100), Active: e.Active})
		if intent != "" {
			list[len(list)-1].Description = line(e.Description, mostLine)
		}
	}
	if n := deafRules(entries); n > 0 && g.opts.Capabilities.Degraded(ctx) != nil {
		warnings = append(warnings, fmt.Sprintf("without a sentence model, rules with semantic() fire nothing: %d of the skills have some", n))
	}
	return list, warnings
}

// deafRules counts the skills with rules that need a model.
func deafRules(entries []loader.SkillEntry) int {
	n := 0
	for _, e := range entries {
		if e.Semantic() {
			n++
		}
	}
	return n
}

// text is the line of a skill.
func (o offered) text() string {
	text := o.Name
	if o.Title != "" {
		text += ": " + o.Title
	}
	if o.Description != "" {
		text += ". " + o.Description
	}
	if o.Active {
		text += " [active]"
	}
	return text + "\n"
}

func bestSkills(entries []loader.SkillEntry, query string, n int) []loader.SkillEntry {
	var all []skill.Skill
	for _, e := range entries {
		all = append(all, e.Skill)
	}
	var best []loader.SkillEntry
	for _, s := range skill.Rank(all, query, n) {
		best = append(best, entries[slices.IndexFunc(entries, func(e loader.SkillEntry) bool { return e.Name == s.Name })])
	}
	return best
}

// mostSkillCards is how many skills a search answers with beside the tools.
const mostSkillCards = 2

// skillCards are the skills that a search finds and that are not enabled, as
// hits.
func (g *Gateway) skillCards(ctx context.Context, query string) []hit {
	if g.opts.Capabilities == nil {
		return nil
	}
	entries, err := g.opts.Capabilities.Skills(ctx)
	if err != nil {
		g.log.Debug("no skill is found", "error", err)
		return nil
	}
	entries = slices.DeleteFunc(entries, func(e loader.SkillEntry) bool { return e.Active })
	var hits []hit
	for _, e := range bestSkills(entries, query, mostSkillCards) {
		h := hit{
			Tool:        skill.Prefix + e.Name,
			Description: line(e.Description, mostLine),
			Arguments:   fmt.Sprintf(`{"action":"enable","name":%q}`, skill.Prefix+e.Name),
			Authority:   "none: it is to be read",
			Call:        capabilityTool,
		}
		h.Enables = line(strings.Join(e.Capabilities, ", "), mostArgs)
		hits = append(hits, h)
	}
	return hits
}

// notATool answers a call of a skill: a call reads none.
func notATool(name string) json.RawMessage {
	return refuse(`%s is a skill and no tool: capability with {"action":"enable","name":%q} shows it`, line(name, 100), line(name, 100))
}
