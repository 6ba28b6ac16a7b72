package capability

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSession says that another conversation began meanwhile.
var ErrSession = errors.New("another conversation has begun meanwhile")

// UnknownError says that no tap of the user's has a capability of that name.
type UnknownError struct {
	Name string
	Near string // the name that was probably meant, "" when none is near
}

func (e *UnknownError) Error() string { return fmt.Sprintf("no capability is named %q", e.Name) }

// Hint says what to do.
func (e *UnknownError) Hint() string {
	if e.Near != "" {
		return "did you mean " + e.Near + "?"
	}
	return "list shows those that there are"
}

// BlockedError says why a capability cannot be enabled now.
type BlockedError struct {
	Name    string
	Reasons []Reason // never empty
}

func (e *BlockedError) Error() string {
	var texts []string
	for _, r := range e.Reasons {
		texts = append(texts, r.Text)
	}
	return fmt.Sprintf("%s cannot be enabled: %s", e.Name, strings.Join(texts, "; "))
}

// Hint says what to do.
func (e *BlockedError) Hint() string {
	var hints []string
	for _, r := range e.Reasons {
		if r.Hint != "" {
			hints = append(hints, r.Hint)
		}
	}
	return strings.Join(hints, "; ")
}

// StaticError says that a capability belongs to the session's role.
type StaticError struct{ Name string }

func (e *StaticError) Error() string {
	return fmt.Sprintf("%s belongs to the session's role and stays", e.Name)
}

// Hint says what to do.
func (e *StaticError) Hint() string {
	return "the user's ctx.toml lists it under [roles], capabilities"
}
