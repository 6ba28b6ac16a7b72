package plugins

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// hosts are the processes that start an adapter in the tests of a whole host.
var hosts = map[string]func(){
	// reader asks an adapter to read its own stdin, and then reads its own.
	"reader": func() {
		in := os.Stdin
		c, err := OpenPath(context.Background(), os.Getenv("PLUGINS_TEST_ADAPTER"), Options{StartTimeout: patience})
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		defer c.Close()
		first := bufio.NewReader(in)
		line, _ := first.ReadString('\n')
		rest, _ := io.ReadAll(first)
		fmt.Printf("host read %q\n", line+string(rest))
	},
	// holder starts an adapter and waits to be killed.
	"holder": func() {
		c, err := OpenPath(context.Background(), os.Getenv("PLUGINS_TEST_ADAPTER"), Options{StartTimeout: patience})
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		d, err := c.Detect(context.Background(), Machine{})
		fmt.Println(d.Version, err)
		select {}
	},
}

func hostProcess(t *testing.T, role, adapter string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "PLUGINS_TEST_HOST="+role, "PLUGINS_TEST_ADAPTER="+link(t, adapter), "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	return cmd
}

func TestAnAdapterGetsNoByteOfItsHostsStdin(t *testing.T) {
	t.Parallel()
	// greedy reads all of its stdin before it serves, and in every other way it
	// can while it does.
	const event = `{"hook_event_name":"UserPromptSubmit","prompt":"secret"}` + "\n"
	cmd := hostProcess(t, "reader", "ctx-host-greedy")
	cmd.Stdin = strings.NewReader(event + "and more\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := fmt.Sprintf("host read %q\n", event+"and more\n"); string(out) != want {
		t.Errorf("the host says %q, want %q", out, want)
	}
}

func TestNoAdapterOutlivesAKilledHost(t *testing.T) {
	t.Parallel()
	// deaf does not watch its stdin: there the kernel must do it.
	for _, adapter := range []string{"ctx-host-echo", "ctx-host-deaf"} {
		if adapter == "ctx-host-deaf" && !diesWithParent {
			continue
		}
		cmd := hostProcess(t, "holder", adapter)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.Fields(line)[0])
		if err != nil {
			t.Fatalf("the host says %q", line)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		waitGone(t, pid)
	}
}
