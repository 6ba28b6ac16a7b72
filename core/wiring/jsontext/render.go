package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// look is how new text is written.
type look struct {
	splice.Style
	unit  string
	colon string // with the white space around it
}

// look copies the layout of a list and of the members nearest to it.
func (d document) look(v hujson.Value, l splice.List) look {
	lk := look{Style: l.Style(d.src, d.newline, d.unit, d.lines), unit: d.unit, colon: ": "}
	near := d.root
	if o, ok := v.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		near = v
	}
	if o, ok := near.Value.(*hujson.Object); ok && len(o.Members) > 0 {
		m := o.Members[len(o.Members)-1]
		colon := string(d.src[m.Name.EndOffset:m.Value.StartOffset])
		if strings.Trim(colon, " \t") == ":" {
			lk.colon = colon
		}
	}
	if !lk.Lines && len(l.Items) < 2 && strings.HasSuffix(lk.colon, ":") {
		lk.Comma = ""
	}
	return lk
}

// deeper is the look of what stands inside an item.
func (lk look) deeper() look {
	lk.Outer = lk.Indent
	lk.Indent += lk.unit
	return lk
}

// item writes a value, or with a key a member, as an item of a list that looks
// like this.
func (lk look) item(key *string, v hujson.Value) string {
	var b strings.Builder
	if key != nil {
		b.WriteString(quote(*key) + lk.colon)
	}
	lk.deeper().value(&b, v)
	return b.String()
}

func (lk look) value(b *strings.Builder, v hujson.Value) {
	between := func(i, n int) {
		switch {
		case i > 0 && i < n:
			b.WriteByte(',')
			if !lk.Lines {
				b.WriteString(lk.Comma)
			}
		case n == 0:
			return
		}
		if lk.Lines {
			b.WriteString(lk.Newline)
			if i < n {
				b.WriteString(lk.Indent)
			} else {
				b.WriteString(lk.Outer)
			}
		}
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		b.WriteByte('{')
		for i, m := range c.Members {
			between(i, len(c.Members))
			b.Write(m.Name.Value.(hujson.Literal))
			b.WriteString(lk.colon)
			lk.deeper().value(b, m.Value)
		}
		between(len(c.Members), len(c.Members))
		b.WriteByte('}')
	case *hujson.Array:
		b.WriteByte('[')
		for i, e := range c.Elements {
			between(i, len(c.Elements))
			lk.deeper().value(b, e)
		}
		between(len(c.Elements), len(c.Elements))
		b.WriteByte(']')
	case hujson.Literal:
		b.Write(c)
	}
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("jsontext: a string always marshals: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
