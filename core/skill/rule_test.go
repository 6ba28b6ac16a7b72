package skill

import (
	"strings"
	"testing"
)

func TestRulesAsSkillsWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`content(microsoft ads)`:                         "",
		`session(device) content(iphone)`:                "",
		`match(\b(facebook|meta)\s+ads?\b) file(go.mod)`: "",
		`match(\))`:                        "",
		`match([(] x) content(y)`:          "",
		`match([]()] x) content(y)`:        "",
		`match([^](] x)`:                   "",
		`match(日本語)`:                       "",
		`grep(\[\[steps\]\], *.toml)`:      "",
		`grep(a{1,2}b)`:                    "",
		`grep(f(a,b), src/*.go)`:           "",
		`grep(@types/react, package.json)`: "",
		`env(CI)`:                          "",
		`env(CI=true) bin(cargo)`:          "",
		`env(CI=)`:                         "",
		`file(*workflow*.toml)`:            "",
		`file(deps/)`:                      "",
		`file(**/*_test.go)`:               "",
		`workdir(/rust)`:                   "",
		`semantic(my ad does not work, what is wrong)`:  "",
		`semantic(ship it to production, 0.55)`:         "",
		`  content(rust)   file(Cargo.toml) `:           `content(rust) file(Cargo.toml)`,
		`file(Cargo.toml)content(async)`:                `file(Cargo.toml) content(async)`,
		`content( spaced )`:                             `content(spaced)`,
		`semantic(x , .5)`:                              `semantic(x, 0.5)`,
		"file(Cargo.toml) content(async)   # and: both": `file(Cargo.toml) content(async)`,
	} {
		checks, err := ParseRule(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		if got := (Rule{Checks: checks}).String(); got != want {
			t.Errorf("%s reads as %s, want %s", text, got, want)
		}
	}
}

// A line that is followed in part would hold more often than its author means.
func TestALineIsFollowedAsAWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]string{
		"":                                   "has no check",
		"# only a comment":                   "is no check",
		"rust":                               "is no check",
		"developer(review)":                  `no check "developer"`,
		"contents(rust)":                     "did you mean content?",
		"content(rust) developer(review)":    `no check "developer"`,
		"file(Cargo.toml) match(\\b(oops":    "not closed",
		"file(Cargo.toml) and content(rust)": `no check "and content"`,
		"content(rust) nonsense":             "is no check",
		"content(rust)# comment":             "behind a space",
		"content()":                          "empty",
		"semantic( , 0.5)":                   "empty",
		"semantic(x, 0)":                     "no threshold",
		"semantic(x, 1.5)":                   "no threshold",
		"semantic(x, NaN)":                   "no threshold",
		"match(a(b)":                         "not closed",
		"match(*)":                           "missing argument",
		"match((a{500}){500})":               "",
		"match(" + strings.Repeat("a", 1001) + ")":   "too large",
		"match((abcdefghij){900})":                   "too large",
		"grep([, *.go)":                              "not closed",
		"grep(x, ../*.go)":                           "leads out",
		"file(../secret)":                            "leads out",
		"file(a/../../secret)":                       "leads out",
		"file(/etc/passwd)":                          "leads out",
		"file([)":                                    "syntax error",
		"bin(/bin/sh)":                               "no name",
		"env(A B)":                                   "no name",
		strings.Repeat("content(a) ", 17):            "over 16 checks",
		"content(" + strings.Repeat("a", 4096) + ")": "over 4096 bytes",
	} {
		checks, err := ParseRule(text)
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.60s: %v, error %v, want one with %q", text, checks, err, why)
		}
	}
}

func FuzzARuleReadsTheSameAgain(f *testing.F) {
	for _, seed := range []string{
		`match(\b(a|b)\b) file(go.mod)`, `grep(\[\[x\]\], *.toml)`, `semantic(a, b, 0.5)`, `env(A=b)`, `content(x) # y`, `match([]()])`, `file(deps/)`, `grep(a,)`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checks, err := ParseRule(text)
		if err != nil {
			return
		}
		once := Rule{Checks: checks}.String()
		again, err := ParseRule(once)
		if err != nil {
			t.Fatalf("%q is read as %q, which is refused: %v", text, once, err)
		}
		if twice := (Rule{Checks: again}).String(); twice != once || len(again) != len(checks) {
			t.Fatalf("%q is read as %q, and that as %q", text, once, twice)
		}
		for i, c := range checks {
			if again[i].Kind != c.Kind || again[i].Arg != c.Arg || again[i].Second != c.Second || again[i].AtLeast != c.AtLeast {
				t.Fatalf("%q: %+v became %+v", text, c, again[i])
			}
		}
	})
}
