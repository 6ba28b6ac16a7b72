package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	visibleRows  = `[...document.querySelectorAll("table.all tbody tr")].filter(r => r.offsetParent).map(r => r.querySelector("bdi").textContent)`
	visibleCells = `[...document.querySelectorAll(".map a.c")].filter(a => a.getClientRects().length && !a.classList.contains("off")).map(a => a.querySelector("title").textContent)`
)

func TestChromiumSearchFiltersTheMapAndTheTable(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(workshop()))
	if n := len(ask[[]string](tb, visibleRows)); n != 56 {
		t.Errorf("%d rows at first", n)
	}
	for query, want := range map[string]string{
		"DELETE branch":          "delete_branch",
		`"destructive" files`:    "remove_tree",
		"mcp_tool:github:search": "search_code",
	} {
		tb.search(query)
		if rows := ask[[]string](tb, visibleRows); len(rows) != 1 || rows[0] != want {
			t.Errorf("%q finds the rows %q", query, rows)
		}
		if cells := ask[[]string](tb, visibleCells); len(cells) != 1 || !strings.HasPrefix(cells[0], want+" ") {
			t.Errorf("%q finds the boxes %q", query, cells)
		}
		if said := ask[string](tb, `document.querySelector("#said").textContent`); said != "1 of 56 records" {
			t.Errorf("%q: it says %q", query, said)
		}
	}
	ask[chromedp.Void](tb, `document.querySelector(".chips button").click()`)
	said, chip := ask[string](tb, `document.querySelector("#said").textContent`), ask[string](tb, `document.querySelector(".chips button b").textContent`)
	if !strings.HasPrefix(said, chip+" of ") {
		t.Errorf("a button promises %s; it finds %s", chip, said)
	}
}

func TestChromiumSortsTheTable(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(workshop()))
	column := func(n int) string {
		return fmt.Sprintf(`document.querySelector("table.all thead th:nth-child(%d) button").click()`, n)
	}
	for _, c := range []struct {
		column int
		sort   string
		first  string
	}{{1, "ascending", ".cursorrules"}, {1, "descending", "write_file"}, {6, "descending", "migrate-database"}, {6, "ascending", "jira"}} {
		ask[chromedp.Void](tb, column(c.column))
		rows := ask[[]string](tb, visibleRows)
		sort := ask[string](tb, fmt.Sprintf(`document.querySelector("table.all thead th:nth-child(%d)").ariaSort`, c.column))
		if rows[0] != c.first || sort != c.sort {
			t.Errorf("column %d, %s: the first is %s, it says %s", c.column, c.sort, rows[0], sort)
		}
	}
}

// Without a script the maps and every row are there, and the switches work.
func TestChromiumReadsThePageWithoutJavaScript(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(crowd(20, 40)), send(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	if n := len(ask[[]string](tb, visibleRows)); n != 800 {
		t.Errorf("%d of 800 rows are shown", n)
	}
	if n := ask[int](tb, `[...document.querySelectorAll(".js")].filter(e => e.offsetParent).length`); n > 0 {
		t.Errorf("%d controls that do nothing are shown", n)
	}
	shown := `[...document.querySelectorAll(".map")].filter(e => e.offsetParent).map(e => e.dataset.m).join()`
	if got := ask[string](tb, shown); got != "resident" {
		t.Errorf("the map of %q is shown", got)
	}
	ask[chromedp.Void](tb, `document.querySelector("#m-deferred").click()`)
	if got := ask[string](tb, shown); got != "deferred" {
		t.Errorf("the map of %q is shown", got)
	}
}

func TestChromiumWalksTheMapByKeyboard(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(workshop()))
	stops := ask[int](tb, `[...document.querySelectorAll(".m-resident a")].filter(a => a.tabIndex >= 0).length`)
	if stops != 1 {
		t.Errorf("the map has %d stops for the tab key", stops)
	}
	ask[chromedp.Void](tb, `document.querySelector(".m-resident a").focus()`)
	focus := `document.activeElement.getAttribute("href")`
	first := ask[string](tb, focus)
	tb.run(chromedp.KeyEvent(kb.ArrowDown))
	second := ask[string](tb, focus)
	tb.run(chromedp.KeyEvent(kb.ArrowRight))
	third := ask[string](tb, focus)
	if first == second || second == third {
		t.Errorf("the arrow keys go from %s to %s and %s", first, second, third)
	}
	if ring := ask[string](tb, `getComputedStyle(document.activeElement.querySelector("rect")).strokeWidth`); ring != "5px" {
		t.Errorf("what has the focus is drawn with a line of %s", ring)
	}
	tb.run(chromedp.KeyEvent(kb.Enter))
	if at := ask[string](tb, `"#" + document.querySelector("tr.at").id`); at != third {
		t.Errorf("Enter on %s leads to %s", third, at)
	}
}

func TestChromiumGoesDownToAnOriginAndBack(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(crowd(300, 34)))
	box := `a.c[href="#h0o0"]`
	ask[chromedp.Void](tb, `document.querySelector('`+box+`').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	if n := ask[int](tb, `document.querySelectorAll(".drill a.c").length`); n != 34 {
		t.Errorf("an origin of 34 tools is drawn with %d boxes", n)
	}
	area := ask[float64](tb, `[...document.querySelectorAll(".drill a.c")].reduce((n, a) => { const r = a.querySelector("rect"); return n + (Number(r.getAttribute("width")) + 2) * (Number(r.getAttribute("height")) + 2); }, 0)`)
	if area < mapWidth*mapHeight*.999 || area > mapWidth*mapHeight*1.001 {
		t.Errorf("its boxes cover %.0f of %.0f", area, mapWidth*mapHeight)
	}
	tb.run(chromedp.KeyEvent(kb.Escape))
	if n := ask[int](tb, `document.querySelectorAll(".drill a.c").length`); n != 0 || !ask[bool](tb, `document.querySelector(".m-resident").offsetParent !== null`) {
		t.Error("Escape does not lead back to all origins")
	}
	if n := len(ask[[]string](tb, visibleRows)); n != 400 {
		t.Errorf("%d rows are shown at once", n)
	}
	tb.search("tool_299_33")
	if rows := ask[[]string](tb, visibleRows); len(rows) != 1 {
		t.Errorf("the last of 10,200 tools is found as %q", rows)
	}
}

// What is not listed is in no map of an origin either; the map says so.
func TestChromiumSaysWhatAnOriginLeavesOut(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(crowd(1, MostRows+100)))
	ask[chromedp.Void](tb, `document.querySelector('.m-resident a[href="#h0o0"]').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	if got := ask[string](tb, `document.querySelector(".drill figcaption span").textContent`); !strings.HasSuffix(got, ", 100 not listed") {
		t.Errorf("it says %q", got)
	}
}

// contrast says which visible texts stand out from what is behind them by less
// than 4.5 to 1, after WCAG 2.
const contrast = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = css => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((n, c, i) => n + c * [.2126, .7152, .0722][i], 0);
  const behind = e => {
    const svg = e.closest("svg a");
    if (svg && e.namespaceURI.endsWith("svg")) return rgb(getComputedStyle(svg.querySelector("rect")).fill);
    for (let p = e; p; p = p.parentElement) { const c = rgb(getComputedStyle(p).backgroundColor); if (c[3] === 255) return c; }
    return [255, 255, 255, 255];
  };
  const low = new Map();
  let n = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.getClientRects().length || ["SCRIPT", "STYLE", "title"].includes(e.tagName)) continue;
    const s = getComputedStyle(e), fore = rgb(e.namespaceURI.endsWith("svg") ? s.fill : s.color);
    const [a, b] = [light(fore), light(behind(e))].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    n++;
    if (ratio < 4.5) low.set(e.tagName + "." + (e.getAttribute("class") || e.parentElement.tagName), ratio.toFixed(2) + " " + walker.currentNode.data.trim().slice(0, 30));
  }
  return {n, low: [...low].map(x => x.join(": "))};
})()`

func TestChromiumTextStandsOut(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			tb := load(t, pageOf(workshop()), send(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			}}))
			ask[chromedp.Void](tb, `document.querySelectorAll("details").forEach(d => { d.open = true; })`)
			for _, by := range []string{"by-authority", "by-use"} {
				ask[chromedp.Void](tb, `document.querySelector("#`+by+`").click()`)
				got := ask[struct {
					N   int
					Low []string
				}](tb, contrast)
				if got.N < 500 {
					t.Errorf("only %d texts were looked at", got.N)
				}
				for _, low := range got.Low {
					t.Errorf("%s: %s", by, low)
				}
			}
		})
	}
}

// What the browser paints in a box tells its tier without colour: a pattern or a
// text, and no two tiers have the same pattern.
func TestChromiumPaintsATextOrAPatternForEveryTier(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(workshop()))
	for by, marks := range map[string][]Mark{"by-authority": tiers, "by-use": uses} {
		ask[chromedp.Void](tb, `document.querySelector("#`+by+`").click()`)
		for _, m := range marks {
			fills := ask[[]string](tb, fmt.Sprintf(`[...document.querySelectorAll(".map a.c.%s, .legend .%s svg.%s")].filter(a => a.getClientRects().length).map(a => getComputedStyle(a.querySelector(".p")).fill)`, m.Class, by, m.Class))
			if len(fills) < 2 {
				t.Errorf("nothing is %s", m.Word)
			}
			for _, fill := range fills {
				if fill != `url("#p-`+m.Class+`")` {
					t.Errorf("what is %s is filled with %s", m.Word, fill)
				}
			}
		}
	}
}

func TestChromiumRunsNothingThatATextSays(t *testing.T) {
	t.Parallel()
	h := workshop()
	for i, name := range hostile {
		h.Records[i].Name, h.Records[i].Provider, h.Records[i].Place.File = name, name, name
		h.Findings = append(h.Findings, Finding{Kind: name, ID: name, Text: name, Hint: name})
	}
	p := pageOf(h)
	p.Workspace = hostile[0]
	tb := load(t, p)
	for _, name := range []string{"<script>", "</table>", "onmouseover"} {
		tb.search(name)
		if rows := ask[[]string](tb, visibleRows); len(rows) == 0 {
			t.Errorf("%q is not found", name)
		}
	}
	for i := range ask[int](tb, `document.querySelectorAll(".origins tbody tr").length`) {
		ask[chromedp.Void](tb, fmt.Sprintf(`(a => a && a.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})))(document.querySelector('.map a[href="#h0o%d"]'))`, i))
		ask[chromedp.Void](tb, `(b => b && b.click())(document.querySelector(".drill button"))`)
	}
	if ask[int](tb, `document.scripts.length`) != 1 {
		t.Error("a text became a script")
	}
}

func TestChromiumPrintsEveryRow(t *testing.T) {
	t.Parallel()
	tb := load(t, pageOf(crowd(20, 40)))
	ask[chromedp.Void](tb, `window.dispatchEvent(new Event("beforeprint"))`)
	tb.run(send(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	if n := len(ask[[]string](tb, visibleRows)); n != 800 {
		t.Errorf("%d of 800 rows are printed", n)
	}
	if n := ask[int](tb, `[...document.querySelectorAll(".bar, .chips, .more")].filter(e => e.offsetParent).length`); n > 0 {
		t.Errorf("%d controls are printed", n)
	}
}
