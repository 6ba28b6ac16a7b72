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
	Schema string              `json:"schema"`
	Slices map[string][]string `json:"slices"` // by host and agent: names of files within the folder
}

const compiledRecord = "compiled.json"

// dir is the folder that the files go to: an agent's slice has one of its own.
func (c *compiler) dir() string {
	dir := state.CompiledDir(c.set.Workspace)
	if c.options.agent != "" {
		dir = filepath.Join(dir, "agents", plainName(c.options.agent))
	}
	return dir
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

func (c *compiler) record() (compiled, error) {
	all := compiled{Schema: compiledSchema, Slices: map[string][]string{}}
	path := filepath.Join(state.CompiledDir(c.set.Workspace), compiledRecord)
	b, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, err
	}
	var read compiled
	if err := json.Unmarshal(b, &read); err != nil || read.Schema != compiledSchema {
		bad, aside := file.SetAside(path)
		c.out.Warnings = append(c.out.Warnings, fmt.Sprintf("%s cannot be read and is kept as %s; what it knew of is not taken away", path, filepath.Base(bad)))
		return all, aside
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
	record, err := c.record()
	if err != nil {
		return err
	}
	for _, name := range record.Slices[c.key()] {
		path := filepath.Join(c.dir(), name)
		if filepath.IsLocal(name) && !slices.Contains(c.out.Files, path) {
			if _, err := os.Lstat(path); err == nil {
				c.out.Stale = append(c.out.Stale, path)
			}
		}
	}
	return nil
}

// write puts the files where they belong and takes away what an earlier
// compilation wrote and this one does not.
func (c *compiler) write() error {
	if err := state.MakeCompiledDir(c.set.Workspace); err != nil {
		return cmdutil.Fail("ctx writes into no folder that came with a repository, is a link or belongs to someone else", "%w; nothing was written", err)
	}
	top, dir := state.CompiledDir(c.set.Workspace), c.dir()
	err := file.Locked(filepath.Join(top, compiledRecord), func() error {
		record, err := c.record()
		if err != nil {
			return err
		}
		var names []string
		for _, m := range c.files {
			path := filepath.Join(dir, m.Name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			if err := file.Write(path, m.Content, 0o600); err != nil {
				return err
			}
			names = append(names, m.Name)
		}
		for _, path := range c.out.Stale {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		record.Slices[c.key()] = names
		b, err := json.MarshalIndent(record, "", "  ")
		if err != nil {
			return err
		}
		return file.Write(filepath.Join(top, compiledRecord), append(b, '\n'), 0o600)
	})
	if err != nil {
		return fmt.Errorf("write the compiled files: %w", err)
	}
	c.out.Applied = true
	return nil
}
