// Package help is the command ctx help.
package help

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
)

// Result is what ctx help --json prints.
type Result struct {
	Command  string `json:"command"`
	Short    string `json:"short"`
	Usage    string `json:"usage"`
	Example  string `json:"example"`
	Commands []Line `json:"commands"`
	Flags    []Line `json:"flags"`
}

// Line is a command or a flag and what it does.
type Line struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// New makes the command.
func New(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  ctx help wrap setup",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				if of == nil {
					of = root
				}
				return cmdutil.UnknownCommand(of, strings.Join(append(rest, args...)[:1], ""))
			}
			of.InitDefaultHelpFlag()
			return f.Print("help", describe(of), func(*iostreams.Streams) { err = of.Help() })
		},
	}
}

func describe(of *cobra.Command) Result {
	r := Result{
		Command: of.CommandPath(), Short: of.Short, Usage: of.UseLine(), Example: of.Example,
		Commands: []Line{}, Flags: []Line{},
	}
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() {
			r.Commands = append(r.Commands, Line{c.Name(), c.Short})
		}
	}
	of.Flags().VisitAll(func(fl *pflag.Flag) { r.Flags = append(r.Flags, Line{"--" + fl.Name, fl.Usage}) })
	return r
}
