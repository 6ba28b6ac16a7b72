package tap

import (
	"errors"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Command is one thing that a capability would run or reach once it is enabled,
// as it is approved: a server, or the installer of a dependency.
type Command struct {
	ID          string         `json:"id"`         // in the store of approvals
	Capability  string         `json:"capability"` // by its pinned name
	Script      bool           `json:"script"`     // an installer
	Declaration surface.Server `json:"declaration"`
}

// Commands are all that the capability would run, installers first. A
// dependency without a script, and a server that cannot be started from here,
// run nothing. An installer that cannot be read is an error beside the rest.
func (c Capability) Commands() ([]Command, error) {
	var list []Command
	var errs []error
	for _, dep := range c.Deps {
		s, err := c.Script(dep)
		if errors.Is(err, ErrNoScript) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, c.ScriptCommand(s))
	}
	for _, s := range c.Servers {
		if s.Unstartable == "" {
			list = append(list, c.ServerCommand(s))
		}
	}
	return list, errors.Join(errs...)
}

// ServerCommand is the start of one of the capability's servers.
func (c Capability) ServerCommand(s Server) Command {
	return Command{ID: trust.TapID(c.Tap, c.Name, s.Name), Capability: c.Pinned(), Declaration: s.Server}
}

// ScriptCommand is the run of one of the capability's installers.
func (c Capability) ScriptCommand(s Script) Command {
	return Command{ID: trust.TapID(c.Tap, c.Name, "deps/"+s.Name+".sh"), Capability: c.Pinned(), Script: true, Declaration: s.Declaration()}
}
