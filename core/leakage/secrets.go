package leakage

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// shape is how a secret, or the place of one, looks.
type shape struct {
	what  string
	needs []string // it is in no text that has none of them
	is    *regexp.Regexp
	firm  float64
}

var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{"a private key", []string{"PRIVATE KEY"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`), .95},
		{"a GitHub token", []string{"gh", "github_pat"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`), .95},
		{"a GitLab token", []string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`), .95},
		{"a Slack token", []string{"xox"}, regexp.MustCompile(`\bxox[abeprs]-[A-Za-z0-9-]{10,}`), .95},
		{"a cloud access key", []string{"AKIA", "ASIA", "AIza"}, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}`), .95},
		{"an API key", []string{"sk-", "pk-", "rk-", "sk_", "pk_", "rk_"}, regexp.MustCompile(`\b(?:[sp]k|rk)[-_](?:live|test|ant|proj|or)?[-_]?[A-Za-z0-9_-]{16,}`), .9},
		{"a package registry token", []string{"npm_", "pypi-", "hf_"}, regexp.MustCompile(`\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{24,})`), .95},
		{"a signed token", []string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+`), .9},
		{"a password in an address", []string{"://"}, regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@"'<>{}$]+:[^\s/@"'<>{}$]{3,}@`), .9},
		{"a bearer token", []string{"earer", "EARER"}, regexp.MustCompile(`(?i)\bbearer\s+[a-z0-9._~+/-]{24,}`), .85},
		{"the name of a secret environment variable", []string{"_TOKEN", "_SECRET", "_PASS", "_PAT", "KEY", "_CREDENTIAL"}, regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:TOKEN|SECRET|PASSWORD|PASSWD|PAT|APIKEY|API_KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|KEY|CREDENTIALS?)\b`), .6},
		{"the place of credentials", []string{".", "id_", "/etc/", "eychain", "EYCHAIN", "ogin "}, regexp.MustCompile(`(?i)(?:^|[\s"'(=/\\~])(?:\.ssh(?:/|\\)|id_(?:rsa|ed25519|ecdsa)\b|\.aws(?:/|\\)credentials|\.netrc\b|\.npmrc\b|\.pypirc\b|\.pgpass\b|\.git-credentials\b|\.kube(?:/|\\)config|\.docker(?:/|\\)config\.json|\.gnupg\b|\.env(?:\.[a-z]+)?(?:[\s"')]|$)|\.claude\.json|\.codex(?:/|\\)auth\.json|/etc/shadow|keychain|login data\b|cookies\.sqlite)`), .7},
		{"a home folder of somebody", []string{"/home/", "/Users/", "C:\\Users"}, regexp.MustCompile(`(?:/home/|/Users/|C:\\Users\\)[A-Za-z][A-Za-z0-9._-]*`), .5},
	}
})

// inviting are names of parameters that take a secret from the model.
var inviting = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:.*[_-])?(?:password|passwd|passphrase|secret|api_?key|access_?token|auth_?token|bearer(?:_?token)?|private_?key|client_?secret|credentials?|ssh_?key|session_?cookie)$|[a-z](?:Password|ApiKey|APIKey|AccessToken|AuthToken|PrivateKey|ClientSecret)$`)
})

// placeholder tells an example from a secret.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:[x*.…_-]+|(?:.*(?:your|my|example|sample|placeholder|changeme|redacted|dummy|xxxx|\.\.\.|1234567|abcdef|<|\$\{|foo|token_?here).*))$`)
})

// secrets finds what is a secret, or leads to one. Nothing of it is quoted.
func secrets(t text) []Finding {
	if strings.HasSuffix(t.field, "#name") {
		if inviting().MatchString(t.content) {
			return []Finding{{SecretAdjacent, "a parameter that takes a secret", Place{t.field, 0, len(t.content)}, .6}}
		}
		return nil
	}
	var out []Finding
	for _, s := range shapes() {
		if !containsAny(t.content, s.needs) {
			continue
		}
		for _, at := range s.is.FindAllStringIndex(t.content, 8) {
			firm := s.firm
			if firm > .8 && placeholder().MatchString(t.content[at[0]:at[1]]) {
				continue
			}
			out = append(out, Finding{SecretAdjacent, s.what, Place{t.field, at[0], at[1]}, firm})
		}
	}
	if len(out) == 0 && valued(t.field) {
		out = append(out, random(t)...)
	}
	return out
}

// withoutSecrets is a path into a schema, whose keys are the server's to choose,
// with no secret in it.
func withoutSecrets(path string) string {
	for _, s := range shapes() {
		if s.firm > .8 && containsAny(path, s.needs) {
			path = s.is.ReplaceAllLiteralString(path, "…")
		}
	}
	return path
}

// valued reports whether a field of a schema holds a value.
func valued(field string) bool {
	return last(field) == "default" || last(field) == "const" || strings.Contains(field, ".examples.") || last(field) == "example"
}

// random finds values that nobody typed: long, of one word, with letters and
// digits as chance spreads them.
func random(t text) []Finding {
	const shortest, mostOrder = 24, 3.6 // bytes; bits a character
	s := t.content
	if len(s) < shortest || strings.ContainsAny(s, " \t\n/:") || placeholder().MatchString(s) {
		return nil
	}
	var counts [256]int
	digits, upper, lower := 0, 0, 0
	for i := range len(s) {
		counts[s[i]]++
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		}
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	if digits < 3 || upper < 3 || lower < 3 || bits < mostOrder {
		return nil
	}
	return []Finding{{SecretAdjacent, "a value that looks like a key", Place{t.field, 0, len(s)}, .6}}
}
