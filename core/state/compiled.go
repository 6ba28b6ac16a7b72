package state

import "path/filepath"

// CompiledDir is the folder of a workspace that the files of a compiled profile
// go to, whether it is wrapped or not: the user asks for them there.
func CompiledDir(workspace string) string { return filepath.Join(workspace, ".ctx-surface") }

// MakeCompiledDir makes the folder. The error says why it is not one of ours,
// and [ErrUnsafe] is in it where someone else may have put it there.
func MakeCompiledDir(workspace string) error { return prepare(CompiledDir(workspace), true) }
