package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// bench carries one run.
type bench struct {
	prefix, stub, dir string
	clients           string // the real clients, "" when there are none
	rounds            int
	table             table
	before            *predecessor // nil when it cannot be had; why says so
	why               string
	worlds            int
}

type object = map[string]any

// world is a user with one workspace that is wrapped for Claude Code.
type world struct {
	b          *bench
	home, work string
}

// newWorld makes a workspace with these servers in the user's own file, so that
// nobody needs to be asked. wrap false leaves it unwrapped.
func (b *bench) newWorld(servers object, wrap bool) (*world, error) {
	b.worlds++
	base := filepath.Join(b.dir, fmt.Sprintf("w%d", b.worlds))
	w := &world{b, filepath.Join(base, "home"), filepath.Join(base, "work")}
	for _, d := range []string{w.home, w.work, filepath.Join(w.work, ".git")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := writeJSON(filepath.Join(w.home, ".claude.json"), object{"mcpServers": servers}); err != nil {
		return nil, err
	}
	if err := writeJSON(filepath.Join(w.work, ".mcp.json"), object{"mcpServers": object{}}); err != nil {
		return nil, err
	}
	if !wrap {
		return w, nil
	}
	_, err := w.run("ctx", nil, "wrap", "setup", "--gateway", "--host", "claude", "--yes")
	return w, err
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

func (w *world) env() []string {
	return []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
}

func (b *bench) program(name string) string { return filepath.Join(b.prefix, "bin", name) }

// run runs one of ctx's programs in the workspace.
func (w *world) run(name string, stdin []byte, args ...string) ([]byte, error) {
	return w.exec(w.b.program(name), stdin, args...)
}

func (w *world) exec(program string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.work, w.env(), bytes.NewReader(stdin)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %q: %w: %s", filepath.Base(program), args, err, errOut.String())
	}
	return out, nil
}

// reference are the three reference servers of the protocol's authors.
func (b *bench) reference(work string) object {
	module := func(name string) string {
		return filepath.Join(b.clients, "node_modules/@modelcontextprotocol/server-"+name+"/dist/index.js")
	}
	return object{
		"everything": object{"command": "node", "args": []string{module("everything")}},
		"filesystem": object{"command": "node", "args": []string{module("filesystem"), work}},
		"memory":     object{"command": "node", "args": []string{module("memory")}, "env": object{"MEMORY_FILE_PATH": filepath.Join(work, "memory.json")}},
	}
}

// timed returns how long do takes, n times.
func timed(n int, do func(i int) error) (times, error) {
	var all times
	for i := range n {
		began := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		all = append(all, time.Since(began))
	}
	return all, nil
}

// beside runs several things in turns, so that all meet the same machine.
func beside(n int, do ...func(i int) error) ([]times, error) {
	all := make([]times, len(do))
	for i := range n {
		for k, d := range do {
			began := time.Now()
			if err := d(i); err != nil {
				return nil, err
			}
			all[k] = append(all[k], time.Since(began))
		}
	}
	return all, nil
}

// manyTools writes n tool definitions with names of their own.
func (b *bench) manyTools(n int) (string, error) {
	path := filepath.Join(b.dir, fmt.Sprintf("tools-%d.jsonl", n))
	verbs := []string{"list", "get", "create", "update", "delete", "search", "export", "import", "merge", "archive"}
	nouns := []string{"invoice", "customer", "issue", "branch", "ticket", "calendar event", "message", "file", "table", "deployment", "alert", "dashboard", "pipeline", "secret", "contract", "photo", "order", "shipment", "payment", "note", "page", "form", "lead", "project", "sprint", "release", "container", "volume", "queue", "topic"}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for i := range n {
		verb, noun := verbs[i%len(verbs)], nouns[(i/len(verbs))%len(nouns)]
		err := enc.Encode(object{
			"name":        fmt.Sprintf("%s_%s_%d", verb, bytes.ReplaceAll([]byte(noun), []byte(" "), []byte("_")), i),
			"description": fmt.Sprintf("%s a %s of the workspace, number %d of its kind. Fields that are left out stay as they are; the answer names what was changed and by whom.", verb, noun, i),
			"inputSchema": object{"type": "object", "properties": object{
				"id":     object{"type": "string", "description": "Id of the " + noun},
				"fields": object{"type": "array", "items": object{"type": "string"}, "description": "Fields of the " + noun + " to answer"},
				"limit":  object{"type": "integer", "description": "How many at most", "default": 20},
			}, "required": []string{"id"}},
			"annotations": object{"readOnlyHint": verb == "list" || verb == "get" || verb == "search"},
		})
		if err != nil {
			return "", err
		}
	}
	return path, os.WriteFile(path, out.Bytes(), 0o644)
}
