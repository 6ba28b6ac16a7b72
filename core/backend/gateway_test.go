package backend

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// A gateway that can be killed is this test binary once more, with its servers
// in a variable.
const gatewayVar = "CTX_TEST_GATEWAY"

// gatewayMain is what that binary does: it starts its servers, says when all
// have listed or failed, and stays.
func gatewayMain() {
	declared, ok := os.LookupEnv(gatewayVar)
	if !ok {
		return
	}
	os.Unsetenv(gatewayVar)
	var servers []surface.Server
	if err := json.Unmarshal([]byte(declared), &servers); err != nil {
		panic(err)
	}
	m := New(Options{Servers: servers, Env: os.Environ(), Dir: os.TempDir(), MaxStarting: 100})
	m.Start()
	fmt.Println("started")
	for _, b := range m.order {
		if a := b.begin(false); a != nil {
			if <-a.ready; a.err != nil {
				fmt.Println("failed:", b.srv.Name, a.err)
			}
		}
	}
	fmt.Println("ready")
	select {}
}

// startGateway starts a gateway whose servers carry mark in their environment,
// and waits until it says word.
func startGateway(t *testing.T, mark, word string, servers ...surface.Server) *exec.Cmd {
	t.Helper()
	declared, err := json.Marshal(servers)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), gatewayVar+"="+string(declared), mark)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	said := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if lines.Text() == word {
				said <- true
			} else if text := lines.Text(); strings.HasPrefix(text, "failed:") && word == "ready" {
				t.Error(text)
			}
		}
	}()
	await(t, said)
	return cmd
}
