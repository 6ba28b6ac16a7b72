package surface_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestFamiliesAreOfWholeWords(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		server, tool, description string
		want                      surface.Family
	}{
		// Parts of words that mean something else.
		{"dawson", "say_hello", "", surface.Other},
		{"discipline", "list", "", surface.Other},
		{"codeartifact", "harness", "", surface.Other},
		{"platform", "perform", "Confirms the information.", surface.Other},
		{"github", "create_pull_request", "Opens a pull request", "source-control"},
		{"github", "createPullRequest", "", "source-control"},
		{"fs", "list_directory", "Lists files", "files"},
		{"pg", "execute_sql", "Runs a query against the database", "database"},
		{"playwright", "browser_click", "", "browser"},
		{"x", "send_slack_message", "", "collaboration"},
		{"cal", "createCalendarEvent", "", "scheduling"},
		{"t", "add_todos", "", "todo"},
		{"memory", "create_entities", "", "memory"},
		{"", "", "", surface.Other},
	} {
		if got := surface.FamilyOf(x.server, x.tool, x.description); got != x.want {
			t.Errorf("%s:%s %q is of family %s, want %s", x.server, x.tool, x.description, got, x.want)
		}
	}
}

func TestWordsOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"listPullRequests": {"list", "pull", "request", "pull_request"},
		"get-S3Object_v2":  {"get", "s3", "object", "v2"},
		"HTTPServer":       {"http", "server"},
		"entities":         {"entity"},
		"class status":     {"class", "status"},
		"":                 nil,
	} {
		if d := cmp.Diff(want, surface.Words(name)); d != "" {
			t.Errorf("%q (-want +got):\n%s", name, d)
		}
	}
}
