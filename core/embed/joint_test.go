package embed

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// models/train/vectors.py writes what the scores are compared with.
func TestChoicesAreTheReferences(t *testing.T) {
	m := defaultModel(t)
	if !m.Chooses() {
		t.Fatalf("%s cannot choose", m.Name())
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "choices.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Request    string
		Candidates []Candidate
		Each       []float64
		None       float64
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Fatal("there are no references")
	}
	for _, want := range rows {
		each, none, err := m.Choose(t.Context(), want.Request, want.Candidates)
		if err != nil {
			t.Fatal(err)
		}
		if len(each) != len(want.Each) {
			t.Fatalf("%q: %d scores for %d candidates", want.Request, len(each), len(want.Each))
		}
		for i, got := range append(each, none) {
			if w := append(slices.Clone(want.Each), want.None)[i]; !(math.Abs(got-w) <= 0.02) { // nor is it NaN
				t.Errorf("%q: score %d is %.4f, want %.4f", want.Request, i, got, w)
			}
		}
	}
}

func TestABundleWithoutAJointNetworkSaysSo(t *testing.T) {
	m := modelIn(t, "../../models/all-minilm-l6-v2-q")
	if m.Chooses() {
		t.Error("it says that it can choose")
	}
	if _, _, err := m.Choose(t.Context(), "x", []Candidate{{Card: "x"}}); err == nil || !strings.Contains(err.Error(), "all-minilm-l6-v2-q") {
		t.Errorf("got %v", err)
	}
}

// scoring answers every token with its id and, for none, the negative of it.
type scoring struct{ wrong bool }

func (s scoring) run(ids, mask, types []int64, rows, width int) ([]float32, error) {
	var out []float32
	for _, id := range ids {
		out = append(out, float32(id), -float32(id))
	}
	if s.wrong {
		out = out[1:]
	}
	return out, nil
}

func (scoring) close() error { return nil }

func jointFake(wrong bool) *Model {
	vocab := map[string]int32{".": 5}
	for i := range 26 {
		vocab[string(rune('a'+i))] = int32(100 + i)
	}
	return &Model{bundle: Bundle{JointRequest: 42, JointTail: 13, JointCard: 16, JointTrigger: 10}, tokenizer: &Tokenizer{vocab: vocab, longest: 9, limit: 9, start: 3, end: 4}, joint: scoring{wrong}}
}

func TestWhatIsReadJointly(t *testing.T) {
	t.Parallel()
	letters := strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z")
	long := strings.Join(slices.Repeat(letters, 2), " ") // 52 tokens
	ids, types, ends := jointFake(false).jointly(long, []Candidate{
		{Card: "a", Trigger: "b c"}, {Card: long, Trigger: long}, {Card: long}, {}, {Card: long, Most: 8}, {Card: long, Most: 99}, {Card: "a b c", Trigger: "d", Most: 2},
	})
	if want := []int{44, 49, 77, 104, 105, 114, 141, 146}; !slices.Equal(ends, want) {
		t.Fatalf("parts end at %v, want %v", ends, want)
	}
	if ids[0] != 3 || ids[43] != 4 || ids[29] != 102 || ids[30] != 113 || ids[42] != 125 {
		t.Errorf("of a long request its beginning and its end: %v", ids[:44])
	}
	if got := ids[44:49]; !slices.Equal(got, []int64{100, 5, 101, 102, 4}) {
		t.Errorf("a candidate is %v", got)
	}
	if slices.Contains(types[:44], 1) || slices.Contains(types[44:], 0) {
		t.Errorf("types are %v", types)
	}
}

func TestScoresAreMeansOfTheirTokens(t *testing.T) {
	t.Parallel()
	each, none, err := jointFake(false).Choose(t.Context(), "a", []Candidate{{Card: "b", Trigger: "c"}, {Card: "z"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{(101.0 + 5 + 102 + 4) / 4, (125.0 + 4) / 2}; !slices.Equal(each, want) || none != -3 {
		t.Errorf("got %v and %v, want %v and -3", each, none, want)
	}
	if _, _, err := jointFake(true).Choose(t.Context(), "a", []Candidate{{Card: "b"}}); err == nil {
		t.Error("an answer of the wrong size is taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := jointFake(false).Choose(ctx, "a", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
