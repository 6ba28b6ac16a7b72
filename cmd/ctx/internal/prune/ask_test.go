package prune

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/prune"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

// asked is a host with a server of a read and n deletions, and two skills; the
// user answers with lines.
func asked(t *testing.T, n int, answers string) (*job, string, error) {
	t.Helper()
	record := func(kind surface.Kind, provider, name string, level inventory.Level) inventory.Record {
		return inventory.Record{ID: inventory.ID(kind, provider, name), Kind: kind, Provider: provider, Name: name, Standing: inventory.Loaded, Level: level}
	}
	inv := inventory.Inventory{Records: []inventory.Record{
		record(surface.KindServer, "user", "db", inventory.L1),
		record(surface.KindTool, "db", "read", inventory.L1),
		record(surface.KindSkill, "project", "deploy", inventory.L1),
		record(surface.KindSkill, "project", "lint", inventory.L1),
	}}
	for i := range n {
		r := record(surface.KindTool, "db", fmt.Sprintf("delete_%d", i), inventory.L4)
		r.Authority = &authority.Judgement{Tier: authority.Destructive, Evidence: []authority.Claim{{Source: "name", Words: "delete", Tier: authority.Destructive, Confidence: 0.9}}}
		inv.Records = append(inv.Records, r)
	}
	j := &job{
		host:    &survey.Host{Host: &hosts.Host{Description: plugins.Description{Name: "fake", Title: "Fake"}}, Inventory: inv},
		choices: prune.Choices{}, all: prune.Candidates(inv),
	}
	var out bytes.Buffer
	p := &pruner{f: &cmdutil.Factory{IO: &iostreams.Streams{In: strings.NewReader(answers), Out: &out, Err: &out, Interactive: true}}}
	err := p.ask(t.Context(), j)
	return j, out.String(), err
}

func chosen(j *job) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(j.choices)) {
		all = append(all, fmt.Sprint(id, "=", j.choices[id]))
	}
	return strings.Join(all, " ")
}

func TestAQuestionMarkExplainsTheAnswers(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 2, "?\n\n?\n\n\n")
	if err != nil || chosen(j) != "" {
		t.Fatalf("%v, chosen %q\n%s", err, chosen(j), out)
	}
	if strings.Count(out, "  1,3-5      these alone\n") != 2 || strings.Contains(out, "is no number") {
		t.Errorf("two question marks:\n%s", out)
	}
}

func TestEnterTakesTheRule(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 2, "\n\n\n")
	if err != nil || chosen(j) != "" {
		t.Errorf("%v, %s\n%s", err, chosen(j), out)
	}
	for _, want := range []string{"mcp server, 0 to go", "3 mcp tools, 2 to go", "2 skills, 0 to go"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

func TestWhatDiffersFromTheRuleIsTheUsers(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 2, "none\n7\n+1,2\n-2\n?3\n+1\n1\n")
	// "7" and "+1,2" are refused; "-2" is the answer about tools, "?3" is refused
	// for there are two skills, and "+1" is the answer about those.
	if err != nil || chosen(j) != "mcp_tool:db:delete_0=true skill:project:deploy=false" {
		t.Errorf("%v, %s\n%s", err, chosen(j), out)
	}
	if !strings.Contains(out, "there is no 7: the numbers go from 1 to 3") {
		t.Error(out)
	}
}

func TestExplainingAsksAgain(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 1, "\n?2\n\n\n")
	if err != nil || chosen(j) != "" || !strings.Contains(out, `name: "delete" says destructive (0.90)`) {
		t.Errorf("%v, %s\n%s", err, chosen(j), out)
	}
}

func TestToolsOfAServerThatGoesAreNotAskedAbout(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 2, "all\nnone\n")
	if err != nil || chosen(j) != "mcp_server:user:db=false" || strings.Contains(out, "mcp tools") {
		t.Errorf("%v, %s\n%s", err, chosen(j), out)
	}
}

func TestALargeGroupIsOneQuestion(t *testing.T) {
	t.Parallel()
	j, out, err := asked(t, 45, "\nwhat\nl\nn\n\n")
	if err != nil || len(j.choices) != 45 || !strings.Contains(out, "46 mcp tools, 45 to go by rule. Prune these 45?") || strings.Count(out, "delete_44") != 1 {
		t.Errorf("%v, %d\n%s", err, len(j.choices), out)
	}
	if j, _, err = asked(t, 45, "\ny\n\n"); err != nil || len(j.choices) != 0 {
		t.Errorf("%v, %s", err, chosen(j))
	}
}

func TestNoAnswerStops(t *testing.T) {
	t.Parallel()
	if _, _, err := asked(t, 2, "\n"); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLines(&iostreams.Streams{In: blocked{}, Err: &bytes.Buffer{}})
	if _, err := l.read(ctx, "?"); err == nil {
		t.Error("an interrupt is no answer")
	}
}

// blocked is a terminal at which nobody sits.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }
