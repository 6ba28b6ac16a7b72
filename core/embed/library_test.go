package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place is a folder with the private mode that t.TempDir does not promise, and
// no link in its path.
func place(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// put writes a file with the folders above it.
func put(t *testing.T, content string, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to string, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}

const library = "libonnxruntime.so.1"

// install is a shared folder with a library of that content, and a list of sums
// that has the one of noted.
func install(t *testing.T, dir, content, noted string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(noted))
	put(t, content, dir, "lib", library)
	put(t, "0000  LICENSE\n"+hex.EncodeToString(sum[:])+"  "+library+"\n", dir, "lib", SumsFile)
	return dir
}

func content(t *testing.T, l *Library) string {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(l.file, 0, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func variable(path string) []string { return []string{LibraryVariable + "=" + path} }

func TestALibraryIsTakenFromWhereOnlyTheUserCanHavePutIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(dir string) LibrarySource{
		"installed": func(dir string) LibrarySource {
			return LibrarySource{Share: []string{install(t, dir, "it", "it")}}
		},
		"installed inside of the workspace, by the program's own prefix": func(dir string) LibrarySource {
			return LibrarySource{Share: Trusted([]string{install(t, dir+"/w/p", "it", "it")}, dir+"/w"), Workspace: dir + "/w"}
		},
		"installed in the second folder": func(dir string) LibrarySource {
			return LibrarySource{Share: []string{dir + "/none", install(t, dir+"/s", "it", "it")}}
		},
		"variable": func(dir string) LibrarySource {
			return LibrarySource{Env: variable(put(t, "it", dir, "lib", library)), Workspace: dir + "/w"}
		},
		"variable, by a link": func(dir string) LibrarySource {
			put(t, "it", dir, "lib", library+".24")
			return LibrarySource{Env: variable(link(t, library+".24", dir, "lib", library)), Workspace: dir + "/w"}
		},
		"variable, beside a folder whose name begins like the workspace's": func(dir string) LibrarySource {
			return LibrarySource{Env: variable(put(t, "it", dir, "work-lib", library)), Workspace: dir + "/work"}
		},
		"variable before settings": func(dir string) LibrarySource {
			return LibrarySource{Env: variable(put(t, "it", dir, library)), Configured: put(t, "other", dir, "other.so")}
		},
		"settings before installed": func(dir string) LibrarySource {
			return LibrarySource{Configured: put(t, "it", dir, library), Share: []string{install(t, dir+"/s", "other", "other")}}
		},
		"settings, in a checkout of the user's": func(dir string) LibrarySource {
			put(t, "", dir, ".git", "HEAD")
			return LibrarySource{Configured: put(t, "it", dir, "build", library)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := OpenLibrary(c(place(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if got := content(t, l); got != "it" {
				t.Errorf("took %s: %q", l.Path, got)
			}
		})
	}
}

func TestALibraryThatAnotherCouldHavePutThereIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source func(dir string) LibrarySource
		want   string
	}{
		"in the workspace": {func(dir string) LibrarySource {
			return LibrarySource{Env: variable(put(t, "", dir, "w", "lib", library)), Workspace: dir + "/w"}
		}, "in the workspace"},
		"in the workspace, which is named by a link": {func(dir string) LibrarySource {
			path := put(t, "", dir, "w", "lib", library)
			return LibrarySource{Env: variable(path), Workspace: link(t, dir+"/w", dir, "link")}
		}, "in the workspace"},
		"in the workspace, led to from outside": {func(dir string) LibrarySource {
			return LibrarySource{Env: variable(link(t, put(t, "", dir, "w", library), dir, "lib", library)), Workspace: dir + "/w"}
		}, "in the workspace"},
		"in the workspace, through its parent": {func(dir string) LibrarySource {
			put(t, "", dir, "w", library)
			return LibrarySource{Env: variable(dir + "/x/../w/" + library), Workspace: put(t, "", dir, "x", "f")[:len(dir)] + "/w"}
		}, "in the workspace"},
		"in another work tree": {func(dir string) LibrarySource {
			put(t, "", dir, "clone", ".git", "HEAD")
			return LibrarySource{Env: variable(put(t, "", dir, "clone", "a", "b", library)), Workspace: dir + "/w"}
		}, "git work tree"},
		"in a linked work tree or submodule": {func(dir string) LibrarySource {
			put(t, "gitdir: elsewhere\n", dir, "clone", ".git")
			return LibrarySource{Env: variable(put(t, "", dir, "clone", library))}
		}, "git work tree"},
		"relative": {func(string) LibrarySource {
			return LibrarySource{Env: variable("library_test.go")}
		}, "absolute"},
		"relative, in the settings": {func(string) LibrarySource {
			return LibrarySource{Configured: "library_test.go"}
		}, "absolute"},
		"not there": {func(dir string) LibrarySource {
			return LibrarySource{Env: variable(dir + "/none"), Configured: put(t, "", dir, library), Share: []string{install(t, dir, "", "")}}
		}, "no such file"},
		"a folder": {func(dir string) LibrarySource {
			return LibrarySource{Env: variable(dir)}
		}, "is a directory"},
		"others may write it": {func(dir string) LibrarySource {
			path := put(t, "", dir, library)
			chmod(t, path, 0o666)
			return LibrarySource{Env: variable(path)}
		}, "written by other users"},
		"others may write it, in the settings": {func(dir string) LibrarySource {
			path := put(t, "", dir, library)
			chmod(t, path, 0o602)
			return LibrarySource{Configured: path}
		}, "written by other users"},
		"others may put another there": {func(dir string) LibrarySource {
			path := put(t, "", dir, "open", "lib", library)
			chmod(t, filepath.Join(dir, "open"), 0o777)
			return LibrarySource{Env: variable(path)}
		}, "written by every user"},
		"installed, then changed": {func(dir string) LibrarySource {
			return LibrarySource{Share: []string{install(t, dir, "changed", "it")}}
		}, "not the file that was installed"},
		"installed, then gone": {func(dir string) LibrarySource {
			share := install(t, dir, "it", "it")
			if err := os.Remove(filepath.Join(share, "lib", library)); err != nil {
				t.Fatal(err)
			}
			return LibrarySource{Share: []string{share}}
		}, "not there any more"},
		"changed, with a sound one in the next folder": {func(dir string) LibrarySource {
			return LibrarySource{Share: []string{install(t, dir+"/a", "changed", "it"), install(t, dir+"/b", "it", "it")}}
		}, "not the file that was installed"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := OpenLibrary(c.source(place(t)))
			var refused *LibraryError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), refused.Path) {
				t.Fatalf("got %v, %v; want %q", l, err, c.want)
			}
			if Hint(err) == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestALibraryOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	dir := place(t)
	mine := put(t, "", dir, "lib", library)
	theirs := put(t, "", dir, "theirs", library)
	if err := os.Chown(theirs, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLibrary(LibrarySource{Env: variable(theirs)}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("the file: %v", err)
	}
	if err := os.Chown(filepath.Dir(mine), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenLibrary(LibrarySource{Env: variable(mine)}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("its folder: %v", err)
	}
}

func TestOnlyThePrivateGroupOfTheUserMayWriteALibrary(t *testing.T) {
	t.Parallel()
	path := put(t, "", place(t), library)
	chmod(t, path, 0o660)
	for group, allowed := range map[int]bool{os.Geteuid(): true, 12345: false} {
		if err := os.Chown(path, -1, group); err != nil {
			t.Skip(err)
		}
		l, err := OpenLibrary(LibrarySource{Env: variable(path)})
		if (err == nil) != allowed {
			t.Errorf("group %d: %v", group, err)
		}
		if err == nil {
			l.Close()
		}
	}
}

func TestNothingIsTakenFromAFolderThatNobodyInstalledInto(t *testing.T) {
	t.Parallel()
	dir := place(t)
	put(t, "", dir, "dropped", "lib", library)
	put(t, "0000  ../../"+library+"\n", dir, "elsewhere", "lib", SumsFile)
	put(t, "", dir, library)
	for _, share := range []string{"none", "dropped", "elsewhere"} {
		if l, err := OpenLibrary(LibrarySource{Share: []string{filepath.Join(dir, share)}}); !errors.Is(err, ErrNoLibrary) {
			t.Errorf("%s: %v, %v", share, l, err)
		}
	}
}

func TestASharedFolderOfARepositoryIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := place(t)
	put(t, "", dir, "clone", ".git", "HEAD")
	own, work, clone, user := dir+"/p", dir+"/w/.data/ctx", dir+"/clone/ctx", dir+"/user/ctx"
	got := Trusted([]string{own, work, clone, user}, dir+"/w")
	if len(got) != 2 || got[0] != own || got[1] != user {
		t.Errorf("kept %q", got)
	}
}

func TestWhatWasCheckedIsWhatIsLoaded(t *testing.T) {
	t.Parallel()
	dir := place(t)
	path := put(t, "checked", dir, library)
	l, err := OpenLibrary(LibrarySource{Env: variable(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.loadable() == path {
		t.Skip("this system does not name open files")
	}
	if err := os.Rename(put(t, "swapped", dir, "other"), path); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(l.loadable()); string(b) != "checked" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
