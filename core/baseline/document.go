package baseline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/trust"
)

const schema = "ctx.baseline/v1"

const (
	// mostTools bounds what a server can have put on record by listing other
	// names each time. Nothing is ever dropped for that, or a server could have
	// what was decided about a tool forgotten: once it is reached, names that are
	// not on record are held back.
	mostTools = 20_000
	// mostAccepted bounds the definitions of one tool that count as approved.
	mostAccepted = 8
	// mostSame bounds the listings that are known by their bytes: a server may
	// list for several kinds of client.
	mostSame = 8
	// mostText is the size in bytes of the largest definition that is kept to be
	// shown. Of a larger one only the hash is kept.
	mostText = 64 << 10
)

// document is the baseline of one server as it is declared. In its file it is
// one line of JSON, followed by a line "HASH DEFINITION" for each text, so that
// whoever only judges need not read those.
type document struct {
	Schema      string           `json:"schema"`
	ID          string           `json:"id"` // see [trust.ServerID]
	Fingerprint string           `json:"fingerprint"`
	Server      string           `json:"server"`
	At          time.Time        `json:"at"`             // when the server was first seen
	Same        []string         `json:"same,omitempty"` // by their bytes: listings in which every tool is accepted
	Tools       map[string]*tool `json:"tools"`          // by name

	texts map[string]string // definitions by hash
}

// tool is what is on record of one tool.
type tool struct {
	Accepted []string  `json:"accepted"` // hashes, the latest last; never empty
	Waiting  string    `json:"waiting,omitempty"`
	Rejected string    `json:"rejected,omitempty"`
	Shown    string    `json:"shown,omitempty"` // what the user saw of it last, while it waited
	At       time.Time `json:"at,omitzero"`     // of what waits or was rejected
}

func (t *tool) latest() string { return t.Accepted[len(t.Accepted)-1] }

// clone copies what observe and decide change.
func (d *document) clone() *document {
	next := *d
	next.Same = slices.Clone(d.Same)
	next.Tools = make(map[string]*tool, len(d.Tools))
	for name, t := range d.Tools {
		c := *t
		c.Accepted = slices.Clone(t.Accepted)
		next.Tools[name] = &c
	}
	next.texts = maps.Clone(d.texts)
	return &next
}

// full reports whether no name is put on record any more.
func (d *document) full() bool { return len(d.Tools) >= mostTools }

// held names the tools of a listing that are defined otherwise than the user
// accepted: those that wait are [trust.Changed], and so are those that are not
// on record where it is full.
func (d *document) held(l listing.Listing) map[string]trust.Status {
	held := map[string]trust.Status{}
	for _, t := range l.Parse() {
		known := d.Tools[t.Name]
		if known == nil {
			if d.full() {
				held[t.Name] = trust.Changed
			}
			continue
		}
		switch hash := define(t).hash; {
		case slices.Contains(known.Accepted, hash):
		case known.Rejected == hash:
			held[t.Name] = trust.Rejected
		default:
			held[t.Name] = trust.Changed
		}
	}
	return held
}

// observe takes a listing down: a tool that is new is accepted as it is, since
// servers add tools by what they are connected to; one that has changed waits.
// The first listing is taken whole, however long it is. It reports whether there was anything to take down.
func (d *document) observe(l listing.Listing, now time.Time) bool {
	raw := rawHash(l)
	if slices.Contains(d.Same, raw) {
		return false
	}
	changed, same, first := false, true, len(d.Tools) == 0
	for _, t := range l.Parse() {
		def := define(t)
		known := d.Tools[t.Name]
		switch {
		case known == nil && d.full() && !first:
			same = false
		case known == nil:
			d.Tools[t.Name] = &tool{Accepted: []string{def.hash}}
			d.keep(def)
			changed = true
		case slices.Contains(known.Accepted, def.hash):
		case known.Rejected == def.hash || known.Waiting == def.hash:
			same = false
		default:
			known.Waiting, known.At = def.hash, now
			d.keep(def)
			changed, same = true, false
		}
	}
	if same {
		d.Same = append(d.Same, raw)
		d.Same = d.Same[max(0, len(d.Same)-mostSame):]
		changed = true
	}
	return changed
}

func (d *document) keep(def definition) {
	if len(def.text) > mostText {
		return
	}
	if d.texts == nil {
		d.texts = map[string]string{}
	}
	d.texts[def.hash] = def.text
}

// decide says the user's word on the definition of a tool that waits or was
// rejected.
func (d *document) decide(name, hash string, accept bool) bool {
	t := d.Tools[name]
	if t == nil || hash == "" || t.Waiting != hash && t.Rejected != hash {
		return false // another one waits by now
	}
	if t.Waiting == hash {
		t.Waiting = ""
	}
	if t.Rejected == hash {
		t.Rejected = ""
	}
	t.Shown = ""
	if accept {
		t.Accepted = append(t.Accepted, hash)
		t.Accepted = t.Accepted[max(0, len(t.Accepted)-mostAccepted):]
	} else {
		t.Rejected = hash
	}
	return true
}

func (d *document) encode() ([]byte, error) {
	d.Schema = schema
	head, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(append(head, '\n'))
	used := map[string]bool{}
	for _, t := range d.Tools {
		used[t.Waiting], used[t.Rejected], used[t.latest()] = true, true, true
	}
	for _, hash := range slices.Sorted(maps.Keys(d.texts)) {
		if used[hash] {
			fmt.Fprintf(&b, "%s %s\n", hash, d.texts[hash])
		}
	}
	return b.Bytes(), nil
}

// decode reads a document, with its texts if those are wanted.
func decode(b []byte, texts bool) (*document, error) {
	head, rest, _ := bytes.Cut(b, []byte("\n"))
	d := &document{}
	if err := json.Unmarshal(head, d); err != nil {
		return nil, fmt.Errorf("1: %w", err)
	}
	if d.Schema != schema {
		return nil, fmt.Errorf("1: schema %q, where this version knows %q", d.Schema, schema)
	}
	if d.Tools == nil {
		d.Tools = map[string]*tool{}
	}
	for name, t := range d.Tools {
		if t == nil || len(t.Accepted) == 0 {
			return nil, fmt.Errorf("1: nothing is accepted of the tool %q", name)
		}
	}
	if !texts {
		return d, nil
	}
	d.texts = map[string]string{}
	for line := range strings.Lines(string(rest)) {
		if hash, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok {
			d.texts[hash] = text
		}
	}
	return d, nil
}
