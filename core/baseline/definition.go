package baseline

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// definition is what a model may be shown of a tool, in the one form that its
// key order and white space do not change.
type definition struct {
	hash string // SHA-256 of text, in hex
	text string
}

// define reads the definition of a tool that [listing.Listing.Parse] returned.
// Everything in it counts, since describe shows everything, but for _meta:
// servers fill that by what a client can do, so that two hosts would hold back
// each other's tools.
func define(t listing.Tool) definition {
	d := json.NewDecoder(bytes.NewReader(t.Raw))
	d.UseNumber()
	var b bytes.Buffer
	// It has been parsed before, so that it is JSON.
	_ = canonical(d, &b, true)
	sum := sha256.Sum256(b.Bytes())
	return definition{hex.EncodeToString(sum[:]), b.String()}
}

// canonical writes the next value of d with its members sorted. Unlike a map it
// keeps all members that share a name: a model reads each of them.
func canonical(d *json.Decoder, b *bytes.Buffer, top bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		b.WriteByte('[')
		for i := 0; d.More(); i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := canonical(d, b, false); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		_, err = d.Token()
		return err
	case json.Delim('{'):
		var members []string
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			var member bytes.Buffer
			encode(&member, key)
			member.WriteByte(':')
			if err := canonical(d, &member, false); err != nil {
				return err
			}
			if !top || key != "_meta" {
				members = append(members, member.String())
			}
		}
		slices.Sort(members)
		b.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(m)
		}
		b.WriteByte('}')
		_, err = d.Token()
		return err
	}
	encode(b, token)
	return nil
}

// encode writes a string, number, boolean or null.
func encode(b *bytes.Buffer, token json.Token) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(token) // such a token cannot fail
	b.Truncate(b.Len() - 1)
}

// rawHash tells whether a listing has the very bytes of one that was judged.
func rawHash(l listing.Listing) string {
	h := sha256.New()
	var size [8]byte
	for _, raw := range l.Tools {
		binary.LittleEndian.PutUint64(size[:], uint64(len(raw)))
		h.Write(size[:])
		h.Write(raw)
	}
	return hex.EncodeToString(h.Sum(nil))
}
