package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/plugins"
)

const (
	mostTranscripts = 256 << 20 // bytes of conversations that are read, the newest first
	mostLine        = 8 << 20   // bytes of one line of them
)

// Usage reads the conversations that Codex keeps, those of the workspace and of
// folders below it.
func (a adapter) Usage(ctx context.Context, req plugins.UsageRequest) (plugins.Usage, error) {
	u := usageReader{workspace: paths.Real(req.Workspace)}
	u.out.Sees = []surface.Kind{surface.KindServer, surface.KindTool, surface.KindAgent}
	u.out.Unseen = []string{"use of skills: Codex reads them as it reads any file"}
	left := int64(mostTranscripts)
	for _, f := range rollouts(filepath.Join(codexHome(req.Machine), "sessions")) {
		if err := ctx.Err(); err != nil {
			return plugins.Usage{}, err
		}
		if left -= f.size; left < 0 {
			u.out.Unseen = append(u.out.Unseen, fmt.Sprintf("use before %s: more than %d MiB of conversations", f.at.Format(time.DateOnly), mostTranscripts>>20))
			break
		}
		u.file(f.path)
	}
	return u.out, nil
}

type rollout struct {
	path string
	size int64
	at   time.Time
}

// rollouts lists all conversations, the newest first.
func rollouts(dir string) []rollout {
	var all []rollout
	// What cannot be read has not been seen.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".jsonl" {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, rollout{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b rollout) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.path, b.path)) })
	return all
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
	f, err := os.Open(path)
	if err != nil {
		u.out.Unseen = append(u.out.Unseen, "use in "+path+": "+err.Error())
		return
	}
	defer f.Close()
	u.session, u.calls = "", make(map[string]bool)
	r := bufio.NewReaderSize(f, 64<<10)
	for first := true; ; first = false {
		line, err := readLine(r)
		if first && !u.head(line) {
			return // of another workspace
		}
		if bytes.Contains(line, []byte("McpToolCall")) || bytes.Contains(line, []byte("mcp_tool_call_end")) || bytes.Contains(line, []byte("spawn_agent")) {
			u.line(line)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				u.out.Unseen = append(u.out.Unseen, "use in "+path+": "+err.Error())
			}
			return
		}
	}
}

// readLine reads a line, of one that is too long nothing.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > mostLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
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
