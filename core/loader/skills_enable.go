package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/capability"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/state"
)

// SkillError says why a skill cannot be enabled.
type SkillError struct{ Text, hint string }

func (e *SkillError) Error() string { return e.Text }

// Hint says what to do.
func (e *SkillError) Hint() string { return e.hint }

// SkillChange is what enabling a skill has come to.
type SkillChange struct {
	Skill        skill.Skill
	Already      bool     // it was enabled before
	Body         string   // its prose
	Folders      []string // absolute, with what belongs to it
	Capabilities []capability.Change
	Next         []skill.Step
	Warnings     []string // capabilities that are not enabled, and why
}

// Offers reports what there is to enable: capabilities, and skills that the host
// does not load itself. Where there are capabilities nobody looks for skills.
func (l *Loader) Offers(ctx context.Context) (bundles, skills bool) {
	if l.opts.Taps.Any() {
		return true, false
	}
	list, err := l.Skills(ctx)
	return false, err == nil && len(list) > 0
}

// Skills are the skills that the conversation may have from here.
func (l *Loader) Skills(ctx context.Context) ([]SkillEntry, error) {
	list, err := l.scene().entries(ctx)
	return slices.DeleteFunc(list, func(e SkillEntry) bool { return !e.Offered() }), err
}

// skill is a skill that the conversation may have from here, or why it may not.
func (s scene) skill(ctx context.Context, name string) (SkillEntry, error) {
	catalog := s.opts.Skills.catalog()
	one, ok := catalog.Find(name)
	if !ok {
		e := &SkillError{fmt.Sprintf("no skill is named %q", strings.TrimPrefix(name, skill.Prefix)), "list shows those that there are"}
		if near := catalog.Near(name); near != "" {
			e.hint = "did you mean " + skill.Prefix + near + "?"
		}
		return SkillEntry{}, e
	}
	entries, err := s.entries(ctx)
	if err != nil {
		return SkillEntry{}, err
	}
	i := slices.IndexFunc(entries, func(e SkillEntry) bool { return e.Name == one.Name })
	if i < 0 {
		return SkillEntry{}, &SkillError{fmt.Sprintf("the skill %s is gone", one.Name), ""}
	}
	return entries[i], entries[i].Refusal(Domain(s.opts.Config))
}

// Refusal is why a conversation of this domain may not have a skill, nil where it
// may. The error has a hint.
func (e SkillEntry) Refusal(domain string) error {
	switch {
	case e.Broken != "":
		return &SkillError{fmt.Sprintf("the skill %s cannot be used: %s", e.Name, e.Broken), "ctx skill list shows the lines"}
	case e.Loaded:
		return &SkillError{fmt.Sprintf("the host loads the skill %s itself", e.Name), "use it as the host offers it"}
	case e.OutOfDomain:
		own := fmt.Sprintf("this session's is %q", domain)
		if domain == "" {
			own = "this session has none"
		}
		return &SkillError{
			fmt.Sprintf("the skill %s is for the domains %s, and %s", e.Name, strings.Join(e.Domains, ", "), own),
			fmt.Sprintf("role = %q in ctx.toml makes it a session of that domain", e.Domains[0]+":general"),
		}
	}
	return nil
}

// EnableSkill enables a skill, with the capabilities that it is made for, and
// reads it. Capabilities that cannot be enabled are named in the warnings: the
// prose is of use without them. Enabling twice is as good as once.
func (l *Loader) EnableSkill(ctx context.Context, name, by string) (SkillChange, error) {
	s := l.scene()
	e, err := s.skill(ctx, name)
	if err != nil {
		return SkillChange{}, err
	}
	done := SkillChange{Skill: e.Skill, Already: e.Active}
	if done.Body, done.Folders, err = e.Read(); err != nil {
		return SkillChange{}, err
	}
	done.Capabilities, done.Warnings = enableAll(ctx, s.registry, e.Skill)
	s.keep(func(list []state.Skill) []state.Skill {
		return with(list, state.Skill{Name: e.Name, By: by, Told: true})
	})
	done.Next = s.next(ctx, e.Skill)
	return done, nil
}

// UseSkill leaves a skill for a conversation's next prompt to tell of, and its
// capabilities for the gateway to enable, in a process that starts no servers.
// already: the conversation has it. What is in the way of a capability is a
// warning.
func UseSkill(ctx context.Context, r *capability.Registry, sessions *state.Store, session string, one skill.Skill) (already bool, warnings []string, err error) {
	_, err = sessions.Update(session, func(known *state.Session) {
		already = slices.ContainsFunc(known.Skills, func(h state.Skill) bool { return h.Name == one.Name })
		known.Skills = with(known.Skills, state.Skill{Name: one.Name, By: "user"})
	})
	if err != nil {
		return false, nil, err
	}
	_, warnings = enableAll(ctx, r, one)
	return already, warnings, nil
}

// enableAll enables the capabilities of a skill, together.
func enableAll(ctx context.Context, r *capability.Registry, one skill.Skill) (done []capability.Change, warnings []string) {
	changes, errs := make([]capability.Change, len(one.Capabilities)), make([]error, len(one.Capabilities))
	var all sync.WaitGroup
	for i, c := range one.Capabilities {
		all.Go(func() { changes[i], errs[i] = r.Enable(ctx, c, skill.Prefix+one.Name) })
	}
	all.Wait()
	for i, err := range errs {
		var unknown *capability.UnknownError
		switch {
		case errors.As(err, &unknown):
			warnings = append(warnings, fmt.Sprintf("the skill is made for the capability %s, which no tap of the user's has", one.Capabilities[i]))
		case err != nil:
			warnings = append(warnings, Explain(err))
		default:
			done = append(done, changes[i])
		}
	}
	return done, warnings
}

// next are the skills that the prose of one leads to and that the conversation
// may have.
func (s scene) next(ctx context.Context, one skill.Skill) []skill.Step {
	entries, err := s.entries(ctx)
	if err != nil {
		return nil
	}
	steps := s.opts.Skills.Library.Graph(s.opts.Skills.Surface).Next(one.Name, s.opts.transitive()...)
	return slices.DeleteFunc(steps, func(step skill.Step) bool {
		return !slices.ContainsFunc(entries, func(e SkillEntry) bool { return e.Name == step.Skill && e.Offered() })
	})
}

// DisableSkill disables a skill, and the capabilities that nobody else needs.
// Disabling twice is as good as once.
func (l *Loader) DisableSkill(ctx context.Context, name string) (done SkillChange, err error) {
	s := l.scene()
	name = strings.TrimPrefix(name, skill.Prefix)
	held := slices.ContainsFunc(s.held(), func(h state.Skill) bool { return h.Name == name })
	one, known := s.opts.Skills.catalog().Find(name)
	if !known {
		if !held {
			_, err := s.skill(ctx, name)
			return SkillChange{}, err
		}
		one = skill.Skill{Name: name} // it is gone, and its capabilities are not
	}
	done = SkillChange{Skill: one, Already: !held}
	done.Capabilities = l.registry.Release(ctx, skill.Prefix+name)
	s.keep(func(list []state.Skill) []state.Skill { return without(list, name) })
	return done, nil
}

// preloadSkills enables the skills that the user wants each conversation to
// begin with; the next prompt tells the model of them.
func (l *Loader) preloadSkills() {
	s := l.scene()
	for _, name := range l.opts.Config.PreloadSkills {
		e, err := s.skill(l.ctx, name)
		if err != nil {
			l.setFailed(skill.Prefix+name, "the skill "+name+" is not enabled: "+Explain(err))
			continue
		}
		l.setFailed(skill.Prefix+name, "")
		s.keep(func(list []state.Skill) []state.Skill { return with(list, state.Skill{Name: e.Name, By: "preload"}) })
		if _, warnings := enableAll(l.ctx, s.registry, e.Skill); len(warnings) > 0 {
			l.setFailed(skill.Prefix+name, strings.Join(warnings, "; "))
		}
	}
	if id := l.opts.Session(); id != "" && len(l.opts.Config.PreloadSkills) > 0 && l.ctx.Err() == nil {
		if _, err := l.opts.Sessions.Update(id, func(known *state.Session) { known.Preloaded = true }); err != nil {
			l.opts.Log.Warn("the session's file is not up to date", "session", id, "error", err)
		}
	}
}

// setFailed remembers why something is not there, "" where it is.
func (l *Loader) setFailed(name, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if why == "" {
		delete(l.failed, name)
		return
	}
	l.failed[name] = why
}

// clearSkills disables every skill: the user has begun anew.
func (l *Loader) clearSkills() {
	l.scene().keep(func([]state.Skill) []state.Skill { return nil })
}

// transitive are the skills from which next steps go on: those that the active
// profile requires.
func (o Options) transitive() []string {
	return o.Config.Discovery.Profiles[o.Config.Discovery.ActiveProfile].MandatorySkills
}
