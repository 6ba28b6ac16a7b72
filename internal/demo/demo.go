package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// desk are tool definitions such as a developer's servers have.
//
//go:embed desk.jsonl
var desk []byte

// demo is the throw-away world.
type demo struct {
	ctx       string // the program
	home      string
	workspace string
	env       []string // beyond HOME, PATH and TMPDIR
}

func run(bin, stubserver, dir string) error {
	d := demo{ctx: filepath.Join(bin, "ctx"), home: filepath.Join(dir, "home"), workspace: filepath.Join(dir, "workspace")}
	if err := d.prepare(stubserver, filepath.Join(dir, "desk.jsonl")); err != nil {
		return err
	}
	before, err := snapshot(d.home, d.workspace)
	if err != nil {
		return err
	}

	title("1. wire the workspace: ctx wrap setup --gateway --host claude --yes")
	all, err := d.wrap("ENABLE_TOOL_SEARCH=false")
	if err != nil {
		return err
	}
	if all.After.Tools == 0 || all.After.Bytes >= all.Before.Bytes {
		return fmt.Errorf("nothing was gained: %+v before, %+v after", all.Before, all.After)
	}
	all.print()
	own, err := d.wrap("ENABLE_TOOL_SEARCH=true")
	if err != nil {
		return err
	}
	fmt.Printf("   (with every schema in the request; where the host holds them back itself, their names alone: %d and %d bytes)\n",
		own.Before.Bytes, own.After.Bytes)
	for _, f := range all.Files {
		fmt.Printf("   changed: %s\n", f)
	}
	title("2. find, describe and call a tool that is held back")
	for _, args := range [][]string{
		{"tools", "search", "read a note", "--limit", "2"},
		{"tools", "describe", "notes:read_note"},
		{"tools", "call", "notes:read_note", "--args", `{"name": "welcome"}`},
	} {
		if err := d.show(args...); err != nil {
			return err
		}
	}
	title("3. and take it out again: ctx unwrap")
	if _, err := d.run("unwrap"); err != nil {
		return err
	}
	after, err := snapshot(d.home, d.workspace)
	if err != nil {
		return err
	}
	if diff := differ(before, after); len(diff) > 0 {
		return fmt.Errorf("unwrap left a difference in %s", strings.Join(diff, ", "))
	}
	fmt.Printf("   every file is what it was, byte for byte (%d files compared)\n", len(before))
	return nil
}

func title(text string) { fmt.Printf("\n%s\n", text) }

// prepare makes a workspace whose .mcp.json declares two servers, with settings
// of the user's own beside it.
func (d demo) prepare(stubserver, tools string) error {
	config, err := json.MarshalIndent(map[string]any{"mcpServers": map[string]any{
		"desk":  map[string]any{"command": stubserver, "args": []string{"--tools", tools}},
		"notes": map[string]any{"command": stubserver},
	}}, "", "  ")
	if err != nil {
		return err
	}
	for path, content := range map[string]string{
		tools: string(desk),
		filepath.Join(d.home, ".claude", "settings.json"):              "{\"theme\": \"dark\"}\n",
		filepath.Join(d.workspace, ".mcp.json"):                        string(config) + "\n",
		filepath.Join(d.workspace, ".claude", "settings.local.json"):   "{\r\n\t\"cleanupPeriodDays\": 1.0e2\r\n}\r\n",
		filepath.Join(d.workspace, ".git", "info", "exclude"):          "# mine\n",
		filepath.Join(d.workspace, ".git", "HEAD"):                     "ref: refs/heads/main\n",
		filepath.Join(d.workspace, ".git", "refs", "heads", ".keep"):   "",
		filepath.Join(d.workspace, ".git", "objects", "info", ".keep"): "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// load is what a host sends of MCP servers in every request.
type load struct{ Servers, Tools, Bytes, Tokens int }

// wrapped is what ctx wrap --json says of one host.
type wrapped struct {
	Before, After load
	Files         []string
}

// wrap wires the workspace, for a host with this variable in its environment.
func (d demo) wrap(variable string) (wrapped, error) {
	d.env = append(slices.Clone(d.env), variable)
	out, err := d.run("wrap", "setup", "--gateway", "--host", "claude", "--yes", "--json")
	if err != nil {
		return wrapped{}, err
	}
	var r struct{ Hosts []wrapped }
	if err := json.Unmarshal(out, &r); err != nil {
		return wrapped{}, fmt.Errorf("ctx wrap: %w", err)
	}
	if len(r.Hosts) != 1 {
		return wrapped{}, fmt.Errorf("ctx wrap wired %d hosts", len(r.Hosts))
	}
	return r.Hosts[0], nil
}

// print shows before and after, side by side.
func (w wrapped) print() {
	b, a := w.Before, w.After
	fmt.Printf("   in every request     before     after\n")
	for _, row := range []struct {
		name          string
		before, after int
	}{{"MCP servers", b.Servers, a.Servers}, {"MCP tools", b.Tools, a.Tools}, {"bytes", b.Bytes, a.Bytes}, {"tokens (bytes / 4)", b.Tokens, a.Tokens}} {
		fmt.Printf("   %-19s %7d   %7d\n", row.name, row.before, row.after)
	}
	fmt.Printf("   bytes after / before: %.3f\n", float64(a.Bytes)/float64(b.Bytes))
}

// show runs a command of ctx and prints it with its answer.
func (d demo) show(args ...string) error {
	words := slices.Clone(args)
	for i, w := range words {
		if strings.ContainsAny(w, " {") {
			words[i] = "'" + w + "'"
		}
	}
	fmt.Printf("   $ ctx %s\n", strings.Join(words, " "))
	out, err := d.run(args...)
	for line := range strings.Lines(string(out)) {
		fmt.Printf("     %s", line)
	}
	return err
}

func (d demo) run(args ...string) ([]byte, error) {
	cmd := exec.Command(d.ctx, args...)
	cmd.Dir = d.workspace
	cmd.Env = append([]string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, d.env...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("ctx %s: %w: %s", args[0], err, strings.TrimSpace(errOut.String()))
	}
	return out, nil
}

// snapshot reads every file below the folders. What ctx keeps of its own, pins
// and logs, is not part of it: the user's files are.
func snapshot(dirs ...string) (map[string]string, error) {
	all := map[string]string{}
	for _, dir := range dirs {
		own := filepath.Join(dir, ".local", "state", "ctx")
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if path == own {
				return fs.SkipDir
			}
			if e.Type().IsRegular() {
				b, err := os.ReadFile(path)
				all[path] = string(b)
				return err
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return all, nil
}

func differ(before, after map[string]string) []string {
	var paths []string
	for path := range maps.Keys(before) {
		if content, ok := after[path]; !ok || content != before[path] {
			paths = append(paths, path)
		}
	}
	for path := range maps.Keys(after) {
		if _, ok := before[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
