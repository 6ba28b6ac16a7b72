package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/plugins"
)

// hookTime is longer than any host gives a hook.
const hookTime = 20 * time.Second

// hooks runs every hook of a host with its recorded event, as a session of its
// own that is forgotten afterwards.
func (d *doctor) hooks(ctx context.Context, h *hosts.Host) {
	program, err := d.f.Program("ctx-hook")
	if err != nil {
		d.add(h.Name(), "hooks", Bad, err.Error(), "./install.sh")
		return
	}
	session := state.ScratchPrefix + strings.ToLower(rand.Text()[:10])
	dir, _ := state.SafeDir(d.f.Layout(), d.workspace)
	defer os.Remove(state.Open(dir).Path(session)) // it may never have been written

	good := 0
	var slowest time.Duration
	for _, ev := range h.Events {
		if len(ev.Sample) == 0 {
			continue
		}
		began := time.Now()
		if err := d.hook(ctx, program, h, ev, session); err != nil {
			d.add(h.Name(), "hook "+ev.Name, Bad, err.Error(), "see "+d.f.Layout().Log("ctx-hook"))
			continue
		}
		slowest = max(slowest, time.Since(began))
		good++
	}
	d.add(h.Name(), "hooks", Good, fmt.Sprintf("%d of %d answered a recorded event, the slowest in %d ms", good, len(h.Events), slowest.Milliseconds()), "")
}

func (d *doctor) hook(ctx context.Context, program string, h *hosts.Host, ev plugins.EventSpec, session string) error {
	payload := ev.In(d.workspace)
	got, err := h.Decode(ctx, plugins.RawEvent{Name: ev.Name, Payload: payload, Dir: d.workspace, Machine: h.Machine()})
	if err != nil {
		return err
	}
	if got.Session != "" {
		payload = bytes.ReplaceAll(payload, []byte(got.Session), []byte(session))
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, h.Name(), ev.Name)
	cmd.Dir, cmd.Env, cmd.Stdin = d.workspace, d.scratch.ChildEnv(), bytes.NewReader(payload)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return fmt.Errorf("no answer within %s", hookTime)
	case err != nil:
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(errOut.String()))
	case errOut.Len() > 0:
		return fmt.Errorf("it wrote to stderr: %s", strings.TrimSpace(errOut.String()))
	case out.Len() > 0 && !json.Valid(out.Bytes()):
		return fmt.Errorf("its answer is not one JSON document: %.100q", out.String())
	}
	return nil
}
