package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// audited is what ctx surface audit says of one part of a request.
type audited struct {
	Name   string
	Cost   struct{ Resident_bytes, Deferred_bytes, On_demand_bytes int }
	Around struct{ Resident_bytes int }
}

// audit asks the servers and returns the parts by name.
func (u *user) audit(dir, host string) map[string]audited {
	u.t.Helper()
	r := u.tryCtx(dir, "surface", "audit", "--host", host, "--probe-mcp", "--yes", "--json")
	var doc struct {
		Schema string
		Hosts  []struct {
			Slices []audited
			Unseen []string
		}
	}
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil || len(doc.Hosts) != 1 || doc.Schema != "ctx.surface/v1" {
		u.t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	if len(doc.Hosts[0].Unseen) == 0 {
		u.t.Error("the audit does not say what it cannot see")
	}
	parts := map[string]audited{}
	for _, s := range doc.Hosts[0].Slices {
		parts[s.Name] = s
	}
	return parts
}

// within fails where what the audit says is more than 2 % off what was sent.
func within(t *testing.T, what string, said, sent int) {
	t.Helper()
	t.Logf("%-20s said %6d, sent %6d", what, said, sent)
	if sent == 0 || math.Abs(float64(said-sent)) > 0.02*float64(sent) {
		t.Errorf("%s: the audit says %d bytes, the host sends %d", what, said, sent)
	}
}

// text is all that the request says to its model, its messages one after
// another.
func (s *session) text() string {
	_, texts := s.lines("")
	return texts
}

// section is the part of a text from one mark up to another.
func section(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	if !ok {
		t.Fatalf("no %q in the request:\n%s", from, text)
	}
	if to != "" {
		rest, _, ok = strings.Cut(rest, to)
		if !ok {
			t.Fatalf("no %q behind %q", to, from)
		}
	}
	return rest
}

// beyond is the bytes of the lines of text that are not in plain.
func beyond(text, plain string) int {
	left := map[string]int{}
	for l := range strings.Lines(plain + "\n") {
		left[strings.TrimRight(l, "\n")]++
	}
	n := 0
	for l := range strings.Lines(text) {
		if l = strings.TrimRight(l, "\n"); left[l] > 0 {
			left[l]--
		} else {
			n += len(l) + 1
		}
	}
	return n
}

// furnish fills a workspace and a home with every kind of thing that Claude Code
// and Codex place before their models.
func (u *user) furnish(dir string) {
	u.t.Helper()
	prose := strings.Repeat("Prefer short functions and say why, not what. ", 12)
	for name, content := range map[string]string{
		"CLAUDE.md":                           "# Project\nSee @docs/style.md and @docs/more.md.\n<!-- not sent -->\n\n" + prose + "`@docs/code.md` is no import.\n",
		"docs/style.md":                       "Style: @deep/one.md\n" + prose,
		"docs/deep/one.md":                    "One. @two.md\n",
		"docs/deep/two.md":                    "Two, with ünïcode and “quotes”.\n",
		"docs/more.md":                        "More.\n",
		"docs/code.md":                        "never sent",
		"CLAUDE.local.md":                     "My sandbox is at port 4000.\n",
		"AGENTS.md":                           "# For every agent\n" + prose + "\n",
		"sub/CLAUDE.md":                       "Only when the model goes there.\n",
		".claude/rules/always.md":             "An always rule.\n",
		".claude/rules/ts.md":                 "---\npaths: \"**/*.ts\"\n---\nOnly for TypeScript.\n",
		".claude/skills/deploy-docs/SKILL.md": "---\nname: deploy-docs\ndescription: Publish the site — with a dash, \"quotes\" and ünïcode.\n---\nBody.\n",
		".claude/skills/hidden/SKILL.md":      "---\nname: hidden\ndescription: Never told.\ndisable-model-invocation: true\n---\nBody.\n",
		".claude/skills/no-front/SKILL.md":    "# A heading\n\nAnd a paragraph.\n",
		".claude/skills/multi/SKILL.md":       "---\nname: other-name\ndescription: >\n  Folded text over\n  two lines.\nwhen_to_use: when asked\n---\nBody.\n",
		".claude/commands/fix.md":             "---\ndescription: Fix an issue\n---\nFix $1.\n",
		".claude/commands/group/review.md":    "Review the change.\n",
		".claude/agents/reviewer.md":          "---\nname: reviewer\ndescription: Use it to review code.\ntools: Read, Grep\n---\nYou review.\n",
		".claude/agents/planner.md":           "---\nname: planner\ndescription: Plans the work.\n---\nYou plan.\n",
		".agents/skills/shared/SKILL.md":      "---\nname: shared\ndescription: Shared, with a colon: not quoted.\n---\nBody.\n",
		".codex/skills/pj/SKILL.md":           "---\nname: pj\ndescription: >-\n  Over\n  two lines.\n---\nBody.\n",
		".codex/agents/helper.toml":           "name = \"helper\"\ndescription = \"Helps.\\nWith two lines.\"\ndeveloper_instructions = \"You help.\"\n",
		".cursor/rules/x.mdc":                 "a rule of another tool\n",
		".github/copilot-instructions.md":     "of another tool\n",
	} {
		u.write(name, content, dir)
	}
	for name, content := range map[string]string{
		".claude/CLAUDE.md":                             "User memory. " + prose,
		".claude/rules/user.md":                         "A rule of the user's.\n",
		".claude/skills/mine/SKILL.md":                  "---\nname: mine\ndescription: A skill of the user's.\n---\nBody.\n",
		".claude/agents/own.md":                         "---\nname: own\ndescription: The user's own.\nmodel: haiku\n---\nYou are it.\n",
		".claude/skills/kit/.claude-plugin/plugin.json": `{"name":"kit","version":"1.0.0","description":"A kit."}`,
		".claude/skills/kit/skills/tool/SKILL.md":       "---\nname: tool\ndescription: A skill of a plugin.\n---\nBody.\n",
		".claude/skills/kit/agents/kitty.md":            "---\nname: kitty\ndescription: An agent of a plugin.\ntools: [\"Read\", \"Bash\"]\n---\nYou are kitty.\n",
		".claude/skills/kit/commands/kcmd.md":           "---\ndescription: A command of a plugin\n---\nDo it.\n",
		".codex/AGENTS.md":                              "The user's own words to Codex.\n\n",
		".codex/skills/cx/SKILL.md":                     "---\nname: cx\ndescription: A skill of the user's.\n---\nBody.\n",
		".codex/agents/second.toml":                     "name = \"second\"\ndescription = \"Of the user.\"\ndeveloper_instructions = \"You do.\"\n",
		".codex/agents/mute.toml":                       "name = \"mute\"\ndeveloper_instructions = \"Never listed.\"\n",
	} {
		u.write(name, content, u.home)
	}
}

// odd is a server whose tools use every corner of JSON Schema, and whose
// descriptions are longer than a host sends.
func (u *user) odd(dir string) map[string]any {
	servers := u.reference(dir)
	file := u.write("odd.tools", strings.Join([]string{
		`{"name":"a-b.c","title":"T","description":"says <it> & \"that\" ü","inputSchema":{"$schema":"x","title":"T","type":"object","properties":{"n":{"type":"number","minimum":1,"default":3,"description":"num"},"s":{"type":"string","enum":["a","b"],"pattern":"^a"},"c":{"const":"x"},"arr":{"type":"array","items":{"type":"string","minLength":2},"minItems":1,"maxItems":3},"any":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"free":{},"said":{"description":"no type"},"map":{"type":"object","additionalProperties":{"type":"string","minLength":1}},"ref":{"$ref":"#/$defs/D"}},"required":["n"],"additionalProperties":false,"$defs":{"D":{"type":"object","properties":{"z":{"type":"string","default":"q"}}},"Unused":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"r":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"bare","description":"","inputSchema":{"type":"object"}}`,
		fmt.Sprintf(`{"name":"long","description":%q,"inputSchema":{"type":"object","properties":{}}}`, strings.Repeat("word ", 1200)),
	}, "\n")+"\n", dir)
	servers["odd"] = args{"command": stub, "args": []string{"--tools", file}}
	return servers
}

func TestAuditIsWithinTwoPercentOfClaudesRequest(t *testing.T) {
	t.Parallel()
	needClients(t)
	for mode, search := range map[string]string{"tool search on": "", "tool search off": "false"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			plain := newUser(t)
			empty := plain.claude(plain.workspace("empty", nil), nil, append([]string{"ENABLE_TOOL_SEARCH=" + search}, approved...)...)

			u := newUser(t)
			dir := u.workspace("w", u.odd)
			u.furnish(dir)
			u.env = []string{"MCP_CONNECTION_NONBLOCKING=0", "ENABLE_TOOL_SEARCH=" + search} // all servers are there in the first request
			s := u.claude(dir, nil, append([]string{"ENABLE_TOOL_SEARCH=" + search}, approved...)...)
			said := u.audit(dir, "claude")
			text, without := s.text(), empty.text()

			if search == "" {
				names, _ := s.lines("mcp__")
				within(t, "names of MCP tools", said["mcp_tools"].Cost.Resident_bytes, names)
			} else {
				within(t, "MCP tool JSON", said["mcp_tools"].Cost.Resident_bytes, size(s.mcpTools()))
			}
			const servers = "# MCP Server Instructions"
			instructions := section(t, text, servers, "\n\nThe following skills are available")
			within(t, "server instructions", said["server_instructions"].Cost.Resident_bytes+said["server_instructions"].Around.Resident_bytes, len(servers)+len(instructions))

			const skills, rest = "The following skills are available for use with the Skill tool:\n", "\nWhile bypass permissions mode"
			within(t, "skill listing", said["skills"].Cost.Resident_bytes+said["commands"].Cost.Resident_bytes,
				beyond(section(t, text, skills, rest), section(t, without, skills, rest)))

			const agents, more = "Available agent types for the Agent tool:\n", "\nWhen you launch multiple agents"
			within(t, "agent listing", said["agents"].Cost.Resident_bytes,
				beyond(section(t, text, agents, more), section(t, without, agents, more)))

			const head, end = "<system-reminder>\nCodebase and user instructions", "</system-reminder>"
			within(t, "instruction files", said["instruction_files"].Cost.Resident_bytes+said["instruction_files"].Around.Resident_bytes,
				len(head)+len(section(t, text, head, end))+len(end))
		})
	}
}

func TestAuditIsWithinTwoPercentOfCodexsRequest(t *testing.T) {
	t.Parallel()
	needClients(t)
	for _, model := range []string{"gpt-5", "gpt-5.5"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			plain := newUser(t)
			plain.write(".codex/.keep", "", plain.home)
			empty := plain.codex(plain.workspace("empty", nil), model, nil)

			u := newUser(t)
			dir := u.workspace("w", nil)
			u.furnish(dir)
			var config strings.Builder
			fmt.Fprintf(&config, "model = %q\n[projects.%q]\ntrust_level = \"trusted\"\n", model, dir)
			for name, entry := range u.odd(dir) {
				e := entry.(args)
				argv, err := json.Marshal(e["args"])
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&config, "[mcp_servers.%s]\nrequired = true\ncommand = %q\nargs = %s\n", name, e["command"], argv)
				for key, value := range args(asMap(e["env"])) {
					fmt.Fprintf(&config, "env = {%s = %q}\n", key, value)
				}
			}
			u.write(".codex/config.toml", config.String(), u.home)
			s := u.codex(dir, model, nil)
			u.env = []string{"CODEX_HOME=" + filepath.Join(u.home, ".codex")}
			said := u.audit(dir, "codex")
			text, without := s.text(), empty.text()

			if model == "gpt-5" {
				if n := len(s.mcpTools()); n < 30 {
					t.Fatalf("the first request carries %d MCP tools", n)
				}
				within(t, "MCP tool JSON", said["mcp_tools"].Cost.Resident_bytes, size(s.mcpTools()))
				groups := 0
				for _, raw := range s.turn(0).Tools() {
					if strings.HasPrefix(string(raw), `{"type":"namespace","name":"mcp__`) {
						groups += len(raw)
					}
				}
				within(t, "server instructions", said["server_instructions"].Cost.Resident_bytes, groups-size(s.mcpTools()))
				within(t, "agent listing", said["agents"].Cost.Resident_bytes, len(section(t, roles(t, s), "Available roles:\n", "default: {")))
			} else {
				lines, _ := s.lines("- mcp__")
				within(t, "server lines", said["server_instructions"].Cost.Resident_bytes, lines)
				if n := said["mcp_tools"].Cost.Resident_bytes + said["agents"].Cost.Resident_bytes; n != 0 {
					t.Errorf("%d bytes of tools and roles are said to be in every request, and Codex defers them", n)
				}
			}
			list, _, _ := strings.Cut(section(t, text, "### Available skills\n", "</skills_instructions>"), "### How to use skills")
			within(t, "skill listing", said["skills"].Cost.Resident_bytes, len(list))
			if !strings.Contains(list, "- shared: ") || strings.Contains(without, "- shared: ") {
				t.Error("the skills are not in the request, or in every one")
			}
			const head, end = "# AGENTS.md instructions for", "</INSTRUCTIONS>"
			within(t, "instruction files", said["instruction_files"].Cost.Resident_bytes+said["instruction_files"].Around.Resident_bytes,
				len(head)+len(section(t, text, head, end))+len(end))
		})
	}
}

// roles is the list of roles in Codex's tool that starts subagents.
func roles(t *testing.T, s *session) string {
	t.Helper()
	for _, raw := range s.turn(0).Tools() {
		if !strings.Contains(string(raw), "Available roles:") {
			continue
		}
		var any struct {
			Tools []struct {
				Name       string
				Parameters struct {
					Properties map[string]struct{ Description string }
				}
			}
		}
		if err := json.Unmarshal(raw, &any); err != nil {
			t.Fatal(err)
		}
		for _, tool := range any.Tools {
			if d := tool.Parameters.Properties["agent_type"].Description; d != "" {
				return d
			}
		}
	}
	t.Fatal("no list of roles in the request")
	return ""
}

func asMap(v any) map[string]any {
	m, _ := v.(args)
	return m
}
