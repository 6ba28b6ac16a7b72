package embed

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const defaultBundle = "../../models/" + DefaultModel

type tokenLine struct {
	Text string  `json:"text"`
	IDs  []int32 `json:"ids"`
}

// tokenLines are 10,000 texts in many scripts with the ids that the reference
// tokenizer gives them, as models/train/tokens.py writes them.
func tokenLines(t *testing.T) []tokenLine {
	t.Helper()
	f, err := os.Open("testdata/tokens.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var lines []tokenLine
	for d := json.NewDecoder(unzipped); ; {
		var l tokenLine
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	if len(lines) != 10_000 {
		t.Fatalf("%d lines", len(lines))
	}
	return lines
}

func TestTokenizesAsTheReference(t *testing.T) {
	t.Parallel()
	tok, err := LoadTokenizer(defaultBundle, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := tokenLines(t)
	wrong := 0
	for _, l := range lines {
		if got := tok.Encode(l.Text); !slices.Equal(got, l.IDs) {
			if wrong++; wrong < 10 {
				t.Errorf("%+q:\n got %v\nwant %v", l.Text, got, l.IDs)
			}
		}
	}
	t.Logf("%d lines, %d differ", len(lines), wrong)
}

func TestVocabularyFileMakesTheSameTokenizer(t *testing.T) {
	t.Parallel()
	full, err := LoadTokenizer(defaultBundle, 0)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]string, len(full.vocab))
	for w, id := range full.vocab {
		words[id] = w
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "vocab.txt"), []byte(strings.Join(words, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	tok, err := LoadTokenizer(dir, 128)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range tokenLines(t) {
		if got := tok.Encode(l.Text); !slices.Equal(got, l.IDs) {
			t.Fatalf("%+q:\n got %v\nwant %v", l.Text, got, l.IDs)
		}
	}
}

func TestCasedVocabularyKeepsCapitalsAndAccents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nÜber\nuber\n")
	write("tokenizer_config.json", `{"do_lower_case": false}`)
	tok, err := LoadTokenizer(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := tok.Encode("Über uber UBER"); !slices.Equal(got, []int32{2, 4, 5, 1, 3}) {
		t.Errorf("got %v", got)
	}
}

func TestRefusesTokenizersItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	const rest = `"pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "BertProcessing"}`
	for _, c := range []struct{ file, want string }{
		{`{`, "unexpected end"},
		{`{"model": {"type": "BPE", "vocab": {"a": 0}}}`, `"BPE"`},
		{`{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "ByteLevel"}}`, `"ByteLevel"`},
		{`{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "normalizer": {"type": "NFKC"}, ` + rest + `}`, `"NFKC"`},
		{`{"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0}}, ` + rest + `}`, `no "[CLS]"`},
		{`{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "added_tokens": [{"content": "x", "single_word": true}], ` + rest + `}`, `"x"`},
		{`{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": {"type": "RobertaProcessing"}}`, `"RobertaProcessing"`},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tokenizer.json"), []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadTokenizer(dir, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s\n gives %v; want the file and %s named", c.file, err, c.want)
		}
	}
}

func TestLimitCutsTheTextAndKeepsItsEnd(t *testing.T) {
	t.Parallel()
	tok, err := LoadTokenizer(defaultBundle, 5)
	if err != nil {
		t.Fatal(err)
	}
	got := tok.Encode("one two three four five six")
	if len(got) != 5 || got[0] != tok.start || got[4] != tok.end {
		t.Errorf("got %v", got)
	}
	if _, err := LoadTokenizer(defaultBundle, 2); err == nil {
		t.Error("a limit that leaves no room was taken")
	}
}
