package tap

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// Library is the user's taps while their files change. Its methods may be
// called concurrently.
type Library struct {
	store   *Store
	current atomic.Pointer[Catalog]

	more []Source

	mu        sync.Mutex
	taps      []Tap // of the last reading
	providers map[string]string
	readers   map[string]*tapReader // by name and path
	order     []*tapReader          // of the last reading
}

// tapReader is the reader of a tap of the user's.
type tapReader struct {
	*reader
	name string
}

// Source is capabilities that lie elsewhere than in the capabilities folder of a
// tap.
type Source interface {
	// Read reads them again. taps are the user's, in order of priority.
	Read(taps []Tap) ([]Capability, []Problem)
	// Folders are all folders whose entries decide what Read finds.
	Folders(taps []Tap) []string
}

// NewLibrary returns the library of the user's taps, and of what more there is,
// which comes after them. providers is the user's choice of a provider for
// capabilities, by their names. Nothing is read yet.
func NewLibrary(store *Store, providers map[string]string, more ...Source) *Library {
	l := &Library{store: store, more: more, providers: maps.Clone(providers), readers: map[string]*tapReader{}}
	l.current.Store(Of(nil))
	return l
}

// Catalog is what the last reading found.
func (l *Library) Catalog() *Catalog { return l.current.Load() }

// Choose takes another choice of providers; it counts from the next reading on.
func (l *Library) Choose(providers map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.providers = maps.Clone(providers)
}

// Load reads again what has changed on disk, and nothing from anywhere else. A
// file that cannot be followed any more keeps what it said before. Where nothing
// has changed, the catalog is the one of the last reading.
func (l *Library) Load() *Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	taps, err := l.store.List()
	if err != nil {
		// As with every other file: what was known goes on.
		next := *l.current.Load()
		next.Problems = append([]Problem{{File: l.store.Path(), Severity: Error, Rule: "unreadable", Text: err.Error()}},
			slices.DeleteFunc(slices.Clone(next.Problems), func(p Problem) bool { return p.File == l.store.Path() })...)
		return l.publish(&next)
	}
	known := l.readers
	l.readers, l.order = make(map[string]*tapReader, len(taps)), nil
	for _, t := range taps {
		r := known[t.Name+"\x00"+t.Path]
		if r == nil {
			r = &tapReader{newReader(t.Path), t.Name}
		}
		l.readers[t.Name+"\x00"+t.Path] = r
		l.order = append(l.order, r)
	}
	l.taps = taps
	return l.publish(l.extend(resolve(l.order, l.providers)))
}

// extend adds what lies elsewhere. What a tap has under the same name, down to
// its organisation, stays what that name means.
func (l *Library) extend(c *Catalog) *Catalog {
	if len(l.more) == 0 {
		return c
	}
	list, problems := c.Capabilities, c.Problems
	for _, s := range l.more {
		found, more := s.Read(l.taps)
		problems = append(problems, more...)
		for _, one := range found {
			if i := slices.IndexFunc(list, func(o Capability) bool { return o.Pinned() == one.Pinned() }); i >= 0 {
				problems = append(problems, Problem{
					File: one.Place.File, Severity: Warning, Rule: "shadowed",
					Text: "the name " + one.Pinned() + " is taken", Hint: "see " + list[i].Place.File,
				})
				continue
			}
			list = append(list, one)
		}
	}
	sortProblems(problems)
	return Of(list, problems...)
}

func (l *Library) publish(next *Catalog) *Catalog {
	if old := l.current.Load(); reflect.DeepEqual(old, next) {
		return old
	}
	l.current.Store(next)
	return next
}

// Read is the catalog of one tap alone, read once.
func Read(t Tap, providers map[string]string) *Catalog {
	return resolve([]*tapReader{{newReader(t.Path), t.Name}}, providers)
}
