package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

func BenchmarkRulesUnchanged(b *testing.B) {
	w := wrap(b)
	for i := range 30 {
		w.config.Files = append(w.config.Files, filepath.Join(w.Workspace, fmt.Sprint("absent", i)))
	}
	ctx := context.Background()
	for b.Loop() {
		w.Rules(ctx)
	}
}

func BenchmarkForwardedCall(b *testing.B) {
	s := serve(b, map[string][]string{"fs": {readText}})
	s.backends.answer = func(context.Context, string, string, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
		return json.RawMessage(`{"content":[{"type":"text","text":"Echo: x"}]}`), nil
	}
	s.initialize(`{}`)
	ctx, id := context.Background(), json.RawMessage(`1`)
	params := json.RawMessage(`{"name":"call_tool","arguments":{"tool":"fs:read_text_file","arguments":{"path":"/a"}}}`)
	for b.Loop() {
		if _, err := s.Handle(ctx, id, "tools/call", params); err != nil {
			b.Fatal(err)
		}
	}
}
