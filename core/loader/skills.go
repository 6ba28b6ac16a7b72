package loader

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Skills are the user's skills and what a conversation's rules for them look at.
// The zero Skills has none.
type Skills struct {
	Library   *skill.Library
	Dir       string // absolute working folder of the host
	Workspace string // absolute
	Surface   string // folder of what is kept about the workspace

	// Loaded is what the host itself loads; its skills are neither offered nor
	// fired.
	Loaded func(context.Context) (surface.Sources, error)
}

func (s Skills) catalog() *skill.Catalog {
	if s.Library == nil {
		return skill.Of()
	}
	return s.Library.Load()
}

// SkillEntry is a skill as one conversation sees it.
type SkillEntry struct {
	skill.Skill
	Active      bool `json:"active"`
	OutOfDomain bool `json:"out_of_domain"`
	Loaded      bool `json:"host_loaded"` // by the host itself
}

// Offered reports whether the conversation may have it from here.
func (e SkillEntry) Offered() bool { return e.Broken == "" && !e.OutOfDomain && !e.Loaded }

// entries are all skills with their marks. An error is that the host's own
// skills are not known; then every one counts as the host's, for none must be
// given twice.
func (s scene) entries(ctx context.Context) ([]SkillEntry, error) {
	list := s.opts.Skills.catalog().Skills
	if len(list) == 0 {
		return nil, nil
	}
	var sources surface.Sources
	var err error
	if s.opts.Skills.Loaded != nil {
		sources, err = s.opts.Skills.Loaded(ctx)
	}
	entries := SkillEntries(list, s.held(), Domain(s.opts.Config), sources)
	if err != nil {
		err = fmt.Errorf("which skills the host loads is not known: %w", err)
		for i := range entries {
			entries[i].Loaded = true
		}
	}
	return entries, err
}

// SkillEntries marks skills for a conversation: held are those that are enabled,
// loaded is what the host loads itself, and domain that of the session.
func SkillEntries(list []skill.Skill, held []state.Skill, domain string, loaded surface.Sources) []SkillEntry {
	hosts := hostSkills(loaded)
	entries := make([]SkillEntry, 0, len(list))
	for _, one := range list {
		entries = append(entries, SkillEntry{
			Skill: one, OutOfDomain: !one.In(domain), Loaded: hosts(one),
			Active: slices.ContainsFunc(held, func(h state.Skill) bool { return h.Name == one.Name }),
		})
	}
	return entries
}

// hostSkills tells the skills that are the host's, by name and by file, and all
// of a folder that it reads itself: what it passes over there is switched off. A
// host may write a name as "FOLDER (NAME)" and put a plugin's before it.
func hostSkills(loaded surface.Sources) func(skill.Skill) bool {
	names, files := map[string]bool{}, map[string]bool{}
	for _, it := range loaded.Items {
		if it.Kind != surface.KindSkill {
			continue
		}
		files[paths.Real(it.Place.File)] = true
		name, other, both := strings.Cut(it.Name, " (")
		if both {
			names[strings.TrimSuffix(other, ")")] = true
		}
		names[name[strings.LastIndexByte(name, ':')+1:]] = true
	}
	return func(one skill.Skill) bool {
		return names[one.Name] || one.Real() != "" && files[one.Real()] || slices.Contains(loaded.Files, filepath.Dir(one.Dir))
	}
}

// unbound are the skills of a conversation that has no id yet.
type unbound struct {
	mu   sync.Mutex
	list []state.Skill
}

// held are the skills that are enabled in the conversation, oldest first.
func (s scene) held() []state.Skill {
	id := s.opts.Session()
	s.early.mu.Lock()
	defer s.early.mu.Unlock()
	if id == "" {
		return slices.Clone(s.early.list)
	}
	if len(s.early.list) > 0 { // it has got its id
		early := s.early.list
		s.early.list = nil
		s.hold(id, func(list []state.Skill) []state.Skill { return append(list, early...) })
	}
	known, err := s.opts.Sessions.Load(id)
	if err != nil {
		s.opts.Log.Warn("which skills are enabled is not known", "session", id, "error", err)
	}
	return known.Skills
}

func (s scene) hold(id string, change func([]state.Skill) []state.Skill) {
	_, err := s.opts.Sessions.Update(id, func(known *state.Session) { known.Skills = change(known.Skills) })
	if err != nil {
		s.opts.Log.Warn("the enabled skills will not be known after a restart", "session", id, "error", err)
	}
}

// keep changes which skills are enabled.
func (s scene) keep(change func([]state.Skill) []state.Skill) {
	s.held() // what came before the id
	if id := s.opts.Session(); id != "" {
		s.hold(id, change)
		return
	}
	s.early.mu.Lock()
	defer s.early.mu.Unlock()
	s.early.list = change(s.early.list)
}

// with adds a skill, or notes that the model has been told of it.
func with(list []state.Skill, one state.Skill) []state.Skill {
	if i := slices.IndexFunc(list, func(h state.Skill) bool { return h.Name == one.Name }); i >= 0 {
		list[i].Told = list[i].Told || one.Told
		return list
	}
	return append(list, one)
}

func without(list []state.Skill, name string) []state.Skill {
	return slices.DeleteFunc(slices.Clone(list), func(h state.Skill) bool { return h.Name == name })
}

// similarWait is how long a prompt waits for the model to compare it with the
// phrases of skills; what has to be computed anew is ready for the next prompt.
const similarWait = 200 * time.Millisecond

// mostNamed is how many skills a prompt brings in at most.
const mostNamed = 3

// fire enables the skills that a prompt asks for, and returns their names after
// those of skills that others have enabled and the model does not know of.
func (s scene) fire(ctx context.Context, text string) (names []string, bring []skill.Skill) {
	entries, err := s.entries(ctx)
	if err != nil {
		s.opts.Log.Warn("no skill is offered", "error", err)
		return nil, nil
	}
	for _, h := range s.held() {
		if i := slices.IndexFunc(entries, func(e SkillEntry) bool { return e.Name == h.Name }); i >= 0 && !h.Told && entries[i].Offered() {
			names = append(names, h.Name)
		}
	}
	for _, f := range s.decideSkills(ctx, text, entries) {
		names = append(names, f.Skill.Name)
		bring = append(bring, f.Skill)
		s.opts.Log.Info("a prompt fires a skill", "skill", f.Skill.Name, "rule", f.Rule.String(), "cosine", f.Cosine)
	}
	names = fitting(names[:min(len(names), mostNamed)])
	bring = slices.DeleteFunc(bring, func(one skill.Skill) bool { return !slices.Contains(names, one.Name) })
	if ctx.Err() != nil {
		return nil, nil // nobody would be told
	}
	if len(names) > 0 {
		s.keep(func(list []state.Skill) []state.Skill {
			for _, name := range names {
				list = with(list, state.Skill{Name: name, By: "prompt", Told: true})
			}
			return list
		})
	}
	return names, bring
}

func (s scene) decideSkills(ctx context.Context, text string, entries []SkillEntry) []skill.Fired {
	own := activate.Clean(text)
	c := s.opts.Config
	if !c.AutoCapabilities || !c.AutoSkills || letters(own) < max(c.Activate.MinChars, 1) {
		return nil
	}
	var list []skill.Skill
	taken := map[string]bool{}
	for _, e := range entries {
		if e.Broken == "" && len(e.Rules) > 0 {
			list = append(list, e.Skill)
			taken[e.Name] = e.Active || e.Loaded
		}
	}
	ctx, cancel := context.WithTimeout(ctx, similarWait)
	defer cancel()
	d, err := skill.Decide(ctx, list, func(one skill.Skill) bool { return taken[one.Name] }, skill.Situation{
		Prompt: own, Session: []string{s.opts.Title, s.opts.Session()}, Env: s.opts.Env,
		Dir: s.opts.Skills.Dir, Workspace: s.opts.Skills.Workspace, Domain: Domain(c),
	}, s.opts.Taps.Similar)
	if err != nil {
		s.opts.Log.Warn("rules with semantic() are not looked at", "error", err)
	}
	if d.Unheard > 0 {
		s.opts.Log.Debug("without a sentence model", "rules not looked at", d.Unheard)
	}
	return d.Fired
}

// letters counts the characters that are no white space.
func letters(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// answerSkills adds to a prompt's line what skills have to say. bring enables a
// capability for the sake of a skill, without waiting for it.
func (s scene) answerSkills(ctx context.Context, text string, r reply, bring func(capability, by string)) string {
	if s.opts.Skills.Library == nil || ctx.Err() != nil {
		return withSkills(r, nil, nil)
	}
	names, fired := s.fire(ctx, text)
	var brought []string
	for _, one := range fired {
		for _, c := range one.Capabilities {
			e, ok := s.registry.Find(c)
			if !ok || e.OutOfDomain || len(e.Unready) > 0 {
				s.opts.Log.Info("a skill's capability is not enabled", "skill", one.Name, "capability", c, "known", ok, "reasons", e.Unready)
				continue
			}
			bring(c, skill.Prefix+one.Name)
			if !slices.Contains(brought, c) {
				brought = append(brought, c)
			}
		}
	}
	return withSkills(r, names, brought)
}
