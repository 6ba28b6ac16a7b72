package plugindir

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/tap"
)

const (
	manifestFile   = "plugin.json"
	manifestSchema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
)

// pluginName holds apart from the double dashes and dots that it must not have.
var pluginName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

// readManifest reads a plugin.json; false: it rejects the plugin.
func readManifest(path string) (Plugin, []tap.Problem, bool) {
	d, root, ok := open(path)
	if !ok {
		return Plugin{}, d.problems, false
	}
	root.only("$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "extensions")
	root.schema(manifestSchema)
	p := Plugin{Name: root.string("name"), Version: root.string("version"), Description: root.string("description")}
	switch {
	case d.failed(0):
	case p.Name == "":
		root.fault(0, "no-name", "it has no name", `"name": "my-plugin"`)
	case !pluginName.MatchString(p.Name) || strings.Contains(p.Name, "--") || strings.Contains(p.Name, ".."):
		root.fault(root.offset("name"), "bad-name", fmt.Sprintf("%q cannot be a plugin's name", p.Name), "up to 64 small letters, digits, dashes and dots, without two of these in a row")
	}
	for _, field := range []string{"homepage", "repository", "license"} {
		root.string(field)
	}
	root.strings("keywords")
	if author, ok := root.object("author"); ok {
		known := []string{"name", "email", "url"}
		for _, field := range known {
			author.string(field)
		}
		for _, field := range slices.Sorted(maps.Keys(author.fields)) {
			if !slices.Contains(known, field) {
				author.wrong(field, fmt.Sprintf("an author has no %s", field), "known: name, email, url")
				break
			}
		}
	}
	return p, d.problems, !d.failed(0)
}

// schema checks which format a file is written in. One that does not say is
// taken for this one.
func (o object) schema(want string) {
	switch got, there := o.fields["$schema"]; {
	case !there:
		o.report(tap.Warning, 0, "no-schema", "it does not say which format it is in", fmt.Sprintf(`"$schema": %q`, want))
	case o.string("$schema") != want:
		o.fault(o.offset("$schema"), "bad-schema", fmt.Sprintf("the format %.100s is not known", got), fmt.Sprintf("known: %q", want))
	}
}
