package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// stuck is a host that never ends its event.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { select {} }

// faulty stands for a fault of ours anywhere on the way.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("a fault") }

func TestRunAlwaysComesBack(t *testing.T) {
	t.Parallel()
	p := program{layout: paths.Layout{State: t.TempDir()}, log: hclog.NewNullLogger()}
	var out bytes.Buffer
	if err := run([]string{"fake", "SessionEnd"}, stuck{}, &out, p); err == nil || !strings.Contains(err.Error(), "no answer within") {
		t.Errorf("an event without end: %v", err)
	}
	if err := run([]string{"fake", "SessionEnd"}, faulty{}, &out, p); err == nil || !strings.Contains(err.Error(), "panic: a fault") {
		t.Errorf("a panic: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("output %q", out.String())
	}
}

// zeros is as long as anybody reads.
type zeros struct{ read, most int }

func (z *zeros) Read(b []byte) (int, error) {
	if z.read >= z.most {
		return 0, io.EOF
	}
	n := min(len(b), z.most-z.read)
	z.read += n
	return n, nil
}

func TestEventBeyondTheBoundIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	in := &zeros{most: mostEvent + 1<<20}
	if b, err := readEvent(in); !errors.Is(err, errTooLarge) || b != nil {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if in.read != in.most {
		t.Errorf("%d of %d bytes were read", in.read, in.most)
	}
	if _, err := readEvent(&zeros{most: mostEvent}); err != nil {
		t.Errorf("at the bound: %v", err)
	}
}
