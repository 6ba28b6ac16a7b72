// Package approve is the command ctx approve: the user's word on one tool call.
package approve

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// Waiting is what ctx approve --json prints without a code.
type Waiting struct {
	Calls []trust.PendingCall `json:"calls"`
}

// Approved is what it prints with one.
type Approved struct {
	Call trust.Call `json:"call"`
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "approve [CODE]",
		Short: "Let a tool call that waits for you be made once",
		Long: `Let a tool call that waits for you be made once, and print its arguments, up to
64 KiB. Without a code, the calls that wait are listed, long arguments without
their middle; --json has as much of them as is printed with a code. Codes are
for your eyes: no agent is ever told one.`,
		Example:           "  ctx approve\n  ctx approve k3f5a-9qp2x",
		Args:              cmdutil.Args(0, 1),
		ValidArgsFunction: complete(f),
		RunE: func(_ *cobra.Command, args []string) error {
			t := trust.Open(f.Layout().Trust())
			if len(args) == 0 {
				w := Waiting{append([]trust.PendingCall{}, t.ListCalls()...)}
				return f.Print("approve", w, w.print)
			}
			waiting, err := t.Waiting(args[0])
			if err != nil {
				return err
			}
			if !f.JSON {
				if err := printWhole(f.IO, waiting.Call); err != nil {
					return err // nothing is approved that could not be shown
				}
			}
			c, err := t.ApproveCall(args[0])
			if err != nil {
				return err
			}
			return f.Print("approve", Approved{c}, func(s *iostreams.Streams) {
				fmt.Fprintf(s.Out, "approved, once: %s\n", iostreams.Clean(c.Summary))
			})
		},
	}
}

// printWhole prints everything that a call would send.
func printWhole(s *iostreams.Streams, c trust.Call) error {
	text := iostreams.Clean(c.Server+":"+c.Tool) + "\n"
	if c.Arguments != "" {
		text += "    " + strings.ReplaceAll(iostreams.CleanLines(c.Arguments), "\n", "\n    ") + "\n"
	}
	_, err := fmt.Fprint(s.Out, text)
	return err
}

func (w Waiting) print(s *iostreams.Streams) {
	if len(w.Calls) == 0 {
		fmt.Fprintln(s.Out, "No call waits for you.")
		return
	}
	t := iostreams.NewTable("CODE", "TOOL", "UNTIL", "CALL")
	for _, c := range w.Calls {
		t.Row(c.Code, c.Server+":"+c.Tool, c.Expires.Local().Format(time.TimeOnly), c.Summary)
	}
	t.Write(s)
}

func complete(f *cmdutil.Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var codes []cobra.Completion
		for _, c := range trust.Open(f.Layout().Trust()).ListCalls() {
			codes = append(codes, c.Code)
		}
		return codes, cobra.ShellCompDirectiveNoFileComp
	}
}
