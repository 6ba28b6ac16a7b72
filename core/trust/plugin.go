package trust

import (
	"maps"
	"time"
)

// Pin is an adapter that the user trusts, down to its bytes.
type Pin struct {
	Path   string    `json:"path"` // where it lay when it was trusted
	SHA256 string    `json:"sha256"`
	At     time.Time `json:"at"`
}

// PinPlugin trusts the adapter of that name with these bytes, in place of any
// other.
func (s *Store) PinPlugin(name, path, sha256 string) error {
	return s.update(func(d *document) error {
		if p, ok := d.Plugins[name]; ok && p.Path == path && p.SHA256 == sha256 {
			return errUnchanged
		}
		put(&d.Plugins, name, Pin{Path: path, SHA256: sha256, At: s.now().UTC()})
		return nil
	})
}

// UnpinPlugin takes the trust back.
func (s *Store) UnpinPlugin(name string) error {
	return s.update(func(d *document) error {
		if _, ok := d.Plugins[name]; !ok {
			return errUnchanged
		}
		delete(d.Plugins, name)
		return nil
	})
}

// Plugin returns the pin of an adapter.
func (s *Store) Plugin(name string) (Pin, bool) {
	p, ok := s.view().Plugins[name]
	return p, ok
}

// Plugins returns all pins by name.
func (s *Store) Plugins() map[string]Pin { return maps.Clone(s.view().Plugins) }

// put sets a key of a map that may not be there yet.
func put[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}
