package main

import (
	"github.com/ctx-sidecar/ctx/core/loader"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/skill"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// skillRoots are the places of the user's skills now.
func (p *program) skillRoots() []skill.Root {
	list, err := tap.Open(p.layout).List()
	if err != nil {
		p.log.Warn("skills of taps are not there", "error", err)
	}
	return skill.Roots(list, p.layout, p.workspace, plugindir.SkillRoots(p.layout, p.workspace, list))
}

// loaderSkills are the skills of a conversation.
func (p *program) loaderSkills() loader.Skills {
	return loader.Skills{
		Library: p.taps.skills, Dir: p.dir, Workspace: p.workspace, Surface: p.surface,
		Loaded: p.policy.Sources,
	}
}

// phrases are what the skills compare prompts with.
func (t *taps) phrases() []string { return t.skills.Load().Phrases() }
