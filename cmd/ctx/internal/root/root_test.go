package root

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
)

// run runs one command line as a user with an empty home would.
func run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	s, _, o, e := iostreams.Test()
	code = Main(args, []string{"HOME=" + t.TempDir(), "PATH="}, s)
	return code, o.String(), e.String()
}

func everyCommand(t *testing.T, visit func(t *testing.T, c *cobra.Command)) {
	t.Helper()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) { visit(t, c) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	s, _, _, _ := iostreams.Test()
	root := New(&cmdutil.Factory{IO: s})
	root.InitDefaultHelpCmd()
	walk(root)
}

func TestEveryCommandExplainsItself(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("Short is %q; it wants a line without a full stop", c.Short)
		}
		if !strings.Contains(c.Example, "ctx") {
			t.Errorf("Example is %q; it wants a command line", c.Example)
		}
		if c.Flag("json") == nil {
			t.Error("has no --json")
		}
		if c.RunE == nil {
			t.Error("does nothing")
		}
	})
}

func TestHelpFitsIntoEightyColumns(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		var b strings.Builder
		c.SetOut(&b)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if !strings.Contains(b.String(), "\nExamples:\n  ctx") {
			t.Errorf("no example in\n%s", b.String())
		}
	})
}

func TestEveryCommandRefusesAnUnknownFlag(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--jsson")
		code, _, errOut := run(t, args...)
		if code != cmdutil.Usage || !strings.Contains(errOut, "did you mean: --json") {
			t.Errorf("ctx %s: exit %d, %q", strings.Join(args, " "), code, errOut)
		}
	})
}

func TestEveryExampleIsACommandLine(t *testing.T) {
	everyCommand(t, func(t *testing.T, c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "ctx" {
				t.Errorf("example %q does not start with ctx", line)
				continue
			}
			s, _, _, _ := iostreams.Test()
			root := New(&cmdutil.Factory{IO: s})
			root.InitDefaultHelpCmd()
			found, rest, err := root.Find(words[1:])
			if err != nil || found == root && len(words) > 1 {
				t.Errorf("example %q names no command: %v", line, err)
				continue
			}
			found.SetOut(io.Discard)
			if flags := flagsOf(rest); found.ParseFlags(flags) != nil {
				t.Errorf("example %q has a flag that its command lacks", line)
			}
		}
	})
}

// flagsOf drops what a shell would take out of a command line.
func flagsOf(words []string) []string {
	for i, w := range words {
		if w == "--" || w == ">" || w == "|" {
			return words[:i]
		}
	}
	return words
}

func TestAnUnknownCommandIsAUsageErrorWithASuggestion(t *testing.T) {
	for _, args := range [][]string{{"versoin"}, {"help", "versoin"}} {
		code, out, errOut := run(t, args...)
		if code != cmdutil.Usage || out != "" {
			t.Errorf("%q: exit %d, printed %q", args, code, out)
		}
		want := "error: unknown command \"versoin\" for \"ctx\"\nhint: did you mean: ctx version\n"
		if errOut != want {
			t.Errorf("%q: got %q, want %q", args, errOut, want)
		}
	}
}

func TestJSONStartsWithItsSchema(t *testing.T) {
	for noun, args := range map[string][]string{
		"version":    {"version"},
		"help":       {"help", "version"},
		"completion": {"completion", "fish"},
	} {
		code, out, errOut := run(t, append(args, "--json")...)
		if code != cmdutil.OK {
			t.Fatalf("%q: exit %d: %s", args, code, errOut)
		}
		var doc struct{ Schema string }
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if want := "ctx." + noun + "/v1"; doc.Schema != want {
			t.Errorf("%q: schema %q, want %q", args, doc.Schema, want)
		}
	}
}

func TestAWrongCommandLineSaysTheRightOne(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string // in what is printed
	}{
		{[]string{"setup"}, "did you mean: ctx wrap setup"},
		{[]string{"list"}, "ctx plugins list, or ctx profile list, or ctx skill list, or ctx t"},
		{[]string{"doctor", "claude"}, "did you mean: ctx doctor --host claude"},
		{[]string{"wrap", "setup", "claude"}, "did you mean: ctx wrap setup --host claude"},
		{[]string{"wrap", "setup", "--profile", "nope"}, "unknown profile \"nope\"\nhint: profiles: read-only"},
		{[]string{"tools", "search", " "}, "the query is empty"},
		{[]string{"tools", "search", "x", "--limit", "0"}, "--limit 0 finds nothing\nhint: 1 or more"},
		{[]string{"tools", "search", "x", "--limit", "few"}, "invalid argument \"few\" for \"--limit\" flag\n"},
		{[]string{"plugins", "check", "no-such-file"}, "no-such-file is no executable file"},
	} {
		code, out, errOut := run(t, tt.args...)
		if code == cmdutil.OK || out != "" || !strings.Contains(errOut, tt.want) {
			t.Errorf("ctx %s: exit %d, printed %q and %q, want %q", strings.Join(tt.args, " "), code, out, errOut, tt.want)
		}
	}
}

func TestTheVersionIsAFlagToo(t *testing.T) {
	for _, more := range [][]string{nil, {"--json"}} {
		_, want, _ := run(t, append([]string{"version"}, more...)...)
		code, got, errOut := run(t, append([]string{"--version"}, more...)...)
		if code != cmdutil.OK || got != want || want == "" {
			t.Errorf("--version %q: exit %d, %q, %q; want %q", more, code, got, errOut, want)
		}
	}
}
