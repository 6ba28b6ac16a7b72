package loader

import "github.com/ctx-sidecar/ctx/core/tap"

// Faults are the errors in the files of the user's taps: what they say is not
// followed, or what they said before is.
func (l *Loader) Faults() []string {
	var list []string
	for _, p := range l.opts.Taps.Catalog().Problems {
		if p.Severity == tap.Error {
			list = append(list, p.String())
		}
	}
	return list
}
