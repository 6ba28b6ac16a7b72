package backend

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// BenchmarkCall is a call through a Manager, to be set against BenchmarkDirect,
// the same bytes written and read by hand.
func BenchmarkCall(b *testing.B) {
	m := newManager(b, Options{Servers: []surface.Server{stub(b, "s")}})
	params := json.RawMessage(`{"name":"echo","arguments":{"text":"hello"},"_meta":{"progressToken":1}}`)
	progress := func(json.RawMessage) {}
	ctx := within(b)
	for b.Loop() {
		if _, err := m.Request(ctx, "s", "tools/call", params, progress); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDirect(b *testing.B) {
	cmd := exec.Command(stub(b, "s").Command)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { in.Close(); cmd.Wait() }()
	r := bufio.NewReader(out)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},"_meta":{"progressToken":1}}}` + "\n")
	for b.Loop() {
		if _, err := in.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
}
