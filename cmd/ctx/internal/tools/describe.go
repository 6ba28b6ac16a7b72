package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
)

func newDescribe(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	cmd := &cobra.Command{
		Use:     "describe ID...",
		Short:   "Show the whole definition of tools",
		Example: "  ctx tools describe filesystem:read_text_file",
		Args:    cmdutil.Args(1, -1),

		ValidArgsFunction: survey.CompleteTools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := s.ask(cmd.Context(), "describe_tool", map[string]any{"tools": args})
			if err != nil {
				return err
			}
			if f.JSON || a.IsError {
				if err := s.print("tools-describe", a); err != nil {
					return err
				}
			}
			var d struct {
				Schemas []json.RawMessage
				Unknown []string
			}
			if err := json.Unmarshal(a.StructuredContent, &d); err != nil {
				return fmt.Errorf("the gateway's answer: %w", err)
			}
			if !f.JSON {
				printSchemas(f.IO, d.Schemas)
			}
			if len(d.Unknown) > 0 {
				return cmdutil.Fail("ctx tools search finds ids", "unknown: %s", strings.Join(d.Unknown, ", "))
			}
			return nil
		},
	}
	s.flag(cmd)
	return cmd
}

// printSchemas shows definitions as the server wrote them, but for the space.
func printSchemas(s *iostreams.Streams, schemas []json.RawMessage) {
	for _, schema := range schemas {
		var b bytes.Buffer
		// It has just been parsed as a part of the answer, so it is JSON.
		_ = json.Indent(&b, schema, "", "  ")
		fmt.Fprintln(s.Out, iostreams.CleanLines(b.String()))
	}
}
