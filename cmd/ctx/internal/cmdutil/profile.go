package cmdutil

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/profile"
)

// Profile finds a profile by its name. One that is not there is a usage error,
// one that cannot be followed a failure that names file and line.
func Profile(s config.Surface, name string) (profile.Profile, error) {
	p, err := profile.Find(s, name)
	if unknown := (*profile.UnknownError)(nil); errors.As(err, &unknown) {
		return p, BadUsage(unknown.Hint(), "%w", err)
	}
	for _, l := range p.Layers {
		if len(l.Faults) > 0 {
			return p, Fail(l.Faults[0].Hint, "%s", l.Faults[0].Where())
		}
	}
	return p, err
}

// CompleteProfiles completes the names of profiles.
func CompleteProfiles(f *Factory) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return profile.Names(f.Config().Surface), cobra.ShellCompDirectiveNoFileComp
	}
}
