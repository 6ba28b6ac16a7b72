package activate

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesAndWhatIsNegatedAreFound(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][2]string{
		"put it in Jira": {"jira", ""},
		"Put it there":   {"", ""},
		"the papers live in OnBoard, not in Diligent":    {"onboard dilig", "dilig"},
		"It isn’t on Pipedrive. Salesforce has the deal": {"pipedr", "pipedr"},
		"GitHub first, then GitLab":                      {"github gitlab", ""},
		"never push this, open a request":                {"", "push"},
		"use ripgrep instead of the index":               {"", "index"},
		"ask on line two:\nThen go home":                 {"", ""},
	} {
		names, nots := mentions(prompt)
		if got := [2]string{strings.Join(names, " "), strings.Join(nots, " ")}; got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

func TestSharesCountEachCandidateOnceForEachStem(t *testing.T) {
	t.Parallel()
	f, err := newField(t.Context(), []Candidate{
		{Name: "issues", Title: "Jira issues", Description: "Issues in Jira.", Triggers: []string{"open a jira issue", "close a jira issue"}},
		{Name: "boards", Description: "Boards of Trello.", Triggers: []string{"move a card"}},
	}, nil, packer{})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.shares([]string{"jira", "trello", "jira", "asana"}); !slices.Equal(got, []float64{1. / 3, 1. / 3}) {
		t.Errorf("got %v", got)
	}
	if got := f.shares(nil); !slices.Equal(got, []float64{0, 0}) {
		t.Errorf("of nothing %v", got)
	}
}
