package wiring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// Record is what wrap came to in one workspace.
type Record struct {
	Schema    string       `json:"schema"` // set by PutHosts
	Workspace string       `json:"workspace"`
	Hosts     []HostRecord `json:"hosts"`
}

const recordSchema = "ctx.wrap/v1"

// HostRecord is one host that is wired in a workspace.
type HostRecord struct {
	Host    string    `json:"host"`
	Scope   string    `json:"scope,omitempty"`
	Gateway bool      `json:"gateway"`
	Profile string    `json:"profile,omitempty"`
	Fronted []Fronted `json:"fronted,omitempty"`
	Direct  []Direct  `json:"direct,omitempty"`
	At      time.Time `json:"at"`

	// Everywhere is true where a server of the user's own files is off for every
	// workspace, because the switch stands in those files.
	Everywhere bool `json:"everywhere,omitempty"`
}

// Fronted is a server behind the gateway.
type Fronted struct {
	Name        string `json:"name"`
	Scope       string `json:"scope"`
	Fingerprint string `json:"fingerprint"`
}

// Direct is a server that its host goes on loading itself.
type Direct struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func (s *Store) recordFile(workspace string) string {
	return filepath.Join(s.dir, paths.ID(workspace)+".json")
}

// Record returns a workspace's record, and whether it has one. Hosts that have
// files changed without a word in the record, because wrap was cut off, are in
// it by their names. A record that cannot be read is set aside and an error.
func (s *Store) Record(workspace string) (Record, bool, error) {
	rec, ok, err := readRecord(s.recordFile(workspace))
	if err != nil {
		bad, aside := file.SetAside(s.recordFile(workspace))
		return Record{}, false, errors.Join(fmt.Errorf("%w; it is kept as %s", err, filepath.Base(bad)), aside)
	}
	owners, err := s.Owners("")
	if err != nil {
		return rec, ok, err
	}
	for _, o := range owners {
		known := func(h HostRecord) bool { return h.Host == o.Host }
		if o.Workspace == workspace && !slices.ContainsFunc(rec.Hosts, known) {
			rec.Schema, rec.Workspace, ok = recordSchema, workspace, true
			rec.Hosts = append(rec.Hosts, HostRecord{Host: o.Host})
		}
	}
	return rec, ok, nil
}

// Owners are those on whose behalf files are changed for a purpose, "" for wrap.
func (s *Store) Owners(purpose string) ([]Owner, error) {
	all, notes, err := s.journals()
	if err != nil {
		return nil, err
	}
	var out []Owner
	for _, j := range all {
		for _, w := range j.Wants {
			if w.Owner.For == purpose && !slices.Contains(out, w.Owner) {
				out = append(out, w.Owner)
			}
		}
	}
	for _, n := range notes {
		err = errors.Join(err, errors.New(n))
	}
	return out, err
}

func readRecord(path string) (rec Record, ok bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, false, nil
	}
	if err != nil {
		return rec, false, err
	}
	if err := json.Unmarshal(b, &rec); err != nil {
		return Record{}, false, fmt.Errorf("%s: %w", path, err)
	}
	if rec.Schema != recordSchema {
		return Record{}, false, fmt.Errorf("%s: the schema %q is not known to this version", path, rec.Schema)
	}
	return rec, true, nil
}

// PutHosts keeps what a wrap came to for its hosts in place of what the record of
// the workspace says of them. What it says of other hosts stays, for they may be
// wrapped at the same time.
func (s *Store) PutHosts(workspace string, hosts ...HostRecord) error {
	return s.changeRecord(workspace, func(rec *Record) { rec.put(hosts) })
}

// Announce is PutHosts ahead of the files, so that a program that is killed
// leaves no files that switch servers off and nothing that says on whose behalf.
// Until PutHosts has the last word, an entry says what may hold: as before, or as
// it is to be. back gives the hosts the entries that they had, for a wrap that
// fails; they stay announced while a change that was cut short cannot be undone.
func (s *Store) Announce(workspace string, hosts ...HostRecord) (back func() error, err error) {
	var had []HostRecord
	err = s.changeRecord(workspace, func(rec *Record) {
		announced := slices.Clone(hosts)
		for i, h := range announced {
			if old := rec.of(h.Host); old != nil {
				had = append(had, *old)
				announced[i] = h.or(*old)
			}
		}
		rec.put(announced)
	})
	return func() error {
		return s.locked(func() error {
			return s.changeRecord(workspace, func(rec *Record) {
				for _, h := range hosts {
					rec.drop(h.Host)
				}
				rec.put(had)
			})
		})
	}, err
}

// of is what the record says of a host, nil for nothing.
func (r *Record) of(host string) *HostRecord {
	for i := range r.Hosts {
		if r.Hosts[i].Host == host {
			return &r.Hosts[i]
		}
	}
	return nil
}

// put sets the entries of hosts.
func (r *Record) put(hosts []HostRecord) {
	for _, h := range hosts {
		if had := r.of(h.Host); had != nil {
			*had = h
		} else {
			r.Hosts = append(r.Hosts, h)
		}
	}
}

func (r *Record) drop(host string) {
	r.Hosts = slices.DeleteFunc(r.Hosts, func(h HostRecord) bool { return h.Host == host })
}

// or is what is said of a host of which either entry may hold. A server counts as
// fronted if it is in one of them, and a profile stays in force until it is
// certain that there is none.
func (h HostRecord) or(old HostRecord) HostRecord {
	h.Gateway = h.Gateway || old.Gateway
	h.Everywhere = h.Everywhere || old.Everywhere
	h.Profile = cmp.Or(h.Profile, old.Profile)
	h.Fronted = slices.Clone(h.Fronted)
	for _, f := range old.Fronted {
		if !slices.ContainsFunc(h.Fronted, func(n Fronted) bool { return n.Name == f.Name && n.Scope == f.Scope }) {
			h.Fronted = append(h.Fronted, f)
		}
	}
	return h
}

// changeRecord changes a workspace's record while nobody else does. One that says
// of no host anything is removed.
func (s *Store) changeRecord(workspace string, change func(*Record)) error {
	path := s.recordFile(workspace)
	return s.lockedRecords(func() error {
		file.Sweep(path)
		rec, _, err := readRecord(path)
		if err != nil {
			return err
		}
		change(&rec)
		if len(rec.Hosts) > 0 {
			rec.Schema, rec.Workspace = recordSchema, workspace
			return writeRecord(path, rec)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

func (s *Store) lockedRecords(do func() error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return file.Locked(filepath.Join(s.dir, "records"), do)
}

func writeRecord(path string, rec Record) error {
	b, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	return file.Write(path, append(b, '\n'), 0o600)
}

// DropHost takes a host out of a workspace's record, and removes the record
// with the last one.
func (s *Store) DropHost(workspace, host string) error {
	return s.changeRecord(workspace, func(rec *Record) { rec.drop(host) })
}

// Workspaces are those that have a record, or files changed without one
// because wrap was cut off. The order is that of their paths.
func (s *Store) Workspaces() ([]string, error) {
	all, err := s.records()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range all {
		out = append(out, r.Workspace)
	}
	owners, err := s.Owners("")
	for _, o := range owners {
		out = append(out, o.Workspace)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// records reads every record that can be read.
func (s *Store) records() ([]Record, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []Record
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		if filepath.Ext(path) != ".json" || path == s.pendingFile() {
			continue
		}
		if rec, ok, err := readRecord(path); err == nil && ok {
			out = append(out, rec)
		}
	}
	return out, nil
}

// Profile is the profile that the gateway of a host works under in a workspace,
// as wrap was told; "" for none. A record that cannot be read counts as none.
func (s *Store) Profile(workspace, host string) string {
	rec, _, err := readRecord(s.recordFile(workspace))
	if err != nil {
		return ""
	}
	for _, h := range rec.Hosts {
		if h.Host == host {
			return h.Profile
		}
	}
	return ""
}

// Fronted are the names of the servers that are behind the gateway for a host
// in a workspace: those of its own wrap, and those that the wrap of another
// workspace has switched off everywhere. A record that cannot be read counts as
// none.
func (s *Store) Fronted(workspace, host string) []string {
	all, err := s.records()
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range all {
		for _, h := range r.Hosts {
			for _, f := range h.Fronted {
				here := r.Workspace == workspace || h.Everywhere && f.Scope == string(surface.ScopeUser)
				if h.Host == host && here {
					out = append(out, f.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
