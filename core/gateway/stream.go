package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// stream is the response to one request.
type stream struct {
	w       http.ResponseWriter
	streams bool            // the client takes events
	token   json.RawMessage // the request's progress token

	mu    sync.Mutex
	begun bool // as events
	ended bool
}

// send puts a message before the answer and reports whether it could.
func (o *stream) send(message json.RawMessage) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended || !o.streams {
		return false
	}
	if !o.begun {
		o.begun = true
		o.w.Header().Set("Content-Type", "text/event-stream")
		o.w.Header().Set("Cache-Control", "no-cache")
		o.w.WriteHeader(http.StatusOK)
	}
	return o.event(message)
}

// end puts the answer.
func (o *stream) end(answer json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.begun {
		o.event(answer)
		return
	}
	writeJSON(o.w, http.StatusOK, answer)
}

func (o *stream) event(message json.RawMessage) bool {
	if _, err := fmt.Fprintf(o.w, "event: message\ndata: %s\n\n", oneLine(message)); err != nil {
		return false
	}
	return http.NewResponseController(o.w).Flush() == nil
}

// oneLine takes line breaks out of JSON, where they can only be space between
// tokens.
func oneLine(message json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(message, "\r\n") {
		return message
	}
	var b bytes.Buffer
	if json.Compact(&b, message) != nil {
		return message
	}
	return b.Bytes()
}
