// Package report draws what hosts place before their models as one HTML page
// that needs nothing beside itself: no network, and no script to be read.
package report

import (
	"bytes"
	"io"
	"time"

	"github.com/ctx-sidecar/ctx/core/inventory"
)

const (
	// MostRows is how many records a page lists, all hosts together. What does
	// not fit is counted with where it comes from, and the page says so.
	MostRows = 12000
	// Generator is what a page calls its maker in its head.
	Generator = "ctx surface report"
)

// Page is what is drawn.
type Page struct {
	Workspace string
	Tokenizer string
	Budget    int // tokens in every request
	Made      time.Time
	Hosts     []Host
}

// Host is one host's part.
type Host struct {
	Title string
	inventory.Inventory
	Findings []Finding
}

// Finding is one thing that could be better.
type Finding struct {
	Kind string // "never_used"; findings of one kind stand together
	ID   string // of the record, "" where it is about none
	Text string
	Hint string
}

// Size is how large a page became.
type Size struct {
	Bytes   int `json:"bytes"`
	Rows    int `json:"rows"`    // records that are listed
	Records int `json:"records"` // that there are
}

// HTML writes a page. The error is that of w.
func HTML(w io.Writer, p Page) (Size, error) {
	v := newView(p)
	var b bytes.Buffer
	if err := page.Execute(&b, v); err != nil {
		return Size{}, err
	}
	n, err := b.WriteTo(w)
	return Size{Bytes: int(n), Rows: v.Rows, Records: v.Records}, err
}

// IsPage reports whether a file that begins like this is a page of ours.
func IsPage(head []byte) bool {
	return bytes.Contains(head, []byte(`<meta name="generator" content="`+Generator+`">`))
}
