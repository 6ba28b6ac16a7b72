package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/rpc"
)

const (
	lateTool  = `{"name":"late","description":"Came after the others.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	rootsTool = `{"name":"list_roots","description":"List the client's roots.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
)

// builtin are the definitions of the tools that the server implements itself.
func builtin(o options) []json.RawMessage {
	name := `{"type":"object","properties":{"name":{"type":"string","description":"Name of the note"}},"required":["name"]}`
	all := []string{
		`{"name":"read_note","title":"Read note","description":"Read a note by its name.","inputSchema":` + name + `,"annotations":{"readOnlyHint":true,"openWorldHint":false}}`,
		`{"name":"write_note","title":"Write note","description":"Create a note or replace its text.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"Name of the note"},"text":{"type":"string","description":"New text"}},"required":["name","text"]},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`,
		`{"name":"delete_note","title":"Delete note","description":"Delete a note for ever.","inputSchema":` + name + `,"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}}`,
		`{"name":"slow","description":"Answer after a while, with progress on the way.","inputSchema":{"type":"object","properties":{"ms":{"type":"integer","description":"Milliseconds to take"}},"required":["ms"]},"annotations":{"readOnlyHint":true}}`,
		`{"name":"echo","description":"Answer the text that it is given.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true}}`,
	}
	for _, extra := range []struct {
		on   bool
		tool string
	}{
		{o.elicit, `{"name":"ask","description":"Ask the user a question.","inputSchema":{"type":"object","properties":{"question":{"type":"string"}}}}`},
		{o.sample, `{"name":"think","description":"Ask the client's model.","inputSchema":{"type":"object","properties":{"prompt":{"type":"string"}}}}`},
		{o.env, `{"name":"show_env","description":"Show the environment, working folder and arguments.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
		{o.big > 0, `{"name":"big","description":"Answer a long text.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`},
	} {
		if extra.on {
			all = append(all, extra.tool)
		}
	}
	raw := make([]json.RawMessage, len(all))
	for i, t := range all {
		raw[i] = json.RawMessage(t)
	}
	return raw
}

type arguments struct {
	Name, Text, Question, Prompt string
	MS                           int
}

func (p *peer) call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
	}
	p.record("tools/call " + in.Name)
	if p.opt.crashOn == in.Name {
		fmt.Fprintln(os.Stderr, "fatal: crashed on", in.Name)
		os.Exit(3)
	}
	var a arguments
	if len(in.Arguments) > 0 {
		if err := json.Unmarshal(in.Arguments, &a); err != nil && p.opt.tools == "" {
			return failed("arguments: " + err.Error()), nil
		}
	}
	switch in.Name {
	case "read_note", "write_note", "delete_note":
		return p.note(in.Name, a), nil
	case "slow":
		return p.slow(ctx, time.Duration(a.MS)*time.Millisecond, in.Meta.ProgressToken), nil
	case "echo":
		return text(a.Text), nil
	case "ask":
		return p.forward(ctx, "elicitation/create", map[string]any{
			"message": a.Question, "requestedSchema": json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}}}`),
		})
	case "think":
		return p.forward(ctx, "sampling/createMessage", map[string]any{
			"maxTokens": 100, "messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": a.Prompt}}},
		})
	case "list_roots":
		return p.forward(ctx, "roots/list", map[string]any{})
	case "show_env":
		cwd, err := os.Getwd()
		if err != nil {
			return failed(err.Error()), nil
		}
		return text(marshal(map[string]any{"env": os.Environ(), "cwd": cwd, "args": os.Args[1:]})), nil
	case "big":
		return text(strings.Repeat("0123456789abcde\n", p.opt.big/16+1)[:p.opt.big]), nil
	case "late":
		return text("better late"), nil
	}
	if p.opt.tools != "" {
		return text("called " + in.Name + " with " + string(in.Arguments)), nil
	}
	return nil, rpc.Errorf(rpc.CodeInvalidParams, "unknown tool %s", in.Name)
}

func (p *peer) note(tool string, a arguments) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	body, ok := p.notes[a.Name]
	switch {
	case tool == "write_note":
		p.notes[a.Name] = a.Text
		return text("wrote " + a.Name)
	case !ok:
		return failed("there is no note " + a.Name)
	case tool == "delete_note":
		delete(p.notes, a.Name)
		return text("deleted " + a.Name)
	}
	return text(body)
}

func (p *peer) slow(ctx context.Context, d time.Duration, token json.RawMessage) json.RawMessage {
	const steps = 4
	for i := range steps {
		if len(token) > 0 {
			_ = p.conn.Notify("notifications/progress", json.RawMessage(fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d}`, token, i+1, steps)))
		}
		select {
		case <-time.After(d / steps):
		case <-ctx.Done():
			return failed("cancelled")
		}
	}
	return text("took " + d.String())
}

// forward answers a call with what the client answers to a request of ours.
func (p *peer) forward(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	result, err := p.conn.Call(ctx, method, json.RawMessage(marshal(params)))
	if err != nil {
		return failed(err.Error()), nil
	}
	return text(string(result)), nil
}

func text(s string) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":` + marshal(s) + `}]}`)
}

func failed(s string) json.RawMessage {
	return json.RawMessage(`{"content":[{"type":"text","text":` + marshal(s) + `}],"isError":true}`)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, maps and raw JSON of our own
	}
	return string(b)
}

var resourceAnswers = map[string]string{
	"resources/list":           `{"resources":[{"uri":"note://welcome","name":"welcome","mimeType":"text/plain"}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"note://{name}","name":"note"}]}`,
	"resources/read":           `{"contents":[{"uri":"note://welcome","mimeType":"text/plain","text":"Hello from the stub."}]}`,
	"prompts/list":             `{"prompts":[{"name":"summarize","description":"Summarize a note.","arguments":[{"name":"note","required":true}]}]}`,
	"prompts/get":              `{"messages":[{"role":"user","content":{"type":"text","text":"Summarize the note."}}]}`,
}
