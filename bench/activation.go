package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// subjects are what the capabilities of the bench's tap are about.
var subjects = []string{
	"invoice", "customer", "branch", "ticket", "calendar", "photo", "database", "deployment", "alert", "dashboard",
	"pipeline", "secret", "contract", "shipment", "payment", "recipe", "translation", "podcast", "spreadsheet", "backup",
	"certificate", "container", "queue", "survey", "newsletter", "playlist", "passport", "vaccine", "mortgage", "lawsuit",
	"satellite", "telescope", "orchard", "beehive", "greenhouse", "aquarium", "kennel", "stable", "vineyard", "bakery",
	"library", "museum", "theatre", "stadium", "airport", "harbour", "railway", "bicycle", "motorcycle", "tractor",
	"wedding", "funeral", "birthday", "holiday", "exhibition", "auction", "lottery", "insurance",
}

// withTap makes a workspace of a user who has a tap with a capability for every
// subject. why is said where no model takes part there.
func (b *bench) withTap(servers object) (w *world, tap, why string, err error) {
	if w, err = b.newWorld(servers, true); err != nil {
		return nil, "", "", err
	}
	tap = filepath.Join(filepath.Dir(w.home), "tap")
	for _, s := range subjects {
		if err := b.capability(tap, s, "show me the "+s+"s of last month", "create a new "+s, "what has happened to the "+s+" of Miller", "cancel that "+s); err != nil {
			return nil, "", "", err
		}
	}
	if _, err := w.run("ctx", nil, "tap", "add", "bench/tap", tap, "--yes"); err != nil {
		return nil, "", "", err
	}
	// How well prompts are understood is not measured here.
	if err := os.WriteFile(filepath.Join(w.work, "ctx.toml"), []byte("[activate]\nactivate_at = 0.001\n"), 0o644); err != nil {
		return nil, "", "", err
	}
	raw, err := w.run("ctx", nil, "capability", "list", "--json")
	if err != nil {
		return nil, "", "", err
	}
	var list struct{ Warnings []string }
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, "", "", err
	}
	return w, tap, strings.Join(list.Warnings, "; "), nil
}

// capability writes one into a tap.
func (b *bench) capability(tap, name string, triggers ...string) error {
	dir := filepath.Join(tap, "capabilities", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeTriggers(dir, triggers); err != nil {
		return err
	}
	text := fmt.Sprintf("# Title: The %[1]s desk\n# Description: Everything that has to do with a %[1]s.\n"+
		"[roles.mcp]\nserver_refs = [%[1]q]\nallowed_tools = [\"%[1]s:*\"]\n\n[[mcp.servers]]\nname = %[1]q\ntype = \"stdio\"\ncommand = %[2]q\n", name, b.stub)
	return os.WriteFile(filepath.Join(dir, "default.toml"), []byte(text), 0o644)
}

func writeTriggers(dir string, triggers []string) error {
	quoted, err := json.Marshal(triggers)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), []byte("triggers = "+string(quoted)+"\n"), 0o644)
}

// prompt sends a message of the user's and returns what the hook says to it.
func (w *world) prompt(session, text string) (string, error) {
	event, err := json.Marshal(object{
		"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": text,
		"cwd": w.work, "transcript_path": filepath.Join(w.home, "t.jsonl"),
	})
	if err != nil {
		return "", err
	}
	out, err := w.run("ctx-hook", event, "claude", "UserPromptSubmit")
	return string(out), err
}

func asks(subject string) string {
	return "please create a new " + subject + " for Miller and show it to me"
}

func activated(said, name string) bool {
	return strings.Contains(said, "capability "+name+" is enabled")
}

// activation measures prompts that bring a capability in.
func (b *bench) activation() error {
	const (
		warmWhat, warmBar     = "ctx-hook UserPromptSubmit with activation, warm, p50 / p95", "<= 15 ms p50"
		coldWhat, coldBar     = "... cold, the model loaded for it, p50 / p95", "<= 150 ms p50"
		editWhat, editBar     = "edit of a capability until a prompt can activate it, p50 / p95", "<= 1 s p95"
		memoryWhat, memoryBar = "gateway memory (RSS), 500 tools and the model", "<= 130 MB"
	)
	file, err := b.manyTools(500)
	if err != nil {
		return err
	}
	w, tap, why, err := b.withTap(object{"many": object{"command": b.stub, "args": []string{"--tools", file}}})
	if err != nil {
		return err
	}
	if why != "" {
		for _, row := range [][2]string{{warmWhat, warmBar}, {coldWhat, coldBar}, {editWhat, editBar}, {memoryWhat, memoryBar}} {
			b.table.skip(row[0], row[1], why)
		}
		return nil
	}
	cold, err := b.activations(w, func(i int) (string, error) { return session(2000000 + i), w.hook(2000000 + i) }, func(string) error { return nil })
	if err != nil {
		return fmt.Errorf("cold: %w", err)
	}

	g, err := w.gateway()
	if err != nil {
		return err
	}
	defer g.close()
	if _, err := g.tools(); err != nil {
		return err
	}
	if _, err := g.tool("capability", object{"action": "discover", "intent": "wait for the model"}); err != nil {
		return err
	}
	one := session(3000000)
	disable := func(name string) error {
		_, err := g.tool("capability", object{"action": "disable", "name": name})
		return err
	}
	warm, err := b.activations(w, func(int) (string, error) { return one, nil }, disable)
	if err != nil {
		return fmt.Errorf("warm: %w", err)
	}
	for i := range 20 {
		if _, err := g.tool("tool_search", object{"query": asks(subjects[i])}); err != nil {
			return err
		}
	}
	rss, err := memory(g.cmd.Process.Pid)
	if err != nil {
		return err
	}
	edits, err := b.edits(w, tap, one, disable)
	if err != nil {
		return fmt.Errorf("edits: %w", err)
	}
	b.table.add(warmWhat, ms(warm.p50())+" / "+ms(warm.q(0.95)), fmt.Sprintf("%d capabilities", len(subjects)), warmBar, warm.p50() <= 15*time.Millisecond)
	b.table.add(coldWhat, ms(cold.p50())+" / "+ms(cold.q(0.95)), "", coldBar, cold.p50() <= 150*time.Millisecond)
	b.table.add(editWhat, ms(edits.p50())+" / "+ms(edits.q(0.95)), "", editBar, edits.q(0.95) <= time.Second)
	b.table.add(memoryWhat, fmt.Sprintf("%.1f MB", rss), "", memoryBar, rss <= 130)
	return nil
}

// activations times prompts that each bring a capability in, which after takes
// out again, in conversations that session begins. The first one is not counted: it may find nothing cached.
func (b *bench) activations(w *world, session func(i int) (string, error), after func(name string) error) (times, error) {
	var all times
	for i := range b.rounds + 1 {
		name := subjects[i%len(subjects)]
		id, err := session(i)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		said, err := w.prompt(id, asks(name))
		took := time.Since(began)
		if err != nil {
			return nil, err
		}
		if !activated(said, name) {
			return nil, fmt.Errorf("a prompt for %q brought in nothing: %q", name, said)
		}
		if i > 0 {
			all = append(all, took)
		}
		if err := after(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// edits times how long it takes from an edit of a capability's triggers until a
// prompt brings it in by them.
func (b *bench) edits(w *world, tap, session string, disable func(string) error) (times, error) {
	const name = "invoice"
	doings := []string{"knit a woollen scarf", "tune the grand piano", "brew a dark ale", "polish my silver spoons", "paint the garden fence", "train the parrot to whistle", "carve a wooden duck", "bake rye bread"}
	var all times
	for i := range b.rounds {
		doing := doings[i%len(doings)]
		began := time.Now()
		if err := writeTriggers(filepath.Join(tap, "capabilities", name), []string{doing, "help me to " + doing, "how do I " + doing}); err != nil {
			return nil, err
		}
		for {
			said, err := w.prompt(session, "please "+doing+" with me")
			if err != nil {
				return nil, err
			}
			if activated(said, name) {
				break
			}
			if time.Since(began) > limit {
				return nil, fmt.Errorf("%q never brought in what answers to it: %q", doing, said)
			}
		}
		all = append(all, time.Since(began))
		if err := disable(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}
