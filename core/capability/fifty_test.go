package capability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// What the predecessor got wrong when capabilities come and go, a step a line.
// The catalog is the one of fifty.
var cases = map[string]string{
	"eviction: the fifth takes the place of the least recently used": `
		enable a b c d
		use a tool
		enable e evicts b
		active c d a e, running a c d e`,
	"eviction: a newcomer that fails costs nobody its place": `
		enable a b c d
		fail e
		enable e fails exit status 1
		active a b c d, running a b c d
		never -a
		mend e
		enable e evicts a
		active b c d e, running b c d e`,
	"eviction: a newcomer of two servers that half works leaves neither": `
		enable a b c d
		fail two-b
		enable two fails start two-b
		active a b c d, running a b c d
		hides two-a:tool
		mend two-b
		enable two evicts a
		active b c d two, running b c d two-a two-b`,
	"eviction: a server that does not stop is said and stops nobody": `
		enable a b c d
		stick a
		enable e evicts a, warns a did not stop
		active b c d e, running b c d e
		enable a evicts b
		active c d e a, running a c d e`,
	"refcount: a shared server goes with the last that needs it": `
		enable read write
		disable read
		active write, running files
		hides files:view
		admits files:edit
		disable write
		active , running `,
	"refcount: eviction of one leaves the other's server": `
		enable read write a b
		use files edit
		enable c evicts read
		active a b write c, running a b c files
		hides files:view
		admits files:edit`,
	"refcount: the second on a server keeps the first one's tools": `
		enable read write
		admits files:view
		admits files:edit
		hides files:other`,
	"refcount: a tool of two survives the loss of one": `
		enable knowledge webfetch
		disable webfetch
		admits brain:knowledge
		active knowledge, running brain`,
	"refcount: a failed second user leaves the first one's server": `
		enable read
		fail e
		enable mixed fails start e
		active read, running files
		admits files:view
		hides files:mix`,
	"refcount: enabling twice counts once": `
		enable a
		enable a already
		disable a
		active , running `,
	"two servers with a tool of one name keep it apart": `
		enable db other-db
		admits db:query
		hides db:drop
		admits acme/db:drop
		disable db
		hides acme/db:nothing
		admits acme/db:query
		active other-db, running acme/db`,
	"recency: use counts for each that owns the tool, of whatever server": `
		enable read write onhost a
		use host query
		use files view
		enable b evicts write
		active a onhost read b, running a b files`,
	"recency: one without servers goes in its turn": `
		enable tools a b c
		enable d evicts tools
		active a b c d, running a b c d`,
	"static: the host's own server is neither started nor stopped": `
		enable onhost
		active onhost, running 
		admits host:anything
		enable a b c
		enable d evicts onhost
		active a b c d, running a b c d
		admits host:query`,
	"static: what the role has takes no place and never goes": `
		role base
		enable a b c d
		enable base static
		active a b c d, running a b c d plan
		enable e evicts a
		disable base fails belongs to the session's role
		clear
		active , running plan
		admits plan:view`,
	"overlay: what one adds to the role's server goes with it alone": `
		role base
		hides plan:edit_line
		enable more
		admits plan:edit_line
		admits plan:view
		hides plan:edit
		enable a b c
		enable d evicts more
		hides plan:edit_line
		admits plan:view
		active a b c d, running a b c d plan`,
	"another conversation has nothing of this one": `
		enable a b
		bind other
		active , running 
		enable c
		bind back
		active a b, running a b`,
}

func fifty() []tap.Capability {
	other := capability("other-db", srv("db", "other-db-mcp", "query", "drop"))
	return append(simple("a", "b", "c", "d", "e"),
		capability("two", srv("two-a", "two-a-mcp", "tool"), srv("two-b", "two-b-mcp", "tool")),
		capability("read", srv("files", "files-mcp", "view")),
		capability("write", srv("files", "files-mcp", "edit")),
		capability("mixed", srv("files", "files-mcp", "mix"), srv("e", "e-mcp", "*")),
		capability("knowledge", srv("brain", "brain-mcp", "knowledge")),
		capability("webfetch", srv("brain", "brain-mcp", "knowledge")),
		capability("db", srv("db", "db-mcp", "query")), other,
		capability("onhost", srv("host", "host-mcp", "query")),
		capability("base", srv("plan", "plan-mcp", "view")),
		capability("more", srv("plan", "plan-mcp", "edit_*")))
}

func TestEachOfFiftySessionsAtOnce(t *testing.T) {
	t.Parallel()
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			script(t, root, "acme/tools", "exit 0")
			tools := capability("tools")
			tools.Root, tools.Deps = root, []string{"acme/tools"}
			shared := newWorld(t, append(fifty(), tools)...)
			begin := make(chan struct{})
			var all sync.WaitGroup
			for i := range 50 {
				all.Go(func() {
					<-begin
					play(t, shared, fmt.Sprintf("s%d", i), steps)
				})
			}
			close(begin)
			all.Wait()
		})
	}
}

// play takes one session through its steps.
func play(t *testing.T, shared *world, session, steps string) {
	w := *shared
	w.fleet = newFleet(t)
	w.opts.Servers, w.opts.Session = w.fleet, session
	w.opts.Host = hostOf(srv("host", "host-mcp").Server)
	if !strings.Contains(steps, "bind ") {
		w.opts.Sessions = nil // to write files of fifty sessions takes its time
	}
	w.opts.Install = func(context.Context, tap.Script) error { return nil }
	if first, rest, _ := strings.Cut(strings.TrimSpace(steps), "\n"); strings.HasPrefix(first, "role ") {
		w.opts.Role, steps = []string{strings.TrimPrefix(first, "role ")}, rest
	}
	r := w.registry()
	r.StartRole(context.Background())
	r.Bind(context.Background(), session)
	for line := range strings.Lines(steps) {
		if line = strings.TrimLeft(strings.TrimRight(line, "\n"), "\t"); line == "" {
			continue
		}
		if err := w.step(r, session, line); err != nil {
			t.Errorf("%s: %s: %v", session, line, err)
			break
		}
		consistent(t, r, w.fleet)
	}
	r.Close()
	if left := w.fleet.running(); len(left) > 0 {
		t.Errorf("%s: %v run on", session, left)
	}
}

// step does one thing, or says how it went otherwise than the line has it.
func (w *world) step(r *Registry, session, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	server, tool, _ := strings.Cut(rest, ":")
	f := w.fleet
	set := func(change func()) { f.mu.Lock(); defer f.mu.Unlock(); change() }
	switch verb {
	case "enable", "disable":
		return w.change(r, verb, rest)
	case "use":
		server, tool, _ = strings.Cut(rest, " ")
		r.Used(server, tool)
	case "fail":
		set(func() { f.fails[rest] = errNoStart })
	case "mend":
		set(func() { delete(f.fails, rest) })
	case "stick":
		set(func() { f.stuck[rest] = errors.New("it ignores everything") })
	case "clear":
		r.Clear()
	case "bind":
		if rest == "back" {
			r.Bind(context.Background(), session)
		} else {
			r.Bind(context.Background(), session+rest)
		}
	case "admits", "hides":
		there := server == "host" || slices.ContainsFunc(r.Running(), func(s surface.Server) bool { return s.Name == server })
		if callable := there && r.Admits(server, tool); callable != (verb == "admits") {
			return errors.New("it is otherwise")
		}
	case "never":
		f.mu.Lock()
		defer f.mu.Unlock()
		if slices.Contains(f.history, rest) {
			return fmt.Errorf("history %v", f.history)
		}
	case "active":
		if got := strings.Join(actives(r), " ") + ", running " + strings.Join(f.running(), " "); got != rest {
			return fmt.Errorf("got %q", got)
		}
	default:
		return errors.New("there is no such step")
	}
	return nil
}

// change enables or disables each of some capabilities. What the line says
// after the last one is how it must go.
func (w *world) change(r *Registry, verb, rest string) error {
	do := func(name string) (Change, error) {
		if verb == "disable" {
			return r.Disable(context.Background(), name)
		}
		return r.Enable(context.Background(), name, "user")
	}
	words := strings.Fields(rest)
	for i, name := range words {
		var c Change
		var err error
		if c, err = do(name); i+1 < len(words) {
			switch after := strings.Join(words[i+2:], " "); words[i+1] {
			case "fails":
				if err == nil || !strings.Contains(err.Error(), after) {
					return fmt.Errorf("got %v", err)
				}
				return nil
			case "already", "static":
				if err != nil || !c.Already || c.Static != (words[i+1] == "static") || len(c.Evicted) > 0 {
					return fmt.Errorf("got %+v, %w", c, err)
				}
				return nil
			case "evicts":
				victim, warning, _ := strings.Cut(after, ", warns ")
				if err != nil || strings.Join(c.Evicted, " ") != victim || !strings.Contains(strings.Join(c.Warnings, "; "), warning) || (warning == "") != (len(c.Warnings) == 0) {
					return fmt.Errorf("got %+v, %w", c, err)
				}
				return nil
			}
		}
		if err != nil || len(c.Evicted) > 0 {
			return fmt.Errorf("%s: %+v, %w", name, c, err)
		}
	}
	return nil
}
