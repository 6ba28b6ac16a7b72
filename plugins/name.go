package plugins

import (
	"regexp"
	"strings"
)

var validName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// ValidName reports whether a host may have this name.
func ValidName(name string) bool { return validName.MatchString(name) }

// nameOf returns the host's name in the file name of an adapter.
func nameOf(file string) string { return strings.TrimPrefix(file, Prefix) }
