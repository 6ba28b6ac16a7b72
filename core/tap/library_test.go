package tap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/paths"
)

// world is a user with taps.
type world struct {
	t     *testing.T
	dir   string
	store *Store
}

func newWorld(t *testing.T) *world {
	dir := t.TempDir()
	return &world{t, dir, Open(paths.Layout{Data: filepath.Join(dir, "data")})}
}

func (w *world) tap(name string) string {
	w.t.Helper()
	root := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Join(root, "capabilities"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Add(Tap{Name: name, Path: root}); err != nil {
		w.t.Fatal(err)
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// put writes a capability with one server of its name.
func put(t *testing.T, root, name string, triggers ...string) {
	t.Helper()
	write(t, filepath.Join(root, "capabilities", name, "config.toml"), fmt.Sprintf("triggers = [%s]\n", quoted(triggers)))
	write(t, filepath.Join(root, "capabilities", name, "default.toml"), provide(name, name+"-mcp"))
}

func provide(name, command string) string {
	return fmt.Sprintf("# Title: The %[1]s tools\n# Description: Whatever there is to do with %[1]s.\n[roles.mcp]\nserver_refs = [%[1]q]\nallowed_tools = [\"%[1]s:*\"]\n\n[[mcp.servers]]\nname = %[1]q\ntype = \"stdio\"\ncommand = %[2]q\n", name, command)
}

func quoted(list []string) string {
	var q []string
	for _, s := range list {
		q = append(q, fmt.Sprintf("%q", s))
	}
	return strings.Join(q, ", ")
}

func rules(problems []Problem) []string {
	var names []string
	for _, p := range problems {
		names = append(names, p.Rule)
	}
	return names
}

func TestTheFirstTapWinsAndTheOthersAreReachedByTheirOrganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.tap("acme/tools"), w.tap("beta/tools")
	put(t, first, "deploy", "ship the site")
	put(t, second, "deploy", "ship the app")
	put(t, second, "mail", "send a mail")
	c := NewLibrary(w.store, nil).Load()
	for ref, want := range map[string]string{"deploy": "acme/tools", "acme/deploy": "acme/tools", "beta/deploy": "beta/tools", "mail": "beta/tools", "beta/mail": "beta/tools"} {
		if got, ok := c.Find(ref); !ok || got.Tap != want {
			t.Errorf("%s is of %q, want %q", ref, got.Tap, want)
		}
	}
	if _, ok := c.Find("acme/mail"); ok {
		t.Error("acme/mail is found in another organisation's tap")
	}
	var refs []string
	for _, one := range c.Capabilities {
		refs = append(refs, one.Ref)
	}
	if !slices.Equal(refs, []string{"deploy", "beta/deploy", "mail"}) || len(c.Problems) != 0 {
		t.Errorf("refs %v, problems %v", refs, c.Problems)
	}
}

func TestTheFirstTapOfAnOrganisationHidesItsOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.tap("acme/tools"), w.tap("acme/more")
	put(t, first, "deploy", "ship the site")
	put(t, second, "deploy", "ship the app")
	c := NewLibrary(w.store, nil).Load()
	if len(c.Capabilities) != 1 || c.Capabilities[0].Tap != "acme/tools" {
		t.Errorf("%+v", c.Capabilities)
	}
}

func TestATapThatLacksTheChosenProviderIsPassedOverWithAWord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.tap("acme/tools"), w.tap("beta/tools")
	put(t, first, "search", "search the web")
	put(t, second, "search", "search the web")
	write(t, filepath.Join(second, "capabilities", "search", "tavily.toml"), provide("tavily", "tavily-mcp"))
	c := NewLibrary(w.store, map[string]string{"search": "tavily"}).Load()
	got, _ := c.Find("search")
	if got.Tap != "beta/tools" || got.Provider != "tavily" || got.Servers[0].Name != "tavily" {
		t.Errorf("search is %s of %s", got.Provider, got.Tap)
	}
	if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].String(), "acme/tools is passed over") || c.Problems[0].Severity != Warning {
		t.Errorf("problems: %v", c.Problems)
	}
	c = NewLibrary(w.store, map[string]string{"search": "nobody"}).Load()
	if _, ok := c.Find("search"); ok {
		t.Error("search has a provider that no tap has")
	}
	if len(c.Problems) != 2 || c.Problems[0].Severity != Error {
		t.Errorf("problems: %v", c.Problems)
	}
}

func TestABrokenEditKeepsTheLastGoodVersionAndIsReported(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]string{
		"no TOML":       "triggers = [\"half a",
		"a wrong kind":  "triggers = 7\n",
		"a wrong item":  "triggers = [7]\n",
		"a wrong gate":  "triggers = [\"x\"]\ndomains = \"developer\"\n",
		"binary":        "\x00\x01",
		"too many dots": strings.Repeat("a.", 300) + "a = 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			root := w.tap("acme/tools")
			put(t, root, "deploy", "ship the site")
			put(t, root, "mail", "send a mail")
			l := NewLibrary(w.store, nil)
			good := l.Load()
			config := filepath.Join(root, "capabilities", "deploy", "config.toml")
			write(t, config, edit)
			c := l.Load()
			got, ok := c.Find("deploy")
			if !ok || !slices.Equal(got.Triggers, []string{"ship the site"}) || got.Broken != "" {
				t.Errorf("deploy is %+v", got)
			}
			if len(c.Problems) != 1 || c.Problems[0].File != config || c.Problems[0].Line != 1 && name != "a wrong gate" {
				t.Errorf("problems: %v", c.Problems)
			}
			if _, ok := c.Find("mail"); !ok {
				t.Error("another capability was lost")
			}
			write(t, config, "triggers = [\"ship the site\"]\n")
			if c := l.Load(); len(c.Problems) != 0 {
				t.Errorf("mended, and yet: %v", c.Problems)
			}
			if again := l.Load(); again != l.Catalog() || len(good.Problems) != 0 {
				t.Error("nothing changed, and the catalog is another one")
			}
		})
	}
}

func TestWhatWasNeverGoodIsKnownAndCannotBeEnabled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.tap("acme/tools")
	put(t, root, "deploy", "ship the site")
	put(t, root, "mail", "send a mail")
	write(t, filepath.Join(root, "capabilities", "deploy", "default.toml"), "[[mcp.servers]\n")
	write(t, filepath.Join(root, "capabilities", "mail", "config.toml"), "triggers = [")
	c := NewLibrary(w.store, nil).Load()
	deploy, _ := c.Find("deploy")
	if deploy.Broken == "" || len(deploy.Triggers) != 1 {
		t.Errorf("deploy: %+v", deploy)
	}
	mail, ok := c.Find("mail")
	if !ok || mail.Broken == "" || mail.In("developer") || mail.In("") {
		t.Errorf("mail, whose domains nobody can read: %+v", mail)
	}
	if len(c.Problems) != 2 {
		t.Errorf("problems: %v", c.Problems)
	}
}

func TestLinksOfBothKindsNameTheirProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.tap("acme/tools")
	dir := filepath.Join(root, "capabilities")
	for _, name := range []string{"real", "text", "shared", "outside", "loop", "dangling"} {
		write(t, filepath.Join(dir, name, "config.toml"), "triggers = [\"x\"]\n")
		write(t, filepath.Join(dir, name, "docker.toml"), provide("docker", "docker-mcp"))
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name, "default.toml")); err != nil {
			t.Fatal(err)
		}
	}
	link("docker.toml", "real")
	write(t, filepath.Join(dir, "text", "default.toml"), "docker.toml")
	link(filepath.Join("..", "real", "docker.toml"), "shared")
	write(t, filepath.Join(dir, "outside", "default.toml"), "../../../../x.toml")
	write(t, filepath.Join(dir, "loop", "default.toml"), "default.toml")
	write(t, filepath.Join(dir, "dangling", "default.toml"), "nobody.toml")
	l := NewLibrary(w.store, nil)
	c := l.Load()
	for name, want := range map[string]string{"real": "docker", "text": "docker", "shared": "default"} {
		if got, ok := c.Find(name); !ok || got.Provider != want || len(got.Servers) != 1 {
			t.Errorf("%s: %+v, want the provider %s", name, got, want)
		}
	}
	for _, name := range []string{"outside", "loop", "dangling"} {
		if _, ok := c.Find(name); ok {
			t.Errorf("%s is found", name)
		}
	}
	got := rules(c.Problems)
	slices.Sort(got)
	if want := []string{"dangling", "loop", "no-provider", "no-provider", "no-provider", "outside"}; !slices.Equal(got, want) {
		t.Errorf("problems: %v", c.Problems)
	}
}

// follow runs a watch and returns a wait for a catalog that is as wanted.
func (w *world) follow(l *Library) (until func(what string, ok func(*Catalog) bool)) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	news := make(chan struct{}, 1)
	go func() {
		defer close(done)
		l.Watch(ctx, hclog.NewNullLogger(), func(*Catalog) {
			select {
			case news <- struct{}{}:
			default:
			}
		})
	}()
	w.t.Cleanup(func() { stop(); <-done })
	return func(what string, ok func(*Catalog) bool) {
		w.t.Helper()
		late := time.After(30 * time.Second)
		for !ok(l.Catalog()) {
			select {
			case <-news:
			case <-late:
				w.t.Fatalf("%s: not seen; problems %v", what, l.Catalog().Problems)
			}
		}
	}
}

func TestAWatchSeesEveryKindOfChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := NewLibrary(w.store, nil)
	until := w.follow(l)
	triggers := func(name, want string) func(*Catalog) bool {
		return func(c *Catalog) bool {
			got, ok := c.Find(name)
			return ok && slices.Equal(got.Triggers, []string{want})
		}
	}
	root := w.tap("acme/tools")
	put(t, root, "deploy", "ship the site")
	until("a tap that is added", triggers("deploy", "ship the site"))

	config := filepath.Join(root, "capabilities", "deploy", "config.toml")
	write(t, config, "triggers = [\"publish the site\"]\n")
	until("an edit in place", triggers("deploy", "publish the site"))

	write(t, config+"~", "triggers = [\"release the site\"]\n")
	if err := os.Rename(config+"~", config); err != nil {
		t.Fatal(err)
	}
	until("a rename over it", triggers("deploy", "release the site"))

	put(t, root, "mail", "send a mail")
	until("a capability that is added", triggers("mail", "send a mail"))

	write(t, config, "triggers = [\"rele")
	until("a broken edit", func(c *Catalog) bool { return len(c.Problems) == 1 && triggers("deploy", "release the site")(c) })

	if err := os.RemoveAll(filepath.Dir(config)); err != nil {
		t.Fatal(err)
	}
	until("a capability that is removed", func(c *Catalog) bool { _, ok := c.Find("deploy"); return !ok && len(c.Problems) == 0 })

	elsewhere := filepath.Join(w.dir, "elsewhere", "mail.toml")
	write(t, elsewhere, provide("mail", "linked-mcp"))
	fallback := filepath.Join(root, "capabilities", "mail", "default.toml")
	command := func(want string) func(*Catalog) bool {
		return func(c *Catalog) bool {
			got, ok := c.Find("mail")
			return ok && len(got.Servers) == 1 && got.Servers[0].Command == want
		}
	}
	if err := os.Remove(fallback); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, fallback); err != nil {
		t.Fatal(err)
	}
	until("a link in its place", command("linked-mcp"))
	write(t, elsewhere, provide("mail", "other-mcp"))
	until("an edit of the link's target", command("other-mcp"))

	if err := w.store.Remove("acme/tools"); err != nil {
		t.Fatal(err)
	}
	until("a tap that is removed", func(c *Catalog) bool { return len(c.Capabilities) == 0 })
}

func TestAThousandCapabilitiesAreReadOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	root := w.tap("acme/tools")
	old := time.Now().Add(-time.Hour)
	for i := range 1000 {
		name := fmt.Sprintf("cap-%04d", i)
		put(t, root, name, "do the thing number "+name)
		for _, f := range []string{"config.toml", "default.toml"} {
			if err := os.Chtimes(filepath.Join(root, "capabilities", name, f), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := NewLibrary(w.store, nil)
	if c := l.Load(); len(c.Capabilities) != 1000 || len(c.Problems) != 0 {
		t.Fatalf("%d capabilities, %v", len(c.Capabilities), c.Problems)
	}
	parsed := 0
	r := l.order[0].reader
	parseConfig, parseFile := r.routing.parse, r.providers.parse
	r.routing.parse = func(d *document) routing { parsed++; return parseConfig(d) }
	r.providers.parse = func(d *document) provider { parsed++; return parseFile(d) }
	write(t, filepath.Join(root, "capabilities", "cap-0500", "config.toml"), "triggers = [\"another thing\"]\n")
	c := l.Load()
	if got, _ := c.Find("cap-0500"); parsed != 1 || got.Triggers[0] != "another thing" {
		t.Errorf("%d files were parsed for one edit", parsed)
	}
}

func BenchmarkReloadOfAThousandCapabilities(b *testing.B) {
	root := b.TempDir()
	r := newReader(root)
	for i := range 1000 {
		name := fmt.Sprintf("cap-%04d", i)
		dir := filepath.Join(root, "capabilities", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f, text := range map[string]string{"config.toml": "triggers = [\"do the thing\"]\n", "default.toml": provide(name, "x")} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	readers := []*tapReader{{r, "acme/tools"}}
	for b.Loop() {
		resolve(readers, nil)
	}
}
