package iostreams

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestCleanTakesTheTerminalOutOfText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                        "plain",
		`say "hi" é 日本`:                `say "hi" é 日本`,
		"\x1b[2Jgone":                  `\x1b[2Jgone`,
		"a\rb\nc":                      `a\rb\nc`,
		"safe\u202Egnp.exe":            `safe\u202egnp.exe`,
		"zero\u200bwidth":              `zero\u200bwidth`,
		"\xff":                         `\xff`,
		`back\slash "quoted"` + "\x07": `back\\slash "quoted"\a`,
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := CleanLines("a\tb\r\nc\x1b"); got != "a\tb\nc\\x1b" {
		t.Errorf("CleanLines = %q", got)
	}
}

func TestTableLinesUpWithAndWithoutColour(t *testing.T) {
	s, _, out, _ := Test()
	table := NewTable("NAME", ">TOOLS", "WHAT")
	table.Row("é", 5, "front")
	table.Row("longer", 12345, "")
	table.Write(s)
	want := "  NAME    TOOLS  WHAT\n  é           5  front\n  longer  12345\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	out.Reset()
	s.Color = true
	table.Write(s)
	if got := out.String(); got[:len("  \x1b[2mNAME\x1b[0m")] != "  \x1b[2mNAME\x1b[0m" {
		t.Errorf("headings are not dimmed: %q", got)
	}
}

func TestALongCellPadsNoOtherRow(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	table := NewTable("ID", "WHY")
	table.Row(strings.Repeat("x", 10_000), "long")
	table.Row("short", "ok")
	table.Write(&Streams{Out: &out})
	if !strings.Contains(out.String(), strings.Repeat("x", 10_000)+"  long\n") || !strings.Contains(out.String(), "\n  short  ok\n") {
		t.Errorf("%d bytes", out.Len())
	}
}

func TestATableIsNoWiderThanItsTerminal(t *testing.T) {
	s, _, out, _ := Test()
	table := NewTable("NAME", ">TOOLS", "WHY")
	table.Row("alpha", 5, "nobody has approved the server behind it")
	table.Row("b", 12, "")
	for width, want := range map[int]string{
		0:  "  NAME   TOOLS  WHY\n  alpha      5  nobody has approved the server behind it\n  b         12\n",
		56: "  NAME   TOOLS  WHY\n  alpha      5  nobody has approved the server behind it\n  b         12\n",
		46: "  NAME   TOOLS  WHY\n  alpha      5  nobody has approved the server\n                behind it\n  b         12\n",
		34: "  NAME   TOOLS\n      WHY\n  alpha      5\n      nobody has approved the\n      server behind it\n  b         12\n",
	} {
		out.Reset()
		s.Width = width
		table.Write(s)
		if out.String() != want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", width, out, want)
		}
	}
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two three", []string{"one two", "three"}},
		{"/a/path/too/long is one word", []string{"/a/path/too/long", "is one", "word"}},
		{"éé éé éé", []string{"éé éé", "éé"}},
	} {
		if got := Wrap(c.text, 7); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestColourAndProgressAreForTerminals(t *testing.T) {
	s, _, _, errOut := Test()
	if got := s.Red("x"); got != "x" {
		t.Errorf("Red without a terminal: %q", got)
	}
	s.Step("working")
	if errOut.Len() > 0 {
		t.Errorf("progress in a pipe: %q", errOut)
	}
}

func TestManyWarningsAreCounted(t *testing.T) {
	s, _, out, _ := Test()
	s.Warn(s.Out, []string{"1", "2", "3", "4", "5", "6", "7", "8"})
	if strings.Count(out.String(), "warning: ") != 8 || strings.Contains(out.String(), "more") {
		t.Errorf("eight warnings:\n%s", out)
	}
	out.Reset()
	s.Warn(s.Out, make([]string, 75))
	if !strings.HasSuffix(out.String(), "warning: and 67 more; --json has them all\n") {
		t.Errorf("75 warnings:\n%s", out)
	}
}

func TestConfirmTakesYesOrNoAndNothingElse(t *testing.T) {
	for in, want := range map[string]bool{
		"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "y": false, "maybe\ny\n": true, "sure\nno\n": false,
	} {
		s, stdin, _, _ := Test()
		stdin.WriteString(in)
		if got, err := s.Confirm(t.Context(), "Go?"); got != want || err != nil {
			t.Errorf("Confirm answered %q: %v, %v; want %v", in, got, err, want)
		}
	}
}

func TestAnInterruptEndsAQuestion(t *testing.T) {
	s, _, _, _ := Test()
	silent, hand := io.Pipe()
	defer hand.Close()
	s.In = silent
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if yes, err := s.Confirm(ctx, "Go?"); yes || !errors.Is(err, context.Canceled) {
		t.Errorf("Confirm = %v, %v; want the interrupt", yes, err)
	}
}

func TestTheLocaleSaysWhatATerminalShows(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"LANG=C"}, false},
		{[]string{"LANG=C.UTF-8"}, true},
		{[]string{"LANG=de_DE.utf8"}, true},
		{[]string{"LANG=en_US.UTF-8", "LC_ALL=C"}, false},
		{[]string{"LANG=C", "LC_CTYPE=en_US.UTF-8", "LC_ALL="}, true},
	} {
		if got := utf8Locale(c.env); got != c.want {
			t.Errorf("%q: %v", c.env, got)
		}
	}
}
