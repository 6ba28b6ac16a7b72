package capability

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Kind is a sort of reason.
type Kind string

const (
	Broken    Kind = "broken"       // its files
	Domain    Kind = "domain"       // it is for sessions of another one
	Builtin   Kind = "unstartable"  // its server cannot be started from here
	NoTools   Kind = "no-tools"     // its list of tools allows none
	Variable  Kind = "variable"     // one is not set
	Approval  Kind = "not-approved" // the user has yet to allow what it runs
	Installer Kind = "installer"    // of a toolchain, and it is missing
)

// Reason is one thing that stands between a capability and its use.
type Reason struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// check says why a capability cannot be enabled; nothing: it can. Nobody is
// asked anything.
func (r *Registry) check(c tap.Capability) []Reason { return r.checkBeside(c, r.opts.Host()) }

// checkBeside is check, beside these servers of the host's.
func (r *Registry) checkBeside(c tap.Capability, host []surface.Server) []Reason {
	if !c.In(r.opts.Domain) {
		return []Reason{r.otherDomain(c)}
	}
	if c.Broken != "" {
		return []Reason{{Broken, c.Broken, "mend the file; ctx tap lint shows all that is wrong"}}
	}
	var list []Reason
	if toolless(c) {
		s := c.Servers[0]
		list = append(list, Reason{NoTools, "it exposes no tools: " + noTools(s), fmt.Sprintf("in a tap of yours: allowed_tools = [\"%s:*\"]", s.Name)})
	}
	for _, s := range c.Servers {
		list = append(list, r.checkServer(c, s, host)...)
	}
	return append(list, r.checkInstallers(c)...)
}

// toolless reports whether a capability would start servers for nothing.
func toolless(c tap.Capability) bool {
	return len(c.Servers) > 0 && !slices.ContainsFunc(c.Servers, func(s tap.Server) bool { return !s.Toolless() })
}

// leftOut says which servers of a capability are not started, since nothing of
// them is exposed.
func leftOut(c tap.Capability) (warnings []string) {
	for _, s := range c.Servers {
		if s.Toolless() {
			warnings = append(warnings, "the server "+s.Name+" is left out: "+noTools(s))
		}
	}
	return warnings
}

func noTools(s tap.Server) string {
	return fmt.Sprintf("%s:%d: allowed_tools has nothing for the server %s", s.AllowedAt.File, s.AllowedAt.Line, s.Name)
}

func (r *Registry) otherDomain(c tap.Capability) Reason {
	own := fmt.Sprintf("this session's is %q", r.opts.Domain)
	if r.opts.Domain == "" {
		own = "this session has none"
	}
	return Reason{
		Domain, fmt.Sprintf("it is for the domains %s, and %s", strings.Join(c.Domains, ", "), own),
		fmt.Sprintf("role = %q in ctx.toml makes it a session of that domain", c.Domains[0]+":general"),
	}
}

func (r *Registry) checkServer(c tap.Capability, s tap.Server, host []surface.Server) []Reason {
	if s.Toolless() {
		return nil // it is never started
	}
	if s.Unstartable != "" {
		return []Reason{{Builtin, fmt.Sprintf("%s: %s", s.Name, s.Unstartable), "choose another provider under [capabilities] in ctx.toml, if the tap has one"}}
	}
	for _, h := range host {
		if h.Name == s.Name && h.Fingerprint() == s.Fingerprint() {
			return nil // runs already
		}
	}
	var list []Reason
	for _, name := range tap.Missing(s.Server, r.opts.Env) {
		list = append(list, Reason{Variable, fmt.Sprintf("the variable %s is not set", name), "set it where the host is started: export " + name + "=..."})
	}
	return append(list, r.checkApproval(c.ServerCommand(s))...)
}

// checkInstallers looks at the scripts of the dependencies. One that the tap
// lacks is only missed where there is nothing else to the capability.
func (r *Registry) checkInstallers(c tap.Capability) []Reason {
	var list []Reason
	for _, dep := range c.Deps {
		s, err := c.Script(dep)
		switch {
		case errors.Is(err, tap.ErrNoScript):
			if len(c.Servers) == 0 {
				list = append(list, Reason{Installer, fmt.Sprintf("all it does is install %s, and the tap has no script for that", dep), ""})
			}
		case err != nil:
			list = append(list, Reason{Broken, err.Error(), ""})
		default:
			list = append(list, r.checkApproval(c.ScriptCommand(s))...)
		}
	}
	return list
}

func (r *Registry) checkApproval(c tap.Command) []Reason {
	what := "the server " + c.Declaration.Name
	if c.Script {
		what = "the installer of " + c.Declaration.Name
	}
	hint := "the user can allow it: ctx trust approve " + c.ID
	switch r.opts.Trust.CheckID(c.ID, c.Declaration) {
	case trust.Approved:
		return nil
	case trust.Rejected:
		return []Reason{{Approval, "the user rejected " + what, "ctx trust approve " + c.ID + " takes that back"}}
	case trust.Changed:
		return []Reason{{Approval, what + " is another one than the user approved", hint}}
	}
	return []Reason{{Approval, "nobody has approved " + what, hint}}
}

// note remembers, for the user, what waits for an approval.
func (r *Registry) note(c tap.Capability) {
	commands, err := c.Commands()
	if err != nil {
		r.opts.Log.Warn("an installer cannot be read", "capability", c.Pinned(), "error", err)
	}
	for _, cmd := range commands {
		if err := r.opts.Trust.Note(cmd.ID, cmd.Declaration); err != nil {
			r.opts.Log.Warn("what waits for approval cannot be noted", "id", cmd.ID, "error", err)
			return
		}
	}
}
