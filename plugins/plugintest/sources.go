package plugintest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ctx-sidecar/ctx/core/surface"
)

func (k *kit) sources() {
	for _, w := range k.worlds() {
		k.unchanged(w, "Sources", func() {
			s, ok := k.read(w)
			if !ok {
				return
			}
			if again, _ := k.read(w); !reflect.DeepEqual(s, again) {
				k.fail("%s: Sources: a second call answers otherwise:\n%+v\n%+v", w.name, s, again)
			}
			k.sane(w, s)
			if w.name == "nothing" && len(s.Servers) > 0 {
				k.fail("Sources: servers on a machine that has no configuration: is the adapter's own environment read? %+v", s.Servers)
			}
		})
	}
}

// read asks for the sources of a world; an error is a fault, since what cannot
// be read belongs into Warnings.
func (k *kit) read(w world, fronted ...string) (s surface.Sources, ok bool) {
	k.survives(w.name+": Sources", func() {
		var err error
		if s, err = k.adapter.Sources(k.ctx, w.sources(fronted...)); err != nil {
			k.fail("%s: Sources: %v", w.name, err)
			return
		}
		ok = true
	})
	return s, ok
}

func (k *kit) sane(w world, s surface.Sources) {
	if want := k.description().Name; s.Host != want {
		k.fail("%s: Sources: the host is %q, want %q", w.name, s.Host, want)
	}
	switch s.Loading {
	case surface.Eager, surface.Deferred, surface.ServerLines:
	default:
		k.fail("%s: Sources: loading %q", w.name, s.Loading)
	}
	for _, part := range []string{"{server}", "{tool}"} {
		if !strings.Contains(s.ToolName, part) {
			k.fail("%s: Sources: the tool name %q has no %s", w.name, s.ToolName, part)
		}
	}
	seen := map[string]bool{}
	for _, srv := range s.Servers {
		if seen[srv.Name] {
			k.fail("%s: Sources: the server %s is there twice; only the declaration that wins counts", w.name, srv.Name)
		}
		seen[srv.Name] = true
		k.server(w, srv)
	}
	for _, f := range s.Files {
		if !filepath.IsAbs(f) {
			k.fail("%s: Sources: the file %q is not absolute", w.name, f)
		}
	}
	for _, r := range s.Rules {
		if r.Effect != surface.EffectAllow && r.Effect != surface.EffectAsk && r.Effect != surface.EffectDeny {
			k.fail("%s: Sources: rule %q has the effect %q", w.name, r.Text, r.Effect)
		}
	}
	for _, i := range s.Items {
		if i.Kind == "" || i.Name == "" || i.Resident < 0 || i.Deferred < 0 || i.OnDemand < 0 {
			k.fail("%s: Sources: item %+v", w.name, i)
		}
	}
}

func (k *kit) server(w world, s surface.Server) {
	switch {
	case s.Name == "":
		k.fail("%s: Sources: a server without a name in %s:%d", w.name, s.Place.File, s.Place.Line)
	case s.Scope == "":
		k.fail("%s: Sources: server %s has no scope", w.name, s.Name)
	case !filepath.IsAbs(s.Place.File):
		k.fail("%s: Sources: server %s is declared in %q, which is not absolute", w.name, s.Name, s.Place.File)
	}
	switch s.Transport {
	case surface.Stdio:
		if s.Command == "" {
			k.fail("%s: Sources: server %s runs nothing", w.name, s.Name)
		}
	case surface.HTTP, surface.SSE, surface.WS:
		if s.URL == "" {
			k.fail("%s: Sources: server %s has no address", w.name, s.Name)
		}
	default:
		k.fail("%s: Sources: server %s has the transport %q", w.name, s.Name, s.Transport)
	}
	if s.DisabledBy != nil && !s.Disabled {
		k.fail("%s: Sources: server %s is not disabled, but by %s", w.name, s.Name, s.DisabledBy.File)
	}
}

// sourcesDamaged spoils one file after the other: none may cost the rest.
func (k *kit) sourcesDamaged() {
	for _, w := range k.worlds() {
		s, ok := k.read(w)
		if !ok {
			continue
		}
		for _, file := range s.Files {
			if !strings.HasPrefix(file, w.root+string(filepath.Separator)) {
				continue
			}
			good, err := os.ReadFile(file)
			if err != nil {
				continue // looked for, and not there; or a folder
			}
			for _, bad := range [][]byte{good[:len(good)/2], {}, []byte("\x00\xff{[\"="), []byte(strings.Repeat("[", deep))} {
				if err := os.WriteFile(file, bad, 0o644); err != nil {
					k.t.Fatal(err)
				}
				k.read(w)
			}
			if err := os.WriteFile(file, good, 0o644); err != nil {
				k.t.Fatal(err)
			}
		}
		if again, _ := k.read(w); !reflect.DeepEqual(s, again) {
			k.fail("%s: Sources: after damage that was mended it answers otherwise", w.name)
		}
	}
}
