package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/hosts/internal/conversation"
	"github.com/ctx-sidecar/ctx/plugins"
)

// dataDirs are the folders in which agy, the app and the IDE keep conversations.
var dataDirs = []string{"antigravity-cli", "antigravity", "antigravity-ide"}

// Usage reads the conversations that Antigravity keeps, as far as it can be told
// that they were held in the workspace or below it.
func (adapter) Usage(ctx context.Context, req plugins.UsageRequest) (plugins.Usage, error) {
	u := usageReader{workspace: paths.Real(req.Workspace), held: heldIn(req.Machine.Home)}
	u.out.Sees = []surface.Kind{surface.KindServer, surface.KindTool}
	u.out.Unseen = []string{"use of skills and agents: Antigravity reads their files as any other"}
	var logs []string
	for _, dir := range dataDirs {
		found, _ := filepath.Glob(filepath.Join(req.Machine.Home, ".gemini", dir, "brain", "*", ".system_generated", "logs")) // fails for a bad pattern alone
		logs = append(logs, found...)
	}
	files, left := conversation.Newest(logs...)
	if left != "" {
		u.out.Unseen = append(u.out.Unseen, left)
	}
	lost := 0
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return plugins.Usage{}, err
		}
		// Beside it lies transcript_full.jsonl, with the same steps at length.
		if filepath.Base(f.Path) == "transcript.jsonl" && u.file(f.Path) == nowhere {
			lost++
		}
	}
	if lost > 0 {
		u.out.Unseen = append(u.out.Unseen, fmt.Sprintf("use in %d conversations of which nothing tells the folder", lost))
	}
	return u.out, nil
}

// heldIn tells the folders of conversations, as far as agy wrote them down: for
// each message of the user, and for the last conversation of each folder.
func heldIn(home string) map[string]string {
	held := make(map[string]string)
	for _, dir := range dataDirs {
		data := filepath.Join(home, ".gemini", dir)
		if b, err := file.Read(filepath.Join(data, "cache", "last_conversations.json")); err == nil {
			var last map[string]string
			if json.Unmarshal(b, &last) == nil {
				for folder, id := range last {
					held[id] = folder
				}
			}
		}
		// Without it the conversations themselves may tell.
		_ = conversation.Lines(filepath.Join(data, "history.jsonl"), func(line []byte) bool {
			var m struct {
				Workspace    string `json:"workspace"`
				Conversation string `json:"conversationId"`
			}
			if json.Unmarshal(line, &m) == nil && m.Workspace != "" && m.Conversation != "" {
				held[m.Conversation] = m.Workspace
			}
			return true
		})
	}
	return held
}

// usageReader gathers uses from conversations.
type usageReader struct {
	workspace string
	held      map[string]string // conversation -> folder
	out       plugins.Usage
}

// place is where a conversation was held.
type place int

const (
	nowhere place = iota // that can be told
	here
	elsewhere
)

// doing is a record as far as its use of tools goes. The result of a call stands
// as many steps after it as the call's number among those of its step, and one.
type doing struct {
	record
	Status string          `json:"status"`
	At     time.Time       `json:"created_at"`
	Error  json.RawMessage `json:"error"`
	Calls  []toolCall      `json:"tool_calls"`
}

func (s doing) failed() bool {
	switch s.Status {
	case "FAILED", "ERROR", "CANCELED", "CANCELLED":
		return true
	}
	return s.Type == "ERROR_MESSAGE" || failed(s.Error)
}

// file reads one conversation and says where it was held.
func (u *usageReader) file(path string) place {
	session := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path))))
	was := u.place(u.held[session])
	if was == elsewhere {
		return was
	}
	var uses []plugins.Use
	votes := 0 // of the paths that tools work on: for the workspace, less those for another
	var began time.Time
	waiting := make(map[int]int) // step of a result -> its use, 1-based
	seen := make(map[int]bool)   // steps whose calls were counted: one may be written again
	err := conversation.Lines(path, func(line []byte) bool {
		var s doing
		if json.Unmarshal(line, &s) != nil {
			return true
		}
		if began.IsZero() {
			began = s.At
		}
		if i := waiting[s.Step]; i > 0 && len(s.Calls) == 0 && s.failed() {
			uses[i-1].Failed = true
		}
		if len(s.Calls) == 0 || seen[s.Step] {
			return true
		}
		seen[s.Step] = true
		for i, c := range s.Calls {
			switch u.place(pathOf(c.Args)) {
			case here:
				votes++
			case elsewhere:
				votes--
			}
			if use, ok := c.use(); ok {
				use.Session, use.At = session, s.At
				uses = append(uses, use)
				waiting[s.Step+1+i] = len(uses)
			}
		}
		return true
	})
	if err != nil {
		u.out.Unseen = append(u.out.Unseen, "use in "+path+": "+err.Error())
	}
	switch {
	case was == nowhere && votes < 0:
		return elsewhere
	case was == nowhere && votes == 0:
		return nowhere
	}
	u.out.Sessions++
	u.out.Uses = append(u.out.Uses, uses...)
	if !began.IsZero() && (u.out.Since.IsZero() || began.Before(u.out.Since)) {
		u.out.Since = began
	}
	return here
}

// place says whether a folder is the workspace or below it; "" is nowhere.
func (u *usageReader) place(dir string) place {
	if dir = strings.TrimPrefix(dir, "file://"); !filepath.IsAbs(dir) {
		return nowhere
	}
	if rel, err := filepath.Rel(u.workspace, paths.Real(dir)); err == nil && filepath.IsLocal(rel) {
		return here
	}
	return elsewhere
}

// pathOf is a folder or a file that a built-in tool works on, "" for others. The
// host's own folders tell nothing of where a conversation is held.
func pathOf(raw json.RawMessage) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil {
		return ""
	}
	path := argument(args, "cwd", "absolutepath", "targetfile", "directorypath", "searchpath")
	if strings.Contains(path, "/.gemini/") {
		return ""
	}
	return path
}

// use says which tool a call uses. A call of the gateway's that names another
// tool is a use of that one.
func (c toolCall) use() (plugins.Use, bool) {
	server, tool, input := c.mcp()
	if server == "" {
		return plugins.Use{}, false
	}
	use := plugins.Use{Kind: surface.KindTool, Server: server, Name: tool}
	if server != ownServer {
		return use, true
	}
	var args map[string]json.RawMessage
	switch {
	case (tool == "call_tool" || tool == "call_tool_write") && json.Unmarshal(input, &args) == nil:
		if named := argument(args, "tool"); named != "" {
			use.Server, use.Name, use.Through = "", named, true
		}
	case strings.Contains(tool, "__"): // listed as it is
		use.Server, use.Through = "", true
	}
	return use, true
}
