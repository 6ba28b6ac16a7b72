package reconcile

import (
	"strings"
	"testing"
)

func spoken(text string) string {
	var all []string
	for _, m := range Intent(text) {
		all = append(all, string(m.Family))
	}
	return strings.Join(all, " ")
}

// Fault 11: an intent was matched inside words, and never negated.
func TestFault11IntentIsReadByWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"open a PR":                       "source-control",
		"review the prs of today":         "source-control",
		"open a pull request":             "source-control",
		"improve the project and print":   "",
		"dawson wants more discipline":    "",
		"the codeartifact of the author":  "",
		"approach the problem":            "",
		"Deploy it, then tell #dev":       "deployment",
		"deploy to AWS":                   "deployment cloud",
		"look into the Postgres database": "database",
		"":                                "",
		"   \n\t":                         "",
		"工具 und größer":                   "",
	} {
		if got := spoken(text); got != want {
			t.Errorf("%q speaks of %q, want %q", text, got, want)
		}
	}
}

func TestIntentThatIsNegatedIsNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"don't deploy":                                "",
		"do not deploy this":                          "",
		"don\u2019t touch the database":               "",
		"look around without running the tests":       "",
		"never commit":                                "",
		"clean this up, no deployment":                "",
		"instead of deploying, read the docs":         "docs",
		"read it rather than deploy it":               "",
		"do not deploy, run the tests":                "testing",
		"do not deploy but run the tests":             "testing",
		"don't deploy now. Deploy tomorrow":           "deployment",
		"don't forget to commit":                      "source-control",
		"not only the tests":                          "testing",
		"the release does not deploy":                 "deployment",
		"why don't you commit it":                     "source-control",
		"neither a commit nor a deployment is needed": "",
	} {
		if got := spoken(text); got != want {
			t.Errorf("%q speaks of %q, want %q", text, got, want)
		}
	}
}

func TestIntentOfAPastedLogIsReadAtItsBeginning(t *testing.T) {
	t.Parallel()
	text := "commit this: " + strings.Repeat("\u00e9", 3000) + strings.Repeat(" deploy", 100_000)
	if got := spoken(text); got != "source-control" {
		t.Errorf("it speaks of %q", got)
	}
}

func FuzzIntent(f *testing.F) {
	f.Add("don't deploy; run the \"tests\" (PRs)")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range Intent(text) {
			if m.Family == "" || m.Word == "" {
				t.Errorf("%q has %+v", text, m)
			}
		}
	})
}
