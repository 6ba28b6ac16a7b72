package main

import "time"

// Times within which an event is answered, well below what any host allows for
// it: they allow a second or less, all hooks together, when a session ends.
// Tests of something else, which are to hold on a busy machine, give more.
var (
	most      = 3 * time.Second
	mostAtEnd = 900 * time.Millisecond
)

// What of them is left for what follows, when a prompt is routed.
var (
	afterRoute = 500 * time.Millisecond // the adapter's answer
	afterUntil = 50 * time.Millisecond  // the line's way here
	afterModel = 250 * time.Millisecond // what is done without the model
)

// budget is how long an event may take.
func budget(event string) time.Duration {
	if event == "SessionEnd" {
		return mostAtEnd
	}
	return most
}
