package tap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"deep":  "triggers = " + strings.Repeat("[", 1<<20),
		"big":   "triggers = [\"" + strings.Repeat("a", 1<<20) + "\"]",
		"dots":  strings.Repeat("a.", 100000) + "a = 1",
		"bytes": "\xff\xfe\x00",
	} {
		put(t, root, name, "send a mail")
		write(t, filepath.Join(root, "capabilities", name, "config.toml"), text)
	}
	if err := os.Mkdir(filepath.Join(root, "capabilities", "deep", "default.toml.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	all, problems := LoadDir(root)
	if len(all) != 4 || len(problems) != 4 {
		t.Errorf("%d capabilities, %v", len(all), rules(problems))
	}
	for _, c := range all {
		if c.Broken == "" || c.In("developer") {
			t.Errorf("%s is not shut", c.Name)
		}
	}
}

// Where git cannot make a symbolic link, it writes the link's target as text. Of
// both kinds a config.toml is followed, and where it leads nowhere the capability
// is shut: nobody knows its domains.
func TestAConfigThatIsALinkIsFollowedOrShut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ target, rule string }{
		"shared":   {"../../shared/config.toml", ""},
		"same":     {"real.toml", ""},
		"through":  {"../hop/config.toml", ""},
		"broken":   {"../../shared/broken.toml", "syntax"},
		"folder":   {"../../shared/folder.toml", "unreadable"},
		"dangling": {"../shared/config.toml", "dangling"},
		"outside":  {"../../../x.toml", "outside"},
		"loop":     {"config.toml", "loop"},
		"backward": {"../behind/config.toml", "loop"},
	} {
		for _, kind := range []string{"text", "link"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "tap")
				const good = "triggers = [\"send a mail\", \"read a mail\", \"file the mail\"]\ndomains = [\"office\"]\n"
				write(t, filepath.Join(dir, "shared", "config.toml"), good)
				write(t, filepath.Join(dir, "shared", "broken.toml"), "triggers = [")
				write(t, filepath.Join(dir, "shared", "folder.toml", "x"), "")
				of := filepath.Join(dir, "capabilities", "x")
				write(t, filepath.Join(of, "default.toml"), provide("x", "x-mcp"))
				for hop, target := range map[string]string{"hop": "../../shared/config.toml", "behind": "../x/config.toml"} {
					write(t, filepath.Join(dir, "capabilities", hop, "default.toml"), provide(hop, hop+"-mcp"))
					write(t, filepath.Join(dir, "capabilities", hop, "config.toml"), target)
				}
				config := filepath.Join(of, "config.toml")
				if name == "same" {
					write(t, filepath.Join(of, "real.toml"), good)
				}
				want := c.rule
				if kind == "text" {
					write(t, config, c.target+"\n")
				} else {
					if err := os.Symlink(c.target, config); err != nil {
						t.Fatal(err)
					}
					switch name {
					case "loop":
						want = "unreadable" // the system says so
					case "outside":
						want = "dangling" // a link may leave the tap, and this one leads nowhere
					}
				}
				r := newReader(dir)
				for _, round := range []string{"first", "second"} {
					got, problems, err := r.capability("x", defaultProvider)
					r.done()
					if err != nil || len(got.Servers) != 1 {
						t.Fatalf("%s: %+v, %v", round, got, err)
					}
					if want == "" {
						if len(problems) != 0 || got.Broken != "" || len(got.Triggers) != 3 || !got.In("office") || got.In("developer") {
							t.Errorf("%s: %+v, %v", round, got, problems)
						}
						continue
					}
					if len(problems) != 1 || problems[0].Rule != want || problems[0].Severity != Error || got.Broken == "" || got.In("office") || got.In("") {
						t.Errorf("%s: %+v, %v; want %s", round, got, problems, want)
					}
				}
				if told := Lint(dir); want != "" && !slices.Contains(rules(told), want) {
					t.Errorf("lint: %v", told)
				}
			})
		}
	}
}

// A file that is within the limit of bytes can hold very much of one thing.
func TestMuchOfOneThingIsBoundedAndTold(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	many := func(n int, text string) string { return strings.Repeat(text, n) }
	server := func(i int) string {
		return fmt.Sprintf("[[mcp.servers]]\nname = \"s%d\"\ncommand = \"c\"\n", i)
	}
	var servers strings.Builder
	for i := range mostServers + 100 {
		servers.WriteString(server(i))
	}
	var keys strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&keys, "k%d = 1\n", i)
	}
	for name, c := range map[string]struct{ config, provider, rule string }{
		"wrong":    {"triggers = [" + many(100_000, "1,") + "]", "", "too-many"},
		"few":      {"triggers = [" + many(mostEntries, "1,") + "]", "", "wrong-type"},
		"triggers": {"triggers = [" + many(mostEntries+1, "\"a\",") + "]", "", "too-many"},
		"domains":  {"triggers = [\"send a mail\"]\ndomains = [" + many(mostEntries+1, "\"a\",") + "]", "", "too-many"},
		"keys":     {keys.String(), "", "unknown-key"},
		"servers":  {"", servers.String(), "too-many"},
		"args":     {"", server(0) + "args = [" + many(mostEntries+1, "\"a\",") + "]\n" + server(1), "too-many"},
		"allowed":  {"", "[roles.mcp]\nallowed_tools = [" + many(mostEntries+1, "\"*\",") + "]\n" + server(0), "too-many"},
		"own":      {"", server(0) + "tools = [" + many(mostEntries+1, "\"*\",") + "]\n" + server(1), "too-many"},
		"errors":   {"", server(0) + "args = [" + many(mostEntries, "1,") + "]\n" + server(1) + "args = [" + many(mostEntries, "1,") + "]\n" + server(2), "wrong-type"},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, root, name, "send a mail")
			for file, text := range map[string]string{"config.toml": c.config, "default.toml": c.provider} {
				if text != "" {
					write(t, filepath.Join(root, "capabilities", name, file), text)
				}
			}
			r := newReader(root)
			got, problems, err := r.capability(name, defaultProvider)
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) > 2*mostProblems || !slices.Contains(rules(problems), c.rule) {
				t.Errorf("%d problems: %.500v", len(problems), rules(problems))
			}
			if len(got.Triggers) > mostEntries || len(got.Servers) > mostServers {
				t.Errorf("%d triggers, %d servers", len(got.Triggers), len(got.Servers))
			}
			for _, s := range got.Servers { // what cannot be followed whole is not run half, and exposes nothing more
				half := name == "args" || name == "own" || name == "errors"
				if half && s.Name != "s1" && s.Name != "s2" || name == "errors" && s.Name != "s2" || name == "allowed" && !s.Toolless() {
					t.Errorf("there is %+v", s)
				}
			}
			if name == "domains" && got.In("a") {
				t.Error("it is of a domain of a list that is not followed")
			}
		})
	}
}

// A named pipe that nobody writes to must not hold anybody up.
func TestAPipeInPlaceOfAFileIsReportedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "x", "send a mail", "read a mail", "file the mail")
	config := filepath.Join(root, "capabilities", "x", "config.toml")
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(config, 0o644); err != nil {
		t.Skip("no pipes here")
	}
	all, problems := LoadDir(root)
	if len(all) != 1 || all[0].Broken == "" || len(problems) != 1 || problems[0].Rule != "unreadable" {
		t.Errorf("%+v, %v", all, problems)
	}
	if got := Lint(root); len(got) != 1 || got[0].Rule != "unreadable" {
		t.Errorf("lint: %v", got)
	}
}
