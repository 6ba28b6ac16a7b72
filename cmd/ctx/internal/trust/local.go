package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/localtool"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// refreshLocal puts on record which of the workspace's own tools wait, as they
// are now.
func refreshLocal(f *cmdutil.Factory, t *trust.Store) {
	ws := f.Workspace()
	for _, p := range localtool.OpenShelf(ws, t).State().Problems {
		fmt.Fprintf(f.IO.Err, "warning: no tool: %s\n", iostreams.Clean(p.String()))
	}
	if err := localtool.OpenShelf(ws, t).Note(); err != nil {
		fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(err.Error()))
	}
}

// localID is the ID of a tool of this workspace that is named as a model would.
func localID(f *cmdutil.Factory, name string) string {
	return trust.LocalToolID(f.Workspace(), strings.TrimPrefix(name, localtool.Server+":"))
}

// findLocal returns the tool of the workspace that an entry is about, with the
// bytes that the entry is about; false: it is about something else, or those
// bytes are gone.
func findLocal(f *cmdutil.Factory, e trust.Entry) (localtool.Tool, []byte, bool) {
	if !trust.IsLocalTool(e.ID) {
		return localtool.Tool{}, nil, false
	}
	tools, _ := localtool.Read(f.Workspace())
	i := slices.IndexFunc(tools, func(t localtool.Tool) bool {
		return t.TrustID() == e.ID && t.Declaration().Fingerprint() == e.Fingerprint
	})
	if i < 0 {
		return localtool.Tool{}, nil, false
	}
	text, err := tools[i].Bytes()
	return tools[i], text, err == nil
}

// keepLocal keeps copies of the tools that were approved just now, and of no
// others than those that are approved.
func keepLocal(f *cmdutil.Factory, t *trust.Store, decided []trust.Entry) error {
	copies := localtool.OpenCopies(f.Layout())
	about := false
	for _, e := range decided {
		tool, text, ok := findLocal(f, e)
		about = about || trust.IsLocalTool(e.ID)
		if !ok || e.Status != trust.Approved {
			continue
		}
		if _, err := copies.Put(tool, text); err != nil {
			return err
		}
	}
	if !about {
		return nil
	}
	approved := map[string]bool{}
	for _, e := range t.Entries() {
		if trust.IsLocalTool(e.ID) && e.Status == trust.Approved {
			approved[localtool.Hash(e.Server)] = true
		}
	}
	return copies.Keep(approved)
}

// diffLocal shows a tool's text beside the one that was approved last, all of it
// where none was. Where the bytes on record are not there any more, false.
func diffLocal(f *cmdutil.Factory, found []trust.Entry, e trust.Entry) ([]string, bool) {
	_, text, ok := findLocal(f, e)
	if !ok {
		return nil, false
	}
	var old []byte
	for _, x := range found {
		if x.Status != trust.Approved || x.Fingerprint == e.Fingerprint {
			continue
		}
		if before, ok := localtool.OpenCopies(f.Layout()).Get(localtool.Hash(x.Server)); ok {
			old = before
		}
	}
	if e.Status == trust.Approved {
		return []string{}, true
	}
	lines := []string{"+ SHA-256: " + localtool.Hash(e.Server)}
	for line := range strings.Lines(hunks(udiff.Unified("", "", string(old), string(text)))) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, `\ `):
		case line != "" && strings.ContainsRune("-+ ", rune(line[0])):
			lines = append(lines, line[:1]+" "+line[1:])
		default:
			lines = append(lines, line)
		}
	}
	return lines, true
}

// hunks is a unified diff without the two lines at its start that name the files.
// They are told by their place: a line of a text can look like them.
func hunks(unified string) string {
	for range 2 {
		_, unified, _ = strings.Cut(unified, "\n")
	}
	return unified
}
