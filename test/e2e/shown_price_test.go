package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// printed is what ctx wrap says that a request carries.
func (u *user) printed(dir, host string) (before, after int) {
	u.t.Helper()
	out := u.ctx(dir, "wrap", "setup", "--gateway", "--host", host, "--yes", "--json")
	var doc struct {
		Hosts []struct{ Before, After struct{ Bytes int } }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Hosts) != 1 {
		u.t.Fatalf("%v: %s", err, out)
	}
	return doc.Hosts[0].Before.Bytes, doc.Hosts[0].After.Bytes
}

// lines are the bytes of all lines of the request's texts that begin so, line
// breaks included, and the texts themselves.
func (s *session) lines(prefix string) (bytes int, texts string) {
	s.t.Helper()
	var body struct {
		Messages, Input []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(s.turn(0).Body, &body); err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range append(body.Messages, body.Input...) {
		var blocks []struct{ Text string }
		_ = json.Unmarshal(m.Content, &blocks) // a plain string has no such lines
		for _, block := range blocks {
			b.WriteString(block.Text + "\n")
		}
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, prefix) {
			bytes += len(line)
		}
	}
	return bytes, b.String()
}

// instructions is what a host sends of a server's own words: it begins with
// first and ends before an empty line.
func instructions(t *testing.T, texts, first string) int {
	t.Helper()
	_, rest, ok := strings.Cut(texts, first)
	if !ok {
		t.Fatalf("no %q in the request", first)
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return len(first) + len(rest)
}

func TestClaudeDefaultModeCostsWhatWrapSays(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.env = []string{"MCP_CONNECTION_NONBLOCKING=0"} // all servers are there in the first request
	dir := u.workspace("w", u.reference)
	direct := u.claude(dir, nil, append([]string{"ENABLE_TOOL_SEARCH="}, approved...)...)
	u.env = nil
	before, after := u.printed(dir, "claude")
	names, texts := direct.lines("mcp__")
	_, words, ok := strings.Cut(texts, "## everything\n")
	words, _, ended := strings.Cut(words, "\n\nThe following skills")
	if !ok || !ended {
		t.Fatalf("no instructions in the direct request:\n%s", texts)
	}
	if sent := names + len(words); sent != before {
		t.Errorf("directly %d bytes are sent (%d of names), and wrap says %d", sent, names, before)
	}
	wrapped := u.claude(dir, nil, append([]string{"ENABLE_TOOL_SEARCH="}, approved...)...)
	kernelOnly(t, wrapped)
	_, texts = wrapped.lines("mcp__")
	if sent := size(wrapped.mcpTools()) + instructions(t, texts, "39 tools of the user's"); sent != after {
		t.Errorf("%d bytes of ours are sent, and wrap says %d", sent, after)
	}
}

func TestCodexDefaultModeCostsWhatWrapSays(t *testing.T) {
	t.Parallel()
	u, dir, _ := codexUser(t)
	direct := u.codex(dir, "gpt-5.5", nil, codexWaits()...)
	if len(direct.mcpTools()) > 0 {
		t.Fatalf("directly the request has %q", names(direct.mcpTools()))
	}
	before, _ := u.printed(dir, "codex")
	if sent, texts := direct.lines("- mcp__"); sent != before {
		t.Errorf("directly %d bytes are sent, and wrap says %d:\n%s", sent, before, texts)
	}
}
