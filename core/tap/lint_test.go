package tap

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// found is problems as "FILE:LINE:COLUMN RULE", files from the capabilities'
// folder on.
func found(root string, problems []Problem) []string {
	var list []string
	for _, p := range problems {
		file, err := filepath.Rel(filepath.Join(root, "capabilities"), p.File)
		if err != nil {
			file = p.File
		}
		list = append(list, fmt.Sprintf("%s:%d:%d %s", file, p.Line, p.Column, p.Rule))
	}
	return list
}

const head = "# Title: A good title\n# Description: A description that is long enough.\n"

func TestLintNamesFileLineAndRule(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, text string
		want       []string
	}{
		"a label": {"config.toml", "triggers = [\n\t\"send a mail\",\n\t\"mail\",\n\t\"read the inbox\",\n\t\"mail tools\",\n]\n",
			[]string{"x/config.toml:3:2 label-trigger", "x/config.toml:5:2 label-trigger"}},
		"too few": {"config.toml", "\ntriggers = [\"send a mail\", \"read a mail\"]\n",
			[]string{"x/config.toml:2:1 few-triggers"}},
		"twice": {"config.toml", "triggers = [\"send a mail\", \"read a mail\",\n \"Send  a mail\", \"file a mail\"]\n",
			[]string{"x/config.toml:2:2 duplicate-trigger"}},
		"another's": {"config.toml", "triggers = [\"ship the site\", \"read a mail\",\"file a mail\"]\n",
			[]string{"x/config.toml:1:13 shared-trigger"}},
		"an unknown key": {"config.toml", "triggers = [\"send a mail\", \"read a mail\", \"file a mail\"]\ntrigers = []\n",
			[]string{"x/config.toml:2:1 unknown-key"}},
		"no TOML": {"config.toml", "triggers = [\n\"a mail\"\n", []string{"x/config.toml:2:9 syntax"}},

		"no headers": {"default.toml", "[deps]\nrequire = [\"a/b\"]\n",
			[]string{"x/default.toml:0:0 no-title", "x/default.toml:0:0 no-description"}},
		"bad headers": {"default.toml", "# Title: Ab\n# Description: short\n[deps]\nrequire = [\"a/b\"]\n",
			[]string{"x/default.toml:1:0 title-length", "x/default.toml:2:0 description-length"}},
		"a foreign pattern": {"default.toml", head + "[roles.mcp]\nserver_refs = [\"s\"]\nallowed_tools = [\"s:a\", \"t:*\", \"b\"]\n[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"c\"\n",
			[]string{"x/default.toml:5:25 foreign-pattern"}},
		"an empty list": {"default.toml", head + "[roles.mcp]\nserver_refs = [\"s\"]\nallowed_tools = []\n[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"c\"\n",
			[]string{"x/default.toml:5:1 no-tools"}},
		"an unknown server": {"default.toml", head + "[roles.mcp]\nserver_refs = [\"t\"]\n[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"c\"\n",
			[]string{"x/default.toml:4:16 unknown-server", "x/default.toml:5:0 unreferenced-server"}},
		"what was never pinned": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"npx\"\nargs = [\"-y\", \"some-mcp\"]\n",
			[]string{"x/default.toml:7:1 unpinned"}},
		"an odd placeholder": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"c\"\nargs = [\"{{ENV:A}}\", \"{{TOKEN}}\"]\n",
			[]string{"x/default.toml:7:22 placeholder"}},
		"a secret": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"c\"\nenv = { API_TOKEN = \"abcdefghij\", B = \"c\" }\n",
			[]string{"x/default.toml:7:9 secret"}},
		"a relative command": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ncommand = \"./c\"\n",
			[]string{"x/default.toml:5:1 relative-command"}},
		"a server's odd name": {"default.toml", head + "[[mcp.servers]]\nname = \"s:t\"\ncommand = \"c\"\n",
			[]string{"x/default.toml:4:1 bad-name"}},
		"builtin": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ntype = \"builtin\"\n", []string{"x/default.toml:5:1 builtin"}},
		"a second server without a command": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ncommand = \"c\"\n\n[[mcp.servers]]\nname = \"t\"\n",
			[]string{"x/default.toml:7:7 no-command"}},
		"an unknown key of a second server": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ncommand = \"c\"\n[[mcp.servers]]\nname = \"t\"\ncommand = \"c\"\nshell = true\n",
			[]string{"x/default.toml:9:1 unknown-key"}},
		"a wrong type": {"default.toml", head + "[[mcp.servers]]\nname = \"s\"\ncommand = [\"c\"]\n",
			[]string{"x/default.toml:3:7 no-command", "x/default.toml:5:1 wrong-type"}},
		"nothing in it": {"default.toml", head, []string{"x/default.toml:0:0 empty"}},
		"a bad dependency": {"default.toml", head + "[deps]\nrequire = [\"a/b\", \"../x\"]\n",
			[]string{"x/default.toml:4:19 bad-dep"}},
		"another provider's": {"other.toml", "# Title: Ab\n" + head[len("# Title: A good title\n"):] + "[deps]\nrequire = [\"a/b\"]\n",
			[]string{"x/other.toml:1:0 title-length"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			put(t, root, "first", "ship the site", "publish the site", "release the site")
			put(t, root, "x", "send a mail", "read a mail", "file the mail")
			write(t, filepath.Join(root, "deps", "a", "b.sh"), "exit 0\n")
			write(t, filepath.Join(root, "capabilities", "x", test.file), test.text)
			if diff := cmp.Diff(test.want, found(root, Lint(root))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLintOfWhatIsMissing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if got := Lint(root); len(got) != 1 || got[0].Rule != "no-capabilities" || got[0].Hint == "" {
		t.Errorf("an empty folder: %v", got)
	}
	put(t, root, "good", "ship the site", "publish the site", "release the site")
	if got := Lint(root); len(got) != 0 {
		t.Errorf("a good one: %v", got)
	}
	write(t, filepath.Join(root, "capabilities", "bare", "one.toml"), head+"[deps]\nrequire = [\"a/b\", \"a/c\"]\n")
	write(t, filepath.Join(root, "capabilities", "ba d", "default.toml"), "")
	want := []string{"ba d:0:0 bad-name", "bare:0:0 no-provider", "../deps:0:0 no-script"}
	if diff := cmp.Diff(want, found(root, Lint(root))); diff != "" {
		t.Error(diff)
	}
	write(t, filepath.Join(root, "deps", "a", "b.sh"), "exit 0\n")
	want[2] = "bare/one.toml:4:19 no-script"
	if diff := cmp.Diff(want, found(root, Lint(root))); diff != "" {
		t.Error(diff)
	}
}

func TestRealTapIsMostlyWellWritten(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for _, p := range Lint(realTap(t)) {
		counts[p.Rule]++
	}
	// A heuristic that flags much of a tap that people use would be no use.
	if counts["label-trigger"] > 541/50 {
		t.Errorf("%d of 541 triggers are said to read like labels", counts["label-trigger"])
	}
	delete(counts, "label-trigger")
	want := map[string]int{"no-config": 14, "no-tools": 8, "builtin": 4, "unpinned": 1, "no-script": 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
}

// What the tap's author meant by an empty list cannot be told; what it says is
// that no tool may be used.
func TestRealTapCapabilitiesThatExposeNoTools(t *testing.T) {
	t.Parallel()
	list, _ := LoadDir(realTap(t))
	var got []string
	for _, c := range list {
		for _, s := range c.Servers {
			if s.Toolless() {
				rel, err := filepath.Rel(c.Root, s.AllowedAt.File)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s:%d", rel, s.AllowedAt.Line))
			}
		}
	}
	want := []string{
		"capabilities/messaging-discord/discord.toml:12",
		"capabilities/messaging-email/codefuturist.toml:12",
		"capabilities/messaging-instagram/mcpware.toml:13",
		"capabilities/messaging-linkedin/pegasusheavy.toml:12",
		"capabilities/messaging-slack/slack.toml:12",
		"capabilities/messaging-sms/twilio.toml:12",
		"capabilities/messaging-telegram/iflow-mcp.toml:12",
		"capabilities/messaging-whatsapp/iflow-mcp.toml:13",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLabelsAndRequests(t *testing.T) {
	t.Parallel()
	for _, label := range strings.Split("slack|Slack messages|database operations|git|kubernetes cluster management|email integration|API tools|PostgreSQL MCP server|the browser|social media posts", "|") {
		if !looksLikeLabel(label) {
			t.Errorf("%q is a label", label)
		}
	}
	for _, request := range strings.Split("send a message on slack|what's the weather|please find the slow query|I need a chart|EXPLAIN ANALYZE a slow postgres query|list discord servers|reindex the catalogue|live-migrate a guest|can you book it|any news about this company|visualise traffic|スラックにメッセージを送る 今", "|") {
		if looksLikeLabel(request) {
			t.Errorf("%q is a request", request)
		}
	}
}

func TestPinnedIsAnExactVersion(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"npx -y some-mcp":                             "some-mcp",
		"npx -y some-mcp@latest":                      "some-mcp@latest",
		"npx -y some-mcp@^1.2.3":                      "some-mcp@^1.2.3",
		"npx -y @org/some-mcp":                        "@org/some-mcp",
		"npx -y @org/some-mcp@1.2":                    "@org/some-mcp@1.2",
		"npx -y @org/some-mcp@1.2.3 run x":            "",
		"npx -y some-mcp@1.2.3-rc.1":                  "",
		"npx -y --package=some-mcp some":              "some-mcp",
		"npx -p some-mcp@1.2.3 some":                  "",
		"bunx some-mcp":                               "some-mcp",
		"uvx some-mcp":                                "some-mcp",
		"uvx some-mcp==1.2.3":                         "",
		"uvx some-mcp@1.2.3":                          "",
		"uvx some-mcp>=1.2":                           "some-mcp>=1.2",
		"uvx --with mcp<2 some-mcp==0.0.3":            "",
		"uvx --from some-mcp some":                    "some-mcp",
		"uvx --from some-mcp==1.0 some":               "",
		"/usr/bin/npx some-mcp":                       "some-mcp",
		"npx ./local":                                 "",
		"node server.js":                              "",
		"sh -c A=1_exec_npx_-y_some-mcp@2.1":          "some-mcp@2.1",
		"sh -c A=1_exec_npx_-y_some-mcp@2.1.11":       "",
		"sh -c uvx_--with_'mcp<2'_some==2026.7.10_-r": "",
	} {
		words := strings.Fields(line)
		var args []any
		for _, w := range words[1:] {
			if words[0] == "sh" {
				w = strings.ReplaceAll(w, "_", " ")
			}
			args = append(args, w)
		}
		if got := strings.Join(unpinned(words[0], args), " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, name string
		want       bool
	}{
		{"*", "anything", true}, {"*", "", true}, {"a*", "abc", true}, {"a*", "ba", false}, {"*c", "abc", true},
		{"a*c*e", "abcde", true}, {"a*c*e", "abcd", false}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"", "", true}, {"", "a", false}, {"leg_*", "leg_search", true}, {"a**b", "ab", true}, {"[a]", "a", false},
		{strings.Repeat("*a", 30) + "b", strings.Repeat("a", 3000), false},
	} {
		if got := Match(test.glob, test.name); got != test.want {
			t.Errorf("Match(%q, %q) = %t", test.glob, test.name, got)
		}
	}
}

func TestTheFilterOfAServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lists string
		want  []string
	}{
		"no list":             {"", nil},
		"one of its own":      {`allowed_tools = ["s:a", "s:b_*"]`, []string{"a", "b_*"}},
		"for all":             {`allowed_tools = ["a", "t:b"]`, []string{"a"}},
		"foreign alone":       {`allowed_tools = ["t:a"]`, []string{}},
		"an empty list":       {`allowed_tools = []`, []string{}},
		"empty patterns":      {`allowed_tools = ["", " ", "s:"]`, []string{}},
		"of a wrong kind":     {`allowed_tools = "s:*"`, []string{}},
		"with a tool's colon": {`allowed_tools = ["s:a:b"]`, []string{"a:b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, problem := parse("x.toml", "[roles.mcp]\n"+test.lists+"\n[[mcp.servers]]\nname = \"s\"\ncommand = \"c\"\n")
			if problem != nil {
				t.Fatal(problem)
			}
			got := parseProvider(d).servers[0].Allowed
			if (got == nil) != (test.want == nil) || !slices.Equal(got, test.want) {
				t.Errorf("%#v, want %#v", got, test.want)
			}
		})
	}
}
