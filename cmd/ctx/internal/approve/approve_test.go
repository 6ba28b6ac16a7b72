package approve_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// broken is a terminal that is gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestACallIsPrintedInFullBeforeItIsApproved(t *testing.T) {
	env := []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	store := trust.Open(paths.FromEnv(env).Trust())
	long := strings.Repeat("a", 700) + "the middle" + strings.Repeat("z", 700)
	wait := func() string {
		t.Helper()
		code, err := store.RequestCall(trust.Call{
			Session: "s", Server: "fs", Tool: "write_file", ArgsHash: "h",
			Summary:   `fs:write_file path="/x" content="aaa…(1410 bytes)…zzz"`,
			Arguments: "path=\"/x\"\ncontent=\"" + long + "\x1b[2J\"",
		})
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	ctx := func(args ...string) (said string, code int) {
		s, _, o, e := iostreams.Test()
		code = root.Main(args, env, s)
		return o.String() + e.String(), code
	}

	said, code := ctx("approve", wait())
	shown, done := strings.Index(said, `content="`+long+`\x1b[2J"`), strings.Index(said, "approved, once")
	if code != 0 || shown < 0 || done < shown || !strings.Contains(said, "fs:write_file\n") || !strings.Contains(said, `    path="/x"`) {
		t.Errorf("exit %d:\n%s", code, said)
	}
	if !store.TakeCall("s", "fs", "write_file", "h") {
		t.Error("the call was not approved")
	}

	for _, args := range [][]string{{"approve", "--json"}, {"approve", "--json", wait()}} {
		said, code := ctx(args...)
		whole, _ := json.Marshal(long)
		if code != 0 || !json.Valid([]byte(said)) || !strings.Contains(said, strings.Trim(string(whole), `"`)) {
			t.Errorf("%v: exit %d:\n%s", args, code, said)
		}
	}
	store.TakeCall("s", "fs", "write_file", "h")

	s, _, _, _ := iostreams.Test()
	s.Out = broken{}
	if code := root.Main([]string{"approve", wait()}, env, s); code == 0 || len(store.ListCalls()) != 1 {
		t.Errorf("exit %d: a call was approved that was not shown", code)
	}
}
