package embed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// LibraryVariable is the environment variable that names ONNX Runtime's library.
const LibraryVariable = "CTX_ORT_LIB"

// SumsFile is the list, beside what was installed, of SHA-256 sums in the form
// of sha256sum.
const SumsFile = "SHA256SUMS"

var (
	// ErrNoRuntime is that this program was built without cgo and cannot load
	// ONNX Runtime.
	ErrNoRuntime = errors.New("this build of ctx cannot load ONNX Runtime: it was built without a C compiler")
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

// Hint says what mends it that no model can be used, "" where nobody can know.
func Hint(err error) string {
	var library *LibraryError
	var bundle *BundleError
	switch {
	case errors.Is(err, ErrNoRuntime):
		return "install a C compiler, then run install.sh again"
	case errors.Is(err, ErrNoLibrary):
		return "run install.sh again where pip or npm reach their registry, or name the library of ONNX Runtime 1.24 or newer in " + LibraryVariable
	case errors.Is(err, ErrNoModel), errors.Is(err, errOther), errors.Is(err, errGone):
		return "run install.sh again"
	case errors.Is(err, errWorkspace), errors.Is(err, errWorkTree):
		return "name it as embed.ort_library in your own ctx.toml, or copy it to a folder of yours"
	case errors.As(err, &library):
		return "name a library of ONNX Runtime 1.24 or newer, in " + LibraryVariable + " or as embed.ort_library in your own ctx.toml"
	case errors.As(err, &bundle):
		return "run install.sh again, or name a folder with all files of a model as embed.model in your own ctx.toml"
	}
	return ""
}

// LibrarySource is where ONNX Runtime's library may come from.
type LibrarySource struct {
	Env        []string // CTX_ORT_LIB is read of it
	Configured string   // embed.ort_library in the user's own settings
	Share      []string // folders with what was installed, nearest first; see Trusted
	Workspace  string   // of the session: what lies in it comes from its repository; "" for none

	// Hash returns the SHA-256 of an open file, in hex; nil: it is computed each
	// time, which takes a while.
	Hash func(path string, f *os.File) (string, error)
}

// Library is an ONNX Runtime library that may be loaded: an open file that was
// checked.
type Library struct {
	Path string
	file *os.File
}

// OpenLibrary opens the library that CTX_ORT_LIB names, else the one that the
// settings name, else the one that is installed in lib/ of a shared folder. A
// library runs as the user does, and an environment may come from a repository,
// so each is taken on a condition of its own:
//
//   - CTX_ORT_LIB: what nobody but the user and root can have put there, outside
//     of the workspace and of every git work tree.
//   - The user's settings: what nobody but the user and root can change.
//   - Installed: bytes that the installer noted in SHA256SUMS.
//
// One that was named and may not be used is a *LibraryError, never a reason to
// take another. Without any, the error is ErrNoLibrary.
func OpenLibrary(s LibrarySource) (*Library, error) {
	if path := paths.Lookup(s.Env, LibraryVariable); path != "" {
		return open(path, func(f *os.File, real string) error {
			return errors.Join(foreign(real, s.Workspace), private(f, real))
		})
	}
	if s.Configured != "" {
		return open(s.Configured, private)
	}
	for _, dir := range s.Share {
		l, err := s.installed(filepath.Join(dir, "lib"))
		if !errors.Is(err, fs.ErrNotExist) {
			return l, err
		}
	}
	return nil, ErrNoLibrary
}

// open opens the file at path and has it checked: f is the file itself, real its
// place with every link resolved.
func open(path string, check func(f *os.File, real string) error) (*Library, error) {
	if !filepath.IsAbs(path) {
		return nil, &LibraryError{path, errRelative}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, &LibraryError{path, err}
	}
	f, _, err := file.Open(real)
	if err != nil {
		return nil, &LibraryError{path, err}
	}
	if err := check(f, real); err != nil {
		f.Close()
		return nil, &LibraryError{path, err}
	}
	return &Library{path, f}, nil
}

// installed opens the library of a folder that install.sh filled. The error is
// fs.ErrNotExist where it put none.
func (s LibrarySource) installed(dir string) (*Library, error) {
	sums := filepath.Join(dir, SumsFile)
	text, err := file.Read(sums)
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		want, name, ok := strings.Cut(lines.Text(), "  ")
		if !ok || !strings.HasPrefix(name, "libonnxruntime") || name != filepath.Base(name) {
			continue
		}
		l, err := open(filepath.Join(dir, name), func(f *os.File, real string) error {
			got, err := s.hash(real, f)
			if err == nil && got != want {
				err = fmt.Errorf("%w: its SHA-256 is %s", errOther, got)
			}
			return err
		})
		if errors.Is(err, fs.ErrNotExist) {
			err = &LibraryError{filepath.Join(dir, name), errGone}
		}
		return l, err
	}
	return nil, fmt.Errorf("%s: %w", sums, fs.ErrNotExist)
}

func (s LibrarySource) hash(path string, f *os.File) (string, error) {
	if s.Hash == nil {
		return hash(f)
	}
	return s.Hash(path, f)
}

// Close lets go of the file. What was loaded of it stays.
func (l *Library) Close() error { return l.file.Close() }

// loadable is a path under which the dynamic linker finds the very file that
// was checked, whatever has come to lie in its place, and no other library
// beside it: Linux names open files.
func (l *Library) loadable() string {
	open := fmt.Sprintf("/proc/self/fd/%d", l.file.Fd())
	if _, err := os.Stat(open); err != nil {
		return l.Path
	}
	return open
}
