package trust

import (
	"fmt"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/plugindir"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/tap"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// refreshPlugins puts on record what the plugin folders of this workspace and of
// the user would start, as they are now.
func refreshPlugins(f *cmdutil.Factory, t *trust.Store) {
	warn := func(text string) { fmt.Fprintf(f.IO.Err, "warning: %s\n", iostreams.Clean(text)) }
	taps, err := tap.Open(f.Layout()).List()
	if err != nil {
		warn(err.Error())
	}
	plugins, problems := plugindir.Read(f.Layout(), f.Workspace(), taps)
	for _, p := range problems {
		if p.Severity == tap.Error {
			warn(p.String())
		}
	}
	list := map[string]surface.Server{}
	for _, c := range plugindir.Capabilities(plugins) {
		commands, _ := c.Commands() // none of a plugin is an installer, which alone could not be read
		for _, cmd := range commands {
			list[cmd.ID] = cmd.Declaration
		}
	}
	if err := t.NoteAll(list); err != nil {
		warn(err.Error())
	}
}
