package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/rpc"
)

// mostPages bounds a list whose server never ends it.
const mostPages = 200

// list asks for everything of the given kinds that the server offers and puts
// it into l.
func (s *session) list(ctx context.Context, k kinds, l *listing.Listing) error {
	var offers struct{ Tools, Resources, Prompts json.RawMessage }
	if err := json.Unmarshal(s.hello.Capabilities, &offers); err != nil && len(s.hello.Capabilities) > 0 {
		return fmt.Errorf("the server's capabilities: %w", err)
	}
	if k.tools {
		l.Notes = nil
	}
	l.Notes = slices.Clip(l.Notes)
	type part struct {
		wanted          bool
		method, of, key string
		into            *[]json.RawMessage
	}
	for _, p := range []part{
		{k.tools && offers.Tools != nil, "tools/list", "tools", "name", &l.Tools},
		{k.resources && offers.Resources != nil, "resources/list", "resources", "uri", &l.Resources},
		{k.resources && offers.Resources != nil, "resources/templates/list", "resourceTemplates", "uriTemplate", &l.Templates},
		{k.prompts && offers.Prompts != nil, "prompts/list", "prompts", "name", &l.Prompts},
	} {
		if !p.wanted {
			continue
		}
		items, notes, err := s.pages(ctx, p.method, p.of, p.key)
		l.Notes = append(l.Notes, notes...)
		var answer *rpc.Error
		switch {
		case err == nil:
			*p.into = items
		case p.of != "tools" && errors.As(err, &answer) && answer.Code == rpc.CodeMethodNotFound:
			*p.into = nil // many that have resources know nothing of templates
		case p.of != "tools":
			l.Notes = append(l.Notes, p.method+": "+withoutWords(err)) // which are written to disk
		default:
			return fmt.Errorf("%s: %w", p.method, err)
		}
	}
	l.At = time.Now()
	return nil
}

// pages follows the cursors of one list. What is odd about it is noted and
// loses nothing that arrived.
func (s *session) pages(ctx context.Context, method, of, key string) (items []json.RawMessage, notes []string, err error) {
	note := func(format string, args ...any) {
		notes = append(notes, method+": "+fmt.Sprintf(format, args...))
	}
	names, cursors := map[string]bool{}, map[string]bool{}
	var params json.RawMessage
	for page := 1; ; page++ {
		result, err := s.link.Call(ctx, method, params)
		if err != nil {
			return nil, notes, s.cause(err)
		}
		var fields map[string]json.RawMessage
		var batch []json.RawMessage
		var cursor string
		if err := json.Unmarshal(result, &fields); err != nil {
			return nil, notes, fmt.Errorf("page %d: %w", page, err)
		}
		if err := unmarshalIf(fields[of], &batch); err != nil {
			return nil, notes, fmt.Errorf("page %d: %s: %w", page, of, err)
		}
		if err := unmarshalIf(fields["nextCursor"], &cursor); err != nil {
			note("nextCursor on page %d is no string", page)
		}
		for _, item := range batch {
			var id map[string]json.RawMessage
			var name string
			if json.Unmarshal(item, &id) != nil || unmarshalIf(id[key], &name) != nil || name == "" {
				note("left out an entry without %s", key)
				continue
			}
			if names[name] {
				if !cursors[cursor] { // else the page is one that was here before
					note("left out another %q", name)
				}
				continue
			}
			names[name] = true
			items = append(items, item)
		}
		switch {
		case cursor == "":
			return items, notes, nil
		case cursors[cursor]:
			note("the cursor of page %d came before; kept what arrived", page)
			return items, notes, nil
		case page == mostPages:
			note("stopped after %d pages", page)
			return items, notes, nil
		}
		cursors[cursor] = true
		params, err = json.Marshal(map[string]string{"cursor": cursor})
		if err != nil {
			return nil, notes, err
		}
	}
}

func unmarshalIf(b json.RawMessage, v any) error {
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, v)
}
