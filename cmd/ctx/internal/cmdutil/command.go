package cmdutil

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ctx-sidecar/ctx/core/spelling"
)

// Group makes cmd a command that only holds others: alone it prints its help,
// and a word that is none of its commands is a usage error.
func Group(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return UnknownCommand(cmd, args[0])
	}
	return cmd
}

// UnknownCommand is the usage error for a word that is no command of parent's,
// with the commands that were probably meant, and others that would do.
func UnknownCommand(parent *cobra.Command, word string, others ...string) error {
	names := others
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := fmt.Sprintf("see: %s --help", parent.CommandPath())
	if below := deeper(parent, word); len(below) > 0 {
		hint = "did you mean: " + strings.Join(below, ", or ")
	}
	if near := Nearest(word, names); near != "" {
		hint = fmt.Sprintf("did you mean: %s %s", parent.CommandPath(), near)
	}
	return BadUsage(hint, "unknown command %q for %q", word, parent.CommandPath())
}

// deeper are the commands named word one level below those of parent.
func deeper(parent *cobra.Command, word string) []string {
	var paths []string
	for _, c := range parent.Commands() {
		for _, sub := range c.Commands() {
			if sub.Name() == word {
				paths = append(paths, sub.CommandPath())
			}
		}
	}
	return paths
}

// FlagError turns what is wrong with a command's flags into a usage error with
// the flag that was probably meant.
func FlagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see: %s --help", cmd.CommandPath())
	if _, word, ok := strings.Cut(err.Error(), "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := Nearest(word, names); near != "" {
			hint = "did you mean: --" + near
		}
	}
	// What Go's parser said of a number is no news to the user.
	what, _, _ := strings.Cut(err.Error(), ": strconv.")
	return BadUsage(hint, "%s", what)
}

// Args makes a check of the number of arguments whose failure is a usage error.
// most < 0 means any number.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		switch {
		case len(args) < least:
			return BadUsage(hint, "%s needs %s", cmd.CommandPath(), count(least))
		case most == 0 && len(args) > 0 && cmd.Flags().Lookup("host") != nil:
			return BadUsage(fmt.Sprintf("did you mean: %s --host %s", cmd.CommandPath(), args[0]), "unexpected argument %q", args[0])
		case most >= 0 && len(args) > most:
			return BadUsage(hint, "unexpected argument %q", args[most])
		}
		return nil
	}
}

func count(n int) string {
	if n == 1 {
		return "an argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// Nearest is the name that word was probably meant to be, "" when none is near.
func Nearest(word string, names []string) string {
	best, distance := "", 3
	slices.Sort(names)
	for _, n := range names {
		if strings.HasPrefix(n, word) && len(word) > 1 {
			return n
		}
		if d := spelling.Distance(word, n); d < distance && d < len(n) {
			best, distance = n, d
		}
	}
	return best
}
