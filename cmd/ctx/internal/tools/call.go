package tools

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
)

func newCall(f *cmdutil.Factory) *cobra.Command {
	s := &session{f: f}
	arguments := ""
	cmd := &cobra.Command{
		Use:     "call ID",
		Short:   "Call a tool",
		Long:    "Call a tool, whatever its authority: you are the one who asks for it.",
		Example: "  ctx tools call memory:read_graph\n  ctx tools call filesystem:read_text_file --args '{\"path\": \"README.md\"}'",
		Args:    cmdutil.Args(1, 1),

		ValidArgsFunction: survey.CompleteTools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			var object map[string]json.RawMessage
			if err := json.Unmarshal([]byte(arguments), &object); err != nil || object == nil {
				return cmdutil.BadUsage(`for example: --args '{"path": "README.md"}'`, "--args is not a JSON object")
			}
			a, err := s.ask(cmd.Context(), "call_tool_write", map[string]any{"tool": args[0], "arguments": json.RawMessage(arguments)})
			if err != nil {
				return err
			}
			return s.print("tools-call", a)
		},
	}
	s.flag(cmd)
	cmd.Flags().StringVar(&arguments, "args", "{}", "the arguments, a JSON object")
	return cmd
}
