package report

import (
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

//go:embed page.html.tmpl
var markup string

// page escapes every text for the place in which it stands.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"group": group, "counted": counted,
	"plus":  func(a, b int) int { return a + b },
	"minus": func(a, b int) int { return a - b },
	"line":  func(i int) string { return units(line + line*float64(i)) },
}).Parse(markup))

// view is a page in the words that it shows.
type view struct {
	Generator       string
	Policy          string // the content security policy
	Style           template.CSS
	Script          template.JS
	Workspace, Made string
	Tokenizer       string
	Rows, Records   int
	Most            int // rows of a page
	Measures        []measure
	Tiers, Uses     []Mark
	Hosts           []*hostView
}

func newView(p Page) view {
	v := view{
		Generator: Generator, Workspace: plain(p.Workspace), Made: p.Made.Format("2 January 2006, 15:04 MST"), Tokenizer: p.Tokenizer, Most: MostRows,
		Style: template.CSS(style), Script: template.JS(script), Measures: measures, Tiers: tiers, Uses: uses,
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", source(style), source(script)),
	}
	for i, h := range p.Hosts {
		hv := newHostView(i, h, p.Budget, MostRows/len(p.Hosts))
		v.Rows += len(hv.Rows)
		v.Records += len(hv.records)
		v.Hosts = append(v.Hosts, hv)
	}
	return v
}

// source names the one style or script that a page may have.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
