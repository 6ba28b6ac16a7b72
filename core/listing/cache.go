package listing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
)

const (
	cacheFile   = "probe-cache.json"
	cacheSchema = "ctx.probe-cache/v2"
	mostCache   = 256 << 20 // bytes of the file

	// mostPerServer bounds what is kept of one server's name: several hosts may
	// declare it differently and be capable of different things.
	mostPerServer = 8
)

// Cache is what servers listed the last time that they were asked, in a file
// that every program of ctx shares. It grants nothing: a listing that is found
// starts no server, and one that no program of this user's wrote is not found.
// Methods may be called concurrently.
type Cache struct {
	path    string
	keyFile string

	mu      sync.Mutex
	read    fs.FileInfo // the file as it was read; nil when there was none
	entries []entry
	problem error
}

// entry is what is known of one server as one kind of client sees it.
type entry struct {
	Listing Listing  `json:"listing"` // Failed is always ""; At is zero when there has been none yet
	Failure *Failure `json:"failure,omitempty"`
}

// Failure is the latest of the vain attempts to get a listing since the last
// one that worked.
type Failure struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Count  int       `json:"count"`          // in a row
	Hung   bool      `json:"hung,omitempty"` // see [Listing.Hung]
}

type cacheJSON struct {
	Schema  string   `json:"schema"`
	Entries []sealed `json:"entries"`
}

// OpenCache is the cache in the folder dir, sealed with the key in keyFile: see
// [KeyFile]. None of them needs to exist.
func OpenCache(dir, keyFile string) *Cache {
	return &Cache{path: filepath.Join(dir, cacheFile), keyFile: keyFile}
}

// Get returns the last good listing of a server with this declaration, as it
// answers a client with these capabilities (JSON; any formatting).
func (c *Cache) Get(server, fingerprint string, capabilities string) (Listing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(server, fingerprint, Canonical(json.RawMessage(capabilities)))
	if e == nil || e.Listing.At.IsZero() {
		return Listing{}, false
	}
	return e.Listing, true
}

// Any returns the newest good listing of a server with this declaration,
// whatever the client was capable of.
func (c *Cache) Any(server, fingerprint string) (Listing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	var newest Listing
	for _, e := range c.entries {
		if e.Listing.Server == server && e.Listing.Fingerprint == fingerprint && e.Listing.At.After(newest.At) {
			newest = e.Listing
		}
	}
	return newest, !newest.At.IsZero()
}

// Last returns the newest good listing of a server of this name, however it was
// declared then.
func (c *Cache) Last(server string) (Listing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	var newest Listing
	for _, e := range c.entries {
		if e.Listing.Server == server && e.Listing.At.After(newest.At) {
			newest = e.Listing
		}
	}
	return newest, !newest.At.IsZero()
}

// Failure returns the failure of a server with this declaration, if it has not
// listed anything since.
func (c *Cache) Failure(server, fingerprint string, capabilities string) (Failure, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(server, fingerprint, Canonical(json.RawMessage(capabilities)))
	if e == nil || e.Failure == nil {
		return Failure{}, false
	}
	return *e.Failure, true
}

// Put remembers a listing. One that failed is counted and leaves the last good
// listing in its place.
func (c *Cache) Put(l Listing) error { return c.PutAll([]Listing{l}) }

// PutAll is Put for several listings at once.
func (c *Cache) PutAll(all []Listing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return file.Locked(c.path, func() error {
		file.Sweep(c.path)
		c.refresh()
		if c.problem != nil {
			if _, err := file.SetAside(c.path); err != nil {
				return fmt.Errorf("%w; set aside: %w", c.problem, err)
			}
		}
		key, err := makeKey(c.keyFile)
		if err != nil {
			return err
		}
		for _, l := range all {
			l.Capabilities = Canonical(json.RawMessage(l.Capabilities))
			if l.At.IsZero() {
				l.At = time.Now()
			}
			c.put(l)
		}
		f := cacheJSON{Schema: cacheSchema, Entries: make([]sealed, len(c.entries))}
		for i, e := range c.entries {
			if f.Entries[i], err = seal(e, key); err != nil {
				return fmt.Errorf("%s: %w", c.path, err)
			}
		}
		b, err := json.Marshal(f)
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if err := file.Write(c.path, append(b, '\n'), 0o600); err != nil {
			return err
		}
		// What it says is known; where this fails, it is read again.
		c.read, _ = os.Stat(c.path)
		c.problem = nil
		return nil
	})
}

// Problem is what is wrong with the cache's file, nil when nothing is. The next
// Put sets a bad file aside.
func (c *Cache) Problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	return c.problem
}

func (c *Cache) find(server, fingerprint, capabilities string) *entry {
	c.refresh()
	for i, e := range c.entries {
		l := e.Listing
		if l.Server == server && l.Fingerprint == fingerprint && l.Capabilities == capabilities {
			return &c.entries[i]
		}
	}
	return nil
}

// put makes the entry of l the newest, that is the first, of its server.
func (c *Cache) put(l Listing) {
	e := entry{Listing: l}
	if l.Failed != "" {
		e.Listing = Listing{Server: l.Server, Fingerprint: l.Fingerprint, Capabilities: l.Capabilities}
		e.Failure = &Failure{Reason: l.Failed, At: l.At, Count: 1, Hung: l.Hung}
	}
	kept := []entry{}
	same := 0
	for _, old := range c.entries {
		if old.Listing.Server != l.Server {
			kept = append(kept, old)
			continue
		}
		if old.Listing.Fingerprint == l.Fingerprint && old.Listing.Capabilities == l.Capabilities {
			if e.Failure != nil {
				e.Listing = old.Listing
				if old.Failure != nil {
					e.Failure.Count += old.Failure.Count
				}
			}
			continue
		}
		if same++; same < mostPerServer {
			kept = append(kept, old)
		}
	}
	c.entries = slices.Insert(kept, 0, e)
}

// refresh reads the file again if it is not the one that was read last.
func (c *Cache) refresh() {
	info, err := os.Stat(c.path)
	if err == nil && c.read != nil && os.SameFile(info, c.read) &&
		info.ModTime().Equal(c.read.ModTime()) && info.Size() == c.read.Size() {
		return
	}
	c.read, c.entries, c.problem = nil, nil, nil
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	b, err := file.ReadUpTo(c.path, mostCache)
	if err != nil {
		c.problem = err
		return
	}
	c.read = info
	var f cacheJSON
	switch err := json.Unmarshal(b, &f); {
	case err != nil:
		c.problem = fmt.Errorf("%s:%d: %w", c.path, lineOf(b, err), err)
	case f.Schema != cacheSchema:
		c.problem = fmt.Errorf("%s:1: schema is %q, not %q", c.path, f.Schema, cacheSchema)
	default:
		c.problem = c.open(f.Entries)
	}
}

// open takes the entries whose seal holds.
func (c *Cache) open(all []sealed) error {
	key, err := readKey(c.keyFile)
	if err != nil {
		return err
	}
	for _, s := range all {
		e, ok, err := s.open(key)
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if ok {
			c.entries = append(c.entries, e)
		}
	}
	return nil
}

// lineOf is the line, from 1, that a JSON error is about.
func lineOf(b []byte, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(0)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	return 1 + bytes.Count(b[:min(offset, int64(len(b)))], []byte("\n"))
}

// Canonical is a JSON value with sorted keys and without space, so that equal
// values are equal strings. Numbers keep their digits. What is no JSON, or
// nothing, is "{}".
func Canonical(v json.RawMessage) string {
	var x any
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	if err := d.Decode(&x); err != nil || x == nil {
		return "{}"
	}
	b, err := json.Marshal(x)
	if err != nil {
		return "{}"
	}
	return string(b)
}
