package baseline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Entry is a tool that is held back.
type Entry struct {
	ID          string       `json:"id"`     // see [trust.ToolID]
	Status      trust.Status `json:"status"` // Changed while it waits, or Rejected
	Server      string       `json:"server"`
	Tool        string       `json:"tool"`
	ServerID    string       `json:"server_id"`
	Fingerprint string       `json:"fingerprint"` // of the server's declaration
	SHA256      string       `json:"sha256"`      // of the definition that is held back
	At          time.Time    `json:"at"`          // when it was first listed so

	old, new string // definitions, "" where too large to be kept
	shown    string // see [tool]
}

// Waits reports whether the user has yet to decide.
func (e Entry) Waits() bool { return e.Status == trust.Changed }

// Swapped reports whether the user was shown another definition than the one
// that waits by now.
func (e Entry) Swapped() bool { return e.Waits() && e.shown != "" && e.shown != e.SHA256 }

// Name is the tool as a model names it: "server:tool".
func (e Entry) Name() string { return e.Server + ":" + e.Tool }

// Of reports whether the tool is one of a server that the workspace has, or that
// the user has in every workspace.
func (e Entry) Of(workspace string) bool { return isOf(e.ServerID, e.Server, workspace) }

// Problem is what holds tools back that are in no [Entry]: a file that cannot be
// read or is full.
type Problem struct {
	Text string // one line

	server, serverID string // "" where the file does not tell
}

// Of reports whether the problem is, or may be, one of a server as [Entry.Of]
// has it.
func (p Problem) Of(workspace string) bool {
	return p.serverID == "" || isOf(p.serverID, p.server, workspace)
}

// isOf reports whether id is the one that a server of this name has in the
// workspace.
func isOf(id, name, workspace string) bool {
	return slices.ContainsFunc([]surface.Scope{surface.ScopeUser, surface.ScopeProject}, func(scope surface.Scope) bool {
		return id == trust.ServerID(surface.Server{Name: name, Scope: scope}, workspace)
	})
}

// Entries lists the tools of all servers that are held back, by ID, and what
// holds others back.
func (s *Store) Entries() (entries []Entry, problems []Problem) {
	paths, err := filepath.Glob(filepath.Join(quoteMeta(s.dir), "*.json"))
	if err != nil {
		return nil, []Problem{{Text: err.Error()}}
	}
	for _, path := range paths {
		d, err := load(path, true)
		if err != nil {
			problems = append(problems, Problem{Text: err.Error()})
		}
		if d == nil {
			continue
		}
		if d.full() {
			text := fmt.Sprintf("%s: the server %s has listed %d names of tools, and others are held back; once the file is removed, the tools are taken as they are then", path, d.Server, len(d.Tools))
			problems = append(problems, Problem{text, d.Server, d.ID})
		}
		for _, name := range slices.Sorted(maps.Keys(d.Tools)) {
			t := d.Tools[name]
			e := Entry{
				ID: trust.ToolID(d.ID, name), Server: d.Server, Tool: name, ServerID: d.ID,
				Fingerprint: d.Fingerprint, At: t.At, old: d.texts[t.latest()],
			}
			if t.Rejected != "" {
				e.Status, e.SHA256, e.new = trust.Rejected, t.Rejected, d.texts[t.Rejected]
				entries = append(entries, e)
			}
			if t.Waiting != "" {
				e.Status, e.SHA256, e.new, e.shown = trust.Changed, t.Waiting, d.texts[t.Waiting], t.Shown
				entries = append(entries, e)
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return entries, problems
}

// Shown remembers what the user was shown of tools that wait.
func (s *Store) Shown(entries []Entry) error {
	for _, e := range entries {
		if !e.Waits() || e.shown == e.SHA256 {
			continue
		}
		err := s.change(filepath.Join(s.dir, fileName(e.ServerID, e.Fingerprint)), func(d *document) (*document, bool) {
			if d == nil || d.Tools[e.Tool] == nil {
				return d, false
			}
			d.Tools[e.Tool].Shown = e.SHA256
			return d, true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Decide takes a definition into the baseline, or keeps it out. Where another
// one waits by now, which the user has not seen, it is an error.
func (s *Store) Decide(e Entry, accept bool) error {
	found := false
	err := s.change(filepath.Join(s.dir, fileName(e.ServerID, e.Fingerprint)), func(d *document) (*document, bool) {
		found = d != nil && d.decide(e.Tool, e.SHA256, accept)
		return d, found
	})
	if err == nil && !found {
		err = fmt.Errorf("%s has changed again meanwhile", e.Name())
	}
	return err
}

// Diff says, line by line, how the definition that is held back differs from the
// accepted one: "- " is the old value, "+ " the new one. No line can steer a
// terminal.
func (e Entry) Diff() []string {
	if e.old == "" || e.new == "" {
		return []string{"+ SHA-256 of the definition, which is too large to be shown: " + e.SHA256}
	}
	before, after := flat(e.old), flat(e.new)
	var lines []string
	for _, m := range before {
		if !slices.Contains(after, m) {
			lines = append(lines, "- "+m)
		}
	}
	for _, m := range after {
		if !slices.Contains(before, m) {
			lines = append(lines, "+ "+m)
		}
	}
	// The old and the new value of one member stand together.
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(member(a), member(b)) })
	return lines
}

func member(line string) string {
	name, _, _ := strings.Cut(line[2:], ": ")
	return name
}

// flat writes a canonical definition as one line "PATH: VALUE" for each value.
func flat(text string) []string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var lines []string
	var walk func(path string)
	walk = func(path string) {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			empty := true
			for i := 0; d.More(); i++ {
				empty = false
				name := strconv.Itoa(i)
				if token == json.Delim('{') {
					key, _ := d.Token()
					name = glyphs(fmt.Sprint(key))
				}
				walk(strings.TrimPrefix(path+"."+name, "."))
			}
			end, _ := d.Token()
			if empty {
				lines = append(lines, fmt.Sprintf("%s: %v%v", path, token, end))
			}
		default:
			value, _ := json.Marshal(token) // such a token cannot fail
			if s, ok := token.(string); ok {
				value = []byte(strconv.QuoteToGraphic(s))
			}
			lines = append(lines, path+": "+string(value))
		}
	}
	walk("")
	return lines
}

// glyphs writes what has no glyph as an escape.
func glyphs(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return strconv.QuoteToGraphic(s)
	}
	return s
}

func fileName(serverID, fingerprint string) string {
	sum := sha256.Sum256([]byte(serverID + "\n" + fingerprint))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// quoteMeta lets a name stand for itself in a pattern of filepath.Glob.
func quoteMeta(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}
