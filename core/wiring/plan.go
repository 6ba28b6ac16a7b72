package wiring

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/ctx-sidecar/ctx/core/file"
)

// Plan works out what the owner's files must become for the edits to be in
// them. What the owner asked for earlier and does not ask for now is taken out
// by the same change. Everything is read and checked here; nothing is written
// before [Change.Apply].
func (s *Store) Plan(owner Owner, edits []Edit) (*Change, error) {
	var c *Change
	err := s.locked(func() (err error) {
		c, err = s.plan(owner, edits)
		return err
	})
	return c, err
}

// Unplan works out what the owner's files become without what it asked for.
func (s *Store) Unplan(owner Owner) (*Change, error) { return s.Plan(owner, nil) }

// planner is one plan in the making.
type planner struct {
	store   *Store
	owner   Owner
	known   []*journal
	targets map[string]*journal // known, by the file that a write to it would replace
	change  *Change
}

func (s *Store) plan(owner Owner, edits []Edit) (*Change, error) {
	known, _, err := s.journals()
	if err == nil {
		err = s.aside() // as one of them may be by now
	}
	if err != nil {
		return nil, err
	}
	p := &planner{store: s, owner: owner, known: known, targets: map[string]*journal{}}
	p.change = &Change{store: s}
	for _, j := range known {
		target, _, err := look(j.Path)
		if err != nil && j.wants(owner) != nil {
			return nil, named(j.Path, err)
		}
		if err == nil {
			p.targets[target] = j
		}
	}
	if err := nameable(owner, edits); err != nil {
		return nil, err
	}
	if edits, err = merge(p.excluding(edits)); err != nil {
		return nil, err
	}
	done := map[*journal]bool{}
	for _, e := range edits {
		j, err := p.edit(e)
		if err != nil {
			return nil, err
		}
		done[j] = true
	}
	for _, j := range known {
		if j.wants(owner) == nil || done[j] {
			continue
		}
		gone := Edit{Path: j.Path, Format: j.Format, Why: "take out what ctx put in"}
		if err := p.turn(gone, nil, *j); err != nil {
			return nil, err
		}
	}
	return p.change, nil
}

// nameable refuses paths that cannot be written down: the record of a change
// would name another file, and nothing could be taken out again.
func nameable(owner Owner, edits []Edit) error {
	if len(edits) == 0 {
		return nil
	}
	names := []string{owner.Workspace}
	for _, e := range edits {
		names = append(names, e.Path)
	}
	for _, path := range names {
		if !utf8.ValidString(path) {
			return &FileError{Path: strconv.Quote(path), Msg: "its path is not UTF-8, and could not be recorded", hint: "rename the folder; nothing was changed"}
		}
	}
	return nil
}

// merge makes one edit of those that name one file.
func merge(edits []Edit) ([]Edit, error) {
	var out []Edit
	at := map[string]int{}
	for _, e := range edits {
		target, err := file.Target(e.Path)
		if err != nil {
			return nil, named(e.Path, err)
		}
		i, ok := at[target]
		switch {
		case !ok:
			at[target] = len(out)
			e.Ops = slices.Clone(e.Ops)
			out = append(out, e)
		case out[i].Format != e.Format || e.Format == Whole:
			return nil, fmt.Errorf("%s: is to be edited in two ways at once", e.Path)
		default:
			out[i].Ops = append(out[i].Ops, e.Ops...)
			out[i].Exclude = out[i].Exclude || e.Exclude
			out[i].Tracked = cmp.Or(out[i].Tracked, e.Tracked)
		}
	}
	return out, nil
}

// edit plans one edit, and returns the journal that it has been on record in.
func (p *planner) edit(e Edit) (*journal, error) {
	if !filepath.IsAbs(e.Path) {
		return nil, fmt.Errorf("%s: the path of an edit must be absolute", e.Path)
	}
	ops := e.Ops
	if e.Format == Whole {
		b, err := json.Marshal(append([]byte{}, e.Content...))
		if err != nil {
			return nil, err
		}
		ops = []Op{{Kind: content, Value: b}}
	}
	target, now, err := look(e.Path)
	if err != nil {
		return nil, named(e.Path, err)
	}
	j := p.targets[target]
	if j == nil {
		made := &journal{
			Schema: journalSchema, Path: e.Path, Format: e.Format, Mode: e.Mode,
			Original: now, Base: now, Written: now.sum(),
		}
		if made.Mode == 0 {
			made.Mode = 0o644
		}
		return made, p.turn(e, ops, *made)
	}
	if j.Format != e.Format {
		return nil, &FileError{
			Path: e.Path,
			Msg:  fmt.Sprintf("is on record as a %s file and cannot be edited as %s", j.Format, e.Format),
			hint: "unwrap every workspace first; nothing was changed",
		}
	}
	return j, p.turn(e, ops, *j)
}

// turn plans what becomes of one file when the owner asks for ops in it.
func (p *planner) turn(e Edit, ops []Op, j journal) error {
	target, now, err := look(e.Path)
	if err != nil {
		return named(e.Path, err)
	}
	t := &turn{journal: j, had: slices.Clone(j.Placed), owner: p.owner, asked: ops}
	t.Wants = j.with(p.owner, ops)
	next, err := t.next(now)
	if err != nil {
		return err
	}
	t.Written = next.sum()
	if !next.same(now) {
		if err := p.allowed(e, target); err != nil {
			return err
		}
	}
	if next != nil {
		t.Dirs = p.dirs(target, t.Dirs)
	}
	p.change.add(e, target, now, next, j, t)
	return nil
}

// allowed reports what forbids that a file is changed.
func (p *planner) allowed(e Edit, target string) error {
	if e.Tracked != "" {
		tracked, err := trackedByGit(target)
		if err != nil {
			p.change.notes = append(p.change.notes, fmt.Sprintf("%s: cannot tell whether git tracks it: %v", e.Path, err))
		}
		if tracked {
			return &FileError{Path: e.Path, Msg: "is tracked by git", hint: e.Tracked}
		}
	}
	dir := filepath.Dir(target)
	for {
		err := unix.Access(dir, unix.W_OK|unix.X_OK)
		if err == nil {
			return nil
		}
		if _, link := os.Lstat(dir); link == nil && errors.Is(err, fs.ErrNotExist) {
			err = errors.New("is a link that leads nowhere")
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return &FileError{Path: e.Path, Msg: fmt.Sprintf("cannot be written: its folder %s: %v", dir, err), hint: "mend the folder; nothing was changed"}
		}
		dir = filepath.Dir(dir)
	}
}

// dirs are the folders that have to be made for a file, and those around it
// that were made for another file of ours: the last to go takes them along.
func (p *planner) dirs(target string, had []string) []string {
	out := slices.Clone(had)
	for dir := filepath.Dir(target); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		_, err := os.Stat(dir)
		ours := errors.Is(err, fs.ErrNotExist)
		for _, j := range p.known {
			ours = ours || slices.Contains(j.Dirs, dir)
		}
		if ours && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}

// named names the file that an error is about.
func named(path string, err error) error {
	var at *FileError
	var sys *fs.PathError
	if errors.As(err, &at) || errors.As(err, &sys) && bytes.Contains([]byte(sys.Path), []byte(path)) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
