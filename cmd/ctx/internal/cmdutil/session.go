package cmdutil

import "github.com/ctx-sidecar/ctx/core/state"

// NeedSession fails unless id, "" for none, is that of a session on record in the
// workspace. To note anything of another would make it one, which commands then
// take for the latest.
func NeedSession(sessions *state.Store, id, workspace string) error {
	if id == "" {
		return NotThere("start the host here, or name one: --session ID", "no session is known in %s", workspace)
	}
	known, err := sessions.Load(id)
	if err == nil && known.Started.IsZero() {
		err = UnknownSession(sessions, id)
	}
	return err
}

// UnknownSession says that no session of the workspace has this id.
func UnknownSession(sessions *state.Store, id string) error {
	hint := "no session is on record here"
	if latest, ok := sessions.Latest(); ok {
		hint = "the latest one is " + latest.ID
	}
	return Fail(hint, "unknown session %q", id)
}
