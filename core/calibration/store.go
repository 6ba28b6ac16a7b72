// Package calibration keeps how the user has tuned the router to taps. It is the
// user's data and never a part of a tap.
package calibration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

const schema = "ctx.calibration/v1"

// Calibrated is one tap's calibration for one scorer.
type Calibrated struct {
	Scorer      string `json:"scorer"`      // see [activate.Router.Scorer]
	Ranker      string `json:"ranker"`      // the model's name, or "lexical"
	Fingerprint string `json:"fingerprint"` // of the tap's capabilities; see [activate.Fingerprint]
	activate.Calibration
	Set  Set       `json:"set"`
	Made time.Time `json:"made"`
}

// Set is the labelled rows that a calibration was made on.
type Set struct {
	SHA256    string `json:"sha256"`
	Positives int    `json:"positives"`
	Abstain   int    `json:"abstain"`
}

// File is all calibrations of one tap.
type File struct {
	Schema string       `json:"schema"`
	Tap    string       `json:"tap"`
	Of     []Calibrated `json:"calibrations"`
}

// Find returns the calibration for a scorer.
func (f File) Find(scorer string) (Calibrated, bool) {
	for _, c := range f.Of {
		if c.Scorer == scorer {
			return c, true
		}
	}
	return Calibrated{}, false
}

// Store is a user's calibrations, a file for each tap.
type Store struct{ dir string }

// Open returns the user's calibrations.
func Open(l paths.Layout) *Store { return &Store{filepath.Join(l.Data, "calibrations")} }

const suffix = ".json"

// Path is the file of a tap's.
func (s *Store) Path(tap string) string {
	return filepath.Join(s.dir, filepath.FromSlash(tap)+suffix)
}

// Read returns a tap's calibrations, none where there is no file.
func (s *Store) Read(tap string) (File, error) {
	f := File{Schema: schema, Tap: tap}
	raw, err := file.Read(s.Path(tap))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read a calibration: %w", err)
	}
	if err := parse(raw, tap, &f); err != nil {
		return File{Schema: schema, Tap: tap}, fmt.Errorf("%s: %w", s.Path(tap), err)
	}
	return f, nil
}

func parse(raw []byte, tap string, f *File) error {
	var read File
	if err := json.Unmarshal(raw, &read); err != nil {
		return err
	}
	switch {
	case read.Schema != schema:
		return fmt.Errorf("its schema is %q; this version of ctx reads %q", read.Schema, schema)
	case read.Tap != tap:
		return fmt.Errorf("it is of the tap %q", read.Tap)
	}
	for _, c := range read.Of {
		if err := c.check(); err != nil {
			return err
		}
	}
	*f = read
	return nil
}

func (c Calibrated) check() error {
	for name, x := range map[string]float64{"activate_at": c.ActivateAt, "suggest_at": c.SuggestAt, "discover_at": c.DiscoverAt} {
		if x < 0 || x > 1 {
			return fmt.Errorf("%s is %v, and is to be from 0 to 1", name, x)
		}
	}
	if c.Scale <= 0 {
		return fmt.Errorf("scale is %v, and is to be above 0", c.Scale)
	}
	return nil
}

// Put keeps a tap's calibrations in the place of those that were made for the
// same rankers.
func (s *Store) Put(tap string, made []Calibrated) error {
	path := s.Path(tap)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep a calibration: %w", err)
	}
	return file.Locked(path, func() error {
		f, err := s.Read(tap)
		if err != nil { // it is of no use: what is said in its place is whole
			if _, aside := file.SetAside(path); aside != nil {
				return errors.Join(err, aside)
			}
		}
		for _, old := range f.Of {
			if !has(made, old.Ranker) {
				made = append(made, old)
			}
		}
		f.Of = made
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		if err := e.Encode(f); err != nil {
			return fmt.Errorf("keep a calibration: %w", err)
		}
		return file.Write(path, b.Bytes(), 0o600)
	})
}

func has(list []Calibrated, ranker string) bool {
	for _, c := range list {
		if c.Ranker == ranker {
			return true
		}
	}
	return false
}

// Remove forgets a tap's calibrations; where there are none that is no error.
func (s *Store) Remove(tap string) error {
	for _, path := range []string{s.Path(tap), s.Path(tap) + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget a calibration: %w", err)
		}
	}
	os.Remove(filepath.Dir(s.Path(tap))) // fails while another tap of the organisation has one
	return nil
}

// Use hands a router all calibrations that are made for it. The error names the
// files that cannot be read; the others count.
func (s *Store) Use(r *activate.Router) error {
	use := map[string]activate.Calibration{}
	all, err := s.all()
	for _, f := range all {
		if c, ok := f.Find(r.Scorer()); ok {
			use[c.Fingerprint] = c.Calibration
		}
	}
	r.Calibrate(use)
	return err
}

// For returns the calibration that a router uses for a tap of these texts, and
// the tap that it was made for.
func (s *Store) For(r *activate.Router, fingerprint string) (tap string, _ Calibrated, ok bool) {
	all, _ := s.all() // what cannot be read is not used
	for _, f := range all {
		if c, there := f.Find(r.Scorer()); there && c.Fingerprint == fingerprint {
			return f.Tap, c, true
		}
	}
	return "", Calibrated{}, false
}

func (s *Store) all() (list []File, _ error) {
	var wrong []error
	walk := func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			wrong = append(wrong, err)
			return nil
		case d.IsDir() || !strings.HasSuffix(path, suffix):
			return nil
		}
		name, _ := filepath.Rel(s.dir, strings.TrimSuffix(path, suffix)) // below dir it cannot fail
		f, err := s.Read(filepath.ToSlash(name))
		if err != nil {
			wrong = append(wrong, err)
			return nil
		}
		list = append(list, f)
		return nil
	}
	wrong = append(wrong, filepath.WalkDir(s.dir, walk))
	return list, errors.Join(wrong...)
}
