package gateway

import (
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// stamp is what tells one version of a file from another; of a file that is not
// there, and of one that cannot be looked at, all but the path is zero.
type stamp struct {
	path         string
	dev, ino     uint64
	size         int64
	mtime, ctime unix.Timespec
}

// stampOf asks the system directly: dozens of files, most of them absent, are
// looked at before every request.
func stampOf(path string) stamp {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return stamp{path: path}
	}
	return stamp{path, uint64(s.Dev), s.Ino, s.Size, s.Mtim, s.Ctim}
}

func (s stamp) absent() bool { return s == stamp{path: s.path} }

// watched is a set of files of which any change counts. A file that is there is
// looked at every time. One that is not can only come to be there by a change
// of the nearest folder that is, so that those of one folder cost one look.
type watched struct {
	present []stamp
	folders []folder
}

// folder stands for absent files below it.
type folder struct {
	stamp
	settled bool // see settleTime
	absent  []string
}

// settleTime is how old a folder's last change must be for its stamp to be
// relied on: clocks of file systems tick, and two changes within one tick leave
// the same stamp.
const settleTime = 200 * time.Millisecond

// watch takes the stamps that files had when they were read. What happens
// between that and now shows the first time that unchanged is asked.
func watch(files []stamp) *watched {
	w := &watched{}
	var absent []string
	for _, s := range files {
		if s.absent() {
			absent = append(absent, s.path)
		} else {
			w.present = append(w.present, s)
		}
	}
	w.folders = []folder{{absent: absent}}
	return w
}

// paths are the files that are watched.
func (w *watched) paths() []string {
	var all []string
	for _, s := range w.present {
		all = append(all, s.path)
	}
	for _, f := range w.folders {
		all = append(all, f.absent...)
	}
	return all
}

// unchanged reports whether every file is as it was.
func (w *watched) unchanged() bool {
	if slices.ContainsFunc(w.present, func(s stamp) bool { return s != stampOf(s.path) }) {
		return false
	}
	kept := make([]folder, 0, len(w.folders))
	for _, f := range w.folders {
		if f.settled && f.stamp == stampOf(f.path) {
			kept = append(kept, f)
			continue
		}
		// The folder's stamp is taken before its files are looked at, so that
		// what comes in between is seen the next time.
		again := group(f.absent)
		if slices.ContainsFunc(f.absent, func(path string) bool { return !stampOf(path).absent() }) {
			return false
		}
		kept = append(kept, again...)
	}
	w.folders = kept
	return true
}

// group sorts absent files by the nearest folder above them that is there.
func group(absent []string) []folder {
	var all []folder
	for _, path := range absent {
		s := nearest(path)
		i := slices.IndexFunc(all, func(f folder) bool { return f.path == s.path })
		if i < 0 {
			changed := max(time.Unix(s.mtime.Unix()).UnixNano(), time.Unix(s.ctime.Unix()).UnixNano())
			all = append(all, folder{stamp: s, settled: time.Now().UnixNano()-changed > int64(settleTime)})
			i = len(all) - 1
		}
		all[i].absent = append(all[i].absent, path)
	}
	return all
}

func nearest(path string) stamp {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if s := stampOf(dir); !s.absent() || dir == filepath.Dir(dir) {
			return s
		}
	}
}
