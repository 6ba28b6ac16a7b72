package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

// kernel measures what the gateway lists with 39 tools behind it.
func (b *bench) kernel() error {
	const what, bar = "kernel tools / instructions, 39 tools behind", "<= 1,700 B / <= 1,200 B"
	if b.clients == "" {
		b.table.skip(what, bar, "no CTX_REALHOSTS")
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
	tools, err := g.tools()
	if err != nil {
		return err
	}
	list, err := json.Marshal(tools)
	if err != nil {
		return err
	}
	index := len(g.hello.Instructions)
	theirs := b.predecessorSays(func(p *predecessor) string {
		return fmt.Sprintf("predecessor %d B (%d tools), no search, no index", p.listBytes, p.listTools)
	})
	b.table.add(what, fmt.Sprintf("%d B (%d tools) / %d B", len(list), len(tools), index), theirs, bar, len(list) <= 1700 && index <= 1200 && index > 0)
	return nil
}

// request measures the MCP bytes in the real request of the real client.
func (b *bench) request(what, bar string, most float64, servers object, instructions bool) error {
	if b.clients == "" {
		b.table.skip(what, bar, "no CTX_REALHOSTS")
		return nil
	}
	var n [2]int
	for i, wrap := range []bool{false, true} {
		w, err := b.newWorld(servers, wrap)
		if err != nil {
			return err
		}
		// A host on a busy machine may send its first request before its servers
		// have answered: that says nothing about their size.
		for range 3 {
			if n[i], err = w.claude(instructions); err != nil {
				return err
			}
			if n[i] > 0 {
				break
			}
		}
		if n[i] == 0 {
			b.table.skip(what, bar, "the client sent no MCP tool, wrapped or not")
			return nil
		}
	}
	r := float64(n[1]) / float64(n[0])
	b.table.add(what, fmt.Sprintf("%d B, ratio %.3f", n[1], r), fmt.Sprintf("direct %d B", n[0]), bar, r <= most)
	return nil
}

// claude runs the real Claude Code once and counts the bytes of its MCP tools,
// and of what servers say of themselves when instructions is set.
func (w *world) claude(instructions bool) (int, error) {
	stub, err := modelstub.Start(nil)
	if err != nil {
		return 0, err
	}
	defer stub.Close()
	cmd := exec.Command(filepath.Join(w.b.clients, "node_modules/.bin/claude"), "-p", "hello", "--output-format", "json")
	cmd.Dir = w.work
	cmd.Env = append(w.env(), "ANTHROPIC_BASE_URL="+stub.URL, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1", "ENABLE_TOOL_SEARCH=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("claude: %w: %s", err, out)
	}
	turns := stub.Turns()
	if len(turns) == 0 {
		return 0, fmt.Errorf("claude sent no request with tools")
	}
	n := 0
	for _, t := range turns[0].Tools() {
		if strings.Contains(string(t), `"name":"mcp__`) {
			n += len(t)
		}
	}
	if instructions {
		n += instructionBytes(string(turns[0].Body))
	}
	return n, nil
}

// instructionBytes counts what servers say of themselves in a request: each
// under a heading "## NAME" of its own, up to the next empty line.
func instructionBytes(body string) int {
	_, rest, _ := strings.Cut(body, "# MCP Server Instructions")
	n := 0
	for {
		_, after, ok := strings.Cut(rest, `\n\n`)
		if !ok {
			return n
		}
		text, _, _ := strings.Cut(after, `\n\n`)
		switch {
		case strings.HasPrefix(after, "## "):
			n += len(text)
		case n > 0:
			return n // what follows is not about servers
		}
		rest = after
	}
}
