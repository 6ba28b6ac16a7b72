package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/conversation"
	"github.com/ctx-sidecar/ctx/plugins"
)

// Usage reads the conversations that Codex keeps, those of the workspace and of
// folders below it.
func (a adapter) Usage(ctx context.Context, req plugins.UsageRequest) (plugins.Usage, error) {
	u := usageReader{workspace: paths.Real(req.Workspace)}
	u.out.Sees = []surface.Kind{surface.KindServer, surface.KindTool, surface.KindAgent}
	u.out.Unseen = []string{"use of skills: Codex reads them as it reads any file"}
	files, left := conversation.Newest(filepath.Join(codexHome(req.Machine), "sessions"))
	if left != "" {
		u.out.Unseen = append(u.out.Unseen, left)
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return plugins.Usage{}, err
		}
		u.file(f.Path)
	}
	return u.out, nil
}

// usageReader gathers uses from conversations.
type usageReader struct {
	workspace string
	out       plugins.Usage

	// Of the conversation that is being read:
	session string
	calls   map[string]bool
}

type entry struct {
	At      time.Time `json:"timestamp"`
	Type    string    `json:"type"`
	Payload payload   `json:"payload"`
}

// payload is what is read of an entry: of the head of a conversation, of the end
// of an MCP call in either of its two forms, of a call of a built-in tool.
type payload struct {
	Type       string     `json:"type"`
	ID         string     `json:"id"`
	Cwd        string     `json:"cwd"`
	CallID     string     `json:"call_id"`
	Name       string     `json:"name"`
	Arguments  text       `json:"arguments"`
	Invocation invocation `json:"invocation"`
	Result     struct {
		Ok *struct {
			Failed bool `json:"is_error"`
		}
		Err json.RawMessage
	} `json:"result"`
	Item struct {
		invocation
		Type   string `json:"type"`
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"item"`
}

type invocation struct {
	Server    string    `json:"server"`
	Tool      string    `json:"tool"`
	Arguments arguments `json:"arguments"`
}

type arguments struct {
	Tool string `json:"tool"`
}

// UnmarshalJSON takes arguments of any form; only an object has a tool.
func (a *arguments) UnmarshalJSON(b []byte) error {
	type plain arguments
	_ = json.Unmarshal(b, (*plain)(a))
	return nil
}

// text is a string, or nothing where another value stands.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	_ = json.Unmarshal(b, (*string)(t))
	return nil
}

// file reads one conversation. A line that is too long or no JSON is passed over.
func (u *usageReader) file(path string) {
	u.session, u.calls = "", make(map[string]bool)
	first := true
	err := conversation.Lines(path, func(line []byte) bool {
		if first && !u.head(line) {
			return false // of another workspace
		}
		first = false
		if bytes.Contains(line, []byte("McpToolCall")) || bytes.Contains(line, []byte("mcp_tool_call_end")) || bytes.Contains(line, []byte("spawn_agent")) {
			u.line(line)
		}
		return true
	})
	if err != nil {
		u.out.Unseen = append(u.out.Unseen, "use in "+path+": "+err.Error())
	}
}

// head reads the first line, which says where a conversation was held.
func (u *usageReader) head(line []byte) bool {
	var e entry
	if json.Unmarshal(line, &e) != nil || e.Type != "session_meta" {
		return false
	}
	rel, err := filepath.Rel(u.workspace, paths.Real(e.Payload.Cwd))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	u.session = e.Payload.ID
	u.out.Sessions++
	if u.out.Since.IsZero() || e.At.Before(u.out.Since) {
		u.out.Since = e.At
	}
	return true
}

func (u *usageReader) line(line []byte) {
	var e entry
	if json.Unmarshal(line, &e) != nil {
		return
	}
	p := e.Payload
	switch {
	case p.Type == "item_completed" && p.Item.Type == "McpToolCall":
		u.add(e.At, p.Item.ID, call(p.Item.invocation, p.Item.Status == "failed"))
	case p.Type == "mcp_tool_call_end":
		u.add(e.At, p.CallID, call(p.Invocation, p.Result.Ok == nil || p.Result.Ok.Failed))
	case p.Type == "function_call" && p.Name == "spawn_agent":
		var args struct {
			Agent string `json:"agent_type"`
		}
		if json.Unmarshal([]byte(p.Arguments), &args) == nil && args.Agent != "" {
			u.add(e.At, p.CallID, plugins.Use{Kind: surface.KindAgent, Name: args.Agent})
		}
	}
}

// call says which tool a call uses. A call of the gateway's that names another
// tool is a use of that one.
func call(i invocation, failed bool) plugins.Use {
	use := plugins.Use{Kind: surface.KindTool, Server: i.Server, Name: i.Tool, Failed: failed}
	if i.Server != ownServer {
		return use
	}
	switch {
	case (i.Tool == "call_tool" || i.Tool == "call_tool_write") && i.Arguments.Tool != "":
		use.Server, use.Name, use.Through = "", i.Arguments.Tool, true
	case strings.Contains(i.Tool, "__"): // listed as it is
		use.Server, use.Through = "", true
	}
	return use
}

func (u *usageReader) add(at time.Time, id string, use plugins.Use) {
	if id != "" && u.calls[id] {
		return
	}
	u.calls[id] = true
	use.Session, use.At = u.session, at
	u.out.Uses = append(u.out.Uses, use)
}
