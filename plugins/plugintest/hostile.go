package plugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins"
)

const deep = 100_000 // levels of nesting

// decodeHostile feeds Decode what no host sends: whatever it is, the answer is
// an error or an event, and never a panic.
func (k *kit) decodeHostile() {
	w := k.world("nothing", nil)
	k.unchanged(w, "Decode", func() {
		for _, spec := range k.description().Events {
			sample := w.fill(spec.Sample)
			for name, payload := range notEvents(sample) {
				if _, err := k.try(w, spec.Name, name, payload); err == nil {
					k.fail("Decode of %s takes %s for an event", spec.Name, name)
				}
			}
			for name, payload := range oddEvents(sample) {
				if ev, err := k.try(w, spec.Name, name, payload); err == nil && ev.Host == "" {
					k.fail("Decode of %s: %s: no error, and no event either", spec.Name, name)
				}
			}
		}
	})
}

func (k *kit) try(w world, name, what string, payload []byte) (ev event.Event, err error) {
	k.survives(fmt.Sprintf("Decode of %s, given %s,", name, what), func() {
		raw := plugins.RawEvent{Name: name, Payload: payload, Dir: w.workspace, Machine: w.machine}
		ev, err = k.adapter.Decode(k.ctx, raw)
	})
	if err != nil && strings.Contains(err.Error(), "panicked") {
		k.fail("Decode of %s, given %s, panics: %v", name, what, err)
	}
	return ev, err
}

// notEvents are bytes that are no event of any host's.
func notEvents(sample []byte) map[string][]byte {
	trimmed := bytes.TrimSpace(sample)
	out := map[string][]byte{
		"nothing":               nil,
		"a blank line":          []byte("\n"),
		"text":                  []byte("Segmentation fault"),
		"binary":                {0, 1, 2, 0xff, 0xfe},
		"half a brace":          []byte("{"),
		"a list":                []byte("[]"),
		"a number":              []byte("42"),
		"a deep list":           []byte(strings.Repeat("[", deep)),
		"a deep object":         []byte(strings.Repeat(`{"a":`, deep)),
		"two events":            append(append(bytes.Clone(trimmed), '\n'), trimmed...),
		"an event and a remark": append(bytes.Clone(trimmed), " done"...),
	}
	for _, part := range []int{4, 3, 2} {
		out[fmt.Sprintf("1/%d of an event", part)] = trimmed[:len(trimmed)/part]
	}
	out["an event less its last byte"] = trimmed[:max(0, len(trimmed)-1)]
	return out
}

// oddEvents are events of which something is odd. An adapter may take them or
// refuse them.
func oddEvents(sample []byte) map[string][]byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(sample, &fields) != nil {
		return nil
	}
	out := map[string][]byte{}
	with := func(name, key, value string) {
		changed := make(map[string]json.RawMessage, len(fields)+1)
		for k, v := range fields {
			changed[k] = v
		}
		changed[key] = json.RawMessage(value)
		if b, err := json.Marshal(changed); err == nil {
			out[name] = b
		}
	}
	for key := range fields {
		for what, value := range map[string]string{
			"null": "null", "a number": "1e400", "a list": "[[]]", "an object": `{"a":{}}`, "an empty string": `""`, "false": "false",
		} {
			with(fmt.Sprintf("an event in which %q is %s", key, what), key, value)
		}
		less := make(map[string]json.RawMessage, len(fields))
		for k, v := range fields {
			if k != key {
				less[k] = v
			}
		}
		if b, err := json.Marshal(less); err == nil {
			out[fmt.Sprintf("an event without %q", key)] = b
		}
	}
	with("an event with a field of 1 MiB", "new_field", `"`+strings.Repeat("x", 1<<20)+`"`)
	with("an event with a deep field", "new_field", strings.Repeat("[", 5000)+strings.Repeat("]", 5000))
	with("an event with a field that is no UTF-8", "new_field", "\"\xff\xfe\"")
	with("an event with a lone surrogate", "new_field", `"\ud800"`)
	return out
}
