package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/search"
)

// fakeMeaning is a sentence model that knows a few words, and that a test makes
// ready.
type fakeMeaning struct {
	ready chan struct{}
	none  error // why there is no model

	mu     sync.Mutex
	wanted bool
	begun  bool
	eager  bool // it is ready once it is begun
	asked  []string
	fail   func(texts []string) error
	keep   error
	saved  int
	prompt time.Time
}

func newMeaning() *fakeMeaning { return &fakeMeaning{ready: make(chan struct{}), eager: true} }

func (m *fakeMeaning) Want() { m.mu.Lock(); defer m.mu.Unlock(); m.wanted = true }

func (m *fakeMeaning) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.begun && m.eager {
		close(m.ready)
	}
	m.begun = true
}

func (m *fakeMeaning) Ready() <-chan struct{} { return m.ready }

func (m *fakeMeaning) Model() (search.Embedder, error) { return m, m.none }

func (m *fakeMeaning) Keep([]string) (Kept, error) { return m, m.keep }

func (m *fakeMeaning) Prompt() time.Time { m.mu.Lock(); defer m.mu.Unlock(); return m.prompt }

func (m *fakeMeaning) Save() error { m.mu.Lock(); defer m.mu.Unlock(); m.saved++; return m.keep }

func (m *fakeMeaning) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.mu.Lock()
	m.asked = append(m.asked, texts...)
	fail := m.fail
	m.mu.Unlock()
	if fail != nil {
		if err := fail(texts); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, 3)
		for word, subject := range map[string]int{"forecast": 0, "umbrella": 0, "wage": 1, "salary": 1} {
			if strings.Contains(text, word) {
				out[i][subject] = 1
			}
		}
	}
	return out, nil
}

func (m *fakeMeaning) failing(fail func(texts []string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail, m.asked = fail, nil
}

func (m *fakeMeaning) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

func (m *fakeMeaning) state() (wanted, begun bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wanted, m.begun
}

const (
	forecast = `{"name":"get_forecast","description":"The forecast of a place.","inputSchema":{"type":"object"}}`
	payslip  = `{"name":"print_slip","description":"Print the wage of an employee.","inputSchema":{"type":"object"}}`
	label    = `{"name":"print_label","description":"Print a label.","inputSchema":{"type":"object"}}`
)

const byMeaning = `{"query":"do I need an umbrella?"}`

// meant is a session over some tools whose searches have a model.
func meant(t *testing.T, m *fakeMeaning, adjust ...func(*Options, *Rules, *fakeBackends)) *bench {
	t.Helper()
	with := func(o *Options, _ *Rules, _ *fakeBackends) { o.Meaning = m }
	b := serve(t, map[string][]string{"sky": {forecast}, "office": {payslip, label}}, append(adjust, with)...)
	b.initialize(`{}`)
	return b
}

// impatient ends the waiting of searches.
func (b *bench) impatient() {
	b.reader.mu.Lock()
	defer b.reader.mu.Unlock()
	b.reader.until = time.Now()
}

func first(r reply) string {
	id, _, _ := strings.Cut(r.text(), " ")
	return id
}

func TestASearchFindsWhatSharesNoWordWithIt(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	if r := b.call(toolSearch, byMeaning); first(r) != "sky:get_forecast" || strings.Contains(r.text(), "warning") {
		t.Error(r.text())
	}
	if r := b.call(toolSearch, `{"query":"my salary","limit":1}`); first(r) != "office:print_slip" || strings.Contains(r.text(), "sky") {
		t.Error(r.text())
	}
	if r := b.call(toolSearch, `{"query":"print_label"}`); first(r) != "office:print_label" { // named outright
		t.Error(r.text())
	}
	if m.saved == 0 {
		t.Error("what the model made of the tools is not kept")
	}
}

func TestNoModelIsLoadedForASessionThatDoesNotSearch(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	b.must("tools/list", ``)
	b.call(describeTool, `{"tools":["sky:get_forecast"]}`)
	b.call(callToolWrite, `{"tool":"sky:get_forecast"}`)
	if wanted, begun := m.state(); !wanted || begun {
		t.Errorf("wanted %v, begun %v", wanted, begun)
	}
	few := newMeaning()
	all := meant(t, few, func(o *Options, _ *Rules, _ *fakeBackends) { o.Config.Gateway.NarrowAbove = 8 })
	all.must("tools/list", ``)
	if wanted, begun := few.state(); wanted || begun {
		t.Errorf("where all tools are listed: wanted %v, begun %v", wanted, begun)
	}
}

func TestUntilTheModelIsReadyWordsFind(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	m.eager = false
	b := meant(t, m)
	b.impatient()
	for range 2 {
		r := b.call(toolSearch, `{"query":"print a label"}`)
		if first(r) != "office:print_label" || !strings.Contains(r.text(), "warning: tools are found by words alone: the sentence model is still reading") {
			t.Error(r.text())
		}
	}
	if _, begun := m.state(); !begun {
		t.Error("nobody has begun to load the model")
	}
	close(m.ready)
	b.await("the model has read the tools", func() bool { return first(b.call(toolSearch, byMeaning)) == "sky:get_forecast" })
}

func TestAPatientSearchWaitsForTheModel(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	m.eager = false
	b := meant(t, m)
	b.impatient()
	time.AfterFunc(50*time.Millisecond, func() { close(m.ready) })
	if r := b.call(toolSearch, `{"query":"do I need an umbrella?","wait":true}`); first(r) != "sky:get_forecast" {
		t.Error(r.text())
	}
}

func TestToolsAreReadOnceThePromptIsDealtWithOrASearchWaits(t *testing.T) {
	t.Parallel()
	for name, hurry := range map[string]func(*bench, *fakeMeaning){
		"a search waits": func(b *bench, _ *fakeMeaning) {
			if r := b.call(toolSearch, byMeaning); first(r) != "sky:get_forecast" {
				t.Error(r.text())
			}
		},
		"it is dealt with": func(_ *bench, m *fakeMeaning) { m.mu.Lock(); defer m.mu.Unlock(); m.prompt = time.Time{} },
	} {
		m := newMeaning()
		m.prompt = time.Now().Add(time.Hour)
		b := meant(t, m)
		m.Begin()
		time.Sleep(50 * time.Millisecond)
		if got := m.texts(); len(got) > 0 {
			t.Errorf("%s: read before: %q", name, got)
		}
		hurry(b, m)
		b.await(name, func() bool { return len(m.texts()) > 0 })
	}
}

func TestThatThereIsNoModelIsSaidOnce(t *testing.T) {
	t.Parallel()
	broken := errors.New("out of memory")
	ofTools := func(texts []string) error {
		if strings.Contains(texts[0], ": ") {
			return broken
		}
		return nil
	}
	ofQueries := func(texts []string) error {
		if !strings.Contains(texts[0], ": ") {
			return broken
		}
		return nil
	}
	for name, c := range map[string]struct {
		prepare func(*fakeMeaning)
		why     string
	}{
		"none is installed":           {func(m *fakeMeaning) { m.none = errors.New("ONNX Runtime is not installed") }, "ONNX Runtime is not installed"},
		"it fails over the tools":     {func(m *fakeMeaning) { m.fail = ofTools }, "embed tools: out of memory"},
		"it fails over every query":   {func(m *fakeMeaning) { m.fail = ofQueries }, "embed the query: out of memory"},
		"its name holds line breaks":  {func(m *fakeMeaning) { m.none = errors.New("no model \"a\nb\"") }, `no model "a b"`},
		"and nothing can be kept too": {func(m *fakeMeaning) { m.fail, m.keep = ofTools, errors.New("read-only") }, "embed tools: out of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMeaning()
			c.prepare(m)
			log := &sink{}
			b := meant(t, m, func(o *Options, _ *Rules, _ *fakeBackends) {
				o.Log = hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Warn})
			})
			for i := range 3 {
				r := b.call(toolSearch, `{"query":"print a label"}`)
				if first(r) != "office:print_label" {
					t.Error(r.text())
				}
				if said := strings.Contains(r.text(), "tools are found by words alone: "+c.why); said != (i == 0) {
					t.Errorf("answer %d: %s", i, r.text())
				}
			}
			if n := strings.Count(log.String(), "tools are found by words alone"); n != 1 {
				t.Errorf("the log says so %d times: %s", n, log)
			}
		})
	}
}

// sink is a log that may be written to and read at once.
type sink struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) { s.mu.Lock(); defer s.mu.Unlock(); return s.b.Write(p) }

func (s *sink) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

func TestAModelThatRecoversIsUsedAgain(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	b.call(toolSearch, byMeaning)
	m.failing(func([]string) error { return errors.New("out of memory") })
	if r := b.call(toolSearch, `{"query":"print a label"}`); first(r) != "office:print_label" {
		t.Error(r.text())
	}
	m.failing(nil)
	if r := b.call(toolSearch, byMeaning); first(r) != "sky:get_forecast" {
		t.Error(r.text())
	}
	// Tools that it could not read it reads with the next ones.
	m.failing(func([]string) error { return errors.New("out of memory") })
	b.backends.set(list("office", payslip, label, `{"name":"more","description":"One more."}`))
	b.await("it has failed", func() bool { return len(m.texts()) > 0 })
	b.impatient()
	if r := b.call(toolSearch, `{"query":"print a label"}`); first(r) != "office:print_label" {
		t.Error(r.text())
	}
	m.failing(nil)
	b.backends.set(list("office", payslip, label))
	b.await("it has read the tools", func() bool { return first(b.call(toolSearch, byMeaning)) == "sky:get_forecast" })
}

func TestOnlyWhatIsNewIsRead(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	b.call(toolSearch, byMeaning)
	m.failing(nil)
	b.backends.set(list("office", payslip, label, `{"name":"raise","description":"Raise a wage."}`))
	b.await("the new tool is read", func() bool { return len(m.texts()) > 0 })
	if got := m.texts(); !slices.Equal(got, []string{"office raise: Raise a wage."}) {
		t.Errorf("read: %q", got)
	}
	b.await("it is found", func() bool {
		return strings.Contains(b.call(toolSearch, `{"query":"my salary"}`).text(), "office:raise")
	})
}

func TestWhatTheRulesTakeAwayIsNotFoundByItsMeaning(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	if r := b.call(toolSearch, byMeaning); first(r) != "sky:get_forecast" {
		t.Error(r.text())
	}
	m.failing(nil)
	b.policy.deny("sky", "get_forecast")
	b.impatient()
	r := b.call(toolSearch, byMeaning)
	if strings.Contains(r.text(), "get_forecast") || strings.Contains(r.text(), "warning") || !strings.Contains(r.text(), "office:print_slip") {
		t.Error(r.text())
	}
	if got := m.texts(); !slices.Equal(got, []string{"do I need an umbrella?"}) {
		t.Errorf("read again: %q", got)
	}
}

func TestAModelThatTakesTooLongKeepsNoAnswerWaiting(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	b.call(toolSearch, byMeaning)
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	m.failing(func([]string) error { <-stuck; return nil })
	if r := b.call(toolSearch, `{"query":"print a label"}`); first(r) != "office:print_label" || !strings.Contains(r.text(), "takes too long") {
		t.Error(r.text())
	}
}

func TestManySearchesAndChangesAtOnce(t *testing.T) {
	t.Parallel()
	m := newMeaning()
	b := meant(t, m)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 10 {
				b.backends.set(list("office", payslip, label, fmt.Sprintf(`{"name":"t%d_%d","description":"x"}`, i, j)))
			}
		})
		all.Go(func() {
			for range 10 {
				if _, err := b.Handle(t.Context(), []byte("1"), "tools/call", []byte(`{"name":"tool_search","arguments":{"query":"umbrella"}}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	b.await("the last tools are read", func() bool { return first(b.call(toolSearch, byMeaning)) == "sky:get_forecast" })
}

// await waits for something in the background.
func (b *bench) await(what string, ok func() bool) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s", what)
		}
	}
}
