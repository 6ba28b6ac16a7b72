package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// starts measures how soon the gateway answers while its servers still start.
func (b *bench) starts() error {
	const delay = 600 * time.Millisecond
	slow := object{}
	for _, n := range []string{"a", "b", "c", "d"} {
		slow[n] = object{"command": b.stub, "args": []string{"--delay-start", delay.String()}}
	}
	three := object{"a": slow["a"], "b": slow["b"], "c": slow["c"]}
	w, err := b.newWorld(three, true)
	if err != nil {
		return err
	}
	first := func(start func() (*server, error)) func(int) error {
		return func(int) error {
			g, err := start()
			if err != nil {
				return err
			}
			defer func() { go g.close() }()
			_, err = g.tools()
			return err
		}
	}
	do := []func(int) error{first(w.gateway)}
	if b.before != nil {
		do = append(do, first(b.before.gateway))
	}
	all, err := beside(b.rounds, do...)
	if err != nil {
		return err
	}
	theirs := b.predecessorSays(func(*predecessor) string { return "predecessor " + ms(all[1].p50()) })
	b.table.add("gateway: exec to answered tools/list, servers still starting, p50", ms(all[0].p50()), theirs, "<= 25 ms", all[0].p50() <= 25*time.Millisecond)

	rounds := b.rounds/5 + 1
	both, err := beside(rounds,
		func(int) error {
			s, err := w.start(b.stub, "--delay-start", delay.String())
			if err != nil {
				return err
			}
			defer func() { go s.close() }()
			_, err = s.tool("echo", object{"text": "x"})
			return err
		},
		func(int) error {
			g, err := w.gateway()
			if err != nil {
				return err
			}
			defer func() { go g.close() }()
			_, err = g.tool("call_tool", object{"tool": "a:echo", "arguments": object{"text": "x"}})
			return err
		})
	if err != nil {
		return err
	}
	over := both[1].p50() - both[0].p50()
	b.table.add("first call after exec, beyond the server's own start, p50", ms(over), fmt.Sprintf("direct %s, through ctx %s", ms(both[0].p50()), ms(both[1].p50())), "<= 10 ms", over <= 10*time.Millisecond)

	four, err := b.newWorld(slow, true)
	if err != nil {
		return err
	}
	cache := filepath.Join(four.work, ".ctx-surface", "probe-cache.json")
	ts, err := timed(rounds, func(int) error {
		if err := os.Remove(cache); err != nil {
			return err
		}
		g, err := four.gateway()
		if err != nil {
			return err
		}
		defer func() { go g.close() }()
		// A description waits for its server.
		for _, n := range []string{"a", "b", "c", "d"} {
			if _, err := g.tool("describe_tool", object{"tools": []string{n + ":echo"}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.table.add("4 servers of 600 ms each, all listed, p50", ms(ts.p50()), "sum 2400 ms", "the slowest, not the sum", ts.p50() < 2*delay)
	return nil
}

// calls measures what a call costs beyond the server's own answer.
func (b *bench) calls() error {
	w, err := b.newWorld(object{"notes": object{"command": b.stub}, "more": object{"command": b.stub}}, true)
	if err != nil {
		return err
	}
	direct, err := w.start(b.stub)
	if err != nil {
		return err
	}
	defer direct.close()
	g, err := w.gateway()
	if err != nil {
		return err
	}
	defer g.close()
	proxied := func(int) error {
		_, err := g.tool("call_tool", object{"tool": "notes:echo", "arguments": object{"text": "x"}})
		return err
	}
	n := 40 * b.rounds
	for range 50 {
		if err := proxied(0); err != nil {
			return err
		}
	}
	all, err := beside(n, func(int) error { _, err := direct.tool("echo", object{"text": "x"}); return err }, proxied)
	if err != nil {
		return err
	}
	added := all[1].p50() - all[0].p50()
	b.table.add(fmt.Sprintf("proxied call, added p50 (%d calls)", n), ms(added), "direct "+ms(all[0].p50()), "<= 0.12 ms", added <= 120*time.Microsecond)

	done := make(chan error, 1)
	go func() {
		_, err := g.tool("call_tool", object{"tool": "more:slow", "arguments": object{"ms": 2000}})
		done <- err
	}()
	during, err := timed(n/4, proxied)
	if err != nil {
		return err
	}
	if err := <-done; err != nil {
		return err
	}
	b.table.add("... during a slow call on another server, p95", ms(during.q(0.95)), "alone "+ms(all[1].q(0.95)), "not delayed", during.q(0.95) < 10*time.Millisecond)
	return nil
}

// searchable waits until searches are what they stay, and says what that is:
// by meaning, or by words alone and why.
func searchable(g *server) (how string, err error) {
	for range 30 {
		raw, err := g.tool("tool_search", object{"query": "make the index", "wait": true})
		if err != nil {
			return "", err
		}
		var r struct {
			StructuredContent struct{ Warnings []string }
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return "", err
		}
		how := strings.Join(r.StructuredContent.Warnings, "; ")
		if how == "" {
			return "by meaning", nil
		}
		if !strings.Contains(how, "still reading") {
			return how, nil
		}
	}
	return "", errors.New("the model never has read all tools")
}

// search measures the search over many tools, and the memory that they take.
func (b *bench) search() error {
	for _, c := range []struct {
		tools int
		bar   time.Duration
	}{{500, 5 * time.Millisecond}, {10000, 20 * time.Millisecond}} {
		file, err := b.manyTools(c.tools)
		if err != nil {
			return err
		}
		w, err := b.newWorld(object{"many": object{"command": b.stub, "args": []string{"--tools", file}}}, true)
		if err != nil {
			return err
		}
		g, err := w.gateway()
		if err != nil {
			return err
		}
		query := func(i int) error {
			_, err := g.tool("tool_search", object{"query": []string{"export an invoice", "search messages of a customer", "delete the deployment", "list shipments"}[i%4]})
			return err
		}
		how, err := searchable(g)
		if err != nil {
			return err
		}
		ts, err := timed(4*b.rounds, query)
		if err != nil {
			return err
		}
		b.table.add(fmt.Sprintf("tool_search over %d tools, p50", c.tools), ms(ts.p50()), how, "<= "+ms(c.bar), ts.p50() <= c.bar)
		if c.tools == 500 {
			rss, err := memory(g.cmd.Process.Pid)
			if err != nil {
				return err
			}
			b.table.add("gateway memory (RSS), 500 tools, no tap, searched", fmt.Sprintf("%.1f MB", rss), how, "<= 130 MB", rss <= 130)
		}
		g.close()
	}
	return nil
}

// rest measures the gateway's memory with the reference servers behind it.
func (b *bench) rest() error {
	const what, bar = "gateway memory (RSS), 39 tools", "<= 25 MB"
	const searchedWhat, searchedBar = "... after a search", "<= 130 MB"
	if b.clients == "" {
		b.table.skip(what, bar, "no CTX_REALHOSTS")
		b.table.skip(searchedWhat, searchedBar, "no CTX_REALHOSTS")
		return nil
	}
	w, err := b.newWorld(b.reference(b.dir), true)
	if err != nil {
		return err
	}
	g, err := w.gateway()
	if err != nil {
		return err
	}
	defer g.close()
	// No search: the model is loaded for that.
	if _, err := g.tool("describe_tool", object{"tools": []string{"read_text_file"}}); err != nil {
		return err
	}
	rss, err := memory(g.cmd.Process.Pid)
	if err != nil {
		return err
	}
	how, err := searchable(g)
	if err != nil {
		return err
	}
	searched, err := memory(g.cmd.Process.Pid)
	if err != nil {
		return err
	}
	theirs := b.predecessorSays(func(p *predecessor) string {
		s, err := p.gateway()
		if err != nil {
			return err.Error()
		}
		defer s.close()
		if _, err := s.tools(); err != nil {
			return err.Error()
		}
		mb, err := memory(s.cmd.Process.Pid)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("predecessor %.1f MB", mb)
	})
	b.table.add(what, fmt.Sprintf("%.1f MB", rss), theirs, bar, rss <= 25)
	b.table.add(searchedWhat, fmt.Sprintf("%.1f MB", searched), how, searchedBar, searched <= 130)
	return nil
}

// memory is the resident memory of a process in MB.
func memory(pid int) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.Atoi(strings.Fields(string(rest))[0])
			return float64(kb) / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d: no VmRSS", pid)
}

// stubborn measures how soon a server that ignores everything is gone after its
// gateway was killed.
func (b *bench) stubborn() error {
	w, err := b.newWorld(object{"stubborn": object{"command": b.stub, "args": []string{"--ignore-eof", "--ignore-term"}}, "notes": object{"command": b.stub}}, true)
	if err != nil {
		return err
	}
	g, err := w.gateway()
	if err != nil {
		return err
	}
	if _, err := g.tool("call_tool", object{"tool": "stubborn:echo", "arguments": object{"text": "x"}}); err != nil {
		return err
	}
	pid, err := processOf(w.b.stub, "--ignore-eof", w.home)
	if err != nil {
		return err
	}
	g.kill()
	began := time.Now()
	for time.Since(began) < 20*time.Second {
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err != nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	took := time.Since(began)
	b.table.add("server that ignores EOF and SIGTERM, gateway killed with -9: gone after", ms(took), "", "<= 5 s", took <= 5*time.Second)
	return nil
}

// processOf finds a process by its program, an argument, and a text in its
// environment.
func processOf(program, argument, in string) (int, error) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, path := range all {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(line, []byte(program+"\x00")) || !bytes.Contains(line, []byte(argument)) {
			continue
		}
		env, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if err == nil && bytes.Contains(env, []byte(in)) {
			return strconv.Atoi(filepath.Base(filepath.Dir(path)))
		}
	}
	return 0, fmt.Errorf("no process %s %s", program, argument)
}
