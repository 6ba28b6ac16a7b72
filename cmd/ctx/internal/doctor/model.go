package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/embed"
)

// sample is a prompt whose words are in no trigger of the capability that it
// asks for.
var sample = activate.Request{
	Prompt: "put lunch with Ana on thursday at noon into my diary",
	Candidates: []activate.Candidate{ // the right one last: where all are alike, the first one is taken
		{Name: "database", Title: "Database", Triggers: []string{
			"find the slow query", "how many rows has the orders table?", "add an index to the users table"}},
		{Name: "calendar", Title: "Calendar", Triggers: []string{
			"schedule a meeting for tomorrow", "move my two o'clock appointment", "am I free on friday afternoon?"}},
	},
}

// model says what tools are found and prompts are routed with, and proves it
// with a prompt. Without a sentence model that is worth a warning where there is
// a tap to route to.
func (d *doctor) model(ctx context.Context, c config.Config, workspace string, needed bool) {
	const name = "model"
	lacking := Note
	if needed {
		lacking = Warn
	}
	l := d.f.Layout()
	router, degraded := activate.Load(activate.Source{ // without a cache: the sample is nothing to be kept
		Env: d.f.Env, Model: c.Embed.Model, Library: c.Embed.OrtLibrary, Share: l.Share(), Workspace: workspace,
	})
	defer func() { _ = router.Close() }() // it ends with the process anyway
	var broken *embed.BundleError
	if errors.As(degraded, &broken) {
		d.add("", name, Bad, "tools are found and prompts are routed by words alone, because "+degraded.Error(), embed.Hint(degraded))
		return
	}
	if degraded != nil {
		d.add("", name, lacking, "tools are found and prompts are routed by words alone, because "+degraded.Error(), embed.Hint(degraded))
		return
	}
	decision, err := router.Decide(ctx, sample)
	switch {
	case err != nil:
		d.add("", name, Bad, fmt.Sprintf("%s cannot route a prompt: %v", router.Ranker(), err), "run install.sh again")
	case decision.Scores[0].Name != "calendar":
		d.add("", name, Bad, router.Ranker()+" takes a prompt about a calendar for one about a "+decision.Scores[0].Name, "run install.sh again")
	default:
		d.add("", name, Good, "tools are found and prompts are routed with "+router.Ranker(), "")
	}
}
