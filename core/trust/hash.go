package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Stamp tells one state of a file from another without reading it. Bytes cannot
// change under an equal stamp: a write moves the change time, which nobody but
// root can set back.
type Stamp struct {
	Dev   uint64 `json:"dev"`
	Inode uint64 `json:"inode"`
	Size  int64  `json:"size"`
	Mtime int64  `json:"mtime"` // ns since 1970
	Ctime int64  `json:"ctime"` // ns since 1970
}

// StampOf takes the stamp of a file that was looked at with os.Stat.
func StampOf(info fs.FileInfo) Stamp {
	st := info.Sys().(*syscall.Stat_t)
	return Stamp{
		Dev: uint64(st.Dev), Inode: st.Ino, Size: st.Size,
		Mtime: info.ModTime().UnixNano(), Ctime: ctime(st).UnixNano(),
	}
}

// knownHash is the SHA-256 of a file in the state of its stamp.
type knownHash struct {
	Stamp
	SHA256 string `json:"sha256"`
}

// settled is how long a file must have been left alone before its hash is kept.
// Within one tick of the file system's clock a second write leaves the stamp as
// it is; no file system in use ticks slower than this.
const settled = 2 * time.Second

// mostHashes bounds the cache; there are as many adapters as hosts.
const mostHashes = 32

// Hash returns the SHA-256 that was kept for the file in this very state.
func (s *Store) Hash(path string, st Stamp) (string, bool) {
	h, ok := s.view().Hashes[path]
	return h.SHA256, ok && h.Stamp == st
}

// HashFile returns the SHA-256 of an open file, in hex: the one that is kept
// where the file is in the state that it was then, else a new one.
func (s *Store) HashFile(path string, f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	st := StampOf(info)
	if sum, ok := s.Hash(path, st); ok {
		return sum, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	s.KeepHash(path, st, sum)
	return sum, nil
}

// KeepHash keeps the SHA-256 of a file for later. It is a help and no more: a
// file changed a moment ago, a folder that cannot be written and a file that
// another process holds are passed over.
func (s *Store) KeepHash(path string, st Stamp, sha256 string) {
	if age := s.now().Sub(time.Unix(0, max(st.Ctime, st.Mtime))); age < settled {
		return
	}
	// Failing costs a few milliseconds the next time, and nothing else.
	_ = s.tryUpdate(func(d *document) error {
		if len(d.Hashes) >= mostHashes {
			d.Hashes = nil
		}
		put(&d.Hashes, path, knownHash{st, sha256})
		return nil
	})
}
