package surface

import (
	"slices"
	"strings"
	"unicode"
)

// FamiliesVersion is the version of the list of families: another number means
// that tools may have changed families.
const FamiliesVersion = 1

// Family is a domain of work.
type Family string

// Other is the family of a tool whose words say nothing of any other.
const Other Family = "other"

// families are the words that speak for a family, in the singular. A word counts
// as a whole word; the first family wins of two that are as likely.
var families = []struct {
	name  Family
	words []string
}{
	{"source-control", []string{"git", "github", "gitlab", "bitbucket", "gitea", "repo", "repository", "commit", "branch", "fork", "pull_request", "merge_request", "pr", "blame", "diff", "stash", "rebase", "cherry"}},
	{"deployment", []string{"deploy", "deployment", "release", "rollout", "rollback", "pipeline", "vercel", "netlify", "heroku", "helm", "argo", "build_trigger", "workflow_run"}},
	{"cloud", []string{"aws", "azure", "gcp", "cloud", "cloudflare", "lambda", "ec2", "s3", "bucket", "kubernetes", "k8s", "pod", "cluster", "terraform", "vm", "instance", "iam", "container", "docker"}},
	{"database", []string{"database", "db", "sql", "postgres", "postgresql", "mysql", "sqlite", "mongo", "mongodb", "redis", "table", "schema", "query", "row", "collection", "supabase", "bigquery", "snowflake", "index"}},
	{"collaboration", []string{"slack", "discord", "teams", "email", "mail", "gmail", "message", "channel", "jira", "linear", "confluence", "notion", "asana", "trello", "issue", "ticket", "comment", "thread", "chat", "sms"}},
	{"billing", []string{"stripe", "invoice", "payment", "refund", "customer", "subscription", "price", "charge", "paypal", "billing"}},
	{"browser", []string{"browser", "playwright", "puppeteer", "selenium", "page", "click", "navigate", "screenshot", "tab", "dom", "selector", "hover"}},
	{"scheduling", []string{"schedule", "cron", "calendar", "event", "reminder", "appointment", "meeting", "timer"}},
	{"todo", []string{"todo", "task", "checklist", "backlog"}},
	{"semantic-analysis", []string{"symbol", "reference", "definition", "ast", "lsp", "scip", "outline", "refactor", "rename_symbol", "diagnostic", "lint", "type"}},
	{"testing", []string{"test", "pytest", "jest", "coverage", "benchmark", "assert", "fixture"}},
	{"memory", []string{"memory", "entity", "relation", "observation", "knowledge", "graph", "node", "remember", "recall"}},
	{"web", []string{"web", "http", "url", "fetch", "crawl", "scrape", "website", "html", "download"}},
	{"files", []string{"file", "directory", "folder", "path", "filesystem", "tree", "glob", "grep", "archive", "zip", "gzip"}},
	{"docs", []string{"doc", "docs", "documentation", "readme", "wiki", "guide", "manual", "article"}},
	{"shell", []string{"shell", "bash", "terminal", "command", "exec", "execute", "process", "script", "powershell"}},
}

var familyOf = func() map[string][]int {
	m := make(map[string][]int)
	for i, f := range families {
		for _, w := range f.words {
			m[w] = append(m[w], i)
		}
	}
	return m
}()

// Families lists the names of all families, Other last.
func Families() []Family {
	all := make([]Family, 0, len(families)+1)
	for _, f := range families {
		all = append(all, f.name)
	}
	return append(all, Other)
}

// FamiliesOf are the families that a word speaks for, as [Words] spells it; nil
// for a word that speaks for none.
func FamiliesOf(word string) []Family {
	var spoken []Family
	for _, i := range familyOf[word] {
		spoken = append(spoken, families[i].name)
	}
	return spoken
}

// FamilyOf is the family of a tool: by the words of its own name first, then of
// its server's, then of its description's first sentence. Only whole words count:
// "dawson" does not speak of aws.
func FamilyOf(server, tool, description string) Family {
	first, _, _ := strings.Cut(description, ". ")
	first, _, _ = strings.Cut(first, "\n")
	votes := make([]int, len(families))
	count := func(text string, weight int) {
		for _, w := range Words(text) {
			for _, i := range familyOf[w] {
				votes[i] += weight
			}
		}
	}
	count(tool, 4)
	count(server, 3)
	count(first, 1)
	best := 0
	for i := range votes {
		if votes[i] > votes[best] {
			best = i
		}
	}
	if votes[best] < 2 {
		return Other
	}
	return families[best].name
}

// Words are the words of a name or a text, in lower case and in the singular:
// "listPullRequests" is list, pull, request and pull_request, for neighbours that
// mean something only together.
func Words(text string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, singular(strings.ToLower(b.String())))
			b.Reset()
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !unicode.IsLower(runes[i-1])):
			flush()
		}
		b.WriteRune(r)
	}
	flush()
	for i := len(words) - 2; i >= 0; i-- {
		if pair := words[i] + "_" + words[i+1]; len(familyOf[pair]) > 0 {
			words = append(words, pair)
		}
	}
	return words
}

func singular(w string) string {
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies"):
		return strings.TrimSuffix(w, "ies") + "y"
	case slices.ContainsFunc([]string{"ches", "shes", "xes", "sses"}, func(end string) bool { return strings.HasSuffix(w, end) }):
		return strings.TrimSuffix(w, "es")
	}
	return strings.TrimSuffix(w, "s")
}
