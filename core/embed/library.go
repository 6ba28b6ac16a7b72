package embed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// LibraryVariable is the environment variable that names ONNX Runtime's library.
const LibraryVariable = "CTX_ORT_LIB"

var (
	// ErrNoRuntime is that this program was built without cgo and cannot load
	// ONNX Runtime.
	ErrNoRuntime = errors.New("this build of ctx cannot load ONNX Runtime: it was built without cgo")
	// ErrNoLibrary is that ONNX Runtime is not installed.
	ErrNoLibrary = errors.New("ONNX Runtime is not installed")
)

// LibraryError is an ONNX Runtime library that cannot be used.
type LibraryError struct {
	Path string
	Err  error
}

func (e *LibraryError) Error() string { return fmt.Sprintf("load ONNX Runtime %s: %v", e.Path, e.Err) }

// Unwrap gives the reason.
func (e *LibraryError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *LibraryError) Hint() string {
	return "install ONNX Runtime 1.24 or newer and name its library in " + LibraryVariable
}

// FindLibrary returns the path of ONNX Runtime's library: what CTX_ORT_LIB says,
// else what the settings say, else the one that is installed in lib/ of a
// shared folder. A file that was named and is not there is an error, never a
// reason to take another.
func FindLibrary(env []string, configured string, share []string) (string, error) {
	for _, named := range []string{paths.Lookup(env, LibraryVariable), configured} {
		if named == "" {
			continue
		}
		if _, err := os.Stat(named); err != nil {
			return "", &LibraryError{named, err}
		}
		return named, nil
	}
	pattern := "libonnxruntime.so*"
	switch runtime.GOOS {
	case "darwin":
		pattern = "libonnxruntime*.dylib"
	case "windows":
		pattern = "onnxruntime.dll"
	}
	for _, dir := range share {
		found, err := filepath.Glob(filepath.Join(dir, "lib", pattern))
		if err == nil && len(found) > 0 {
			return slices.Max(found), nil
		}
	}
	return "", ErrNoLibrary
}
