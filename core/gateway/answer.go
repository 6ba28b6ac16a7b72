package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// answer is a tool result of the gateway's own. Hosts differ in which of the
// two forms they show their model, so both always carry the same facts.
func answer(text string, structured any) json.RawMessage {
	return toolResult(text, structured, false)
}

// refuse is the result of a call that the gateway did not forward. It is a
// result and no protocol error, so that the model reads the reason.
func refuse(format string, args ...any) json.RawMessage {
	text := fmt.Sprintf(format, args...)
	return toolResult(text, map[string]string{"error": text}, true)
}

func toolResult(text string, structured any, failed bool) json.RawMessage {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return encode(struct {
		Content    []block `json:"content"`
		Structured any     `json:"structuredContent"`
		IsError    bool    `json:"isError,omitempty"`
	}{[]block{{"text", text}}, structured, failed})
}

// encode marshals what the gateway itself builds: strings, numbers and raw JSON
// that was valid when it came.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("gateway: cannot marshal an answer: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
