package tap

import (
	"context"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/hashicorp/go-hclog"
)

// The poll is there for what no event tells of, so no event may put it off.
func TestNoStreamOfEventsKeepsThePollFromItsTurn(t *testing.T) {
	t.Parallel()
	events := make(chan fsnotify.Event)
	w := watch{log: hclog.NewNullLogger(), files: &fsnotify.Watcher{Events: events}, told: true}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go w.run(ctx, cancel)
	deadline := time.After(30 * time.Second)
	for {
		select {
		case events <- fsnotify.Event{Name: "config.toml", Op: fsnotify.Chmod}: // says nothing of what is in a file
		case <-ctx.Done():
			return
		case <-deadline:
			t.Fatal("nothing is ever read")
		}
	}
}
