package embed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/file"
)

// mostVocabulary is how many bytes of a vocabulary are read; those of many
// languages take 17 MB.
const mostVocabulary = 64 << 20

// defaultLimit is BERT's own: it has no position after this one.
const defaultLimit = 512

// LoadTokenizer reads tokenizer.json in dir, else vocab.txt (with the switches
// of tokenizer_config.json, if that is there). limit is the most tokens of a
// text, 0 for what the file says, else 512.
func LoadTokenizer(dir string, limit int) (*Tokenizer, error) {
	path := filepath.Join(dir, "tokenizer.json")
	raw, err := file.ReadUpTo(path, mostVocabulary)
	if errors.Is(err, fs.ErrNotExist) {
		return loadVocabulary(dir, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	t, err := parseTokenizer(raw, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

type tokenizerFile struct {
	Truncation *struct {
		MaxLength int `json:"max_length"`
	} `json:"truncation"`
	AddedTokens []struct {
		ID         int32  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer *struct {
		Type         string `json:"type"`
		CleanText    bool   `json:"clean_text"`
		Ideographs   bool   `json:"handle_chinese_chars"`
		StripAccents *bool  `json:"strip_accents"`
		Lowercase    bool   `json:"lowercase"`
	} `json:"normalizer"`
	PreTokenizer struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	PostProcessor struct {
		Type   string `json:"type"`
		Single []struct {
			SpecialToken *struct {
				ID string `json:"id"`
			} `json:"SpecialToken"`
		} `json:"single"`
		Cls []json.RawMessage `json:"cls"` // ["[CLS]", 101]
		Sep []json.RawMessage `json:"sep"`
	} `json:"post_processor"`
	Model struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		Longest int              `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	} `json:"model"`
}

func parseTokenizer(raw []byte, limit int) (*Tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	// An older file leaves the model's type out.
	if (f.Model.Type != "WordPiece" && f.Model.Type != "") || len(f.Model.Vocab) == 0 {
		return nil, fmt.Errorf("a tokenizer of type %q; only WordPiece is understood", f.Model.Type)
	}
	if f.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("a pre-tokenizer of type %q; only BertPreTokenizer is understood", f.PreTokenizer.Type)
	}
	t := &Tokenizer{vocab: f.Model.Vocab, prefix: f.Model.Prefix, longest: f.Model.Longest, limit: limit}
	if n := f.Normalizer; n != nil {
		if n.Type != "BertNormalizer" {
			return nil, fmt.Errorf("a normalizer of type %q; only BertNormalizer is understood", n.Type)
		}
		t.normalizer = normalizer{n.CleanText, n.Ideographs, n.Lowercase, n.Lowercase}
		if n.StripAccents != nil {
			t.stripAccents = *n.StripAccents
		}
	}
	for _, a := range f.AddedTokens {
		if a.SingleWord || a.Normalized {
			return nil, fmt.Errorf("the added token %q is matched in a way that is not understood", a.Content)
		}
		t.special = append(t.special, specialToken{a.Content, a.ID, a.LStrip, a.RStrip})
	}
	if t.limit == 0 && f.Truncation != nil {
		t.limit = f.Truncation.MaxLength
	}
	start, end := "[CLS]", "[SEP]"
	switch p := f.PostProcessor; p.Type {
	case "BertProcessing":
		if len(p.Cls) > 0 && len(p.Sep) > 0 {
			_ = json.Unmarshal(p.Cls[0], &start) // what is no string is found to be no token below
			_ = json.Unmarshal(p.Sep[0], &end)
		}
	case "TemplateProcessing":
		if n := len(p.Single); n != 3 || p.Single[0].SpecialToken == nil || p.Single[1].SpecialToken != nil || p.Single[2].SpecialToken == nil {
			return nil, errors.New("its template is not one token, the text, one token")
		}
		start, end = p.Single[0].SpecialToken.ID, p.Single[2].SpecialToken.ID
	default:
		return nil, fmt.Errorf("a post-processor of type %q is not understood", p.Type)
	}
	return t, t.finish(f.Model.Unknown, start, end)
}

// finish looks the tokens up that every text needs, and fills in BERT's numbers
// where the file had none.
func (t *Tokenizer) finish(unknown, start, end string) error {
	for _, want := range []struct {
		token string
		id    *int32
	}{{unknown, &t.unknown}, {start, &t.start}, {end, &t.end}} {
		id, ok := t.vocab[want.token]
		if !ok {
			return fmt.Errorf("the vocabulary has no %q", want.token)
		}
		*want.id = id
	}
	if t.longest == 0 {
		t.longest = 100
	}
	if t.limit == 0 {
		t.limit = defaultLimit
	}
	if t.limit < 3 {
		return fmt.Errorf("a limit of %d tokens leaves no room for a text", t.limit)
	}
	return nil
}

func loadVocabulary(dir string, limit int) (*Tokenizer, error) {
	path := filepath.Join(dir, "vocab.txt")
	raw, err := file.ReadUpTo(path, mostVocabulary)
	if err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	t := &Tokenizer{vocab: map[string]int32{}, prefix: "##", limit: limit}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := int32(0); lines.Scan(); n++ {
		t.vocab[lines.Text()] = n
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	config := struct {
		Lower        bool  `json:"do_lower_case"`
		StripAccents *bool `json:"strip_accents"`
		Ideographs   bool  `json:"tokenize_chinese_chars"`
	}{Lower: true, Ideographs: true}
	switch raw, err := file.Read(filepath.Join(dir, "tokenizer_config.json")); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read tokenizer: %w", err)
	default:
		if err := json.Unmarshal(raw, &config); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "tokenizer_config.json"), err)
		}
	}
	t.normalizer = normalizer{true, config.Ideographs, config.Lower, config.Lower}
	if config.StripAccents != nil {
		t.stripAccents = *config.StripAccents
	}
	for _, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		if id, ok := t.vocab[token]; ok {
			t.special = append(t.special, specialToken{text: token, id: id})
		}
	}
	if err := t.finish("[UNK]", "[CLS]", "[SEP]"); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
