package wiring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/aymanbagabas/go-udiff"
	"github.com/tailscale/hujson"

	"github.com/ctx-sidecar/ctx/core/wiring/splice"
)

// A splice into any text that can be parsed is taken out again to the byte, and
// what is between is read by other parsers too. A text that cannot be parsed is
// an error, never a panic.

func FuzzJSON(f *testing.F) {
	for _, doc := range jsonDocs {
		f.Add([]byte(doc), byte(0), "a.b.c", `{"k":[1,"x"],"e":{}}`)
		f.Add([]byte(doc), byte(1), "a", `{"k":1}`)
		f.Add([]byte(doc), byte(1), "hooks.Start", `"x"`)
	}
	f.Fuzz(func(t *testing.T, doc []byte, kind byte, path, value string) {
		fuzzOne(t, JSON, doc, kind%2, path, value, func(b []byte) (any, error) {
			std, err := hujson.Standardize(bytes.Clone(b)) // it writes into what it is given
			if err != nil {
				return nil, err
			}
			if len(bytes.TrimSpace(std)) == 0 {
				std = []byte("{}")
			}
			var v any
			return v, json.Unmarshal(std, &v)
		})
	})
}

func FuzzTOML(f *testing.F) {
	for _, doc := range tomlDocs {
		f.Add([]byte(doc), byte(0), "a.b.c", `{"k":[1,"x"],"e":{}}`)
		f.Add([]byte(doc), byte(0), "mcp_servers.x.enabled", `false`)
		f.Add([]byte(doc), byte(1), "hooks.Start", `{"k":1}`)
		f.Add([]byte(doc), byte(1), "a", `"x"`)
		f.Add([]byte(doc), byte(2), "mcp_servers.ctx", `{"command":"a\"b","args":[],"env":{"A":"b c"}}`)
	}
	f.Fuzz(func(t *testing.T, doc []byte, kind byte, path, value string) {
		fuzzOne(t, TOML, doc, kind%3, path, value, func(b []byte) (any, error) {
			var v map[string]any
			_, err := toml.Decode(string(b), &v)
			return v, err
		})
	})
}

func fuzzOne(t *testing.T, f Format, doc []byte, kind byte, path, value string, other func([]byte) (any, error)) {
	op := Op{Kind: []OpKind{Set, Append, Table}[kind], Path: strings.Split(path, "."), Value: json.RawMessage(value)}
	if !json.Valid(op.Value) {
		return
	}
	before := bytes.Clone(doc)
	out, undo, err := put(f, doc, op)
	if !bytes.Equal(doc, before) {
		t.Fatalf("the text that was given was written to")
	}
	if err != nil {
		if strings.Contains(err.Error(), "internal:") {
			t.Fatalf("%v\n%q", err, doc)
		}
		return
	}
	was, wasErr := other(doc)
	is, isErr := other(out)
	if wasErr == nil && isErr != nil {
		t.Fatalf("another parser reads the text before, not after: %v\n%q\n%q", isErr, doc, out)
	}
	if wasErr == nil && !undo.Kept && reflect.DeepEqual(was, is) {
		t.Fatalf("nothing has changed:\n%q\n%q", doc, out)
	}
	back, note, err := take(f, out, placed{op, undo})
	if err != nil || note != "" {
		t.Fatalf("taken out: %v %q\n%q\n%q", err, note, doc, out)
	}
	if !bytes.Equal(back, doc) && !(blank(f, back) && blank(f, doc)) {
		t.Fatalf("%+v %+v\nbefore %q\nwith   %q\nafter  %q", op, undo, doc, out, back)
	}
}

// FuzzSeveral puts several ops into a document that a seed makes, lets the user
// add a line somewhere, and takes the ops out: the document and the line are left.
func FuzzSeveral(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := maker{r: r, newline: pick(r, "\n", "\r\n"), unit: pick(r, "  ", "\t", "    ")}
		format := pick(r, JSON, TOML)
		doc := g.document(format)
		text := []byte(doc)
		var in []placed
		for range 1 + r.IntN(4) {
			op := g.op(format)
			out, undo, err := put(format, text, op)
			if err != nil {
				if strings.Contains(err.Error(), "internal:") {
					t.Fatalf("%v\n%s", err, text)
				}
				continue
			}
			text = out
			in = append(in, placed{op, undo})
		}
		want, edited := g.edit(format, doc, string(text))
		back := []byte(edited)
		for i := len(in) - 1; i >= 0; i-- {
			out, note, err := take(format, back, in[i])
			if err != nil || note != "" {
				t.Fatalf("taken out: %v %q\n%s", err, note, back)
			}
			back = out
		}
		if string(back) != want && !(blank(format, back) && blank(format, []byte(want))) {
			t.Fatalf("%+v\nbefore\n%s\nwith\n%s\nafter\n%s\nwanted\n%s\n%q\n%q", in, doc, edited, back, want, back, want)
		}
	})
}

// maker makes documents and ops.
type maker struct {
	r             *rand.Rand
	newline, unit string
	apart         bool // no op is about another's value
	edits         int
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (g *maker) op(f Format) Op {
	names := []string{"a", "b", "mcp_servers", "hooks", "x y"}
	value := pick(g.r, `true`, `"s"`, `{"k":1,"l":["m"]}`, `[1,2]`, `{}`)
	kind := pick(g.r, Set, Append)
	if f == TOML && g.r.IntN(3) == 0 {
		kind, value = Table, `{"command":"c","env":{"E":"f"}}`
	}
	path := []string{}
	for range g.r.IntN(3) {
		path = append(path, pick(g.r, names...))
	}
	if g.apart {
		names = map[OpKind][]string{Set: {"k", "s"}, Append: {"l", "m"}, Table: {"t"}}[kind]
	}
	path = append(path, pick(g.r, names...))
	return Op{Kind: kind, Path: path, Value: json.RawMessage(value)}
}

// edit has the user add a line, a comment or a key, at a place that text, which
// is doc with splices, has in common with it.
func (g *maker) edit(f Format, doc, text string) (string, string) {
	g.edits++
	mark := pick(g.r, "# by hand", fmt.Sprintf("mine%d = 1", g.edits))
	if f == JSON {
		mark = pick(g.r, "// by hand", fmt.Sprintf(`"mine%d": 1,`, g.edits))
	}
	starts := []int{}
	for i := range doc {
		if i > 0 && doc[i-1] == '\n' {
			starts = append(starts, i)
		}
	}
	if len(starts) == 0 {
		return doc, text
	}
	at := pick(g.r, starts...)
	there := at
	for _, e := range udiff.Lines(doc, text) {
		switch {
		case e.End < at:
			there += len(e.New) - (e.End - e.Start)
		case e.Start <= at: // beside a splice, where the comment's place is not clear
			return doc, text
		}
	}
	mine, edited := doc[:at]+mark+g.newline+doc[at:], text[:there]+mark+g.newline+text[there:]
	for _, s := range []string{mine, edited} {
		if _, body, err := splice.Body([]byte(s)); err != nil {
			return doc, text
		} else if _, err := decode(f, body); err != nil {
			return doc, text // the line cannot stand there
		}
	}
	return mine, edited
}

func (g *maker) document(f Format) string {
	doc := ""
	if f == JSON {
		doc = g.json(0, g.r.IntN(4) > 0) + pick(g.r, "", g.newline)
	} else {
		doc = g.toml()
	}
	return pick(g.r, "", "", "\ufeff") + doc
}

func (g *maker) json(depth int, lines bool) string {
	if depth > 3 || depth > 0 && g.r.IntN(4) == 0 {
		return pick(g.r, `1.0e3`, `12345678901234567890`, `"é"`, `"a\u00e9,{}[]//"`, `null`, `[]`, `{}`, `{ }`)
	}
	array := depth > 0 && g.r.IntN(3) == 0
	n := g.r.IntN(4)
	var items []string
	for i := range n {
		item := ""
		if !array {
			item = pick(g.r, `"a"`, `"b"`, `"hooks"`, `"mcp_servers"`, `"k"`, `"l"`)
			item = strings.Replace(item, `"`, `"`+strings.Repeat("_", i), g.r.IntN(2)) + pick(g.r, ": ", ": ", ":")
		}
		items = append(items, item+g.json(depth+1, lines && g.r.IntN(4) > 0))
	}
	open, end := "{", "}"
	if array {
		open, end = "[", "]"
	}
	if n == 0 {
		return open + end
	}
	if !lines {
		return open + strings.Join(items, pick(g.r, ",", ", ")) + end
	}
	var b strings.Builder
	b.WriteString(open)
	in := g.newline + strings.Repeat(g.unit, depth+1)
	for i, item := range items {
		if g.r.IntN(6) == 0 {
			b.WriteString(in + pick(g.r, "// one, {", "/* two */"))
		}
		b.WriteString(in + item)
		if i < n-1 || g.r.IntN(5) == 0 {
			b.WriteString(",")
		}
		if g.r.IntN(6) == 0 {
			b.WriteString(pick(g.r, " // three", " /* four */"))
		}
	}
	b.WriteString(g.newline + strings.Repeat(g.unit, depth) + end)
	return b.String()
}

func (g *maker) toml() string {
	value := func() string {
		return pick(g.r, `1.0e3`, `0x1F`, `'lit # eral'`, `"é \" ]"`, `true`, `1979-05-27T07:32:00Z`, `[]`, `[1, 2,]`, `{}`,
			`{ a = 1, b = { c = [1] } }`, `"""`+g.newline+`[no.table]`+g.newline+`"""`,
			`[`+g.newline+g.unit+`"p", # q ]`+g.newline+g.unit+`"r"`+g.newline+`]`)
	}
	var b strings.Builder
	keys := func(names ...string) {
		for _, k := range names {
			if g.r.IntN(2) > 0 {
				b.WriteString(pick(g.r, "", "", g.unit) + k + pick(g.r, " = ", "=") + value() + pick(g.r, "", "", " # c") + g.newline)
			}
			if g.r.IntN(6) == 0 {
				b.WriteString(pick(g.r, g.newline, "# comment"+g.newline))
			}
		}
	}
	keys("a", `"b"`, "c")
	switch g.r.IntN(5) {
	case 0:
		b.WriteString("mcp_servers.x.command = 'c'" + g.newline)
	case 1:
		b.WriteString("mcp_servers = { a = { command = 'c' } }" + g.newline)
	case 2:
		b.WriteString("[mcp_servers]" + g.newline + "a = { command = 'c' }" + g.newline)
	case 3:
		b.WriteString(pick(g.r, "[mcp_servers.a]", `[ mcp_servers . "a" ] # h`) + g.newline)
		keys("command", "args")
		b.WriteString("[mcp_servers.a.env]" + g.newline + "K='v'" + g.newline)
	}
	for range g.r.IntN(3) {
		b.WriteString(pick(g.r, "", g.newline) + "[[hooks.a]]" + g.newline)
		keys("k", "l")
	}
	if g.r.IntN(2) > 0 {
		b.WriteString(g.newline + "[last]" + g.newline)
		keys("k", "l")
	}
	return strings.TrimSuffix(b.String(), pick(g.r, "", g.newline))
}

var jsonDocs = []string{
	"", "\n", "{}", "{ }\n", "{\n}\n", `{"a":1}`, `{"a": 1, "b": [1, 2]}`, "{\n  \"a\": 1\n}\n", "{\r\n\t\"a\": {}\r\n}",
	"{\n  \"a\": [\n    1, // one\n    2 // two\n  ],\n}\n", "{\n  // nothing\n}", "{ /* nothing */ }", "\ufeff{\"a\":{\"b\":{}}}",
	"{\"a\": 1 // c\n}", "// top\n{\n\"a\":[ ],\n\"hooks\":{\"Start\":[ {\"k\":1} ]}}\n// end", `{"a":{"b":1},"a":{}}`, `[1]`, `{"a":null}`,
}

var tomlDocs = []string{
	"", "\n", "# only a comment", "a = 1", "a = 1\n", "a = 1\r\n[t]\r\nb = 2\r\n", "# c\n\n# of t\n[t]\n", "[a]\nb = { x = 1 }\n",
	"a = { b = { } }\n", "a.b.x = 1\na.d = 2 # c\n", "[a]\nb.x = 1\n[a.z]\n", "a = []\n", "a = [\n  1,\n  2 # two\n]\n", "a = [1, 2,]",
	"[[a]]\nk = 2\n[a.b]\n[[a]]\n", "[mcp_servers.x]\ncommand = 'c'\n[mcp_servers.x.env]\nA = 'b'", "[ mcp_servers . \"x\" ] # h\n\n\n[z]\n",
	"[mcp_servers]\nx = { command = 'c', }\n", "mcp_servers.x.command = 'c'\n", "mcp_servers = { x = { command = 'c' } }\n", "\ufeffn = 12345678901234567890\n",
	"d = 1979-05-27 07:32:00Z\n[d2]\nf = inf\n", "a = '''\n[b]\n'''\n", "[a.b.c.d]\n[a.b]\n", "hooks = { Start = [{ k = 2 }] }",
}

// FuzzOwners lets three owners come and go in any order while the user writes
// comments: once all are gone, the user's own text is left.
func FuzzOwners(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := maker{r: r, newline: pick(r, "\n", "\r\n"), unit: pick(r, "  ", "\t", "    "), apart: true}
		format := pick(r, JSON, TOML)
		own := g.document(format)
		var now *snapshot
		if r.IntN(5) > 0 {
			now = &snapshot{[]byte(own), 0o644}
		} else {
			own = ""
		}
		var log []string
		fresh := func() journal { return journal{Format: format, Base: now, Written: now.sum(), Mode: 0o644} }
		j := fresh()
		step := func(o Owner, ops []Op) {
			tn := &turn{journal: j, had: slices.Clone(j.Placed), owner: o, asked: ops}
			tn.Wants = j.with(o, ops)
			next, err := tn.next(now)
			if err != nil {
				if len(ops) == 0 || strings.Contains(err.Error(), "internal:") {
					t.Fatalf("%v\n%s\n%s", err, now.text(), strings.Join(log, "\n"))
				}
				return
			}
			tn.Written = next.sum()
			now, j = next, tn.journal
			if len(j.Wants) == 0 {
				j = fresh()
			}
			log = append(log, fmt.Sprintf("%s asks for %v:\n%s", o.Host, ops, now.text()))
		}
		owners := []Owner{{Host: "a"}, {Host: "b"}, {Host: "c"}}
		for range 2 + r.IntN(6) {
			switch r.IntN(4) {
			case 0:
				if now == nil {
					continue
				}
				mine, edited := g.edit(format, own, string(now.text()))
				if mine != own {
					own, now = mine, &snapshot{[]byte(edited), 0o644}
					log = append(log, "the user edits:\n"+edited)
				}
			case 1:
				step(pick(r, owners...), nil)
			default:
				var ops []Op
				for range 1 + r.IntN(3) {
					ops = append(ops, g.op(format))
				}
				step(pick(r, owners...), ops)
			}
		}
		r.Shuffle(len(owners), func(i, k int) { owners[i], owners[k] = owners[k], owners[i] })
		for _, o := range owners {
			step(o, nil)
		}
		if got := string(now.text()); got != own && !(blank(format, now.text()) && blank(format, []byte(own))) {
			t.Fatalf("%s\nis left, and should be\n%s\n%q\n%q", strings.Join(log, "\n"), own, got, own)
		}
	})
}

// String is an op as a failing case prints it.
func (op Op) String() string {
	return fmt.Sprintf("%s %s = %s", op.Kind, strings.Join(op.Path, "."), op.Value)
}
