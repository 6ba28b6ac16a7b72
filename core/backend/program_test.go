package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program runs a shell script.
func program(script, input string) Program {
	return Program{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Dir: os.TempDir(), Input: []byte(input), Most: 1 << 16}
}

func TestAProgramReadsItsInputAndAnswers(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	defer m.Close()
	x, err := m.Run(t.Context(), program("cat; echo words >&2", "hello"))
	if err != nil || !x.OK || string(x.Output) != "hello" || string(x.Errors) != "words\n" {
		t.Errorf("%+v, %v", x, err)
	}
	x, err = m.Run(t.Context(), program("exit 4", strings.Repeat("x", 1<<20)))
	if err != nil || x.OK || x.Status != "exit status 4" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err = m.Run(t.Context(), Program{Path: "/nowhere", Dir: "/"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no program: %v", err)
	}
	x, err = m.Run(t.Context(), program("head -c 65537 /dev/zero", ""))
	if !errors.Is(err, ErrOutput) || len(x.Output) != 1<<16 {
		t.Errorf("%d bytes, %v", len(x.Output), err)
	}
}

// lingering is a script that starts processes which want to stay, each of them
// holding a file locked, and a function that waits for the end of all.
func lingering(t *testing.T, after string) (script string, gone func()) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "up"), 0o700); err != nil {
		t.Fatal(err)
	}
	stay := `trap "" HUP INT TERM; echo $$ > ` + dir + `/up/$$; while :; do sleep 0.05; done`
	script = "sh -c '" + stay + "' & sh -c '" + stay + "' >/dev/null 2>&1 & while [ $(ls " + dir + "/up | wc -l) -lt 2 ]; do sleep 0.02; done; " + after
	return script, func() {
		t.Helper()
		ups, err := os.ReadDir(filepath.Join(dir, "up"))
		if err != nil || len(ups) != 2 {
			t.Fatalf("started: %v, %v", ups, err)
		}
		for _, e := range ups {
			for deadline := time.Now().Add(patienceOfTests); alive(e.Name()); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("process %s lives on", e.Name())
				}
			}
		}
	}
}

func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestNothingOfAProgramOutlivesIt(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes are looked for in /proc")
	}
	m := New(Options{})
	t.Cleanup(m.Close)
	late := errors.New("too late")
	for name, tt := range map[string]struct {
		after string
		limit time.Duration
		err   error
	}{
		"it ends":        {"exit 0", patienceOfTests, nil},
		"it takes long":  {"sleep 1000", time.Second, late},
		"it is stubborn": {`trap "" TERM; while :; do sleep 0.05; done`, time.Second, late},
		"it floods":      {"cat /dev/zero", patienceOfTests, ErrOutput},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, gone := lingering(t, tt.after)
			ctx, cancel := context.WithTimeoutCause(t.Context(), tt.limit, late)
			defer cancel()
			if _, err := m.Run(ctx, program(script, "")); !errors.Is(err, tt.err) {
				t.Errorf("got %v", err)
			}
			gone()
		})
	}
}

func TestClosingEndsTheProgramsThatRun(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("processes are looked for in /proc")
	}
	m := New(Options{})
	mark := filepath.Join(t.TempDir(), "mark")
	script, gone := lingering(t, "touch "+mark+"; sleep 1000")
	done := make(chan error, 1)
	go func() { _, err := m.Run(context.Background(), program(script, "")); done <- err }()
	for deadline := time.Now().Add(patienceOfTests); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not start")
		}
	}
	m.Close()
	if err := await(t, done); !errors.Is(err, errClosing) {
		t.Errorf("got %v", err)
	}
	gone()
	if _, err := m.Run(t.Context(), program("exit 0", "")); !errors.Is(err, errClosing) {
		t.Errorf("after the end: %v", err)
	}
}
