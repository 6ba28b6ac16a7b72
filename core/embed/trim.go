//go:build !(cgo && linux)

package embed

import "runtime/debug"

// Trim gives back to the system what only loading a model, or long work with it,
// has taken. It takes some milliseconds.
func Trim() { debug.FreeOSMemory() }
