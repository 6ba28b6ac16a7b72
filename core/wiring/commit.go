package wiring

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ctx-sidecar/ctx/core/file"
)

// pending is what is being written. It is on disk before the first file is
// touched and goes after the last one, so that whoever finds it knows what to
// put back.
type pending struct {
	Schema string `json:"schema"`
	Steps  []step `json:"steps"`
}

const pendingSchema = "ctx.wrap.pending/v1"

func (s *Store) pendingFile() string { return filepath.Join(s.dir, "pending.json") }

// Apply writes all files, or none: when one cannot be written, those before it
// get back what they had, and so they do after a crash, as soon as the store is
// used again. A file that was changed since the plan is an error.
func (c *Change) Apply() error {
	if c.Empty() {
		return nil
	}
	return c.store.locked(func() error { return c.store.commit(c.steps) })
}

// Revert puts the files of an applied change back to what they were before it.
// A file that was changed since is an error, and nothing is written.
func (c *Change) Revert() error {
	if c.Empty() {
		return nil
	}
	back := make([]step, 0, len(c.steps))
	for _, st := range slices.Backward(c.steps) {
		st.Before, st.After = st.After, st.Before
		st.Old, st.New = st.New, st.Old
		st.Make, st.Clear = reversed(st.Clear), reversed(st.Make)
		back = append(back, st)
	}
	return c.store.locked(func() error { return c.store.commit(back) })
}

func (s *Store) commit(steps []step) error {
	for _, st := range steps {
		if err := st.unchanged(); err != nil {
			return err
		}
	}
	b, err := json.Marshal(pending{pendingSchema, steps})
	if err != nil {
		return err
	}
	if err := file.Write(s.pendingFile(), b, 0o600); err != nil {
		return fmt.Errorf("keep what is about to be changed: %w", err)
	}
	for i, st := range steps {
		if s.writing != nil {
			s.writing(st.Path)
		}
		// The files before it took their time, and a host may have written this one.
		if err := st.unchanged(); err != nil {
			return errors.Join(err, s.rollBack(steps[:i]))
		}
		if err := st.write(); err != nil {
			err = fmt.Errorf("%s: %w", st.Path, err)
			return errors.Join(err, s.rollBack(steps))
		}
	}
	return os.Remove(s.pendingFile())
}

// unchanged reports whether file and journal are as they were planned upon.
func (st step) unchanged() error {
	target, now, err := look(st.Path)
	if err != nil {
		return named(st.Path, err)
	}
	_, journal, err := look(st.Journal)
	if err != nil {
		return err
	}
	if target != st.Target || !now.same(st.Before) || !journal.same(st.Old) {
		return &FileError{Path: st.Path, Msg: "was changed while this command ran", hint: "run it again; nothing was changed"}
	}
	return nil
}

func (st step) write() error {
	for _, dir := range st.Make {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if !st.Before.same(st.After) {
		if err := st.After.write(st.Target); err != nil {
			return err
		}
	}
	if err := st.note(st.New); err != nil {
		return err
	}
	if st.After == nil {
		rmdirs(st.Clear)
	}
	return nil
}

// note keeps what is on record of the file.
func (st step) note(journal *snapshot) error {
	if err := os.MkdirAll(filepath.Dir(st.Journal), 0o700); err != nil {
		return err
	}
	return journal.write(st.Journal)
}

// rmdirs removes folders, innermost first, as far as they are empty.
func rmdirs(dirs []string) {
	for _, dir := range dirs {
		// A folder that somebody else uses by now is not empty, and stays; what
		// is no folder any more is not ours.
		_ = unix.Rmdir(dir)
	}
}

// rollBack puts everything back to what it was before the steps.
func (s *Store) rollBack(steps []step) error {
	var errs []error
	for _, st := range slices.Backward(steps) {
		errs = append(errs, st.back())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("putting back what was there: %w", err)
	}
	return os.Remove(s.pendingFile())
}

func (st step) back() error {
	_, now, err := look(st.Target)
	if err != nil {
		return err
	}
	litter(st.Target)
	litter(st.Journal)
	if !now.same(st.Before) && !now.same(st.After) {
		// Somebody has changed it since. What may stand in it stays on record, to
		// be taken out of the file as it is by then.
		journal, err := st.either()
		if err != nil {
			return err
		}
		return st.note(journal)
	}
	if !now.same(st.Before) {
		for _, dir := range slices.Backward(st.Clear) {
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		if err := st.Before.write(st.Target); err != nil {
			return err
		}
	}
	if err := st.note(st.Old); err != nil {
		return err
	}
	if st.Before == nil {
		rmdirs(reversed(st.Make))
	}
	return nil
}

// either is what may stand in a file of which only that is known: that it was
// as before the step, or as after it, when somebody else changed it.
func (st step) either() (*snapshot, error) {
	_, now, err := look(st.Journal)
	if err != nil {
		return nil, err
	}
	switch {
	case st.Old == nil || st.New != nil && now.same(st.New): // a file is written before its record
		return st.New, nil
	case st.New == nil:
		return st.Old, nil
	}
	var before, after journal
	if err := errors.Join(json.Unmarshal(st.Old.Bytes, &before), json.Unmarshal(st.New.Bytes, &after)); err != nil {
		return nil, fmt.Errorf("%s: %w", st.Journal, err)
	}
	return after.and(before).encode(), nil
}

func reversed(dirs []string) []string {
	out := slices.Clone(dirs)
	slices.Reverse(out)
	return out
}

// litter removes temporary files that a killed write left beside a file.
func litter(target string) {
	// Where the folder cannot be read there is nothing to be removed either.
	entries, _ := os.ReadDir(filepath.Dir(target))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+filepath.Base(target)+".ctx-") {
			_ = os.Remove(filepath.Join(filepath.Dir(target), e.Name()))
		}
	}
}

// recover puts back what a program that was killed in the middle of a change
// had written.
func (s *Store) recover() error {
	litter(s.pendingFile())
	b, err := os.ReadFile(s.pendingFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var p pending
	if err := json.Unmarshal(b, &p); err != nil || p.Schema != pendingSchema {
		bad, err := file.SetAside(s.pendingFile())
		return errors.Join(fmt.Errorf("%s: an unfinished change cannot be read and is kept as %s; run the command again to go on without it", s.pendingFile(), bad), err)
	}
	return s.rollBack(p.Steps)
}
