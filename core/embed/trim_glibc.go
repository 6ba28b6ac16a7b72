//go:build cgo && linux

package embed

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
static void trim(void) { malloc_trim(0); }
#else
static void trim(void) {}
#endif
*/
import "C"

import "runtime/debug"

// Trim gives back to the system what only loading a model, or long work with it,
// has taken. It takes some milliseconds.
func Trim() {
	debug.FreeOSMemory()
	C.trim() // ONNX Runtime's share, which the C library would keep
}
