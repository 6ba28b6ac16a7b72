package cmdutil

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"done", nil, OK, ""},
		{"no", Fail("see: ctx trust list", "unknown server %q", "x"), No, "error: unknown server \"x\"\nhint: see: ctx trust list\n"},
		{"usage", BadUsage("", "two hosts"), Usage, "error: two hosts\n"},
		{"missing", NotThere("install one", "no host"), Missing, "error: no host\nhint: install one\n"},
		{"wrapped", fmt.Errorf("wrap claude: %w", NotThere("install it", "no host")), Missing, "error: wrap claude: no host\nhint: install it\n"},
		{"plain", errors.New("disk full"), No, "error: disk full\n"},
		{"several lines", errors.Join(errors.New("a"), errors.New("b")), No, "error: a; b\n"},
		{"a program's own", ExitStatus(7), 7, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if code := Report(&b, tt.err); code != tt.code || b.String() != tt.want {
				t.Errorf("exit %d, %q; want %d, %q", code, b.String(), tt.code, tt.want)
			}
		})
	}
}

func TestAnInterruptIsNotTheFailureThatItCauses(t *testing.T) {
	var out strings.Builder
	if code := Report(&out, Interrupted(errors.New("list the tools: context canceled"))); code != 130 || out.String() != "error: interrupted\n" {
		t.Errorf("exit %d, printed %q", code, out.String())
	}
	if code := Report(&out, Interrupted(ExitStatus(7))); code != 7 {
		t.Errorf("exit %d; the program that ran in ctx's place ended with 7", code)
	}
	if Interrupted(nil) != nil {
		t.Error("what was done in time has not failed")
	}
}
