package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Sizes of the workspace that audit is measured in.
const (
	manySkills  = 2000
	manyServers = 300
	manyTools   = 10_000
)

// audit measures ctx surface audit in a workspace with far too much in it.
func (b *bench) audit() error {
	const what, bar = "surface audit, 2,000 skills, 300 servers, 10,000 tools", "< 2 s, < 300 MB"
	w, err := b.crowded()
	if err != nil {
		return err
	}
	var best time.Duration
	peak := 0.0
	for range 3 {
		cmd := exec.Command(b.program("ctx"), "surface", "audit", "--host", "claude", "--json")
		cmd.Dir, cmd.Env = w.work, w.env()
		start := time.Now()
		out, err := cmd.Output()
		took := time.Since(start)
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: it has findings
			return fmt.Errorf("surface audit: %w", err)
		}
		var doc struct {
			Hosts []struct {
				Kinds []struct {
					Kind  string
					Count int
				}
			}
		}
		if err := json.Unmarshal(out, &doc); err != nil || len(doc.Hosts) != 1 {
			return fmt.Errorf("surface audit: %d hosts: %w", len(doc.Hosts), err)
		}
		counts := map[string]int{}
		for _, k := range doc.Hosts[0].Kinds {
			counts[k.Kind] = k.Count
		}
		if counts["skill"] != manySkills || counts["mcp_server"] != manyServers || counts["mcp_tool"] != manyTools {
			return fmt.Errorf("surface audit sees %v", counts)
		}
		if best == 0 || took < best {
			best = took
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, float64(usage.Maxrss)/1024)
		}
	}
	b.table.add(what, fmt.Sprintf("%.2f s, %.0f MB", best.Seconds(), peak), "-", bar, best < 2*time.Second && peak < 300)
	return nil
}

// crowded makes a workspace whose servers have all been listed.
func (b *bench) crowded() (*world, error) {
	servers := object{}
	var lists []listing.Listing
	for i := range manyServers {
		name, argv := fmt.Sprintf("server%d", i), []string{fmt.Sprint(i)}
		servers[name] = object{"command": "true", "args": argv}
		l := listing.Listing{
			Server:      name,
			Fingerprint: surface.Server{Transport: surface.Stdio, Command: "true", Args: argv}.Fingerprint(),
			Version:     "1", Instructions: "Use " + name + " with care.",
		}
		for t := i; t < manyTools; t += manyServers {
			l.Tools = append(l.Tools, fmt.Appendf(nil, `{"name":"get_thing_%d","description":"Reads thing number %d of the store, with all of its parts, and says when it was last changed.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"of the thing"},"depth":{"type":"integer","minimum":0,"description":"how many levels of parts to read"},"format":{"type":"string","enum":["text","json"]}},"required":["id"]}}`, t, t))
		}
		lists = append(lists, l)
	}
	w, err := b.newWorld(servers, false)
	if err != nil {
		return nil, err
	}
	for i := range manySkills {
		dir := filepath.Join(w.work, ".claude/skills", fmt.Sprintf("skill-%d", i))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("---\nname: skill-%d\ndescription: Does the work of number %d, and says so.\n---\nRead mcp__server%d__get_thing_%d first.\n", i, i, i%manyServers, i%manyServers)
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	l := paths.FromEnv(w.env())
	dir, _ := state.SafeDir(l, l.Workspace(w.work))
	return w, listing.OpenCache(dir, listing.KeyFile(l)).PutAll(lists)
}
