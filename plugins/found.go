package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// State says how an adapter stands to its pin.
type State string

const (
	New     State = "new"     // never trusted
	Trusted State = "trusted" // these very bytes
	Changed State = "changed" // others under this name
)

// Found is an adapter that discovery has met.
type Found struct {
	Name    string // of the host; "" for an entry of CTX_PLUGINS that is no folder of adapters
	Path    string // absolute
	SHA256  string // of the file, in hex; "" where Problem kept it from being read
	Pinned  string // the SHA-256 that is trusted under the name, "" for none
	State   State
	Problem string // why it cannot be used whatever its State, "" when it can

	stamp trust.Stamp
}

func stampAt(path string) (trust.Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return trust.Stamp{}, err
	}
	return trust.StampOf(info), nil
}

// fingerprint hashes what lies at path, or takes the hash that is on record for
// its state. The checks and the hash are of one descriptor, so that they are of
// one file, and opening a named pipe in its place waits for nobody.
func fingerprint(path string, t *trust.Store) (sha string, st trust.Stamp, err error) {
	f, info, err := file.Open(path)
	if errors.Is(err, file.ErrNotRegular) || errors.Is(err, syscall.EISDIR) {
		return "", st, errors.New("it is not a file")
	}
	if err != nil {
		return "", st, err
	}
	defer f.Close()
	st = trust.StampOf(info)
	if err := usable(info); err != nil {
		return "", st, err
	}
	if err := safeFolders(path); err != nil {
		return "", st, err
	}
	if sha, ok := t.Hash(path, st); ok {
		return sha, st, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", st, err
	}
	sha = hex.EncodeToString(h.Sum(nil))
	t.KeepHash(path, st, sha)
	return sha, st, nil
}

func usable(info fs.FileInfo) error {
	if info.Mode().Perm()&0o111 == 0 {
		return errors.New("it is not executable (chmod +x)")
	}
	if err := safe(info); err != nil {
		return fmt.Errorf("it %w", err)
	}
	return nil
}

// safeFolders looks at the folder of a file and, where it is a link, at that of
// what it leads to.
func safeFolders(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(real)} {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if err := safe(info); err != nil {
			return fmt.Errorf("its folder %s %w", dir, err)
		}
	}
	return nil
}

// safe refuses what another user could swap under a pin. In a sticky folder
// they cannot.
func safe(info fs.FileInfo) error {
	sticky := info.IsDir() && info.Mode()&fs.ModeSticky != 0
	if info.Mode().Perm()&0o002 != 0 && !sticky {
		return errors.New("can be written by every user (chmod o-w)")
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return errors.New("belongs to another user")
	}
	return nil
}
