package tap

import (
	"fmt"
	"strings"
)

// routing is the content of a config.toml: when a capability is the one to use.
type routing struct {
	triggers []string
	domains  []string
}

func parseRouting(d *document) routing {
	root := d.root()
	root.only("triggers", "domains")
	var r routing
	for i, t := range root.texts("triggers") {
		if strings.TrimSpace(t) == "" {
			d.report(Error, "empty-trigger", []string{"triggers", fmt.Sprintf("#%d", i)}, "", "a trigger has no text")
			continue
		}
		r.triggers = append(r.triggers, strings.TrimSpace(t))
	}
	domains := root.texts("domains")
	if _, there := root.values["domains"]; there && domains == nil {
		// Not to be read as "every domain".
		r.domains = []string{nowhere}
		return r
	}
	for i, name := range domains {
		if strings.TrimSpace(name) == "" {
			d.report(Error, "empty-domain", []string{"domains", fmt.Sprintf("#%d", i)}, "", "a domain has no name")
			continue
		}
		r.domains = append(r.domains, strings.TrimSpace(name))
	}
	if len(domains) > 0 && len(r.domains) == 0 {
		r.domains = []string{nowhere}
	}
	return r
}

// nowhere is a domain that no session has: that of a capability whose list of
// domains cannot be read.
const nowhere = "-"
