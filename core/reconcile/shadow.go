package reconcile

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/usage"
)

// Shadow plans along with the sessions of a running gateway and notes in the
// ledger what it would have hidden, without hiding it: that is what the referee
// judges by. It works beside whoever tells it of calls and prompts and keeps none
// of them waiting. A nil Shadow does nothing.
type Shadow struct {
	opts ShadowOptions

	mu     sync.Mutex
	events chan shadowEvent // nil once closed
	done   chan struct{}
}

// ShadowOptions are what a Shadow works with.
type ShadowOptions struct {
	Host    string
	Ledger  *Ledger
	Surface func(context.Context) (Surface, error) // as it is now; may take its time
	Past    func(session string) []usage.Call      // its calls so far, the oldest first; nil: none are known
	Own     func(prompt string) string             // leaves of a prompt the user's own words; nil: all are
	Log     hclog.Logger
}

// shadowEvent is a call that was completed, a wish, or the end of a session.
type shadowEvent struct {
	session string
	at      time.Time
	call    *usage.Call
	prompt  *string
	end     bool
}

const (
	mostWaiting = 256
	// calm is how long a surface is taken to be as it was.
	calm = 5 * time.Minute
	// mostFollowed is how many sessions are followed at once; an HTTP gateway may
	// serve many.
	mostFollowed = 32
	mostCalls    = 4096     // of one session that are kept
	mostPrompt   = 64 << 10 // bytes of a prompt that are looked into for the user's words
)

// NewShadow starts one. Close ends it.
func NewShadow(o ShadowOptions) *Shadow {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	s := &Shadow{opts: o, events: make(chan shadowEvent, mostWaiting), done: make(chan struct{})}
	go s.run(s.events)
	return s
}

// Call tells of a completed call.
func (s *Shadow) Call(c usage.Call) { s.tell(shadowEvent{session: c.Session, at: c.At, call: &c}) }

// Prompt tells what the user wants in a session. The text is not kept.
func (s *Shadow) Prompt(session, text string) {
	text = strings.Clone(text[:min(len(text), mostPrompt)])
	s.tell(shadowEvent{session: session, at: time.Now().UTC(), prompt: &text})
}

// End tells that a session is over.
func (s *Shadow) End(session string) {
	s.tell(shadowEvent{session: session, at: time.Now().UTC(), end: true})
}

// tell drops what a slow disk leaves no room for: the session's calls are in the
// usage log in any case.
func (s *Shadow) tell(e shadowEvent) {
	if s == nil || e.session == "" || strings.HasPrefix(e.session, state.ScratchPrefix) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events == nil {
		return
	}
	select {
	case s.events <- e:
	default:
	}
}

// Close notes the end of the sessions that are followed, and waits for what is
// to be written.
func (s *Shadow) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	if s.events != nil {
		close(s.events)
		s.events = nil
	}
	s.mu.Unlock()
	<-s.done
}

// followed is a session that the shadow plans along with.
type followed struct {
	calls      []usage.Call
	intent     []Mention
	phase      Phase
	planned    bool // in phase, with intent
	generation int
	hid        map[ruleKey]bool // is in the ledger
	shown      map[surface.Family]bool
	touched    time.Time
	ended      bool // and nothing has come since
}

func (s *Shadow) run(events <-chan shadowEvent) {
	defer close(s.done)
	sessions := make(map[string]*followed)
	var now Surface
	var at time.Time
	for e := range events {
		f := sessions[e.session]
		if e.end {
			s.over(e.session, f, e.at)
			continue
		}
		if f == nil {
			f = s.follow(e.session)
			sessions[e.session] = f
			s.forget(sessions)
		}
		f.take(e)
		if e.prompt != nil {
			f.intent, f.planned = s.intent(*e.prompt), false
		}
		if len(f.calls) == 0 {
			continue // what uses no tool has no phase
		}
		if at.IsZero() || time.Since(at) > calm {
			// Where the configuration cannot be read now, what was known still stands.
			if fresh, err := s.opts.Surface(context.Background()); err == nil {
				now, at = fresh, time.Now()
			} else {
				s.opts.Log.Warn("no plan: the surface is not known", "error", err)
				continue
			}
		}
		if phase := now.PhaseOf(f.calls); phase != f.phase || !f.planned {
			f.phase, f.planned = phase, true
			s.plan(e, f, now)
		}
	}
	for id, f := range sessions {
		s.over(id, f, time.Now().UTC())
	}
}

func (s *Shadow) intent(prompt string) []Mention {
	if s.opts.Own != nil {
		prompt = s.opts.Own(prompt)
	}
	return Intent(prompt)
}

// take notes an event of a session.
func (f *followed) take(e shadowEvent) {
	f.touched, f.ended = time.Now(), false
	if e.call == nil {
		return
	}
	f.calls = append(f.calls, *e.call)
	if len(f.calls) > mostCalls {
		f.calls = compact(f.calls)
	}
}

// compact leaves of the calls those that a plan depends on: the recent ones, and
// one of each tool.
func compact(calls []usage.Call) []usage.Call {
	seen := make(map[toolKey]bool)
	var kept []usage.Call
	for i, c := range slices.Backward(calls) {
		k := toolKey{c.Server, c.Tool}
		if i >= len(calls)-recent || !seen[k] {
			kept = append(kept, c)
		}
		seen[k] = true
	}
	slices.Reverse(kept)
	return kept
}

// follow begins to follow a session, where another process left it.
func (s *Shadow) follow(id string) *followed {
	f := &followed{hid: make(map[ruleKey]bool), shown: make(map[surface.Family]bool)}
	if s.opts.Past != nil {
		f.calls = compact(s.opts.Past(id))
	}
	entries, problems := s.opts.Ledger.Read()
	for _, p := range problems {
		s.opts.Log.Debug("a line of the ledger is not followed", "file", p.File, "line", p.Line, "problem", p.Text)
	}
	for _, e := range entries {
		if e.Session == id {
			f.generation = max(f.generation, e.Generation)
			f.note(e)
		}
	}
	return f
}

// note remembers that a line is in the ledger.
func (f *followed) note(e Entry) {
	switch e.Op {
	case Hide:
		f.hid[ruleKey{e.Family, e.Phase}] = true
	case Reveal:
		f.shown[e.Family] = true
	}
}

// plan notes what would change by an event and is not in the ledger yet, as of
// when the event was: what came after it was not known. Nothing is hidden in the
// shadow, so that each phase has its say on each family.
func (s *Shadow) plan(ev shadowEvent, f *followed, now Surface) {
	p := Make(Input{Surface: now, Intent: f.intent, Calls: f.calls, Phase: f.phase})
	p.Hides = slices.DeleteFunc(p.Hides, func(c Change) bool { return f.hid[ruleKey{c.Family, p.Phase}] })
	p.Reveals = slices.DeleteFunc(p.Reveals, func(c Change) bool { return f.shown[c.Family] })
	if len(p.Hides)+len(p.Reveals) == 0 {
		return
	}
	f.generation++
	entries := p.Entries(Entry{At: ev.at, Host: s.opts.Host, Session: ev.session, Generation: f.generation})
	if err := s.opts.Ledger.Append(entries...); err != nil {
		s.opts.Log.Warn("a plan is not noted", "error", err)
		return
	}
	for _, e := range entries {
		f.note(e)
	}
}

func (s *Shadow) over(id string, f *followed, at time.Time) {
	if f == nil || f.ended || len(f.hid) == 0 {
		return
	}
	f.ended = true
	err := s.opts.Ledger.Append(Entry{At: at, Host: s.opts.Host, Session: id, Generation: f.generation, Op: End})
	if err != nil {
		s.opts.Log.Warn("the end of a session is not noted", "error", err)
	}
}

// forget lets go of the session that nothing was heard of the longest. It may
// well go on, so that no end is noted.
func (s *Shadow) forget(sessions map[string]*followed) {
	if len(sessions) <= mostFollowed {
		return
	}
	oldest := slices.MinFunc(slices.Collect(maps.Keys(sessions)), func(a, b string) int {
		return sessions[a].touched.Compare(sessions[b].touched)
	})
	delete(sessions, oldest)
}
