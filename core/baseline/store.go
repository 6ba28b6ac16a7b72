// Package baseline holds back tools whose definition is no longer the one that
// the user accepted. What a server lists when it is first seen as it was
// approved is its baseline: a tool that it adds later belongs to it from then
// on, one that it defines otherwise waits for the user.
package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// mostFile bounds the file of one server, in bytes.
const mostFile = 256 << 20

// Store is the baselines of one user, a file for each server as it is declared,
// seen from one workspace. Every question is answered from the files as they
// are then. Its methods may be called concurrently; a nil Store holds nothing
// back.
type Store struct {
	dir       string
	workspace string
	log       hclog.Logger

	mu         sync.Mutex
	seen       map[string]*known // by path
	generation int
	unsaved    []save
	pending    map[string]int // saves that are still to be made, by path
	saving     bool
	saved      *sync.Cond
	failed     error
}

// known is a file as it was last read, and what was observed since.
type known struct {
	stamp trust.Stamp                        // zero: there is none
	doc   *document                          // without texts; nil: nothing was ever observed
	err   error                              // why the file cannot be used
	held  map[string]map[string]trust.Status // by the bytes of a listing
}

// save writes what was observed into the file at path.
type save struct {
	path string
	make func(*document) (*document, bool)
}

// Open returns the baselines in the folder dir, which need not exist. A nil log
// is one that says nothing.
func Open(dir, workspace string, log hclog.Logger) *Store {
	if log == nil {
		log = hclog.NewNullLogger()
	}
	s := &Store{dir: dir, workspace: workspace, log: log, seen: map[string]*known{}, pending: map[string]int{}}
	s.saved = sync.NewCond(&s.mu)
	return s
}

// Screen returns a listing without the tools that are held back, and which
// those are: [trust.Changed] where they wait for the user's word,
// [trust.Rejected] where it was given. A baseline that cannot be read holds back
// every tool of its server.
func (s *Store) Screen(srv surface.Server, l listing.Listing) (listing.Listing, map[string]trust.Status) {
	if s == nil || len(l.Tools) == 0 {
		return l, nil
	}
	held := s.judge(srv, l)
	if len(held) == 0 {
		return l, nil
	}
	tools := l.Tools
	l.Tools = make([]json.RawMessage, 0, len(tools))
	for _, raw := range tools {
		// All of one name: a second definition must not take the first one's place.
		one := listing.Listing{Tools: []json.RawMessage{raw}}.Parse()
		if len(one) == 0 || held[one[0].Name] == "" {
			l.Tools = append(l.Tools, raw)
		}
	}
	return l, held
}

func (s *Store) judge(srv surface.Server, l listing.Listing) map[string]trust.Status {
	raw := rawHash(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.look(s.path(srv))
	switch {
	case k.err != nil:
		held := map[string]trust.Status{}
		for _, t := range l.Parse() {
			held[t.Name] = trust.Changed
		}
		return held
	case k.doc == nil || slices.Contains(k.doc.Same, raw):
		return nil
	}
	held, ok := k.held[raw]
	if !ok {
		held = k.doc.held(l)
		if k.held == nil || len(k.held) > mostSame {
			k.held = map[string]map[string]trust.Status{}
		}
		k.held[raw] = held
	}
	return maps.Clone(held) // the caller's own: others read ours
}

// Observe takes down what a server that the user approved has just listed. It
// counts at once; the file is written in the background, see [Store.Flush].
func (s *Store) Observe(srv surface.Server, l listing.Listing) {
	if s == nil || l.Failed != "" {
		return
	}
	path, now := s.path(srv), time.Now().UTC().Truncate(time.Second)
	first := document{
		ID: trust.ServerID(srv, s.workspace), Fingerprint: srv.Fingerprint(), Server: srv.Name,
		At: now, Tools: map[string]*tool{},
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.look(path)
	if k.err != nil {
		return
	}
	next := first.clone()
	if k.doc != nil {
		next = k.doc.clone()
	}
	if !next.observe(l, now) {
		return
	}
	next.texts = nil
	s.seen[path] = &known{stamp: k.stamp, doc: next}
	s.generation++
	s.later(save{path, func(d *document) (*document, bool) {
		if d == nil {
			d = first.clone()
		}
		return d, d.observe(l, now)
	}})
}

// Generation changes when what Screen answers may have: another process, or the
// user's word, has changed a file.
func (s *Store) Generation() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.seen {
		s.look(path)
	}
	return s.generation
}

// Flush waits until all that was observed is written, and returns what of it
// could not be.
func (s *Store) Flush() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.saving {
		s.saved.Wait()
	}
	err := s.failed
	s.failed = nil
	return err
}

// later saves in the order of the calls; s.mu is held.
func (s *Store) later(next save) {
	s.unsaved = append(s.unsaved, next)
	s.pending[next.path]++
	if s.saving {
		return
	}
	s.saving = true
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for len(s.unsaved) > 0 {
			next := s.unsaved[0]
			s.unsaved = s.unsaved[1:]
			s.mu.Unlock()
			err := s.change(next.path, next.make)
			s.mu.Lock()
			s.pending[next.path]--
			if err != nil {
				s.log.Warn("how tools are defined is not kept for later sessions", "error", err)
				s.failed = errors.Join(s.failed, err)
			}
		}
		s.saving = false
		s.saved.Broadcast()
	}()
}

func (s *Store) path(srv surface.Server) string {
	return filepath.Join(s.dir, fileName(trust.ServerID(srv, s.workspace), srv.Fingerprint()))
}

// look returns what is known of the file at path, reading it again where it is
// another one; s.mu is held.
func (s *Store) look(path string) *known {
	var stamp trust.Stamp
	if info, err := os.Stat(path); err == nil {
		stamp = trust.StampOf(info)
	}
	old := s.seen[path]
	if old != nil && (old.stamp == stamp || s.pending[path] > 0) {
		return old // while something is still to be saved, the file is behind
	}
	k := &known{stamp: stamp}
	k.doc, k.err = load(path, false)
	if k.err != nil {
		s.log.Error("all tools of a server are held back", "error", k.err)
	}
	s.seen[path] = k
	if old != nil && (k.err != nil || old.err != nil || !reflect.DeepEqual(old.doc, k.doc)) {
		s.generation++
	}
	return k
}

// change rewrites the file at path while no other process does.
func (s *Store) change(path string, change func(*document) (*document, bool)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return file.Locked(filepath.Join(s.dir, "baselines"), func() error {
		d, err := load(path, true)
		if err != nil {
			return err
		}
		d, changed := change(d)
		if !changed {
			return nil
		}
		b, err := d.encode()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		file.Sweep(path)
		return file.Write(path, b, 0o600)
	})
}

// load reads a baseline; nil where there is none.
func load(path string, texts bool) (*document, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = trust.Ours(info)
	}
	var b []byte
	if err == nil {
		b, err = file.ReadUpTo(path, mostFile)
	}
	var d *document
	if err == nil {
		d, err = decode(b, texts)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; once it is removed, the tools are taken as they are then", path, stripped(err, path))
	}
	return d, nil
}

// stripped is an error that does not name path again.
func stripped(err error, path string) error {
	var named *fs.PathError
	if errors.As(err, &named) && strings.HasSuffix(named.Path, path) {
		return named.Err
	}
	return err
}
