package gateway

import (
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
)

// Preview is what a new session would list and say of itself, if the servers
// behind it list what is known of them; offer is what there is to enable. Nothing
// is started.
func Preview(cfg config.Config, rules *Rules, known []listing.Listing, offer Offer) (listing.Listing, error) {
	c := newCatalog(rules, known)
	g := &Gateway{opts: Options{Config: cfg, Memory: &Memory{}}, offers: offer, mode: chooseMode(cfg, c, offer)}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(g.toolList(c), &list); err != nil {
		return listing.Listing{}, err
	}
	return listing.Listing{Server: "ctx", Instructions: c.instructions(g.mode == everything), Tools: list.Tools}, nil
}

// Relevant ranks the tools that a session may know of for the user's prompt and
// returns the ids of the best n, fewer where fewer share a word with it. Only
// what the gate admits is ranked, and nothing is started. A prompt may be as long
// as what was pasted into it, so that it is bounded first.
func Relevant(rules *Rules, known []listing.Listing, prompt string, n int) []string {
	c := newCatalog(rules, known)
	ids := make([]string, 0, n)
	for _, t := range c.best(activate.Bounded(prompt), n) {
		ids = append(ids, t.ID())
	}
	return ids
}
