package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch tells the host when what is listed beside the kernel changes by what
// others write: a hook or a command into the conversation's file, or another
// conversation that begins. The list itself is always made from the file as it
// is, so that nothing but this news depends on the watching.
func (g *Gateway) watch(ctx context.Context) {
	dir := g.opts.Memory.store.Dir()
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	var files *fsnotify.Watcher
	if err == nil {
		files, err = fsnotify.NewWatcher()
	}
	if err == nil {
		defer files.Close()
		err = files.Add(dir)
	}
	if err != nil {
		g.log.Warn("changes by others are not told to the host", "error", err)
		return
	}
	// A write is several events; the news is told once they have calmed down.
	const calm = 20 * time.Millisecond
	soon := time.NewTimer(time.Hour)
	soon.Stop()
	for {
		select {
		case e := <-files.Events:
			own := filepath.Base(g.opts.Memory.store.Path(g.session()))
			if filepath.Base(e.Name) == own && e.Op != fsnotify.Chmod {
				soon.Reset(calm)
			}
		case err := <-files.Errors:
			g.log.Warn("watching the conversation's file", "error", err)
			soon.Reset(calm) // events may have been lost
		case <-g.wake:
			soon.Reset(calm)
		case <-soon.C:
			if l := g.opts.Capabilities; l != nil {
				l.Follow()
				l.Sync()
			}
			g.current(ctx) // what the rules are made of may have changed
			g.announce()
		case <-ctx.Done():
			return
		}
	}
}
