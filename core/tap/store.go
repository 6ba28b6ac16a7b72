package tap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// Tap is one of the user's taps.
type Tap struct {
	Name string `toml:"name" json:"name"`                   // "ORG/NAME"
	Path string `toml:"path,omitempty" json:"path"`         // the folder with capabilities/, absolute
	URL  string `toml:"url,omitempty" json:"url,omitempty"` // of the git repository that Path is a clone of, "" for a folder of the user's
}

// Store is the list of the user's taps, first come, first served. It is changed
// by the user's own commands alone.
type Store struct {
	path string // taps.toml
	git  string // folder of the clones
}

// Open returns the user's taps.
func Open(l paths.Layout) *Store {
	return &Store{filepath.Join(l.Data, "taps.toml"), filepath.Join(l.Data, "taps")}
}

// Path is the file that lists the taps.
func (s *Store) Path() string { return s.path }

var (
	// ErrKnown says that a tap of that name is there already.
	ErrKnown = errors.New("a tap of that name is there already")
	// ErrUnknown says that there is no tap of that name.
	ErrUnknown = errors.New("there is no tap of that name")
)

var tapName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$`)
})

// CheckName refuses what cannot be a tap's name.
func CheckName(name string) error {
	if !tapName().MatchString(name) {
		return fmt.Errorf("%q is no name for a tap: write ORG/NAME in letters, digits, dots, dashes and underscores", name)
	}
	return nil
}

// Any reports whether there is a tap. Where the user never added one that costs
// a look at a file that is not there.
func (s *Store) Any() bool {
	list, err := s.List()
	return err != nil || len(list) > 0 // a list that cannot be read is to be complained of
}

// List returns the taps in order of priority. A file that cannot be read lists
// none.
func (s *Store) List() ([]Tap, error) {
	text, err := readFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var d struct {
		Taps []Tap `toml:"taps"`
	}
	if _, why := tooMuch(text); why != "" {
		return nil, fmt.Errorf("%s: %s", s.path, why)
	}
	if _, err := toml.Decode(text, &d); err != nil {
		return nil, errors.New(syntax(s.path, text, err).String())
	}
	for i, t := range d.Taps {
		switch {
		case CheckName(t.Name) != nil:
			return nil, fmt.Errorf("%s: tap %d: %w", s.path, i+1, CheckName(t.Name))
		case !filepath.IsAbs(t.Path):
			return nil, fmt.Errorf("%s: the path of %s is not absolute", s.path, t.Name)
		case slices.ContainsFunc(d.Taps[:i], func(o Tap) bool { return o.Name == t.Name }):
			return nil, fmt.Errorf("%s: %s is there twice", s.path, t.Name)
		}
	}
	return d.Taps, nil
}

// Add appends a tap. A tap that is there already, by name, is [ErrKnown].
func (s *Store) Add(t Tap) error {
	if err := CheckName(t.Name); err != nil {
		return err
	}
	return s.update(func(list []Tap) ([]Tap, error) {
		if slices.ContainsFunc(list, func(o Tap) bool { return o.Name == t.Name }) {
			return nil, fmt.Errorf("%s: %w", t.Name, ErrKnown)
		}
		return append(list, t), nil
	})
}

// Remove takes a tap off the list, and a clone of ours off the disk. A folder
// of the user's is left as it is.
func (s *Store) Remove(name string) error {
	var gone Tap
	err := s.update(func(list []Tap) ([]Tap, error) {
		i := slices.IndexFunc(list, func(o Tap) bool { return o.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: %w", name, ErrUnknown)
		}
		gone = list[i]
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil || gone.URL == "" || gone.Path != s.Clone(name) {
		return err
	}
	return os.RemoveAll(gone.Path)
}

// Clone is where the clone of a git tap lies.
func (s *Store) Clone(name string) string { return filepath.Join(s.git, filepath.FromSlash(name)) }

func (s *Store) update(change func([]Tap) ([]Tap, error)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	return file.Locked(s.path, func() error {
		list, err := s.List()
		if err != nil {
			return err
		}
		list, err = change(list)
		if err != nil {
			return err
		}
		var b strings.Builder
		b.WriteString("# Taps in order of priority.\n")
		err = toml.NewEncoder(&b).Encode(struct {
			Taps []Tap `toml:"taps"`
		}{list})
		if err != nil {
			return err
		}
		return file.Write(s.path, []byte(b.String()), 0o600)
	})
}
