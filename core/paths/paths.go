// Package paths says where ctx keeps its files, and which workspace a folder
// belongs to. Every program of ctx asks here, so that a hook, the gateway and
// the command line always mean the same place.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Layout is the set of folders that belong to one user.
type Layout struct {
	Home   string
	Config string // settings that the user writes
	State  string // pins, wrap records, logs
	Data   string // plugins, taps, models
}

// FromEnv lays the folders out by the XDG base directory rules from an
// environment in the form of os.Environ. Relative XDG values are ignored, as
// the specification asks.
func FromEnv(env []string) Layout {
	home := Lookup(env, "HOME")
	if home == "" {
		home, _ = os.UserHomeDir()
	}
	dir := func(key, fallback string) string {
		if v := Lookup(env, key); filepath.IsAbs(v) {
			return filepath.Join(v, "ctx")
		}
		return filepath.Join(home, fallback, "ctx")
	}
	return Layout{
		Home:   home,
		Config: dir("XDG_CONFIG_HOME", ".config"),
		State:  dir("XDG_STATE_HOME", ".local/state"),
		Data:   dir("XDG_DATA_HOME", ".local/share"),
	}
}

// Lookup returns the value of a variable in an environment in the form of
// os.Environ, "" when it is not there. Of several the last one counts.
func Lookup(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], key+"="); ok {
			return v
		}
	}
	return ""
}

// Share returns the folders that hold what was installed beside the programs,
// nearest first: PREFIX/share/ctx for a program in PREFIX/bin, then the user's
// data folder.
func (l Layout) Share() []string {
	dirs := []string{}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		dirs = append(dirs, filepath.Join(filepath.Dir(filepath.Dir(self)), "share", "ctx"))
	}
	if len(dirs) == 0 || dirs[0] != l.Data {
		dirs = append(dirs, l.Data)
	}
	return dirs
}

// Trust is the file of pins and approvals.
func (l Layout) Trust() string { return filepath.Join(l.State, "trust.json") }

// Baselines is the folder of how tools were defined when the user accepted them.
func (l Layout) Baselines() string { return filepath.Join(l.State, "baselines") }

// Wraps is the folder of wrap records.
func (l Layout) Wraps() string { return filepath.Join(l.State, "wraps") }

// WrapRecord is the file that says what wrap did in a workspace. It is there from
// just before the workspace is wrapped until it is unwrapped.
func (l Layout) WrapRecord(workspace string) string {
	return filepath.Join(l.Wraps(), ID(workspace)+".json")
}

// Log is the file that the named program logs to.
func (l Layout) Log(program string) string {
	return filepath.Join(l.State, "log", program+".log")
}

// Sockets is the folder, mode 0700, of the sockets on which hooks reach their
// gateways. It follows from the state folder alone, since a host may hand its
// hooks and its servers different environments; a state folder too deep for a
// socket's path (104 bytes on macOS) is stood in for by a short one in /tmp.
func (l Layout) Sockets() string {
	const longestName = 48
	if dir := filepath.Join(l.State, "run"); len(dir)+longestName < 104 {
		return dir
	}
	return filepath.Join("/tmp", "ctx-"+ID(l.State))
}

// Skills are the folders of the workspace's skills and of the user's own, in
// order of priority; without a workspace the user's alone.
func (l Layout) Skills(workspace string) []string {
	own := []string{filepath.Join(l.Config, "skills"), filepath.Join(l.Data, "skills")}
	if workspace == "" {
		return own
	}
	return append([]string{filepath.Join(workspace, ".agents", "skills")}, own...)
}

// OwnPlugins is the folder of the user's own plugin folders.
func (l Layout) OwnPlugins() string { return filepath.Join(l.Config, "plugins") }

// WorkspacePlugins is the folder of a workspace's plugin folders.
func WorkspacePlugins(workspace string) string {
	return filepath.Join(workspace, ".agents", "plugins")
}

// ID is a short name, stable and safe in a file name, for an absolute path:
// the first 16 hex digits of its SHA-256.
func ID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}
