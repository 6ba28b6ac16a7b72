package result

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// answer builds a tool result of text blocks.
func answer(texts ...string) json.RawMessage {
	var blocks []json.RawMessage
	for _, t := range texts {
		blocks = append(blocks, textBlock(t))
	}
	return encode(map[string]any{"content": blocks})
}

type parsed struct {
	Content []struct {
		Type, Text, Data string
		Resource         struct{ URI, Text string }
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func parse(t *testing.T, raw json.RawMessage) parsed {
	t.Helper()
	var p parsed
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatalf("no JSON: %v\n%.200s", err, raw)
	}
	return p
}

var handleIn = regexp.MustCompile(`"handle":"(\w+)","offset":(\d+)`)

// readOn reads everything that a cut result left out.
func readOn(t *testing.T, s *Store, note string, limit int) string {
	t.Helper()
	m := handleIn.FindStringSubmatch(note)
	if m == nil {
		t.Fatalf("no handle in %q", note)
	}
	var all strings.Builder
	for offset, _ := strconv.Atoi(m[2]); ; {
		p, err := s.Read(m[1], offset, limit)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(p.Text) || p.Text == "" {
			t.Fatalf("part at %d is %q", offset, p.Text)
		}
		if len(p.Text) > 4*limit {
			t.Fatalf("a part of %d bytes for %d tokens", len(p.Text), limit)
		}
		all.WriteString(p.Text)
		if p.Next == 0 {
			return all.String()
		}
		offset = p.Next
	}
}

func TestASmallResultIsHandedOnByteForByte(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"content":[{"type":"text","text":"a\u00e9\/<b>"}],  "structuredContent":{"n":12345678901234567890,"f":1.0e3},"_meta":{"x":1}}`,
		`{"content":[]}`, `{"isError":true,"content":[{"type":"text","text":"no"}]}`, `{}`,
		`{"content":[{"type":"text","text":"\ud83d\ude00"}]}`,
	} {
		if got := NewStore(1000).Cut(json.RawMessage(raw), 1000, false); string(got) != raw {
			t.Errorf("%s became %s", raw, got)
		}
	}
}

func TestALargeResultIsCutAndReadOnWithoutLosingAByte(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]string{
		"prose": strings.Repeat("one line of it\n", 500),
		"runes": strings.Repeat("日本語のテキスト🎉", 300),
		"json":  `[` + strings.Repeat(`{"id":1,"name":"a \"quoted, name\""},`, 300) + `{}]`,
		"blank": strings.Repeat(" ", 3000),
	} {
		s := NewStore(1 << 20)
		got := parse(t, s.Cut(answer(whole), 100, false))
		if len(got.Content) != 2 {
			t.Fatalf("%s: %d blocks, want the text and a note", name, len(got.Content))
		}
		head := got.Content[0].Text
		if len(head) > 400 || !utf8.ValidString(head) {
			t.Errorf("%s: %d bytes kept: %q", name, len(head), head)
		}
		if head+readOn(t, s, got.Content[1].Text, 100) != whole {
			t.Errorf("%s: reading on does not give the rest", name)
		}
	}
}

func TestJSONIsCutAfterAWholeElement(t *testing.T) {
	t.Parallel()
	got := parse(t, NewStore(1<<20).Cut(answer(`[`+strings.Repeat(`{"a":"x,]}y"},`, 300)+`0]`), 100, false))
	head := strings.TrimRight(got.Content[0].Text, ",")
	if !json.Valid([]byte(head + "]")) {
		t.Errorf("cut inside an element: ...%q", head[len(head)-30:])
	}
}

func TestImagesAndErrorsSurviveACut(t *testing.T) {
	t.Parallel()
	image := `{"type":"image","data":"` + strings.Repeat("QUJD", 400) + `","mimeType":"image/png"}`
	raw := fmt.Sprintf(`{"isError":true,"_meta":{"k":1},"content":[%s,{"type":"text","text":%q},%s,{"type":"resource","resource":{"uri":"a:b","text":%q}}]}`,
		image, strings.Repeat("x", 1000), image, strings.Repeat("y", 1000))
	s := NewStore(1 << 20)
	cut := s.Cut(json.RawMessage(raw), 100, false)
	got := parse(t, cut)
	if !got.IsError || strings.Count(string(cut), image) != 2 || !strings.Contains(string(cut), `"_meta":{"k":1}`) {
		t.Errorf("lost something besides text: %.300s", cut)
	}
	last := got.Content[len(got.Content)-1].Text
	if rest := readOn(t, s, last, 100); rest != strings.Repeat("x", 600)+strings.Repeat("y", 1000) {
		t.Errorf("the rest is %d bytes", len(rest))
	}
}

func TestATextResourceIsCutAndKeepsItsAddress(t *testing.T) {
	t.Parallel()
	raw := fmt.Sprintf(`{"content":[{"type":"resource","resource":{"uri":"a:b","text":%q}}]}`, strings.Repeat("y", 1000))
	got := parse(t, NewStore(1<<20).Cut(json.RawMessage(raw), 100, false))
	if r := got.Content[0].Resource; r.URI != "a:b" || len(r.Text) != 400 {
		t.Errorf("resource is %q with %d bytes", r.URI, len(r.Text))
	}
}

func TestLargeStructuredContentIsReplacedConsistently(t *testing.T) {
	t.Parallel()
	structured := `{"rows":[` + strings.Repeat(`12345678901234567890,`, 200) + `0]}`
	for name, text := range map[string]string{"text repeats it": structured, "text is a summary": "201 rows"} {
		raw := encode(map[string]any{"content": []json.RawMessage{textBlock(text)}, "structuredContent": json.RawMessage(structured)})
		s := NewStore(1 << 20)
		got := parse(t, s.Cut(raw, 100, false))
		if got.StructuredContent != nil {
			t.Errorf("%s: structuredContent is still there, and some hosts show nothing else", name)
		}
		shown := ""
		for _, b := range got.Content[:len(got.Content)-1] {
			shown += b.Text
		}
		if all := shown + readOn(t, s, got.Content[len(got.Content)-1].Text, 100); !strings.HasSuffix(all, structured) {
			t.Errorf("%s: the structured content cannot be read", name)
		}
		if kept := parse(t, s.Cut(raw, 100, true)); string(kept.StructuredContent) != structured {
			t.Errorf("%s: a promised structuredContent changed", name)
		}
	}
}

func TestLoneSurrogatesAreReplaced(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"\ud83d"`:               `"\ufffd"`,
		`"\uDE00x"`:              `"\ufffdx"`,
		`"\ud83d\ude00"`:         `"\ud83d\ude00"`,
		`"\ud83d\ud83d\ude00"`:   `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`:              `"\\ud83d"`,
		`"\\\ud83d"`:             `"\\\ufffd"`,
		`"\udbff\udfff \uDBFFz"`: `"\udbff\udfff \ufffdz"`,
		`"\ud7ff\ue000"`:         `"\ud7ff\ue000"`,
		`"\ud8`:                  `"\ud8`,
	} {
		if got := Repair(json.RawMessage(in)); string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestTheStoreForgetsWhatWasReadLeastRecently(t *testing.T) {
	t.Parallel()
	s := NewStore(250)
	a, b := s.put(strings.Repeat("a", 100)), s.put(strings.Repeat("b", 100))
	if _, err := s.Read(a, 0, 10); err != nil {
		t.Fatal(err)
	}
	s.put(strings.Repeat("c", 100))
	if _, err := s.Read(a, 0, 10); err != nil {
		t.Errorf("the one read last is gone: %v", err)
	}
	if _, err := s.Read(b, 0, 10); err == nil || !strings.Contains(err.Error(), "call the tool again") {
		t.Errorf("reading a forgotten one: %v", err)
	}
	big := s.put(strings.Repeat("d", 1000))
	if p, err := s.Read(big, 996, 10); err != nil || p.Text != "dddd" || p.Next != 0 {
		t.Errorf("one result larger than the store: %+v, %v", p, err)
	}
	for _, offset := range []int{-1, 1001} {
		if _, err := s.Read(big, offset, 10); err == nil {
			t.Errorf("offset %d was accepted", offset)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("héllo, [1,2,{\"a\":\"b\"}]", 3)
	f.Fuzz(func(t *testing.T, whole string, limit int) {
		if limit < 1 || limit > 1000 || !utf8.ValidString(whole) {
			t.Skip()
		}
		s := NewStore(1 << 20)
		got := parse(t, s.Cut(answer(whole), limit, false))
		if len(got.Content) == 1 {
			if got.Content[0].Text != whole {
				t.Fatalf("%q became %q", whole, got.Content[0].Text)
			}
			return
		}
		last := got.Content[len(got.Content)-1].Text
		shown := ""
		for _, b := range got.Content[:len(got.Content)-1] {
			shown += b.Text
		}
		if all := shown + readOn(t, s, last, limit); all != whole {
			t.Fatalf("%q came back as %q", whole, all)
		}
	})
}
