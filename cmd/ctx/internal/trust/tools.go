package trust

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/baseline"
	"github.com/ctx-sidecar/ctx/core/trust"
)

func openTools(f *cmdutil.Factory) *baseline.Store {
	return baseline.Open(f.Layout().Baselines(), f.Workspace(), nil)
}

// findTools finds the tools that are held back and that an argument means: an
// ID, "server:tool", or "server:*" for all of a server's that wait. By a name it
// means a server of this workspace or one that the user has everywhere: what
// another workspace calls so is another server, whose tools need a word of their
// own.
func findTools(f *cmdutil.Factory, entries []baseline.Entry, arg string) ([]baseline.Entry, error) {
	if found := only(entries, func(e baseline.Entry) bool { return e.ID == arg }); len(found) > 0 {
		return found, nil
	}
	found := only(entries, func(e baseline.Entry) bool {
		return e.Name() == arg || e.Waits() && e.Server+":*" == arg
	})
	ws := f.Workspace()
	own := only(found, func(e baseline.Entry) bool { return e.Of(ws) })
	if len(own) == 0 && len(found) > 0 {
		return nil, cmdutil.Fail(nameOne(found), "%q is of another workspace", arg)
	}
	if n := len(distinct(own, func(e baseline.Entry) string { return e.ServerID })); n > 1 {
		return nil, cmdutil.Fail(nameOne(own), "%q is of %d servers", arg, n)
	}
	return own, nil
}

func nameOne(found []baseline.Entry) string {
	return "name one: " + strings.Join(distinct(found, func(e baseline.Entry) string { return e.ID }), ", ")
}

func only(entries []baseline.Entry, keep func(baseline.Entry) bool) []baseline.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e baseline.Entry) bool { return !keep(e) })
}

// distinct are the values that entries have, sorted.
func distinct(entries []baseline.Entry, of func(baseline.Entry) string) []string {
	var all []string
	for _, e := range entries {
		all = append(all, of(e))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// warnTools says which baselines cannot be read, or take nothing more.
func warnTools(f *cmdutil.Factory, problems []baseline.Problem) {
	for _, p := range problems {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(p.Text))
	}
}

// latest leaves the last word on each tool: what waits, not what was rejected
// before it.
func latest(found []baseline.Entry) []baseline.Entry {
	return slices.DeleteFunc(slices.Clone(found), func(e baseline.Entry) bool {
		return !e.Waits() && slices.ContainsFunc(found, func(o baseline.Entry) bool {
			return o.Waits() && o.ID == e.ID && o.Fingerprint == e.Fingerprint
		})
	})
}

// decideTools says the user's word on tools that are held back, as an argument
// means them.
func decideTools(s *baseline.Store, found []baseline.Entry, to trust.Status) ([]baseline.Entry, error) {
	decided := latest(found)
	for _, e := range decided {
		if to == trust.Approved && e.Swapped() {
			return nil, cmdutil.Fail("see it, then approve it: ctx trust diff "+e.Name(), "%s was changed after it was shown to you", e.Name())
		}
	}
	for i := range decided {
		e := &decided[i]
		if e.Status == to {
			continue
		}
		if err := s.Decide(*e, to == trust.Approved); err != nil {
			return nil, cmdutil.Fail("see: ctx trust diff "+e.Name(), "%w", err)
		}
		e.Status = to
	}
	return decided, nil
}

func printTools(s *iostreams.Streams, tools []baseline.Entry) {
	if len(tools) == 0 {
		return
	}
	t := iostreams.NewTable("STATUS", "TOOL", "SINCE", "ID")
	for _, e := range tools {
		status := string(e.Status)
		if e.Waits() {
			status = "changed, waits"
		}
		t.Row(status, e.Name(), e.At.Local().Format(time.DateTime), e.ID)
	}
	t.Write(s)
}

// differences shows tools that are held back beside what was accepted.
func differences(found []baseline.Entry) []Diff {
	var all []Diff
	for _, e := range latest(found) {
		all = append(all, Diff{e.ID, e.Status, e.Diff()})
	}
	return all
}

// Diffs are several tools' differences.
type Diffs []Diff

// json is one difference as that of a server is printed, several as a list.
func (ds Diffs) json() any {
	if len(ds) == 1 {
		return ds[0]
	}
	return struct {
		Diffs []Diff `json:"diffs"`
	}{ds}
}

func (ds Diffs) print(s *iostreams.Streams) {
	for _, d := range ds {
		d.print(s)
	}
}
