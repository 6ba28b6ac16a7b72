// Package completion is the command ctx completion.
package completion

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
)

var shells = []string{"bash", "fish", "powershell", "zsh"}

// Result is what ctx completion --json prints.
type Result struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script of a shell",
		Long: `Print the script that completes commands, flags, hosts and ids in SHELL: bash,
fish, powershell or zsh. The shell reads it where it keeps its completions; that
of bash needs the package bash-completion.`,
		Example:   "  ctx completion bash > ~/.local/share/bash-completion/completions/ctx\n  ctx completion zsh > ~/.zfunc/_ctx\n  ctx completion fish > ~/.config/fish/completions/ctx.fish",
		Args:      cmdutil.Args(1, 1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			var b bytes.Buffer
			root := cmd.Root()
			var err error
			switch args[0] {
			case "bash":
				err = root.GenBashCompletionV2(&b, true)
			case "fish":
				err = root.GenFishCompletion(&b, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(&b)
			case "zsh":
				err = root.GenZshCompletion(&b)
			default:
				return cmdutil.BadUsage("shells: bash, fish, powershell, zsh", "unknown shell %q", args[0])
			}
			if err != nil {
				return fmt.Errorf("write the %s completion: %w", args[0], err)
			}
			return f.Print("completion", Result{args[0], b.String()}, func(s *iostreams.Streams) {
				fmt.Fprint(s.Out, b.String())
			})
		},
	}
}
