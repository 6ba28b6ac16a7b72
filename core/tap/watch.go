package tap

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/hashicorp/go-hclog"
)

// Times of the watch.
const (
	calm    = 50 * time.Millisecond  // a save is several events
	hurry   = 400 * time.Millisecond // for files that never calm down
	slow    = 10 * time.Second       // the net below the events
	without = 2 * time.Second        // where there are no events
)

// Watch loads whenever a file of the taps changes, until ctx ends, and calls
// changed with each catalog that is another one. Files are watched by their
// folders, links by those of their targets; a slow poll finds what no event
// tells of.
func (l *Library) Watch(ctx context.Context, log hclog.Logger, changed func(*Catalog)) {
	w := watch{library: l, log: log, folders: map[string]bool{}}
	files, err := fsnotify.NewWatcher()
	if err != nil {
		w.deaf(err)
	} else {
		defer files.Close()
		w.files = files
	}
	last := l.Catalog()
	load := func() {
		next := l.Load()
		if w.follow() { // what changed before its folder was watched
			next = l.Load()
		}
		if next != last {
			last = next
			changed(next)
		}
	}
	load()
	w.run(ctx, load)
}

type watch struct {
	library *Library
	log     hclog.Logger
	files   *fsnotify.Watcher // nil where the system gives none
	folders map[string]bool   // that are watched
	told    bool              // that events are missing
}

func (w *watch) run(ctx context.Context, load func()) {
	soon := time.NewTimer(time.Hour)
	soon.Stop()
	// It runs on beside the events, however many there are.
	poll := time.NewTimer(w.interval())
	defer poll.Stop()
	var first time.Time // of the events that wait
	for {
		var events chan fsnotify.Event
		var errs chan error
		if w.files != nil {
			events, errs = w.files.Events, w.files.Errors
		}
		select {
		case e := <-events:
			if e.Op == fsnotify.Chmod {
				continue
			}
			if first.IsZero() {
				first = time.Now()
			}
			if wait := hurry - time.Since(first); wait < calm {
				soon.Reset(max(0, wait))
			} else {
				soon.Reset(calm)
			}
			continue
		case err := <-errs: // events may have been lost
			w.log.Warn("watching taps", "error", err)
		case <-soon.C:
		case <-poll.C:
		case <-ctx.Done():
			return
		}
		first = time.Time{}
		load()
		poll.Reset(w.interval())
	}
}

func (w *watch) interval() time.Duration {
	if w.told || w.files == nil {
		return without
	}
	return slow
}

// follow watches exactly the folders that matter now, and reports whether there
// are new ones.
func (w *watch) follow() (more bool) {
	if w.files == nil {
		return false
	}
	want := map[string]bool{}
	for _, dir := range w.library.folders() {
		want[nearest(dir)] = true
	}
	for dir := range w.folders {
		if !want[dir] {
			_ = w.files.Remove(dir) // gone with its folder, more often than not
			delete(w.folders, dir)
		}
	}
	failed := false
	for _, dir := range slices.Sorted(maps.Keys(want)) {
		// Also those that are watched: a folder that was put in another's place is
		// a new one, and adding one twice is no harm.
		if err := w.files.Add(dir); err != nil {
			if _, there := os.Stat(dir); there == nil && !failed {
				failed = true
				w.deaf(err)
			}
			continue
		}
		more = more || !w.folders[dir]
		w.folders[dir] = true
	}
	if !failed {
		w.told = false
	}
	return more
}

func (w *watch) deaf(err error) {
	if !w.told {
		w.log.Warn("changes in taps are only seen every two seconds", "error", err)
	}
	w.told = true
}

// nearest is the folder itself or the nearest one above it that is there.
func nearest(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}

// folders are all folders whose entries decide what the library holds.
func (l *Library) folders() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	dirs := []string{filepath.Dir(l.store.Path())}
	for _, r := range l.order {
		dirs = append(dirs, r.root, r.folder())
		dirs = slices.AppendSeq(dirs, maps.Keys(r.elsewhere))
		names, _ := r.names() // its problems are told by the reading
		for _, name := range names {
			dirs = append(dirs, filepath.Join(r.folder(), name))
		}
	}
	for _, s := range l.more {
		dirs = append(dirs, s.Folders(l.taps)...)
	}
	return dirs
}
