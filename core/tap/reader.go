package tap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ctx-sidecar/ctx/core/surface"
)

// plainName is what a capability or provider may be called: it becomes a path.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// defaultProvider is the provider where the user names none.
const defaultProvider = "default"

const routingFile = "config.toml"

// reader reads one tap's folder again and again, parsing only what changed.
type reader struct {
	root      string
	elsewhere map[string]bool // folders outside of the tap that it has links to
	routing   cache[routing]
	providers cache[provider]
}

func newReader(root string) *reader {
	return &reader{root: root, elsewhere: map[string]bool{}, routing: cache[routing]{parse: parseRouting}, providers: cache[provider]{parse: parseProvider}}
}

// IsTap reports whether a folder has anything that taps hold: capabilities,
// skills or plugins.
func IsTap(dir string) bool {
	return slices.ContainsFunc([]string{"capabilities", "skills", "plugins"}, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && info.IsDir()
	})
}

// folder is where a tap has its capabilities.
func (r *reader) folder() string { return filepath.Join(r.root, "capabilities") }

// names lists the tap's capabilities.
func (r *reader) names() ([]string, []Problem) {
	entries, err := os.ReadDir(r.folder())
	if errors.Is(err, fs.ErrNotExist) && IsTap(r.root) {
		return nil, nil // it is one of skills or plugins
	}
	if err != nil {
		p := Problem{File: r.folder(), Severity: Error, Rule: "no-capabilities", Text: "cannot be read: " + err.Error()}
		if errors.Is(err, fs.ErrNotExist) {
			p.Text, p.Hint = "the tap has no folder capabilities", "a tap holds capabilities/NAME/default.toml and config.toml"
		}
		return nil, []Problem{p}
	}
	var names []string
	var problems []Problem
	for _, e := range entries {
		dir := filepath.Join(r.folder(), e.Name())
		switch info, err := os.Stat(dir); {
		case strings.HasPrefix(e.Name(), "."):
		case err != nil:
			problems = append(problems, Problem{File: dir, Severity: Error, Rule: "unreadable", Text: err.Error()})
		case !info.IsDir(): // a README, say
		case !plainName().MatchString(e.Name()):
			problems = append(problems, Problem{File: dir, Severity: Error, Rule: "bad-name",
				Text: fmt.Sprintf("%q cannot be a capability's name", e.Name()), Hint: "letters, digits, dots, dashes and underscores"})
		default:
			names = append(names, e.Name())
		}
	}
	return names, problems
}

// done ends a round of reading.
func (r *reader) done() {
	r.routing.forget()
	r.providers.forget()
}

// errNoProvider says that a tap does not have the provider that is asked for.
var errNoProvider = errors.New("no such provider")

// capability reads one capability with one provider. What can be used of it is
// returned beside the problems with the rest.
func (r *reader) capability(name, want string) (Capability, []Problem, error) {
	dir := filepath.Join(r.folder(), name)
	path, file, problems := linked(r, &r.providers, filepath.Join(dir, want+".toml"))
	if file == nil {
		return Capability{}, problems, errNoProvider
	}
	problems = append(problems, file.problems...)
	c := Capability{
		Name: name, Ref: name, Provider: strings.TrimSuffix(filepath.Base(path), ".toml"), Root: r.root,
		Title: file.value.title, Description: file.value.description,
		Servers: file.value.servers, Deps: file.value.deps,
		Place: surface.Place{File: path},
	}
	if failed := file.failed(); failed != nil && !file.clean {
		c.Broken = failed.String()
	}
	_, config, astray := linked(r, &r.routing, filepath.Join(dir, routingFile))
	problems = append(problems, astray...)
	switch {
	case config == nil && len(astray) > 0:
		c.shut(astray[0])
		return c, problems, nil
	case config == nil:
		problems = append(problems, Problem{
			File: filepath.Join(dir, routingFile), Severity: Warning, Rule: "no-config",
			Text: fmt.Sprintf("the capability %s has no config.toml, so no prompt activates it", name),
			Hint: `it can be enabled by name; give it triggers = ["...", ...]`,
		})
		return c, problems, nil
	}
	problems = append(problems, config.problems...)
	c.Triggers, c.Domains = config.value.triggers, config.value.domains
	switch failed := config.failed(); {
	case !config.good:
		c.shut(*failed)
	case len(c.Triggers) == 0 && failed == nil:
		problems = append(problems, Problem{
			File: filepath.Join(dir, routingFile), Severity: Warning, Rule: "no-triggers",
			Text: fmt.Sprintf("the capability %s has no triggers, so no prompt activates it", name), Hint: `triggers = ["...", ...]`,
		})
	}
	return c, problems, nil
}

// shut leaves a capability to no session: what its config.toml says of domains
// cannot be read.
func (c *Capability) shut(why Problem) {
	c.Domains = []string{nowhere}
	if c.Broken == "" {
		c.Broken = why.String()
	}
}

// linked reads a file through links of both kinds and returns the one that has
// the content, with its path. Without a file, a problem says where links lead;
// none: there is nothing at path.
func linked[T any](r *reader, c *cache[T], path string) (string, *cached[T], []Problem) {
	const most = 8
	start := path
	for range most {
		path = r.follow(path)
		file := c.read(path)
		switch {
		case file == nil && path != start:
			return start, nil, []Problem{{File: start, Severity: Error, Rule: "dangling", Text: "it stands for " + path + ", which is not there"}}
		case file == nil || file.linked == "":
			return path, file, nil
		case !within(r.root, file.linked):
			return start, nil, []Problem{{File: start, Severity: Error, Rule: "outside", Text: "it stands for a file outside of the tap"}}
		}
		path = file.linked
	}
	return start, nil, []Problem{{File: start, Severity: Error, Rule: "loop", Text: "it stands for itself"}}
}

// follow resolves a symbolic link to its name in the same folder. A link to
// another folder keeps its own name, and the folder is one to watch. One that
// dangles becomes its target.
func (r *reader) follow(path string) string {
	target, err := os.Readlink(path)
	if err != nil {
		return path
	}
	dir := filepath.Dir(path)
	real, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(target):
		return target
	case errors.Is(err, fs.ErrNotExist):
		return filepath.Join(dir, target)
	case err != nil:
		return path
	}
	if same, err := filepath.EvalSymlinks(dir); err == nil && same == filepath.Dir(real) {
		return filepath.Join(dir, filepath.Base(real))
	}
	r.elsewhere[filepath.Dir(real)] = true
	return path
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// available lists the providers of a capability, without the default's name
// where it stands for another.
func (r *reader) available(name string) []string {
	entries, err := os.ReadDir(filepath.Join(r.folder(), name))
	if err != nil {
		return nil // the capability is read elsewhere, and told of there
	}
	var list []string
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ".toml"); ok && e.Name() != routingFile && !strings.HasPrefix(stem, ".") {
			list = append(list, stem)
		}
	}
	slices.Sort(list)
	return list
}
