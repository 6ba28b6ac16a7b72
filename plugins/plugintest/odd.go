package plugintest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// patience is far longer than a file of any kind may take: it tells a slow
// machine from an adapter that hangs.
const patience = time.Minute

// sourcesOdd puts what only a hostile repository or archive has in the place of
// the files that are read or looked for: Sources must neither hang nor end the
// process.
func (k *kit) sourcesOdd() {
	if !k.config.Odd {
		return
	}
	for _, w := range k.worlds() {
		s, ok := k.read(w)
		if !ok {
			continue
		}
		for _, odd := range oddFiles {
			source := filepath.Join(k.t.TempDir(), "odd")
			if err := odd.make(source); err != nil {
				k.t.Logf("%s cannot be made here: %v", odd.name, err)
				continue
			}
			k.inPlaceOf(w, s.Files, source, odd.name)
		}
	}
}

// inPlaceOf reads a world once, with what is at source under all of the names.
func (k *kit) inPlaceOf(w world, names []string, source, what string) {
	for _, path := range names {
		if strings.HasPrefix(path, w.root+string(filepath.Separator)) {
			defer k.replace(path, source)()
		}
	}
	if !k.inTime(func() { k.read(w) }) {
		k.fail("%s: Sources hangs where one of its files is %s", w.name, what)
		release(source)
	}
}

// replace puts what is at source in the place of a file, and returns what undoes
// it.
func (k *kit) replace(path, source string) (undo func()) {
	undo = func() {}
	check := func(err error) {
		if err != nil {
			k.t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	present := err == nil
	if present && !info.Mode().IsRegular() {
		return undo // a folder
	}
	made, err := makeFolders(filepath.Dir(path))
	if err != nil {
		return undo // something else is in the way
	}
	if present {
		check(os.Rename(path, path+".kept"))
	}
	if info, err := os.Lstat(source); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		check(os.Symlink(source, path))
	} else {
		check(os.Link(source, path))
	}
	return func() {
		check(os.Remove(path))
		if present {
			check(os.Rename(path+".kept", path))
		}
		if made != "" {
			check(os.RemoveAll(made))
		}
	}
}

func (k *kit) inTime(do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// release lets go of whoever waits for the other end of a named pipe.
func release(path string) {
	if f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}

// makeFolders is [os.MkdirAll] and returns the highest folder that it made.
func makeFolders(dir string) (made string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = d
	}
	return made, os.MkdirAll(dir, 0o755)
}

// oddFiles are things that can stand in the place of a file.
var oddFiles = []struct {
	name string
	make func(path string) error
}{
	{"a named pipe", func(path string) error { return syscall.Mkfifo(path, 0o644) }},
	{"a link to a device", func(path string) error { return os.Symlink("/dev/zero", path) }},
	{"a link to itself", func(path string) error { return os.Symlink(path, path) }},
	{"a terabyte of nothing", func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 1<<40))
	}},
	{"JSON that is deep behind a comment", text("// \"\n" + strings.Repeat("[", deepest))},
	{"a deep TOML list", text("a = " + strings.Repeat("[", deepest))},
	{"a TOML key of many parts", text(strings.Repeat("a.", deep) + "a = 1\n")},
	{"TOML tables within many", text("[" + strings.Repeat("a.", deep) + "a]\nb = 1\n")},
	{"YAML that is deep", text("---\nname: " + strings.Repeat("[", deep) + "\n---\n")},
	{"a file that imports itself", text("@CLAUDE.md @AGENTS.md @GEMINI.md @./CLAUDE.md @/dev/zero\n")},
}

// deepest overflows the stack of a parser that calls itself for every level.
const deepest = 80 * deep

func text(s string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(s), 0o644) }
}
