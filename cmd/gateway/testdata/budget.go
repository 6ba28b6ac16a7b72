package main

import "time"

// In place of cmd/hook/budget.go: what is tested here is what a hook does, on a
// machine as busy as may be.
const (
	afterRoute = 4 * time.Second
	afterUntil = 400 * time.Millisecond
	afterModel = 2 * time.Second
)

func budget(string) time.Duration { return 25 * time.Second }
