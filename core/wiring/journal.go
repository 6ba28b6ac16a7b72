package wiring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// Owner is on whose behalf a file is edited: one host in one workspace, by wrap
// or for another purpose. Several owners may edit one file, and may ask for the
// same op.
type Owner struct {
	Workspace string `json:"workspace"` // absolute
	Host      string `json:"host"`
	For       string `json:"for,omitempty"` // "" for wrap, else what is undone by itself, such as [Prune]
}

// Prune is the purpose of what ctx prune switches off.
const Prune = "prune"

const journalSchema = "ctx.wrap.file/v1"

// content is the op of a Whole file; its value is the bytes, in base64.
const content OpKind = "content"

// journal is what is on record of one file: what it was before us, who wants
// what in it, and what was put in.
type journal struct {
	Schema   string      `json:"schema"`
	Path     string      `json:"path"` // as it was named first; links are followed anew each time
	Format   Format      `json:"format"`
	Mode     fs.FileMode `json:"mode"`     // of the file, if it has to be made
	Original *snapshot   `json:"original"` // the first bytes
	Base     *snapshot   `json:"base"`     // the file without us: the first bytes and what the user did since
	Written  string      `json:"written"`  // SHA-256 of what was last seen to hold Placed, "" for no file
	Dirs     []string    `json:"dirs"`     // folders made for it, outermost first
	Wants    []want      `json:"wants"`    // in the order in which they were asked for
	Placed   []placed    `json:"placed"`   // in the order in which they were put in
}

// want is what one owner asks for.
type want struct {
	Owner Owner `json:"owner"`
	Ops   []Op  `json:"ops"`
}

// wants is what an owner asks for in the file, nil for nothing.
func (j *journal) wants(o Owner) []Op {
	for _, w := range j.Wants {
		if w.Owner == o {
			return w.Ops
		}
	}
	return nil
}

// with is the journal's wants after an owner asks for ops, nil for nothing any
// more. An owner that asks for what it had keeps its turn.
func (j *journal) with(o Owner, ops []Op) []want {
	if slices.EqualFunc(j.wants(o), ops, Op.equal) {
		return j.Wants
	}
	out := slices.DeleteFunc(slices.Clone(j.Wants), func(w want) bool { return w.Owner == o })
	if len(ops) > 0 {
		out = append(out, want{o, ops})
	}
	return out
}

// and is the journal with what another one of the file, an earlier one, has
// beside it. What is placed and wanted by nobody is taken out with the next turn.
func (j journal) and(earlier journal) *journal {
	var wants []want
	for _, w := range earlier.Wants {
		if !slices.ContainsFunc(j.Wants, func(o want) bool { return o.Owner == w.Owner }) {
			wants = append(wants, w)
		}
	}
	var had []placed
	for _, p := range earlier.Placed {
		if !slices.ContainsFunc(j.Placed, func(o placed) bool { return o.Op.equal(p.Op) }) {
			had = append(had, p)
		}
	}
	j.Wants, j.Placed = append(wants, j.Wants...), append(had, j.Placed...)
	return &j
}

// effective is what all wants come to: equal ops are one, and of two that say
// different things of one place the later counts.
func effective(wants []want) []Op {
	var out []Op
	for _, w := range wants {
		for _, op := range w.Ops {
			i := slices.IndexFunc(out, op.samePlace)
			if i < 0 {
				out = append(out, op)
			} else {
				out[i] = op
			}
		}
	}
	return out
}

func (op Op) equal(o Op) bool {
	return op.Kind == o.Kind && slices.Equal(op.Path, o.Path) && bytes.Equal(compact(op.Value), compact(o.Value))
}

// samePlace reports whether only one of two ops can be in force.
func (op Op) samePlace(o Op) bool {
	if op.Kind == Append || op.Kind == Line {
		return op.equal(o)
	}
	return op.Kind == o.Kind && slices.Equal(op.Path, o.Path)
}

func compact(v json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return v
	}
	return b.Bytes()
}

// file is where the journal of a path is kept.
func (s *Store) file(path string) string {
	return filepath.Join(s.dir, "files", paths.ID(path)+".json")
}

// journals reads all journals. One that cannot be read is set aside, never
// overwritten, and named in the notes.
func (s *Store) journals() (all []*journal, notes []string, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "files"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(s.dir, "files", e.Name())
		if filepath.Ext(path) != ".json" {
			continue
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken out by another program just now
		}
		if err != nil {
			return nil, nil, err
		}
		j := new(journal)
		if err := json.Unmarshal(b, j); err == nil && j.Schema == journalSchema && j.Path != "" {
			all = append(all, j)
			continue
		}
		bad, err := file.SetAside(path)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, fmt.Sprintf("%s: cannot be read and is kept as %s; what it put into a file has to be taken out by hand", path, filepath.Base(bad)))
	}
	return all, notes, nil
}

// Intact fails while the record of a file lies aside, as it does from when it
// could not be read until the user has seen to it. Nobody knows by then what of
// the file is ours: to take that out is to leave it in, and to put it in again is
// to take it for the user's own.
func (s *Store) Intact() error {
	if _, _, err := s.journals(); err != nil { // sets aside what cannot be read
		return err
	}
	return s.aside()
}

// aside is the error of [Store.Intact] about the first record that lies aside.
func (s *Store) aside() error {
	entries, err := os.ReadDir(filepath.Join(s.dir, "files"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(s.dir, "files", e.Name())
		if !strings.HasSuffix(path, ".json"+file.Aside) {
			continue
		}
		return &FileError{
			Path: path,
			Msg:  "the record of what ctx put into " + recorded(path) + " could not be read, and was set aside under this name",
			hint: "take out by hand what ctx put in (its hooks, ctx-gateway, and that servers are off), remove " + path + ", then run the command again; nothing was changed",
		}
	}
	return nil
}

// recorded names the file that a record is of, as far as that can be told.
func recorded(path string) string {
	var j struct {
		Path string `json:"path"`
	}
	b, err := file.Read(path)
	if err != nil || json.Unmarshal(b, &j) != nil || j.Path == "" {
		return "one of the hosts' files"
	}
	return j.Path
}

// encode is the journal as it is kept, nil when there is nothing left to keep.
func (j *journal) encode() *snapshot {
	if j == nil || len(j.Wants) == 0 {
		return nil
	}
	b, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		panic("wiring: a journal always marshals: " + err.Error())
	}
	return &snapshot{append(b, '\n'), 0o600}
}
