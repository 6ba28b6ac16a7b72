package modelstub

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// event is one server-sent event; its type is also in its data.
type event struct {
	name string
	data map[string]any
}

func stream(w http.ResponseWriter, events ...event) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		e.data["type"] = e.name
		b, err := json.Marshal(e.data)
		if err != nil {
			panic("modelstub: every event is made of plain values: " + err.Error())
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, b)
	}
}

// messages answers by the Anthropic Messages API, streamed if asked for.
func messages(w http.ResponseWriter, req Request, s Step, n int) {
	var body struct {
		Model  string
		Stream bool
	}
	// A body that does not parse is answered like an empty one.
	_ = json.Unmarshal(req.Body, &body)
	args, _ := s.arguments() // Start has checked them

	full := map[string]any{"type": "text", "text": s.Text}
	empty := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": s.Text}
	stop := "end_turn"
	if s.Tool != "" {
		id := fmt.Sprintf("toolu_%d", n)
		full = map[string]any{"type": "tool_use", "id": id, "name": s.Tool, "input": json.RawMessage(args)}
		empty = map[string]any{"type": "tool_use", "id": id, "name": s.Tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(args)}
		stop = "tool_use"
	}
	msg := map[string]any{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": body.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5},
	}
	if !body.Stream {
		msg["content"], msg["stop_reason"] = []any{full}, stop
		answer(w, msg)
		return
	}
	stream(w,
		event{"message_start", map[string]any{"message": msg}},
		event{"content_block_start", map[string]any{"index": 0, "content_block": empty}},
		event{"content_block_delta", map[string]any{"index": 0, "delta": delta}},
		event{"content_block_stop", map[string]any{"index": 0}},
		event{"message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 5},
		}},
		event{"message_stop", map[string]any{}},
	)
}

// responses answers by the OpenAI Responses API, which hosts always stream.
func responses(w http.ResponseWriter, s Step, n int) {
	args, _ := s.arguments() // Start has checked them
	item := map[string]any{
		"type": "message", "id": fmt.Sprintf("m_%d", n), "role": "assistant",
		"content": []any{map[string]any{"type": "output_text", "text": s.Text}},
	}
	if s.Tool != "" {
		item = map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n),
			"name": s.Tool, "arguments": string(args),
		}
		if s.Namespace != "" {
			item["namespace"] = s.Namespace
		}
	}
	id := fmt.Sprintf("resp_%d", n)
	usage := map[string]any{
		"input_tokens": 10, "input_tokens_details": nil,
		"output_tokens": 5, "output_tokens_details": nil, "total_tokens": 15,
	}
	stream(w,
		event{"response.created", map[string]any{"response": map[string]any{"id": id}}},
		event{"response.output_item.done", map[string]any{"output_index": 0, "item": item}},
		event{"response.completed", map[string]any{"response": map[string]any{"id": id, "usage": usage}}},
	)
}
