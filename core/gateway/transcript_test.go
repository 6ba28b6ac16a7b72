package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ctx-sidecar/ctx/core/listing"
)

var update = flag.Bool("update", false, "write the answers that come into the transcripts")

// A transcript holds the servers of a session ("servers.json": by name, what
// each lists), what the host sends ("in", a message a line), and every answer
// as it goes out ("out"). Servers answer a call with what they were asked.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts")
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var servers map[string]*listing.Listing
			var settings struct{ NarrowAbove int }
			var in, out *txtar.File
			for i := range a.Files {
				f := &a.Files[i]
				switch f.Name {
				case "servers.json":
					err = json.Unmarshal(f.Data, &servers)
				case "settings.json":
					err = json.Unmarshal(f.Data, &settings)
				case "in":
					in = f
				case "out":
					out = f
				}
				if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			names := map[string][]string{}
			for name := range servers {
				names[name] = nil
			}
			b := serve(t, names, func(o *Options, _ *Rules, f *fakeBackends) {
				o.Config.Gateway.NarrowAbove = settings.NarrowAbove
				for name, l := range servers {
					l.Server = name
					f.listings[name] = *l
				}
			})
			var got bytes.Buffer
			for line := range strings.Lines(string(in.Data)) {
				var m message
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if !m.isRequest() {
					b.Notification(m.Method, m.Params)
					continue
				}
				result, err := b.Handle(context.Background(), m.ID, m.Method, m.Params)
				got.Write(append(envelope(m.ID, result, err), '\n'))
			}
			if *update {
				out.Data = got.Bytes()
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(out.Data), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
