package plugintest

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctx-sidecar/ctx/plugins"
)

func (k *kit) compile() {
	for _, w := range k.worlds() {
		s, ok := k.read(w)
		if !ok {
			continue
		}
		for _, gateway := range []bool{false, true} {
			k.unchanged(w, "Compile", func() {
				k.compileOnce(w, plugins.CompileRequest{
					Machine: w.machine, Workspace: w.workspace, Profile: "review", Servers: s.Servers,
					Gateway: gateway, GatewayBin: gatewayBin, Dir: filepath.Join(w.workspace, ".ctx-surface"),
				})
			})
		}
	}
}

func (k *kit) compileOnce(w world, req plugins.CompileRequest) {
	var c, again plugins.Compiled
	var err error
	k.survives(w.name+": Compile", func() { c, err = k.adapter.Compile(k.ctx, req) })
	if err != nil {
		k.fail("%s: Compile: %v", w.name, err)
		return
	}
	k.survives(w.name+": Compile", func() { again, err = k.adapter.Compile(k.ctx, req) })
	if err != nil || !reflect.DeepEqual(c, again) {
		k.fail("%s: Compile: a second call answers otherwise: %+v, %v", w.name, again, err)
	}
	if len(c.Files) == 0 || len(c.Launch) == 0 {
		k.fail("%s: Compile: %d files, launched by %q: the user can do nothing with it", w.name, len(c.Files), c.Launch)
	}
	var all strings.Builder
	for _, f := range c.Files {
		if !filepath.IsLocal(f.Name) {
			k.fail("%s: Compile: the file %q is not within the folder", w.name, f.Name)
		}
		all.Write(f.Content)
	}
	if has := strings.Contains(all.String(), gatewayBin); has != req.Gateway {
		k.fail("%s: Compile: with Gateway %v, a file names %s: %v", w.name, req.Gateway, gatewayBin, has)
	}
}
