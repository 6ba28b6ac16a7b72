package hook

import (
	"testing"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/rendezvous"
)

func TestWhichEventsAGatewayTakes(t *testing.T) {
	t.Parallel()
	const here, elsewhere = "/ws", "/other"
	at := func(session string, k event.Kind, s event.Source) event.Event {
		return event.Event{Host: "fake", Session: session, Kind: k, Source: s}
	}
	tests := []struct {
		name      string
		bound     string
		ev        event.Event
		workspace string
		want      rendezvous.Claim
	}{
		{"its own session", "a", at("a", event.Prompt, ""), here, rendezvous.Mine},
		{"its own session, seen from elsewhere", "a", at("a", event.Prompt, ""), elsewhere, rendezvous.Mine},
		{"unbound", "", at("a", event.SessionStart, event.Startup), here, rendezvous.Could},
		{"unbound, no start event", "", at("a", event.Prompt, ""), here, rendezvous.Could},
		{"unbound, other workspace", "", at("a", event.SessionStart, event.Startup), elsewhere, rendezvous.No},
		{"another session", "a", at("b", event.Prompt, ""), here, rendezvous.No},
		{"another session starts", "a", at("b", event.SessionStart, event.Startup), here, rendezvous.No},
		{"another one is compacted", "a", at("b", event.SessionStart, event.Compact), here, rendezvous.No},
		{"clear", "a", at("b", event.SessionStart, event.Clear), here, rendezvous.Could},
		{"resume", "a", at("b", event.SessionStart, event.Resume), here, rendezvous.Could},
		{"clear elsewhere", "a", at("b", event.SessionStart, event.Clear), elsewhere, rendezvous.No},
		{"no session", "", at("", event.Prompt, ""), here, rendezvous.No},
		{"another host", "a", event.Event{Host: "else", Session: "a"}, here, rendezvous.No},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := NewBinding("fake", here, tt.bound)
			if got := b.Claim(tt.ev, tt.workspace); got != tt.want || b.Session() != tt.bound {
				t.Errorf("Claim = %v, bound to %q", got, b.Session())
			}
			got, rebound := b.Take(tt.ev, tt.workspace)
			if got != tt.want {
				t.Errorf("Take = %v", got)
			}
			bound := tt.bound
			if tt.want != rendezvous.No {
				bound = tt.ev.Session
			}
			if b.Session() != bound || rebound != (tt.bound != "" && bound != tt.bound) {
				t.Errorf("bound to %q, rebound %v", b.Session(), rebound)
			}
		})
	}
}

func TestSecondSessionDoesNotTakeOverAGateway(t *testing.T) {
	t.Parallel()
	b := NewBinding("fake", "/ws", "")
	if c, _ := b.Take(start("a", event.Startup), "/ws"); c != rendezvous.Could {
		t.Fatalf("the first one: %v", c)
	}
	if c, _ := b.Take(start("b", event.Startup), "/ws"); c != rendezvous.No || b.Session() != "a" {
		t.Errorf("the second one: %v, bound to %q", c, b.Session())
	}
}

func TestEndOfTheSessionSetsTheGatewayFree(t *testing.T) {
	t.Parallel()
	b := NewBinding("fake", "/ws", "a")
	if c, _ := b.Take(event.Event{Host: "fake", Session: "b", Kind: event.SessionEnd}, "/ws"); c != rendezvous.No || b.Session() != "a" {
		t.Errorf("the end of another: %v, bound to %q", c, b.Session())
	}
	if c, rebound := b.Take(event.Event{Host: "fake", Session: "a", Kind: event.SessionEnd}, "/ws"); c != rendezvous.Mine || rebound || b.Session() != "" {
		t.Errorf("its end: %v, rebound %v, bound to %q", c, rebound, b.Session())
	}
	// A new one is taken up with whatever event is the first to be seen.
	// The host still lists what was revealed in the one that ended.
	if c, rebound := b.Take(event.Event{Host: "fake", Session: "c", Kind: event.Prompt}, "/ws"); c != rendezvous.Could || !rebound || b.Session() != "c" {
		t.Errorf("the next one: %v, rebound %v, bound to %q", c, rebound, b.Session())
	}
}

func TestHostNamesTheSessionItself(t *testing.T) {
	t.Parallel()
	b := NewBinding("fake", "/ws", "")
	if !b.Bind("a") || b.Bind("a") || !b.Bind("b") || b.Session() != "b" {
		t.Error("it does not follow its host")
	}
}
