package main

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/activate"
)

func TestForeignAsksNoTapThatServes(t *testing.T) {
	taps := map[string][]activate.Candidate{
		"own":          {{Name: "invoices", Triggers: []string{"write an invoice"}}},
		"same-name":    {{Name: "invoices", Triggers: []string{"bill a customer"}}},
		"same-trigger": {{Name: "billing", Triggers: []string{"Write an invoice"}}},
		"other":        {{Name: "weather", Triggers: []string{"will it rain"}, Domains: []string{"home"}}},
	}
	rows := []row{{Set: "s.jsonl", Tap: "own", ID: "own-1", Text: "bill them", Expect: []string{"invoices"}, Kind: "paraphrase"}}
	got := foreign(rows, taps)
	if len(got) != 1 || got[0].Tap != "other" || got[0].Set != "foreign-own" || got[0].Expect != nil || got[0].Domain != "home" {
		t.Errorf("foreign(%+v) = %+v, want it put to the tap %q alone", rows, got, "other")
	}
	delete(taps, "other")
	if got := foreign(rows, taps); len(got) != 0 {
		t.Errorf("foreign with taps alone that serve it = %+v, want none", got)
	}
}
