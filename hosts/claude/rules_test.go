package main

import (
	"slices"
	"testing"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/gate"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// tool is a server with odd characters or underscores in its name, and a tool.
type tool struct{ server, name string }

var (
	dot    = tool{"user.dot", "a"}
	space  = tool{"us er", "a"}
	double = tool{"x__y", "a"}
	getA   = tool{"loc", "get_a"}
	getB   = tool{"loc", "get_b"}
	write2 = tool{"loc", "w"}
	proj   = tool{"proj", "a"}
	rdF    = tool{"x__y", "rd.f"}
	nested = tool{"x__y", "g__h"}
)

var everyTool = []tool{dot, space, double, getA, getB, write2, proj, rdF, nested}

// ruleCase is a rule and the tools on which Claude Code 2.1.328 acts by it.
type ruleCase struct {
	effect surface.Effect
	rule   string
	on     []tool
}

var doubles = []tool{double, rdF, nested}

var ruleCases = []ruleCase{
	{surface.EffectAllow, "mcp__user_dot", []tool{dot}},
	{surface.EffectAllow, "mcp__user.dot", nil},
	{surface.EffectAllow, "mcp__user.dot__a", nil},
	{surface.EffectAllow, "mcp__us er__a", nil},
	{surface.EffectAllow, "mcp__user_dot__*", []tool{dot}},
	{surface.EffectAllow, "mcp__loc__get_*", []tool{getA, getB}},
	{surface.EffectAllow, "mcp__l*", nil},
	{surface.EffectAllow, "mcp__*", nil},
	{surface.EffectAllow, "mcp__*__a", nil},
	{surface.EffectAllow, "mcp__x", nil},
	{surface.EffectAllow, "mcp__x__y", nil},
	{surface.EffectAllow, "mcp__x__*", nil},
	{surface.EffectAllow, "mcp__x__y__a", []tool{double}},
	{surface.EffectAllow, "mcp__x__y__*", doubles},
	{surface.EffectAllow, "mcp__x__y__rd_f", []tool{rdF}},
	{surface.EffectAllow, "mcp__x__y__rd.f", nil},
	{surface.EffectAllow, "mcp__loc__get_a(q:1)", nil},
	{surface.EffectAllow, "*", nil},

	{surface.EffectDeny, "mcp__user_dot", []tool{dot}},
	{surface.EffectDeny, "mcp__user.dot", nil},
	{surface.EffectDeny, "mcp__us er__a", nil},
	{surface.EffectDeny, "mcp__loc__get_*", []tool{getA, getB}},
	{surface.EffectDeny, "mcp__loc__*a", []tool{getA}},
	{surface.EffectDeny, "mcp__l*", []tool{getA, getB, write2}},
	{surface.EffectDeny, "mcp__*", everyTool},
	{surface.EffectDeny, "mcp__*__a", []tool{dot, space, double, proj}},
	{surface.EffectDeny, "mcp__*y__a", []tool{double}},
	{surface.EffectDeny, "mcp__x*a", []tool{double}},
	{surface.EffectDeny, "mcp__x_*", doubles},
	{surface.EffectDeny, "mcp__x", doubles},
	{surface.EffectDeny, "mcp__x__y", doubles},
	{surface.EffectDeny, "mcp__x__*", doubles},
	{surface.EffectDeny, "mcp__x__y__g", nil},
	{surface.EffectDeny, "mcp__loc__get_a(q:1)", nil},
	{surface.EffectDeny, "mcp__loc(*)", nil},
	{surface.EffectDeny, "mcp__LOC", nil},

	{surface.EffectAsk, "mcp__loc", []tool{getA, getB, write2}},
	{surface.EffectAsk, "mcp__*", everyTool},
	{surface.EffectAsk, "mcp__loc__get_*", []tool{getA, getB}},
}

func (c ruleCase) actsOn(t tool) bool { return slices.Contains(c.on, t) }

func TestRulesMeanWhatTheyMeanToClaudeCode(t *testing.T) {
	t.Parallel()
	for _, c := range ruleCases {
		t.Run(string(c.effect)+" "+c.rule, func(t *testing.T) {
			t.Parallel()
			r := &reader{}
			r.addRule(c.effect, c.rule, surface.Place{File: "settings.json", Line: 1})
			g := gate.New(r.out)
			for _, tool := range everyTool {
				want := event.NoOpinion
				if c.actsOn(tool) {
					want = event.Decision(c.effect)
				}
				if got := g.Rule(tool.server, tool.name).Decision; got != want {
					t.Errorf("%s:%s: %q, want %q", tool.server, tool.name, got, want)
				}
			}
		})
	}
}
