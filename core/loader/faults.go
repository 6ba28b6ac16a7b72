package loader

import "github.com/ctx-sidecar/ctx/core/tap"

// Faults are the errors in the files of the user's taps: what they say is not
// followed, or what they said before is.
func (l *Loader) Faults() []string { return Faults(l.opts.Taps.Catalog()) }

// Faults are the errors in the files that a catalog was read from.
func Faults(c *tap.Catalog) (list []string) {
	for _, p := range c.Problems {
		if p.Severity == tap.Error {
			list = append(list, p.String())
		}
	}
	return list
}
