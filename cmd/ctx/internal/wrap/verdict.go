package wrap

import (
	"fmt"
	"slices"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Verdict is what wrap does with a server.
type Verdict string

const (
	Front    Verdict = "front"    // behind the gateway
	Direct   Verdict = "direct"   // left to the host
	Disabled Verdict = "disabled" // the user switched it off; left as it is
)

// Who lets a server be started, where no file of the user's does.
const (
	approvedByUser = "user"        // asked just now, or --yes
	approvedBefore = "user before" // on record
)

// notApproved is why a server is direct that nobody has approved.
const notApproved = "not approved"

// Server is a server of a host and what becomes of it.
type Server struct {
	surface.Server
	Verdict  Verdict
	Reason   string // why it is direct
	Kept     string // Reason without the server's own words, where it has any
	Approval string // who lets it be started: "/home/me/.claude.json:12", approvedByUser, "" for nobody yet
}

// survey decides, before anything is started, which servers could be fronted.
// A server that nobody has approved has the verdict Front and no Approval.
func survey(servers []surface.Server, include []string, check func(surface.Server) trust.Status) []Server {
	list := make([]Server, 0, len(servers))
	for _, s := range servers {
		if s.Own {
			continue
		}
		v := Server{Server: s, Verdict: Front}
		status := check(s)
		switch {
		case s.Disabled:
			v.Verdict = Disabled
		case s.Transport != surface.Stdio && s.Transport != surface.HTTP:
			v.Verdict, v.Reason = Direct, "the gateway does not speak "+string(s.Transport)
		case s.Direct != "" && !slices.Contains(include, s.Name):
			v.Verdict, v.Reason = Direct, s.Direct
		case status == trust.Rejected:
			v.Verdict, v.Reason = Direct, "you rejected it (ctx trust approve takes that back)"
		case status == trust.Approved:
			v.Approval = approvedBefore
		case status == trust.Changed && !s.ApprovedAsDeclared():
			// A repository that has a part in the command would approve its own change.
		case s.ApprovedBy != nil:
			v.Approval = place(*s.ApprovedBy)
		}
		list = append(list, v)
	}
	return list
}

func place(p surface.Place) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// waiting are the servers that could be fronted once the user approves them.
func waiting(servers []Server) []Server {
	return slices.DeleteFunc(slices.Clone(servers), func(s Server) bool {
		return s.Verdict != Front || s.Approval != ""
	})
}

// leave makes a server direct.
func (s *Server) leave(reason string) {
	s.Verdict, s.Reason = Direct, reason
}
