package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/conversation"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Usage reads the conversations that Claude Code keeps of a workspace.
func (a *adapter) Usage(ctx context.Context, req plugins.UsageRequest) (plugins.Usage, error) {
	p := newPlaces(req.Machine, a.managed, req.Workspace)
	u := usageReader{workspace: p.launch, sessions: make(map[string]bool), calls: make(map[string]int)}
	u.out.Sees = []surface.Kind{surface.KindServer, surface.KindTool, surface.KindSkill, surface.KindCommand, surface.KindAgent}
	files, left := conversation.Newest(foldersOf(filepath.Join(p.config, "projects"), p.launch)...)
	if left != "" {
		u.out.Unseen = append(u.out.Unseen, left)
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return plugins.Usage{}, err
		}
		u.file(f.Path)
	}
	u.out.Sessions = len(u.sessions)
	return u.out, nil
}

// foldersOf lists the folders whose name a workspace, or a folder below it, could
// have.
func foldersOf(projects, workspace string) []string {
	name := slug(workspace)
	entries, _ := os.ReadDir(projects) // no conversation yet
	var dirs []string
	for _, e := range entries {
		if e.Name() == name || strings.HasPrefix(e.Name(), name+"-") {
			dirs = append(dirs, filepath.Join(projects, e.Name()))
		}
	}
	return dirs
}

var notAlnum = regexp.MustCompile(`[^a-zA-Z0-9]`)

// slug is the folder in which Claude Code keeps the conversations of a folder.
func slug(dir string) string { return notAlnum.ReplaceAllString(dir, "-") }

// usageReader gathers uses from conversations.
type usageReader struct {
	workspace string
	out       plugins.Usage
	sessions  map[string]bool
	calls     map[string]int // id of a call -> its use, 1-based; one message may be in several lines
}

// entry is what is read of a line.
type entry struct {
	Type    string    `json:"type"`
	Session string    `json:"sessionId"`
	Cwd     string    `json:"cwd"`
	At      time.Time `json:"timestamp"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

type block struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input struct {
		Tool  string `json:"tool"`
		Skill string `json:"skill"`
		Agent string `json:"subagent_type"`
	} `json:"input"`
	Call   string `json:"tool_use_id"`
	Failed bool   `json:"is_error"`
}

// file reads one conversation. A line that is too long or no JSON is passed over.
func (u *usageReader) file(path string) {
	err := conversation.Lines(path, func(line []byte) bool {
		if bytes.Contains(line, []byte(`"type":"user"`)) || bytes.Contains(line, []byte(`"type":"assistant"`)) {
			u.line(line)
		}
		return true
	})
	if err != nil {
		u.out.Unseen = append(u.out.Unseen, "use in "+path+": "+err.Error())
	}
}

func (u *usageReader) line(line []byte) {
	var e entry
	if json.Unmarshal(line, &e) != nil || e.Session == "" || e.Cwd != "" && !within(u.workspace, e.Cwd) {
		return
	}
	u.sessions[e.Session] = true
	if !e.At.IsZero() && (u.out.Since.IsZero() || e.At.Before(u.out.Since)) {
		u.out.Since = e.At
	}
	var text string
	if json.Unmarshal(e.Message.Content, &text) == nil {
		if name, ok := between(text, "<command-name>/", "</command-name>"); ok && e.Type == "user" {
			u.add(e, "", plugins.Use{Kind: surface.KindCommand, Name: name})
		}
		return
	}
	var blocks []block
	if json.Unmarshal(e.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			if i := u.calls[b.Call]; i > 0 && b.Failed {
				u.out.Uses[i-1].Failed = true
			}
		case "tool_use":
			if use, ok := used(b); ok {
				u.add(e, b.ID, use)
			}
		}
	}
}

func (u *usageReader) add(e entry, call string, use plugins.Use) {
	if call != "" && u.calls[call] > 0 {
		return
	}
	use.Session, use.At = e.Session, e.At
	u.out.Uses = append(u.out.Uses, use)
	if call != "" {
		u.calls[call] = len(u.out.Uses)
	}
}

// used says what a call uses. A call of the gateway's that names another tool is
// a use of that one.
func used(b block) (plugins.Use, bool) {
	switch {
	case b.Name == "Skill":
		return plugins.Use{Kind: surface.KindSkill, Name: strings.TrimPrefix(b.Input.Skill, "/")}, b.Input.Skill != ""
	case b.Name == "Agent" || b.Name == "Task":
		return plugins.Use{Kind: surface.KindAgent, Name: b.Input.Agent}, b.Input.Agent != ""
	}
	rest, ok := strings.CutPrefix(b.Name, "mcp__")
	if !ok {
		return plugins.Use{}, false
	}
	if tool, ours := strings.CutPrefix(b.Name, ourPrefix); ours {
		switch {
		case (tool == "call_tool" || tool == "call_tool_write") && b.Input.Tool != "":
			return plugins.Use{Kind: surface.KindTool, Name: b.Input.Tool, Through: true}, true
		case strings.Contains(tool, "__"): // listed as it is
			return plugins.Use{Kind: surface.KindTool, Name: tool, Through: true}, true
		}
		return plugins.Use{Kind: surface.KindTool, Server: pluginServer(pluginName, serverName), Name: tool}, true
	}
	server, tool, ok := strings.Cut(rest, "__")
	return plugins.Use{Kind: surface.KindTool, Server: server, Name: tool}, ok
}

func between(text, from, to string) (string, bool) {
	_, rest, ok := strings.Cut(text, from)
	if !ok {
		return "", false
	}
	text, _, ok = strings.Cut(rest, to)
	return text, ok
}
