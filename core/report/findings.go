package report

import (
	"cmp"
	"strings"
)

// mostFindings is how many findings of a kind, and lines of any other list, a
// page has for each host.
const mostFindings = 200

// findings are those of one kind.
type findings struct {
	Kind, Title string
	All         int
	Shown       []Finding
}

// titles say what a kind of finding means. A kind that is not here is called by
// its name.
var titles = map[string]string{
	"over_budget":           "Over the budget",
	"high_authority_unused": "Writes to the outside or destroys, and is never used",
	"never_used":            "In every request, and never used",
	"broken_dependency":     "Refers to what is not there",
	"not_measured":          "Its price is not known",
	"leakage":               "Gives something away, hides something or speaks to the model",
}

func words(kind string) string { return strings.ReplaceAll(plain(kind), "_", " ") }

// grouped puts findings of one kind together, in the order of their first.
func grouped(all []Finding) []findings {
	var out []findings
	at := make(map[string]int)
	for _, f := range all {
		i, ok := at[f.Kind]
		if !ok {
			i = len(out)
			at[f.Kind] = i
			title := cmp.Or(titles[f.Kind], words(f.Kind))
			out = append(out, findings{Kind: words(f.Kind), Title: title})
		}
		out[i].All++
		if len(out[i].Shown) < mostFindings {
			out[i].Shown = append(out[i].Shown, Finding{Kind: f.Kind, ID: plain(f.ID), Text: plain(f.Text), Hint: plain(f.Hint)})
		}
	}
	return out
}
