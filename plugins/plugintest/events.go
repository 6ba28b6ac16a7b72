package plugintest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/plugins"
)

func (k *kit) describe() {
	var d, again plugins.Description
	var err error
	k.survives("Describe", func() { d, err = k.adapter.Describe(k.ctx) })
	if err != nil {
		k.fail("Describe: %v", err)
		return
	}
	if !plugins.ValidName(d.Name) {
		k.fail("Describe: the name %q is not lower-case letters, digits and hyphens", d.Name)
	}
	if d.Title == "" || d.Version == "" {
		k.fail("Describe: title %q, version %q: both are shown to the user", d.Title, d.Version)
	}
	if len(d.Events) == 0 {
		k.fail("Describe: no events, so no hook would ever run")
	}
	seen := map[string]bool{}
	for _, e := range d.Events {
		switch {
		case e.Name == "":
			k.fail("Describe: an event without a name")
		case seen[e.Name]:
			k.fail("Describe: the event %s is there twice", e.Name)
		case len(e.Sample) == 0:
			k.fail("Describe: the event %s has no sample for ctx doctor to run", e.Name)
		}
		seen[e.Name] = true
	}
	if again, err = k.adapter.Describe(k.ctx); err != nil || !reflect.DeepEqual(d, again) {
		k.fail("Describe: a second call answers otherwise: %+v, %v", again, err)
	}
}

func (k *kit) detect() {
	for _, w := range k.worlds() {
		k.unchanged(w, "Detect", func() {
			k.survives("Detect", func() {
				d, err := k.adapter.Detect(k.ctx, w.machine)
				if err != nil {
					k.fail("%s: Detect: %v", w.name, err)
				}
				for _, path := range []string{d.Program, d.Config} {
					if path != "" && !filepath.IsAbs(path) {
						k.fail("%s: Detect: %q is not absolute", w.name, path)
					}
				}
				if w.name == "nothing" && d.Program == "" && d.Installed {
					k.fail("Detect: installed, on a machine where nothing is")
				}
			})
		})
	}
}

// decoded is an event as the adapter reads it.
type decoded struct {
	spec  plugins.EventSpec
	event event.Event
}

// events decodes every sample and every recorded event.
func (k *kit) events(w world) []decoded {
	var out []decoded
	for _, spec := range append(k.description().Events, k.config.Events...) {
		k.survives("Decode of "+spec.Name, func() {
			ev, err := k.adapter.Decode(k.ctx, w.event(spec))
			if err != nil {
				k.fail("Decode of %s: %v", spec.Name, err)
				return
			}
			out = append(out, decoded{spec, ev})
		})
	}
	return out
}

func (k *kit) decode() {
	w := k.world("nothing", nil)
	name := k.description().Name
	acts := false
	k.unchanged(w, "Decode", func() {
		for _, d := range k.events(w) {
			ev := d.event
			if ev.Kind == event.Other {
				continue
			}
			acts = true
			what := "Decode of " + d.spec.Name
			if ev.Host != name {
				k.fail("%s: the host is %q, want %q", what, ev.Host, name)
			}
			if ev.Name == "" {
				k.fail("%s: the event has no name", what)
			}
			if ev.Session == "" {
				k.fail("%s: no session, so nothing is remembered of it", what)
			}
			if ev.Dir != "" && !filepath.IsAbs(ev.Dir) {
				k.fail("%s: the folder %q is not absolute", what, ev.Dir)
			}
			switch ev.Kind {
			case event.SessionStart, event.SessionEnd:
			case event.Prompt:
				if ev.Prompt == "" {
					k.fail("%s: a prompt without text", what)
				}
			case event.ToolBefore, event.ToolAfter:
				k.tool(what, ev.Tool)
			default:
				k.fail("%s: the kind %q is none of package event", what, ev.Kind)
			}
			if again, err := k.adapter.Decode(k.ctx, w.event(d.spec)); err != nil || !reflect.DeepEqual(again, ev) {
				k.fail("%s: a second time it is another: %+v, %v", what, again, err)
			}
		}
	})
	if !acts {
		k.fail("Decode: no sample is an event that ctx acts on")
	}
}

func (k *kit) tool(what string, t *event.ToolUse) {
	switch {
	case t == nil || t.Name == "":
		k.fail("%s: a tool event that does not name the tool", what)
	case (t.Server == "") != (t.Tool == ""):
		k.fail("%s: server %q and tool %q: both or none", what, t.Server, t.Tool)
	case len(t.Input) > 0 && !json.Valid(t.Input):
		k.fail("%s: the input is not JSON: %s", what, t.Input)
	}
}

func (k *kit) encode() {
	w := k.world("nothing", nil)
	k.unchanged(w, "Encode", func() {
		for _, d := range k.events(w) {
			what := "Encode for " + d.spec.Name
			k.print(what, d.event, event.Reply{})
			// What a model reads must arrive as it is, whatever is in it.
			for _, text := range []string{"ctx: 39 tools held back.", "\"quoted\" \\ {braces} <tag> & 'x'\nsecond line\t%s"} {
				switch d.event.Kind {
				case event.SessionStart, event.Prompt:
					if doc := k.print(what, d.event, event.Reply{Context: text}); !says(doc, text) {
						k.fail("%s: the context %q is not in the output: %v", what, text, doc)
					}
				case event.ToolBefore:
					for _, decision := range []event.Decision{event.Allow, event.Ask, event.Deny} {
						doc := k.print(what, d.event, event.Reply{Decision: decision, Reason: text})
						if decision == event.Deny && !says(doc, text) {
							k.fail("%s: a refusal for %q is not in the output: %v", what, text, doc)
						}
					}
				default:
					k.print(what, d.event, event.Reply{Context: text})
				}
			}
		}
	})
}

// print encodes a reply and returns the document that a hook would print, nil
// for nothing.
func (k *kit) print(what string, ev event.Event, r event.Reply) any {
	var out, again []byte
	var err error
	k.survives(what, func() { out, err = k.adapter.Encode(k.ctx, ev, r) })
	if err != nil {
		k.fail("%s: %+v: %v", what, r, err)
		return nil
	}
	k.survives(what, func() { again, _ = k.adapter.Encode(k.ctx, ev, r) })
	if !bytes.Equal(out, again) {
		k.fail("%s: %+v: once %s, then %s", what, r, out, again)
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return nil
	}
	var doc any
	if err := json.Unmarshal(out, &doc); err != nil { // which also refuses a second document
		k.fail("%s: %+v: the output is not one JSON document: %v: %s", what, r, err, out)
	}
	return doc
}

// says reports whether any string in a JSON value contains text.
func says(doc any, text string) bool {
	switch v := doc.(type) {
	case string:
		return strings.Contains(v, text)
	case []any:
		for _, e := range v {
			if says(e, text) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if says(e, text) {
				return true
			}
		}
	}
	return false
}
