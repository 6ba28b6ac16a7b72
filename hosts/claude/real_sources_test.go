package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// TestRealServersAreThoseOfSources starts a session in every kind of folder and
// compares what really runs with what Sources says.
func TestRealServersAreThoseOfSources(t *testing.T) {
	t.Parallel()
	c := realClaude(t,
		"home/.claude.json", `{"mcpServers": {"user": {{server user}}, "same": {{server same-of-user}}, "off": {{server off}}},
	"projects": {
		"{{WS}}": {"mcpServers": {"local": {{server local}}}, "disabledMcpServers": ["off"]},
		"{{WS}}/sub": {"mcpServers": {"sub-local": {{server sub-local}}}},
		"{{ROOT}}/plain": {"mcpServers": {"plain-local": {{server plain-local}}}, "disabledMcpjsonServers": ["plain-off"]},
		"{{ROOT}}/plain/sub": {"mcpServers": {"plain-sub-local": {{server plain-sub-local}}}}}}`,
		".mcp.json", `{"mcpServers": {"above": {{server above}}, "same": {{server same-of-above}}}}`,
		"workspace/.mcp.json", `{"mcpServers": {"root": {{server root}}, "same": {{server same-of-root}}, "denied": {{server denied}}}}`,
		"workspace/sub/.mcp.json", `{"mcpServers": {"sub": {{server sub}}, "same": {{server same-of-sub}}}}`,
		"workspace/.claude/settings.local.json", `{"deniedMcpServers": [{"serverName": "denied"}]}`,
		"workspace/sub/.claude/settings.json", `{"disabledMcpjsonServers": ["sub"]}`,
		"plain/.mcp.json", `{"mcpServers": {"plain": {{server plain}}, "plain-off": {{server plain-off}}}}`,
		"plain/sub/.mcp.json", `{"mcpServers": {"plain-sub": {{server plain-sub}}}}`,
	)
	git(t, c.ws(), "init", "-q")
	git(t, c.ws(), "add", ".mcp.json", "sub/.mcp.json", "sub/.claude/settings.json")
	git(t, c.ws(), "commit", "-qm", "x")
	git(t, c.ws(), "worktree", "add", "-q", c.path("tree"))
	for _, dir := range []string{"workspace/sub/deep", "tree/sub/deep"} {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{
		"workspace", "workspace/sub", "workspace/sub/deep", "tree", "tree/sub", "tree/sub/deep", "plain", "plain/sub", "home",
	} {
		var want []string
		for _, s := range c.sources(t, dir).Servers {
			if !s.Disabled {
				want = append(want, strings.TrimSuffix(filepath.Base(s.Args[1]), ".mark"))
			}
		}
		slices.Sort(want)
		if diff := cmp.Diff(want, c.run(t, start{dir: dir}).started); diff != "" {
			t.Errorf("%s (-ours +real):\n%s", dir, diff)
		}
	}
}

// TestRealRules puts the table of TestRulesMeanWhatTheyMeanToClaudeCode to the
// real client.
func TestRealRules(t *testing.T) {
	t.Parallel()
	for _, x := range ruleCases {
		t.Run(string(x.effect)+" "+x.rule, func(t *testing.T) {
			t.Parallel()
			pairs := []string{"home/.claude/settings.json", string(mustJSON(map[string]any{
				"permissions": map[string][]string{string(x.effect): {x.rule}},
			}))}
			servers := make(map[string]string)
			var script []modelstub.Step
			for _, tool := range everyTool {
				name := plain(tool.server)
				servers[tool.server] = "{{server " + name + " --tools @" + name + ".tools}}"
				script = append(script, modelstub.Step{Tool: "mcp__" + name + "__" + plain(tool.name)})
			}
			for server := range servers {
				pairs = append(pairs, plain(server)+".tools", definitions(server))
			}
			config := string(mustJSON(map[string]any{"mcpServers": servers}))
			// The entries are objects, not strings.
			config = strings.NewReplacer(`"{{server `, `{{server `, `.tools}}"`, `.tools}}`).Replace(config)
			c := realClaude(t, append(pairs, "home/.claude.json", config)...)

			mode := "bypassPermissions"
			if x.effect == surface.EffectAllow {
				mode = "default" // everything without a rule is refused
			}
			results := c.run(t, start{args: []string{"--permission-mode", mode}, script: script}).results(t)
			if len(results) != len(everyTool) {
				t.Fatalf("%d results of %d calls", len(results), len(everyTool))
			}
			for i, tool := range everyTool {
				want := x.actsOn(tool)
				if x.effect == surface.EffectAllow {
					want = !want
				}
				if results[i].refused() != want {
					t.Errorf("%s:%s: refused %v: %s", tool.server, tool.name, !want, results[i].Content)
				}
			}
		})
	}
}

// definitions are the tools of a server in everyTool, one a line.
func definitions(server string) string {
	var b strings.Builder
	for _, tool := range everyTool {
		if tool.server == server {
			b.Write(mustJSON(map[string]any{"name": tool.name, "description": "x", "inputSchema": map[string]string{"type": "object"}}))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestRealLoading compares what the client sends of a server's tools with what
// Sources says.
func TestRealLoading(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, env, settings string }{
		{"by itself", "", "{}"},
		{"on", "ENABLE_TOOL_SEARCH=true", "{}"},
		{"off", "ENABLE_TOOL_SEARCH=false", "{}"},
		{"off by number", "ENABLE_TOOL_SEARCH=0", "{}"},
		{"off by word", "ENABLE_TOOL_SEARCH=off", "{}"},
		{"nonsense", "ENABLE_TOOL_SEARCH=bogus", "{}"},
		{"auto that is always on", "ENABLE_TOOL_SEARCH=auto:0", "{}"},
		{"auto that is never on", "ENABLE_TOOL_SEARCH=auto:100", "{}"},
		{"no betas", "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1", "{}"},
		{"off in settings", "", `{"env": {"ENABLE_TOOL_SEARCH": "false"}}`},
		{"settings against environment", "ENABLE_TOOL_SEARCH=true", `{"env": {"ENABLE_TOOL_SEARCH": "false"}}`},
		{"search denied", "", `{"permissions": {"deny": ["ToolSearch"]}}`},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := realClaude(t,
				"home/.claude.json", `{"mcpServers": {"s": {{server s}}}}`,
				"workspace/.claude/settings.local.json", x.settings,
			)
			got := surface.Deferred
			if len(c.run(t, start{env: []string{"ENABLE_TOOL_SEARCH=", x.env}}).tools(t)) > 0 {
				got = surface.Eager
			}
			if want := c.sources(t, "", x.env).Loading; got != want {
				t.Errorf("the client loads %s, Sources says %s", got, want)
			}
		})
	}
}

// TestRealItems compares the size of every skill, agent and instruction file
// with what is in the request.
func TestRealItems(t *testing.T) {
	t.Parallel()
	c := realClaude(t, itemFixture()...)
	git(t, c.ws(), "init", "-q")
	for _, dir := range []string{"workspace", "workspace/sub"} {
		text := c.run(t, start{dir: dir}).texts(t)
		want := residents(text)
		got := make(map[string]int)
		for _, i := range c.sources(t, dir).Items {
			key := string(i.Kind) + " " + i.Name
			if i.Kind == surface.KindCommand {
				key = string(surface.KindSkill) + " " + i.Name // one list has both
			}
			if i.Kind == surface.KindInstructions && !strings.HasPrefix(i.Name, "output style") {
				key = i.Place.File
			}
			if i.Resident > 0 {
				got[key] = i.Resident
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: bytes (-real +ours):\n%s", dir, diff)
		}
	}
}

// ofClaude are the skills and agents that Claude Code brings along.
var ofClaude = regexp.MustCompile(`^(dataviz|update-config|keybindings-help|code-review|simplify|fewer-permission-prompts|loop|claude-api|` +
	`workflow-authoring|run|plugin-authoring|init|security-review|claude|Explore|general-purpose|Plan|statusline-setup)$`)

var (
	skillLine = regexp.MustCompile(`(?m)^- ([A-Za-z0-9:_-]+(?: \([a-z]+\))?)(: .*)?\n`)
	memoryTop = regexp.MustCompile(`(?m)^Contents of (\S+) \(.*\):\n\n`)
	styleTop  = regexp.MustCompile(`(?m)^# Output Style: (.*)\n`)
)

// residents measures the parts of a request by the key under which
// TestRealItems has them.
func residents(text string) map[string]int {
	sizes := make(map[string]int)
	lines := func(kind surface.Kind, from, to string) {
		_, part, _ := strings.Cut(text, from)
		part, _, _ = strings.Cut(part, to)
		for _, m := range skillLine.FindAllStringSubmatch(part+"\n", -1) {
			if !ofClaude.MatchString(m[1]) {
				sizes[string(kind)+" "+m[1]] = len(m[0])
			}
		}
	}
	lines(surface.KindSkill, "available for use with the Skill tool:", "\n\n\n")
	lines(surface.KindAgent, "Available agent types for the Agent tool:", "\n\n")
	tops := memoryTop.FindAllStringSubmatchIndex(text, -1)
	for i, at := range tops {
		end := at[1] + strings.Index(text[at[1]:], "</system-reminder>")
		if i+1 < len(tops) {
			end = tops[i+1][0]
		}
		sizes[text[at[2]:at[3]]] = len(strings.TrimRight(text[at[0]:end], "\n")) + len("\n\n")
	}
	for _, m := range styleTop.FindAllStringSubmatchIndex(text, -1) {
		end := strings.Index(text[m[1]:], "\n\n")
		sizes["repo_instructions output style "+text[m[2]:m[3]]] = m[1] + end - m[0] + len("\n")
	}
	return sizes
}

func itemFixture() []string {
	long := strings.Repeat("long ", 600)
	return []string{
		"home/.claude/CLAUDE.md", "USER é see @extra.md and `@not.md`\n```\n@not.md\n```\n",
		"home/.claude/extra.md", "EXTRA @deep1.md\n",
		"home/.claude/deep1.md", "ONE @deep2.md\n",
		"home/.claude/deep2.md", "TWO @deep3.md\n",
		"home/.claude/deep3.md", "THREE @deep4.md\n",
		"home/.claude/deep4.md", "too deep\n",
		"home/.claude/not.md", "not imported\n",
		"home/.claude/rules/r.md", "USER RULE\n",
		"CLAUDE.md", "ABOVE\n",
		"workspace/CLAUDE.md", "<!-- a block\ncomment -->\nPROJECT <!-- kept --> @a.md, (@a.md) x@a.md @./b.md @sub/c.txt#part @CLAUDE.md @~/outside.md @p.png\n\n    @a.md\n\n\n",
		"workspace/a.md", "not imported\n", "workspace/b.md", "B\n", "workspace/sub/c.txt", "C\n", "home/outside.md", "outside\n", "workspace/p.png", "PNG\n",
		"workspace/.claude/CLAUDE.md", "DOT\n",
		"workspace/.claude/rules/deep/r.md", "RULE\n",
		"workspace/.claude/rules/paths.md", "---\npaths: src/**\n---\nnot yet\n",
		"workspace/CLAUDE.local.md", "LOCAL\n",
		"workspace/AGENTS.md", "not read\n",
		"workspace/sub/CLAUDE.md", "SUB\n",
		"workspace/sub/.claude/rules/r.md", "SUB RULE\n",
		"home/.claude/skills/alpha/SKILL.md", "---\nname: alpha\ndescription: Alpha é\nwhen_to_use: when wanted\n---\nbody\n",
		"home/.claude/skills/folder/SKILL.md", "---\nname: renamed\ndescription: Renamed\n---\nbody\n",
		"home/.claude/skills/hidden/SKILL.md", "---\ndescription: Hidden\ndisable-model-invocation: true\n---\nbody\n",
		"home/.claude/skills/bare/SKILL.md", "# A heading\n\nText.\n",
		"home/.claude/skills/colon/SKILL.md", "---\nname: colon\ndescription: has: a colon\n---\nbody\n",
		"home/.claude/skills/long/SKILL.md", "---\ndescription: " + long + "\n---\nbody\n",
		"workspace/.claude/skills/project/SKILL.md", "---\ndescription: |\n  Project skill\n---\nbody\n",
		"workspace/sub/.claude/skills/sub/SKILL.md", "---\ndescription: \"Quoted\"\n---\nbody\n",
		".claude/skills/above/SKILL.md", "---\ndescription: above the repository\n---\nbody\n",
		"workspace/.claude/commands/one.md", "---\ndescription: One\n---\nDo $ARGUMENTS\n",
		"workspace/.claude/commands/ns/two.md", "Do two.\nMore\n",
		"home/.claude/commands/three.md", "---\ndescription: Three\n---\nDo\n",
		"workspace/.claude/agents/a.md", "---\nname: one\ndescription: Agent one\ntools: Read, Grep\n---\nprompt\n",
		"home/.claude/agents/b.md", "---\nname: two\ndescription: Agent two\n---\nprompt\n",
		"home/.claude/agents/no-name.md", "---\ndescription: nobody\n---\nprompt\n",
		"home/.claude/output-styles/st.md", "---\nname: Terse\ndescription: d\n---\nBe terse.\n",
		"home/.claude/settings.json", `{"outputStyle": "Terse"}`,
	}
}

// TestRealSkillListIsCutByItsBudget has more skills than the list may hold.
func TestRealSkillListIsCutByItsBudget(t *testing.T) {
	t.Parallel()
	var pairs []string
	for _, a := range "abcdefghijklmnopqrst" {
		for _, b := range "abcdefghijklmnopqrst" {
			name := "skill-" + string(a) + string(b)
			pairs = append(pairs, "home/.claude/skills/"+name+"/SKILL.md", "---\ndescription: "+strings.Repeat("word ", 20)+"\n---\n")
		}
	}
	c := realClaude(t, pairs...)
	real, ours := 0, 0
	for _, n := range residents(c.run(t, start{}).texts(t)) {
		real += n
	}
	for _, i := range c.sources(t, "").Items {
		ours += i.Resident
	}
	// Skills of Claude Code's own share the budget, and they change with its version.
	if diff := real - ours; diff < -2000 || diff > 2000 {
		t.Errorf("the client lists %d bytes of skills, Sources says %d", real, ours)
	}
}
