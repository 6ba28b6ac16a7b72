package embed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func kept(t *testing.T, dir string, model Embedder, texts ...string) *Kept {
	t.Helper()
	k, err := OpenKept(dir, "m", model, texts)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func ofKept(t *testing.T, k *Kept, texts ...string) [][]float32 {
	t.Helper()
	v, err := k.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestKeptVectorsComeBackFromTheirFile(t *testing.T) {
	t.Parallel()
	dir, model := filepath.Join(t.TempDir(), "vectors", "tools"), &counting{}
	k := kept(t, dir, model, "a", "b")
	want := ofKept(t, k, "a", "b")
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	again := &counting{}
	if got := ofKept(t, kept(t, dir, again, "b", "a"), "b", "a"); len(again.asked) != 0 || !slices.Equal(got[0], want[1]) || !slices.Equal(got[1], want[0]) {
		t.Errorf("%q made again; %v, want %v turned round", again.asked, got, want)
	}
	if info, err := os.Stat(filepath.Join(dir, "m.vec")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestNoMoreOfTheFileIsInMemoryThanIsWanted(t *testing.T) {
	t.Parallel()
	dir, model := t.TempDir(), &counting{}
	k := kept(t, dir, model, "a", "b", "c")
	ofKept(t, k, "a", "b", "c")
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	if k := kept(t, dir, model, "b", "z"); len(k.vectors) != 1 {
		t.Errorf("%d vectors in memory", len(k.vectors))
	}
}

func TestConversationsDoNotLoseEachOthersVectors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint("tool ", i)
			k, err := OpenKept(dir, "m", &counting{}, []string{text})
			if err == nil {
				_, err = k.Embed(t.Context(), []string{text})
			}
			if err == nil {
				err = k.Save()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	last := &counting{}
	var texts []string
	for i := range 8 {
		texts = append(texts, fmt.Sprint("tool ", i))
	}
	if ofKept(t, kept(t, dir, last, texts...), texts...); len(last.asked) != 0 {
		t.Errorf("lost: %q", last.asked)
	}
}

func TestNothingIsWrittenWhereNothingIsNew(t *testing.T) {
	t.Parallel()
	dir, model := t.TempDir(), &counting{}
	k := kept(t, dir, model, "a")
	ofKept(t, k, "a")
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "m.vec")); err != nil {
		t.Fatal(err)
	}
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "m.vec")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("written again: %v", err)
	}
}

func TestTooManyKeptVectorsLeaveThoseWantedLast(t *testing.T) {
	t.Parallel()
	dir, model := t.TempDir(), &counting{}
	var many []string
	for i := range maxKept {
		many = append(many, fmt.Sprint("old ", i))
	}
	k := kept(t, dir, model, many...)
	ofKept(t, k, many...)
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	k = kept(t, dir, model, "new")
	ofKept(t, k, "new")
	if err := k.Save(); err != nil {
		t.Fatal(err)
	}
	if all := kept(t, dir, model, append(many, "new")...); len(all.vectors) != maxKept || all.vectors[hashText("new")] == nil {
		t.Errorf("%d vectors are kept, the newest is %v", len(all.vectors), all.vectors[hashText("new")])
	}
}

func TestADamagedFileIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func([]byte) []byte{
		"another format": func([]byte) []byte { return []byte("something else") },
		"nothing":        func([]byte) []byte { return nil },
		"cut off":        func(b []byte) []byte { return b[:len(b)-5] },
		"a flipped bit":  func(b []byte) []byte { b[len(cacheMagic)+30] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, model := t.TempDir(), &counting{}
			path := filepath.Join(dir, "m.vec")
			k := kept(t, dir, model, "a", "b")
			ofKept(t, k, "a", "b")
			if err := k.Save(); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, damage(raw), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			// Found damaged on opening, and on saving.
			early, err := OpenKept(dir, "m", model, []string{"a"})
			if err == nil || early == nil {
				t.Fatalf("%v, %v", early, err)
			}
			if _, err := os.Stat(path + ".bad"); err != nil {
				t.Errorf("not set aside: %v", err)
			}
			ofKept(t, early, "a")
			if err := early.Save(); err != nil {
				t.Error(err)
			}
			late := kept(t, dir, model, "b")
			ofKept(t, late, "b")
			if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := late.Save(); err == nil {
				t.Error("damage is not told of")
			}
			last := &counting{}
			if ofKept(t, kept(t, dir, last, "b"), "b"); len(last.asked) != 0 {
				t.Error("what was new is lost")
			}
		})
	}
}
