package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// sessionStart is the event with which Claude Code begins its ith conversation.
func (w *world) sessionStart(i int) []byte {
	b, err := json.Marshal(object{
		"session_id": session(i), "hook_event_name": "SessionStart", "source": "startup",
		"cwd": w.work, "transcript_path": filepath.Join(w.home, "t.jsonl"),
	})
	if err != nil {
		panic(err) // strings alone
	}
	return b
}

// session is the id of the ith conversation.
func session(i int) string { return fmt.Sprintf("bench-%d-%d", os.Getpid(), i) }

func (w *world) hook(i int) error {
	_, err := w.run("ctx-hook", w.sessionStart(i), "claude", "SessionStart")
	return err
}

func node(int) error { return exec.Command("node", "-e", "0").Run() }

// hooks measures the hook with and without a gateway of its session.
func (b *bench) hooks(servers object) error {
	w, err := b.newWorld(servers, true)
	if err != nil {
		return err
	}
	do := []func(int) error{w.hook, node}
	if b.before != nil {
		do = append(do, b.before.hook)
	}
	all, err := beside(b.rounds, do...)
	if err != nil {
		return err
	}
	cold, empty := all[0].p50(), all[1].p50()
	met := ratio(cold, empty) <= 0.8
	cell := fmt.Sprintf("node -e 0 %s (%.2f)", ms(empty), ratio(cold, empty))
	if b.before != nil {
		cell += fmt.Sprintf(", predecessor %s (%.2f)", ms(all[2].p50()), ratio(cold, all[2].p50()))
		met = met && ratio(cold, all[2].p50()) <= 0.6
	} else {
		cell += ", predecessor: " + b.why
	}
	b.table.add("ctx-hook SessionStart, cold, listing cached, p50", ms(cold), cell, "<= 0.8 x node -e 0, <= 0.6 x predecessor", met)

	// This process is the host of both.
	g, err := w.gateway()
	if err != nil {
		return err
	}
	defer g.close()
	if _, err := g.tools(); err != nil {
		return err
	}
	// The conversation that the gateway gets bound to by its first event.
	const warmOne = 1000000
	event, err := json.Marshal(object{"session_id": session(warmOne), "hook_event_name": "UserPromptSubmit", "cwd": w.work, "prompt": "go on", "transcript_path": filepath.Join(w.home, "t.jsonl")})
	if err != nil {
		return err
	}
	if err := w.hook(warmOne); err != nil {
		return err
	}
	warm, err := timed(2*b.rounds, func(int) error {
		_, err := w.run("ctx-hook", event, "claude", "UserPromptSubmit")
		return err
	})
	if err != nil {
		return err
	}
	b.table.add("ctx-hook, warm (gateway up), p50 / p95", ms(warm.p50())+" / "+ms(warm.q(0.95)), "", "<= 8 / 15 ms", warm.p50() <= 8*time.Millisecond && warm.q(0.95) <= 15*time.Millisecond)
	return b.unlisted(servers)
}

// unlisted measures the hook where no server was ever listed, and where two
// never answer.
func (b *bench) unlisted(servers object) error {
	const bar = "<= 80 ms"
	for _, c := range []struct {
		what string
		more object
	}{
		{"ctx-hook SessionStart, nothing listed yet, p50", object{}},
		{"... and with two hung servers, p50", object{"hung1": object{"command": b.stub, "args": []string{"--hang"}}, "hung2": object{"command": b.stub, "args": []string{"--hang"}}}},
	} {
		all := object{}
		for k, v := range servers {
			all[k] = v
		}
		w, err := b.newWorld(all, true)
		if err != nil {
			return err
		}
		// The hung ones come after wrap, which would have left them direct.
		for k, v := range c.more {
			all[k] = v
		}
		if err := writeJSON(filepath.Join(w.home, ".claude.json"), object{"mcpServers": all}); err != nil {
			return err
		}
		cache := filepath.Join(w.work, ".ctx-surface", "probe-cache.json")
		ts, err := timed(b.rounds/2+1, func(i int) error {
			if err := os.Remove(cache); err != nil && !os.IsNotExist(err) {
				return err
			}
			return w.hook(i)
		})
		if err != nil {
			return err
		}
		b.table.add(c.what, ms(ts.p50()), "", bar, ts.p50() <= 80*time.Millisecond)
	}
	return nil
}
