package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/inventory"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// drawn is a page with its elements in order.
type drawn struct {
	text string
	size Size
	all  []*html.Node
}

func draw(t *testing.T, p Page) drawn {
	t.Helper()
	var b bytes.Buffer
	size, err := HTML(&b, p)
	if err != nil {
		t.Fatal(err)
	}
	if size.Bytes != b.Len() {
		t.Errorf("a page of %d bytes says %d", b.Len(), size.Bytes)
	}
	d := drawn{text: b.String(), size: size}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			d.all = append(d.all, n)
		}
	}
	return d
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// find returns the elements of a name and, if one is given, a class.
func (d drawn) find(name, class string) []*html.Node {
	var found []*html.Node
	for _, n := range d.all {
		if n.Data == name && (class == "" || slices.Contains(strings.Fields(attr(n, "class")), class)) {
			found = append(found, n)
		}
	}
	return found
}

func TestThePageStandsAlone(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(workshop(), host("Other", workshop().Records[:4]...)))
	for _, n := range d.all {
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src", a.Key == "action":
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("a link leads to %q", a.Val)
			}
		}
		if slices.Contains([]string{"link", "img", "iframe", "object", "embed", "base", "video", "audio"}, n.Data) {
			t.Errorf("<%s>", n.Data)
		}
	}
	if strings.Contains(style, "@import") || strings.Contains(strings.ReplaceAll(style, "url(#", ""), "url(") {
		t.Error("the style brings something in")
	}
}

func TestThePolicyAllowsOnlyTheStyleAndScriptThatAreThere(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(workshop()))
	policy := ""
	for _, m := range d.find("meta", "") {
		if attr(m, "http-equiv") == "Content-Security-Policy" {
			policy = attr(m, "content")
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	for _, name := range []string{"style", "script"} {
		found := d.find(name, "")
		if len(found) != 1 {
			t.Fatalf("%d of <%s>", len(found), name)
		}
		sum := sha256.Sum256([]byte(content(found[0])))
		if want := name + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("policy %q has no %s", policy, want)
		}
	}
}

// Every link of a map leads to what it stands for.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(workshop(), workshop()))
	at := map[string]*html.Node{}
	for _, n := range d.all {
		if id := attr(n, "id"); id != "" {
			if at[id] != nil {
				t.Errorf("two elements are %s", id)
			}
			at[id] = n
		}
	}
	cells := 0
	for _, a := range d.find("a", "") {
		target := at[strings.TrimPrefix(attr(a, "href"), "#")]
		if target == nil {
			t.Errorf("nothing is at %s", attr(a, "href"))
			continue
		}
		if target.Data == "tr" && slices.Contains(strings.Fields(attr(a, "class")), "c") {
			cells++
			title := content(a.FirstChild)
			if name := content(target.FirstChild.FirstChild); !strings.HasPrefix(title, name) {
				t.Errorf("the box %q leads to the row %q", title, name)
			}
		}
	}
	if cells < 100 {
		t.Errorf("%d boxes lead to rows", cells)
	}
}

func TestThePageSaysWhatIsThereAndWhatIsNot(t *testing.T) {
	t.Parallel()
	h := workshop()
	h.Loading = surface.Deferred
	h.Warnings = []string{"/ws/.mcp.json:3:9: it ends in the middle"}
	d := draw(t, pageOf(h))
	for _, want := range []string{
		"8,844</b> of 8,000 tokens", "Over the budget by 844", "Of MCP tools only the names are sent",
		"the host&#39;s own system prompt", "/ws/.mcp.json:3:9: it ends in the middle", "1 record of unknown price",
		"mcp_server:user:jira", "it was never asked for its tools", "not loaded", "held back (280 if loaded)", "host’s words around every skill",
		"Writes to the outside or destroys, and is never used", "name: “delete”", "by its name", "31× in 7 of 12 sessions",
	} {
		if !strings.Contains(d.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, sum := range d.find("section", "unmeasured") {
		if got := content(sum); !strings.Contains(got, "in no sum") || !strings.Contains(got, "jira") {
			t.Errorf("not measured: %q", got)
		}
	}
	if n := len(d.find("table", "all")); n != 1 {
		t.Errorf("%d tables of records", n)
	}
}

// Every tier and every use has a word in the legend, a pattern that is defined,
// and a word in each row.
func TestNothingIsSaidByColourAlone(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(workshop()))
	patterns := map[string]string{}
	for _, p := range d.find("pattern", "") {
		shape := ""
		for c := range p.Descendants() {
			if c.Type == html.ElementNode {
				shape += c.Data + attr(c, "d") + attr(c, "r")
			}
		}
		shape += attr(p, "patternTransform")
		for id, other := range patterns {
			if other == shape {
				t.Errorf("%s looks like %s", attr(p, "id"), id)
			}
		}
		patterns[attr(p, "id")] = shape
	}
	legend := ""
	for _, l := range d.find("div", "legend") {
		legend += content(l)
	}
	letters := map[string]bool{}
	for _, m := range slices.Concat(tiers, uses) {
		if patterns["p-"+m.Class] == "" || !strings.Contains(style, "."+m.Class+">.p{fill:url(#p-"+m.Class+")") {
			t.Errorf("%s has no pattern", m.Word)
		}
		if !strings.Contains(legend, m.Letter+" "+m.Word) {
			t.Errorf("the legend %q does not say %s", legend, m.Word)
		}
		if letters[m.Letter] {
			t.Errorf("two are %s", m.Letter)
		}
		letters[m.Letter] = true
	}
	for _, row := range d.find("tr", "destructive") {
		if !strings.Contains(content(row), "destructive") {
			t.Errorf("a row does not say what it is: %q", content(row))
		}
	}
}

var hostile = []string{
	`</script><script>alert(1)</script>`, `</title></style></svg></table><h1>x`, `"onmouseover="alert(1)`, `' onload='alert(1)`,
	"`${alert(1)}`", `{{.}}`, `<!--`, `-->`, `]]>`, `javascript:alert(1)`, `&lt;b&gt;&#60;`, "line\nbreak\ttab\x00nul\x1b[2J",
	"safe\u202Egnp.exe", "zero\u200bwidth\u2066x\u2069", "\xff\xfe", "שלום עולם", "日本語の名前", strings.Repeat("long", 500), "e\u0301\u0302\u0303\u0304", "", " ",
	"tag\U000E0041\U000E0042",
}

// The elements of a page are the same whatever the texts in it say, and no text
// hides or rearranges anything.
func TestNoTextBreaksOut(t *testing.T) {
	t.Parallel()
	shape := func(name string) []string {
		h := workshop()
		for i := range h.Records[:12] {
			r := &h.Records[i]
			r.Name, r.Place.File = name, "/"+name
			r.ID = inventory.ID(r.Kind, r.Provider, name)
			r.Why, r.Unmeasured = name, "because "+name
			if r.Authority != nil {
				r.Authority.Evidence[0].Words = name
			}
		}
		h.Records[0].Provider = name
		h.Title = name + "!"
		h.Unseen, h.Warnings = []string{name}, []string{name}
		h.Findings = []Finding{{Kind: "never_used", ID: "x:" + name, Text: name, Hint: "hint " + name}, {Kind: "kind_" + name, ID: "x", Text: name}}
		p := pageOf(h)
		p.Workspace = name
		d := draw(t, p)
		var tags []string
		for _, n := range d.all {
			tag := n.Data
			if n.Data == "text" {
				continue // how many lines fit depends on the name
			}
			for _, a := range n.Attr {
				tag += " " + a.Key
			}
			tags = append(tags, tag)
		}
		for _, r := range d.text {
			if authority.Invisible(r) || r < ' ' && r != '\n' || r == '\uFFFD' {
				t.Fatalf("%q: %U is in the page", name, r)
			}
		}
		return tags
	}
	want := shape("plain")
	for _, name := range hostile {
		got := shape(name)
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Errorf("%q: element %d is %q, not %q", name, i, got[i], want[i])
					break
				}
			}
			t.Errorf("%q: %d elements, want %d", name, len(got), len(want))
		}
	}
}

func crowd(servers, tools int) Host {
	var all []inventory.Record
	for i := range servers {
		for j := range tools {
			tier := authority.Tiers()[(i*j+j)%4]
			all = append(all, tool(fmt.Sprintf("server-%03d", i), fmt.Sprintf("tool_%03d_%02d_does_a_thing", i, j), 20+(i*7+j*13)%400, tier))
		}
	}
	return host("Crowd", all...)
}

func TestAPageOfAnySizeIsBoundedAndSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(crowd(300, 34), crowd(100, 40)))
	if d.size.Rows != 10000 || d.size.Records != 14200 {
		t.Errorf("%+v", d.size)
	}
	const each = 700 // bytes of a row
	if d.size.Bytes > MostRows*each {
		t.Errorf("%d bytes", d.size.Bytes)
	}
	if !strings.Contains(d.text, "The 6,000 heaviest of 10,200; the other 4,200 are counted with their origins above") {
		t.Error("it does not say what it leaves out")
	}
	left := 0
	for _, s := range d.find("small", "") {
		var n int
		if _, err := fmt.Sscanf(content(s), "%d not listed", &n); err == nil {
			left += n
		}
	}
	if left != 4200 {
		t.Errorf("%d are counted with their origins", left)
	}
	for _, m := range d.find("figure", "map") {
		n := 0
		for c := range m.Descendants() {
			if c.Data == "a" {
				n++
			}
		}
		if n > 1600 {
			t.Errorf("a map has %d boxes", n)
		}
	}
}

func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	h := workshop()
	h.Findings = slices.Repeat([]Finding{{Kind: "never_used", ID: "x", Text: "y"}}, 1000)
	if d := draw(t, pageOf(h)); !strings.Contains(d.text, "and 800 more, which this page leaves out") {
		t.Error("it does not say what it leaves out")
	}
}

func TestAPageIsKnownAgain(t *testing.T) {
	t.Parallel()
	d := draw(t, pageOf(workshop()))
	if !IsPage([]byte(d.text[:4096])) || IsPage([]byte("<!doctype html><html><head><title>mine</title>")) {
		t.Error("a page of ours is not told from another")
	}
}
