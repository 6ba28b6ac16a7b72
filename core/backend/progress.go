package backend

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
)

// tokens are unique in the process, so that no report can reach a caller of
// another server or an earlier connection.
var lastToken atomic.Int64

// progressMap leads reports of progress to their callers. Two callers may have
// chosen the same token, so a server is given one of ours.
type progressMap struct {
	mu    sync.Mutex
	calls map[string]progressCall // by our token, as JSON
}

type progressCall struct {
	token  json.RawMessage // the caller's
	report func(json.RawMessage)
}

// watch replaces the progress token of a request, if there is one, until done
// is called.
func (p *progressMap) watch(params json.RawMessage, report func(json.RawMessage)) (_ json.RawMessage, done func()) {
	none := func() {}
	if report == nil || !bytes.Contains(params, []byte(`"progressToken"`)) {
		return params, none
	}
	ours := `"ctx-` + strconv.FormatInt(lastToken.Add(1), 10) + `"`
	var token json.RawMessage
	changed, ok := replaceField(params, "_meta", func(meta json.RawMessage) (json.RawMessage, bool) {
		return replaceField(meta, "progressToken", func(t json.RawMessage) (json.RawMessage, bool) {
			token = t
			return json.RawMessage(ours), true
		})
	})
	if !ok {
		return params, none
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]progressCall{}
	}
	p.calls[ours] = progressCall{token, report}
	return changed, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, ours)
	}
}

// report hands a report on under its caller's own token. One for a call that is
// over has nobody to go to.
func (p *progressMap) report(params json.RawMessage) {
	var call progressCall
	restored, ok := replaceField(params, "progressToken", func(t json.RawMessage) (json.RawMessage, bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		var known bool
		call, known = p.calls[string(t)]
		return call.token, known
	})
	if ok {
		call.report(restored)
	}
}

// replaceField changes one field of a JSON object. The values of the others
// stay as they are.
func replaceField(object json.RawMessage, name string, change func(json.RawMessage) (json.RawMessage, bool)) (json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, false
	}
	old, ok := fields[name]
	if !ok {
		return nil, false
	}
	if fields[name], ok = change(old); !ok {
		return nil, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}
