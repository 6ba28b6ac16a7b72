package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
	"github.com/ctx-sidecar/ctx/core/listing"
)

// reader is a model that can read tools together with a query: those whose text
// has the word it looks for fit.
type reader struct {
	subjects
	word string
	more int // scores beyond those asked for
	none float64
	err  error
	read *[]string
}

func (reader) Chooses() bool { return true }

func (r reader) Choose(_ context.Context, request string, candidates []embed.Candidate) ([]float64, float64, error) {
	each := make([]float64, len(candidates)+r.more)
	*r.read = []string{request}
	for i, c := range candidates {
		*r.read = append(*r.read, c.Card)
		each[i] = -4
		if strings.Contains(c.Card, r.word) {
			each[i] = 4
		}
	}
	return each, r.none, r.err
}

func reading(word string) reader {
	return reader{subjects: weather, word: word, read: new([]string)}
}

func TestToolsThatComeNearAreReadTogetherWithTheQuery(t *testing.T) {
	t.Parallel()
	var tools []listing.Tool
	for i := range 12 {
		tools = append(tools, tool("sky", fmt.Sprintf("rain_%d", i), "About rain.", ""))
	}
	tools = append(tools, tool("office", "print_label", "Print a label.", ""))
	m := reading("rain 5")
	hits, err := ranking(t, weather, tools).Find(t.Context(), m, "umbrella or not?", len(tools))
	got := found(tools, hits)
	if err != nil || got[0] != "rain_5" || got[1] != "rain_0" || got[len(got)-1] != "print_label" {
		t.Errorf("%q (%v)", got, err)
	}
	if read := *m.read; len(read) != 1+jointMost || read[0] != "umbrella or not?" || read[1] != "rain 0: About rain." {
		t.Errorf("read %q", read)
	}
	// What was not read is never before what was and stood there already.
	if !slices.IsSortedFunc(got[2:12], func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("%q", got)
	}
	// A short list has what was read beyond its end, too.
	if hits, err = ranking(t, weather, tools).Find(t.Context(), reading("rain 7"), "umbrella or not?", 1); err != nil || found(tools, hits)[0] != "rain_7" {
		t.Errorf("%q (%v)", found(tools, hits), err)
	}
}

func TestWhatIsFarBehindIsNotRead(t *testing.T) {
	t.Parallel()
	m := reading("label")
	hits, err := ranking(t, weather, jobs).Find(t.Context(), m, "what wage did we pay?", 4)
	if got := found(jobs, hits); err != nil || got[0] != "print_slip" || *m.read != nil {
		t.Errorf("%q, read %q (%v)", got, *m.read, err)
	}
}

func TestWhatIsOutdatedIsRaisedNoMoreThanTheOthers(t *testing.T) {
	t.Parallel()
	hits, err := ranking(t, weather, jobs).Find(t.Context(), reading("v1"), "umbrella or not?", 4)
	if got := found(jobs, hits); err != nil || got[0] != "get_forecast" || got[1] != "get_forecast_v1" {
		t.Errorf("%q (%v)", got, err)
	}
	tools := []listing.Tool{tool("sky", "rain_map", "", ""), tool("sky", "wind_map", "", "")}
	for word, want := range map[string]int{"rain": 0, "map": 0, "wind": 1, "no": 0} {
		hits, err := Reread(t.Context(), reading(word), "which?", []Hit{{0, .9}, {1, .8}}, tools, []int{0})
		if err != nil || hits[0].Doc != want {
			t.Errorf("%s: %v (%v)", word, hits, err)
		}
	}
}

func TestAServersLongNameLeavesRoomForItsTools(t *testing.T) {
	t.Parallel()
	server := "awslabs.aws-documentation-mcp-server"
	tools := []listing.Tool{tool(server, "rain_list", "About rain.", ""), tool(server, "rain_map", "About rain.", "")}
	m := reading("map")
	if hits, err := ranking(t, weather, tools).Find(t.Context(), m, "umbrella or not?", 2); err != nil || found(tools, hits)[0] != "rain_map" {
		t.Errorf("%q (%v), read %q", found(tools, hits), err, *m.read)
	}
}

func TestAReadingThatFailsLeavesWhatTheVectorsFound(t *testing.T) {
	t.Parallel()
	tools := []listing.Tool{tool("sky", "rain_a", "About rain.", ""), tool("office", "b", "A forecast of wages.", ""), tool("sky", "rain_c", "About rain, in a forecast.", "")}
	for what, m := range map[string]reader{
		"fails":      {subjects: weather, err: errors.New("broken"), read: new([]string)},
		"more":       {subjects: weather, more: 1, read: new([]string)},
		"no numbers": {subjects: weather, none: math.NaN(), read: new([]string)},
	} {
		hits, err := ranking(t, weather, tools).Find(t.Context(), m, "umbrella or not?", 3)
		if got := found(tools, hits); !errors.Is(err, ErrUnread) || !slices.Equal(got, []string{"rain_a", "b", "rain_c"}) {
			t.Errorf("%s: %q (%v)", what, got, err)
		}
	}
}
