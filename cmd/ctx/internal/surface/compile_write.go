package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/state"
)

// compiledSchema is that of the record of what was compiled.
const compiledSchema = "ctx.compiled/v1"

// compiled is what the last compilations wrote, so that the next one can take
// away what it does not write itself.
type compiled struct {
	Schema string             `json:"schema"`
	Slices map[string]written `json:"slices"` // by host and agent
}

// written are SHA-256 sums by the names of files within the folder. A file that
// holds anything else is not what was written, whatever the record says.
type written map[string]string

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

var errBadRecord = errors.New("it cannot be read")

const compiledRecord = "compiled.json"

// AgentsDir is the folder, in that of the compiled files, of the agents' own ones.
const AgentsDir = "agents"

// dir is the folder that the files go to.
func (c *compiler) dir() string {
	return sliceDir(state.CompiledDir(c.set.Workspace), c.options.agent)
}

// sliceDir is where in top the files of a slice are: an agent's has a folder of
// its own.
func sliceDir(top, agent string) string {
	if agent == "" {
		return top
	}
	return filepath.Join(top, AgentsDir, plainName(agent))
}

// plainName is a name that is safe as that of a folder, and no other's.
func plainName(name string) string {
	plain := underscored(name)
	if plain == name {
		return plain
	}
	sum := sha256.Sum256([]byte(name))
	return plain + "-" + hex.EncodeToString(sum[:4])
}

// key is what the record knows the slice by.
func (c *compiler) key() string { return c.host.Name() + "/" + c.options.agent }

// readRecord reads what earlier compilations wrote; the error is [errBadRecord]
// where nobody can tell.
func readRecord(path string) (compiled, error) {
	all := compiled{Schema: compiledSchema, Slices: map[string]written{}}
	b, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	var read compiled
	if json.Unmarshal(b, &read) != nil || read.Schema != compiledSchema {
		return all, errBadRecord
	}
	if read.Slices != nil {
		all.Slices = read.Slices
	}
	return all, nil
}

// compare finds which files are not as they should be.
func (c *compiler) compare() error {
	c.out.Files, c.out.Changed, c.out.Stale = []string{}, []string{}, []string{}
	for _, m := range c.files {
		if !filepath.IsLocal(m.Name) {
			return fmt.Errorf("the adapter of %s names a file outside of its folder: %q", c.host.Title(), m.Name)
		}
		path := filepath.Join(c.dir(), m.Name)
		c.out.Files = append(c.out.Files, path)
		old, err := file.Read(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.out.Changed = append(c.out.Changed, path)
		case err != nil:
			return err
		case string(old) != string(m.Content):
			c.out.Changed = append(c.out.Changed, path)
		}
	}
	record, err := readRecord(c.recordPath())
	if err != nil && !errors.Is(err, errBadRecord) {
		return err
	}
	for name, sum := range record.Slices[c.key()] {
		path := filepath.Join(c.dir(), name)
		if filepath.IsLocal(name) && !slices.Contains(c.out.Files, path) && untouched(state.CompiledDir(c.set.Workspace), path, sum) {
			c.out.Stale = append(c.out.Stale, path)
		}
	}
	slices.Sort(c.out.Stale)
	return nil
}

// untouched reports whether the file at path, which is to lie in top, holds what
// has that SHA-256 sum.
func untouched(top, path, sum string) bool {
	if plain(top, path) != nil {
		return false
	}
	b, err := file.Read(path)
	return err == nil && sumOf(b) == sum
}

// plain refuses a path on which a link, or anything but folders, leads out of top,
// the folder of compiled files: an unpacked archive may have put one there.
func plain(top, path string) error {
	rel, err := filepath.Rel(top, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: %w: it is no file in %s", path, state.ErrUnsafe, top)
	}
	for dir := filepath.Dir(path); dir != top; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s: %w: it is no folder, or a link to one", dir, state.ErrUnsafe)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: it is no regular file", path, state.ErrUnsafe)
	}
	return nil
}

// write puts the files where they belong and takes away what an earlier
// compilation wrote and this one does not.
func (c *compiler) write() error {
	err := state.MakeCompiledDir(c.set.Workspace)
	for _, path := range c.out.Files {
		if err == nil {
			err = plain(state.CompiledDir(c.set.Workspace), path)
		}
	}
	if err != nil {
		return cmdutil.Fail("ctx writes into no folder that came with a repository, is a link or belongs to someone else", "%w; nothing was written", err)
	}
	if err := file.Locked(c.recordPath(), c.replace); err != nil {
		return fmt.Errorf("write the compiled files: %w", err)
	}
	c.out.Applied = true
	return nil
}

func (c *compiler) recordPath() string {
	return filepath.Join(state.CompiledDir(c.set.Workspace), compiledRecord)
}

// replace writes while nobody else does.
func (c *compiler) replace() error {
	record, err := readRecord(c.recordPath())
	if errors.Is(err, errBadRecord) {
		var bad string
		if bad, err = file.SetAside(c.recordPath()); err == nil {
			c.out.Warnings = append(c.out.Warnings, fmt.Sprintf("%s cannot be read and is kept as %s; what it knew of is not taken away", c.recordPath(), filepath.Base(bad)))
		}
	}
	if err != nil {
		return err
	}
	made := written{}
	for _, m := range c.files {
		path := filepath.Join(c.dir(), m.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := file.Write(path, m.Content, 0o600); err != nil {
			return err
		}
		made[m.Name] = sumOf(m.Content)
	}
	for _, path := range c.out.Stale {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	record.Slices[c.key()] = made
	b, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return file.Write(c.recordPath(), append(b, '\n'), 0o600)
}
