package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
)

// columns is how wide help is: what every terminal has, and a pipe as well.
const columns = 80

// Set makes root and all commands below it explain themselves within 80 columns.
func Set(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		text := cmd.Long
		if text == "" {
			text = cmd.Short
		}
		out := cmd.OutOrStdout()
		fmt.Fprintf(out, "%s\n\n", flow(text))
		writeUsage(out, cmd)
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		writeUsage(cmd.OutOrStderr(), cmd)
		return nil
	})
}

func writeUsage(out io.Writer, cmd *cobra.Command) {
	below := available(cmd)
	fmt.Fprintln(out, "Usage:")
	// What only holds other commands does nothing by itself.
	if alone := cmd.Name() == cmd.Use && len(below) > 0; !alone {
		fmt.Fprintf(out, "  %s\n", cmd.UseLine())
	}
	if len(below) > 0 {
		fmt.Fprintf(out, "  %s COMMAND [flags]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", cmd.Example)
	}
	if len(below) > 0 {
		fmt.Fprint(out, "\nCommands:\n")
		writeCommands(out, below)
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(out, "\nFlags:\n%s", cmd.LocalFlags().FlagUsagesWrapped(columns))
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(out, "\nGlobal flags:\n%s", cmd.InheritedFlags().FlagUsagesWrapped(columns))
	}
	if len(below) > 0 {
		fmt.Fprintf(out, "\nMore about a command: %s COMMAND --help\n", cmd.CommandPath())
	}
}

func available(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			list = append(list, c)
		}
	}
	return list
}

func writeCommands(out io.Writer, list []*cobra.Command) {
	name := 0
	for _, c := range list {
		name = max(name, len(c.Name()))
	}
	for _, c := range list {
		for i, line := range iostreams.Wrap(c.Short, columns-name-4) {
			first := c.Name()
			if i > 0 {
				first = ""
			}
			fmt.Fprintf(out, "  %-*s  %s\n", name, first, line)
		}
	}
}

// flow sets each paragraph anew. A line that is indented stays as it is.
func flow(text string) string {
	var lines, words []string
	end := func() {
		if len(words) > 0 {
			lines = append(lines, iostreams.Wrap(strings.Join(words, " "), columns)...)
		}
		words = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			words = append(words, line)
			continue
		}
		end()
		lines = append(lines, line)
	}
	end()
	return strings.Join(lines, "\n")
}
