// Package buildinfo says which build of ctx this is.
package buildinfo

// Version is the version of every program and adapter in this repository.
const Version = "0.1.0"

// Revision is the commit that was built, "" when the builder did not say. It is
// set by the linker: -X github.com/ctx-sidecar/ctx/internal/buildinfo.Revision=…
var Revision string

// String is the version with its revision, "0.1.0+64f8990".
func String() string {
	if Revision == "" {
		return Version
	}
	return Version + "+" + Revision
}
