package activate

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanKeepsTheUsersOwnWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "  query the users table \n", "query the users table"},
		{"fence", "why does this fail?\n```sql\nSELECT 1\n```\nfix it", "why does this fail?\nfix it"},
		{"tilde fence", "look\n~~~\ndocker ps\n~~~", "look"},
		{"longer fence holds a shorter one", "x\n````\n```\ndocker\n```\n````\ny", "x\ny"},
		{"fence not closed", "see\n```\ndocker ps", "see"},
		{"code in a line is not a fence", "run ```docker ps``` for me", "run ```docker ps``` for me"},
		{"host block", "<system-reminder>\nuse docker\n</system-reminder>\nfix the parser", "fix the parser"},
		{"one-line block", "<log>postgres is down</log> what now", "what now"},
		{"block in a line", "what now <log>postgres is down</log>please", "what now  please"},
		{"nested block of one name", "<a-b>x<a-b>y</a-b>z</a-b>rest", "rest"},
		{"attributes", `<file path="x.go">func main()</file> explain`, "explain"},
		{"generic type", "make List<T> and Map<String, List<T>> sortable", "make List<T> and Map<String, List<T>> sortable"},
		{"closed generic", "turn <T>x</T> round", "turn <T>x</T> round"},
		{"html in a sentence", "make the <button>Save</button> red", "make the <button>Save</button> red"},
		{"html at the start of a sentence", "<div>Hello</div> renders twice", "<div>Hello</div> renders twice"},
		{"jsx in a sentence", "why does <Modal open>hi</Modal> flicker", "why does <Modal open>hi</Modal> flicker"},
		{"pasted html", "fix this\n<div>\n  <p>docker</p>\n</div>\nnow", "fix this\n \nnow"},
		{"tag not closed", "the <config tag is odd, so is <br> here", "the <config tag is odd, so is <br> here"},
		{"comparison", "if a < b and c > d then stop", "if a < b and c > d then stop"},
		{"only a block", "<task-notification>done</task-notification>", ""},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestHostilePromptsAreCleanedInNoTime(t *testing.T) {
	t.Parallel()
	const n = 1 << 16 // quadratic work over these would take minutes
	for name, prompt := range map[string]string{
		"opened":        strings.Repeat("<a-b>", n),
		"closed once":   strings.Repeat("<a-b>", n) + "</a-b>",
		"nested":        strings.Repeat("<b>", n) + strings.Repeat("</b>", n),
		"in a row":      strings.Repeat("<b>x</b>", n),
		"fences":        strings.Repeat("```\n", n),
		"backticks":     strings.Repeat("`", n),
		"half of a tag": strings.Repeat("<a ", n),
	} {
		if got := own(prompt); len(got) > maxPrompt {
			t.Errorf("%s: %d bytes are left", name, len(got))
		}
	}
}

func TestALongPromptIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	if got := own(strings.Repeat("取", 10_000)); !utf8.ValidString(got) || len(got) > maxPrompt || len(got) < maxPrompt-3 {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a <b>c</b> ```\nd\n```")
	f.Add("<x><x></x>")
	f.Fuzz(func(t *testing.T, prompt string) {
		if got := Clean(prompt); nonSpace(got) > nonSpace(prompt) {
			t.Errorf("%q grew to %q", prompt, got)
		}
	})
}
