package wiring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Change is a set of files and what they must become: all of them, or none.
type Change struct {
	store *Store
	steps []step
	files []FileChange
	notes []string
}

// Action is what happens to a file.
type Action string

const (
	Create Action = "create"
	Modify Action = "modify"
	Delete Action = "delete"
	// Keep: the file says already what it should; what is on record of it
	// changes, for another workspace or host has asked for the same.
	Keep Action = "keep"
)

// FileChange is what happens to one file.
type FileChange struct {
	Path   string `json:"path"`
	Action Action `json:"action"`
	Why    string `json:"why"`
	// Note says what of ours stays in the file or was gone from it, and why;
	// "" when there is nothing to say.
	Note string `json:"note,omitempty"`
}

// step is one file, with its journal, before and after.
type step struct {
	Path    string    `json:"path"`   // as it is named
	Target  string    `json:"target"` // that a write replaces
	Before  *snapshot `json:"before"`
	After   *snapshot `json:"after"`
	Make    []string  `json:"make"`  // folders to be made first, outermost first
	Clear   []string  `json:"clear"` // folders to be removed if empty, innermost first
	Journal string    `json:"journal"`
	Old     *snapshot `json:"old"` // the journal before
	New     *snapshot `json:"new"` // and after
}

func (c *Change) add(e Edit, target string, now, next *snapshot, before journal, t *turn) {
	st := step{
		Path: e.Path, Target: target, Before: now, After: next,
		Journal: c.store.file(before.Path),
		Old:     before.encode(), New: t.encode(),
	}
	if now.same(next) && st.Old.same(st.New) {
		return
	}
	for i := range t.Dirs {
		st.Clear = append(st.Clear, t.Dirs[len(t.Dirs)-1-i])
	}
	if next != nil {
		st.Make, st.Clear = t.Dirs, nil
	}
	c.steps = append(c.steps, st)
	fc := FileChange{Path: e.Path, Action: Modify, Why: e.Why, Note: strings.Join(slices.Compact(slices.Clone(t.notes)), "; ")}
	switch {
	case now.same(next):
		fc.Action = Keep
	case now == nil:
		fc.Action = Create
	case next == nil:
		fc.Action = Delete
	}
	c.files = append(c.files, fc)
}

// Empty reports whether there is nothing to do.
func (c *Change) Empty() bool { return len(c.steps) == 0 }

// Files says what happens, file by file, in the order of writing.
func (c *Change) Files() []FileChange { return c.files }

// Notes says what else is to be known: checks that could not be made.
func (c *Change) Notes() []string { return c.notes }

// Diff is the unified diff of all files. A file that is made is compared with
// /dev/null, as is one that goes.
func (c *Change) Diff() string {
	var b strings.Builder
	for i, st := range c.steps {
		if st.Before.same(st.After) {
			continue
		}
		from, to := st.Path, st.Path
		if st.Before == nil {
			from = "/dev/null"
		}
		if st.After == nil {
			to = "/dev/null"
		}
		fmt.Fprintf(&b, "# %s\n", c.files[i].Why)
		b.WriteString(udiff.Unified(from, to, string(st.Before.text()), string(st.After.text())))
	}
	return b.String()
}
