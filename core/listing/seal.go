package listing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/paths"
)

// KeyFile is where the key is kept that the user's caches are sealed with.
func KeyFile(l paths.Layout) string { return filepath.Join(l.State, "cache.key") }

const keyBytes = 32

// readKey returns the key, nil when there is none yet.
func readKey(path string) ([]byte, error) {
	key, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(key) != keyBytes {
		err = fmt.Errorf("%s: %d bytes are no key", path, len(key))
	}
	return key, err
}

// makeKey returns the key, which it makes where there is none or a broken one:
// what was sealed with that is listed anew.
func makeKey(path string) (key []byte, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	err = file.Locked(path, func() error {
		if key, err = readKey(path); err == nil && key != nil {
			return nil
		}
		key = make([]byte, keyBytes)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		return file.Write(path, key, 0o600)
	})
	return key, err
}

// sealed is an entry as the file has it. A file in a workspace may have been
// brought by an archive, with a listing that calls a destructive tool harmless;
// the seal tells that a program of the user's wrote it.
type sealed struct {
	Entry json.RawMessage `json:"entry"`
	Seal  string          `json:"seal"`
}

func sum(entry, key []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(entry)
	return mac.Sum(nil)
}

func seal(e entry, key []byte) (sealed, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return sealed{}, err
	}
	return sealed{b, hex.EncodeToString(sum(b, key))}, nil
}

// open returns the entry, false where the seal is not that of key.
func (s sealed) open(key []byte) (e entry, ok bool, err error) {
	mac, err := hex.DecodeString(s.Seal)
	if err != nil || len(key) == 0 || !hmac.Equal(mac, sum(s.Entry, key)) {
		return entry{}, false, nil
	}
	err = json.Unmarshal(s.Entry, &e)
	return e, err == nil, err
}
