// Package result shortens tool results that would flood a model's context, and
// keeps what was cut off for reading on.
package result

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ctx-sidecar/ctx/core/tokens"
)

// Cut returns result with at most limit tokens of text, and keeps the whole
// text in the store under a handle that the result's last block names. Images,
// audio and every other block stay as they are. A result within the limit is
// returned unchanged, except that lone surrogates, which no host can take, are
// replaced.
//
// structuredContent beyond the limit is taken out, since some hosts show it in
// place of the text; where the text does not carry it, it becomes text first.
// With keepStructured it stays, for a tool whose listing promises it.
func (s *Store) Cut(result json.RawMessage, limit int, keepStructured bool) json.RawMessage {
	result = Repair(result)
	if tokens.Bytes4(len(result)) <= limit {
		return result
	}
	var fields map[string]json.RawMessage
	var blocks []json.RawMessage
	if json.Unmarshal(result, &fields) != nil || json.Unmarshal(fields["content"], &blocks) != nil {
		return result // no tool result: nothing here knows how to shorten it
	}
	texts := textBlocks(blocks)
	size := 0
	for _, t := range texts {
		size += len(t.text)
	}
	changed := false
	if structured := fields["structuredContent"]; !keepStructured && tokens.Bytes4(len(structured)) > limit {
		delete(fields, "structuredContent")
		changed = true
		if size < len(structured)/2 {
			blocks = append(blocks, textBlock(string(structured)))
			texts = textBlocks(blocks)
			size += len(structured)
		}
	}
	if tokens.Bytes4(size) > limit {
		blocks = s.shorten(blocks, texts, size, limit*4)
		changed = true
	}
	if !changed {
		return result
	}
	fields["content"] = encode(blocks)
	return encode(fields)
}

// shorten keeps the first budget bytes of the text of blocks.
func (s *Store) shorten(blocks []json.RawMessage, texts []text, size, budget int) []json.RawMessage {
	var whole strings.Builder
	for _, t := range texts {
		whole.WriteString(t.text)
	}
	handle := s.put(whole.String())

	var kept []json.RawMessage
	end, next := 0, 0
	for i, block := range blocks {
		if next == len(texts) || texts[next].block != i {
			kept = append(kept, block)
			continue
		}
		t := texts[next]
		next++
		room := budget - end
		if room <= 0 {
			continue
		}
		if len(t.text) > room {
			part := t.text[:boundary(t.text, room)]
			end += len(part)
			budget = end // nothing after a cut: a gap would read as if it were whole
			if part != "" {
				kept = append(kept, t.with(part))
			}
			continue
		}
		end += len(t.text)
		kept = append(kept, block)
	}
	return append(kept, textBlock(fmt.Sprintf("[cut: %d of %d bytes shown. %s]", end, size, ReadOn(handle, end))))
}

// ReadOn tells a model how to read on from offset.
func ReadOn(handle string, offset int) string {
	return fmt.Sprintf(`Read on with call_tool {"tool":"ctx:read","arguments":{"handle":"%s","offset":%d}}`, handle, offset)
}

// text is the text of one content block.
type text struct {
	block int
	text  string
	with  func(string) json.RawMessage // the block with another text
}

// textBlocks finds the blocks that carry text: text blocks and embedded
// resources.
func textBlocks(blocks []json.RawMessage) []text {
	var found []text
	for i, raw := range blocks {
		var b struct {
			Type     string  `json:"type"`
			Text     *string `json:"text"`
			Resource struct {
				Text *string `json:"text"`
			} `json:"resource"`
		}
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		switch {
		case b.Type == "text" && b.Text != nil:
			found = append(found, text{i, *b.Text, func(part string) json.RawMessage {
				return replace(raw, "text", encode(part))
			}})
		case b.Type == "resource" && b.Resource.Text != nil:
			found = append(found, text{i, *b.Resource.Text, func(part string) json.RawMessage {
				var f struct {
					Resource json.RawMessage `json:"resource"`
				}
				_ = json.Unmarshal(raw, &f) // it parsed above
				return replace(raw, "resource", replace(f.Resource, "text", encode(part)))
			}})
		}
	}
	return found
}

func textBlock(text string) json.RawMessage {
	return encode(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// replace sets one member of a JSON object that is known to parse.
func replace(object json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields)
	fields[key] = value
	return encode(fields)
}

// encode marshals strings and raw JSON, without the HTML escapes that would
// lengthen the code a model reads.
func encode(v any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("result: strings and valid JSON always marshal: " + err.Error())
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
