package surface

import "slices"

// Words are the words that speak for a family; nil for [Other] and for what is
// no family.
func (f Family) Words() []string {
	for _, x := range families {
		if x.name == f {
			return slices.Clone(x.words)
		}
	}
	return nil
}
