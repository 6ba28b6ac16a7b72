package profile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/authority"
	"github.com/ctx-sidecar/ctx/core/config"
	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/core/profile"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// settings are those of two ctx.toml, the user's and the workspace's.
func settings(t *testing.T, user, workspace string) config.Surface {
	t.Helper()
	l, ws := paths.Layout{Config: t.TempDir()}, t.TempDir()
	for dir, text := range map[string]string{l.Config: user, ws: workspace} {
		if err := os.WriteFile(filepath.Join(dir, "ctx.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := config.Load(l, ws, nil)
	return c.Surface
}

func find(t *testing.T, s config.Surface, name string) profile.Profile {
	t.Helper()
	p, err := profile.Find(s, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var (
	reads    = profile.Tool{Server: "fs", Name: "read_file", Family: "files", Tier: authority.Read}
	writes   = profile.Tool{Server: "fs", Name: "write_file", Family: "files", Tier: authority.LocalWrite}
	comments = profile.Tool{Server: "hub", Name: "add_comment", Family: "collaboration", Tier: authority.RemoteWrite}
	deletes  = profile.Tool{Server: "hub", Name: "delete_repo", Family: "source-control", Tier: authority.Destructive}
	unknown  = profile.Tool{Server: "x", Name: "frob", Family: "files", Tier: authority.Read, Unknown: true}
	inHouse  = profile.Tool{Server: "acme", Name: "read_widget", Family: surface.Other, Tier: authority.Read}
	invoices = profile.Tool{Server: "pay", Name: "list_invoices", Family: "billing", Tier: authority.Read}
)

func TestWhatTheBuiltInProfilesKeep(t *testing.T) {
	t.Parallel()
	for name, kept := range map[string][]profile.Tool{
		"read-only": {reads, inHouse},
		"local-dev": {reads, inHouse, writes},
		"review":    {reads, inHouse, writes, comments, unknown},
		"full":      {reads, inHouse, writes, comments, deletes, unknown, invoices},
	} {
		p := find(t, config.Surface{}, name)
		want := map[string]bool{}
		for _, x := range kept {
			want[x.ID()] = true
		}
		for _, x := range []profile.Tool{reads, inHouse, writes, comments, deletes, unknown, invoices} {
			if ok, reason := p.Admits(x); ok != want[x.ID()] || ok != (reason == "") {
				t.Errorf("%s admits %s: %v (%s)", name, x.ID(), ok, reason)
			}
		}
	}
}

// Unknown and mistyped authority passed every ceiling of the predecessor.
func TestUnknownAuthorityCountsAsARemoteWrite(t *testing.T) {
	t.Parallel()
	p := find(t, config.Surface{}, "local-dev")
	if ok, reason := p.Admits(unknown); ok || !strings.Contains(reason, "not known to do less than remote-write") {
		t.Errorf("%v: %s", ok, reason)
	}
	if ok, _ := p.AdmitsUnlisted("fs"); ok {
		t.Error("a server that was never listed passes a ceiling")
	}
	full := find(t, config.Surface{}, "full")
	if ok, reason := full.AdmitsUnlisted("fs"); !ok {
		t.Errorf("the profile that keeps everything: %s", reason)
	}
	but := find(t, settings(t, "[surface.profiles.full]\nexclude = [\"fs:delete_*\"]\n", ""), "full")
	if ok, _ := but.AdmitsUnlisted("fs"); ok {
		t.Error("what is excluded of a server cannot be told before it is listed")
	}
	if ok, _ := but.AdmitsUnlisted("other"); !ok {
		t.Error("another server's exclusion counts")
	}
}

func TestAProfileThatCannotBeFollowedAdmitsNothing(t *testing.T) {
	t.Parallel()
	s := settings(t, "[surface.profiles.full]\nauthority_ceiling = \"raed\"\n[surface.profiles.mine]\nfamilies = [\"fils\"]\n", "")
	for _, name := range []string{"full", "mine"} {
		p := find(t, s, name)
		if ok, reason := p.Admits(reads); ok || !strings.Contains(reason, "ctx.toml:") {
			t.Errorf("%s: %v %s", name, ok, reason)
		}
	}
	p := profile.Active(s, "gone")
	if ok, reason := p.Admits(reads); ok || !strings.Contains(reason, `there is no profile "gone"`) {
		t.Errorf("one that is not there: %v %s", ok, reason)
	}
}

func TestUsersOwnProfile(t *testing.T) {
	t.Parallel()
	s := settings(t, `
[surface.profiles.mine]
families = ["files"]
authority_ceiling = "remote-write"
include = ["hub:*", "pay:list_*"]
exclude = ["fs:write_*"]
[surface.profiles.read-only]
exclude = ["fs:read_file"]
[surface.profiles.none]
families = []
`, "")
	p := find(t, s, "mine")
	for _, x := range []struct {
		tool profile.Tool
		kept bool
	}{
		{reads, true}, {writes, false}, {comments, true}, {invoices, true},
		{deletes, false}, // an include is no way around the ceiling
	} {
		if ok, reason := p.Admits(x.tool); ok != x.kept {
			t.Errorf("%s: %v %s", x.tool.ID(), ok, reason)
		}
	}
	own := find(t, s, "read-only")
	if ok, _ := own.Admits(reads); ok {
		t.Error("a table of the user's does not change the built-in profile")
	}
	if ok, _ := own.Admits(writes); ok {
		t.Error("what the table does not say of the built-in profile is lost")
	}
	none := find(t, s, "none")
	if ok, _ := none.Admits(reads); ok || len(none.Families()) != 0 {
		t.Error("no families are taken for all")
	}
}

func TestAWorkspaceNarrowsAProfileAndNeverWidensIt(t *testing.T) {
	t.Parallel()
	const user = "[surface.profiles.p]\nfamilies = [\"files\"]\nauthority_ceiling = \"local-write\"\nexclude = [\"fs:secret_*\"]\nmax_schema_tokens = 100\n"
	for _, x := range []struct {
		workspace string
		tool      profile.Tool
		kept      bool
	}{
		{"", writes, true},
		{"families = [\"files\", \"collaboration\"]\nauthority_ceiling = \"destructive\"\ninclude = [\"hub:*\", \"fs:*\"]\nexclude = []\n", comments, false},
		{"include = [\"fs:*\"]\nexclude = []\n", profile.Tool{Server: "fs", Name: "secret_read", Family: "files"}, false},
		{"authority_ceiling = \"read\"\n", writes, false},
		{"families = [\"docs\"]\n", reads, false},
		{"exclude = [\"fs:*\"]\n", reads, false},
		{"description = \"mine\"\n", reads, true},
	} {
		for name, base := range map[string]string{"the user's": user, "built in": ""} {
			at := "p"
			if base == "" {
				at = "local-dev"
			}
			text := ""
			if x.workspace != "" {
				text = "[surface.profiles." + at + "]\n" + x.workspace
			}
			p := find(t, settings(t, base, text), at)
			if base == "" && strings.HasPrefix(x.tool.Name, "secret_") {
				continue // nothing excludes it there
			}
			if ok, reason := p.Admits(x.tool); ok != x.kept {
				t.Errorf("%s, %q: %s: %v %s", name, x.workspace, x.tool.ID(), ok, reason)
			}
		}
	}
	p := find(t, settings(t, user, "[surface.profiles.p]\nmax_schema_tokens = 5000\n"), "p")
	if p.MaxSchemaTokens() != 100 {
		t.Errorf("limit %d", p.MaxSchemaTokens())
	}
}

func TestWhichProfileIsInForce(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ user, workspace, wrapped, want string }{
		{"", "", "", ""},
		{"", "", "review", "review"},
		{"local-dev", "", "", "local-dev"},
		{"local-dev", "", "full", "full"}, // the user's own last word
		{"", "read-only", "", "read-only"},
		{"local-dev", "full", "", "local-dev + full"}, // the workspace's comes on top
		{"", "read-only", "full", "full + read-only"},
		{"read-only", "read-only", "", "read-only"},
	} {
		p := profile.Active(config.Surface{DefaultProfile: x.user, WorkspaceProfile: x.workspace}, x.wrapped)
		got := ""
		if p != nil {
			got = p.Name
		}
		if got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
		if ok, _ := p.Admits(deletes); ok != (x.want == "" || x.want == "full") {
			t.Errorf("%+v admits a tool that deletes: %v", x, ok)
		}
	}
}

func TestUnknownNamesAreHintedAt(t *testing.T) {
	t.Parallel()
	_, err := profile.Find(config.Surface{}, "ful")
	var e *profile.UnknownError
	if !errors.As(err, &e) || e.Hint() != "did you mean full?" {
		t.Errorf("%v", err)
	}
	_, err = profile.Find(config.Surface{}, "something")
	if !errors.As(err, &e) || e.Hint() != "profiles: read-only, local-dev, review, full" {
		t.Errorf("%v", err)
	}
}

func TestToolsAreJudgedByTheirDefinitionsElseByTheirNames(t *testing.T) {
	t.Parallel()
	def := listing.Tool{Server: "fs", Name: "read_file", Description: "Reads a file.", Raw: []byte(`{"name":"read_file","description":"Reads a file.","inputSchema":{"type":"object"}}`)}
	if got := profile.Of(def); got.Tier != authority.Read || got.Unknown || got.Family != surface.Family("files") {
		t.Errorf("%+v", got)
	}
	if got := profile.Of(listing.Tool{Server: "fs", Name: "delete_file"}); got.Tier != authority.Destructive {
		t.Errorf("by its name alone: %+v", got)
	}
	if got := profile.Of(listing.Tool{Server: "fs", Name: "frob"}); got.Tier < authority.RemoteWrite || !got.Unknown {
		t.Errorf("by a name that says nothing: %+v", got)
	}
	def.Writes = true // a workspace's own tools are believed nothing
	if got := profile.Of(def); got.Tier == authority.Read {
		t.Errorf("%+v", got)
	}
}

// A restriction that the user wrote down does not go with a slip elsewhere in the
// file; a file without any, or a workspace's, locks nobody out.
func TestAFileThatCannotBeReadWidensNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		user, workspace string
		shut            bool
	}{
		{"[surface]\ndefault_profile = \"read-only\"\n[surface]\n", "", true},
		{"[surface.profiles.mine]\nauthority_ceiling = \"read\n", "", true},
		{"role = \"x\n", "", false},
		{"", "[surface]\ndefault_profile = \"read-only\n", false},
	} {
		home := t.TempDir()
		l := paths.Layout{Home: home, Config: filepath.Join(home, ".config", "ctx")}
		ws := filepath.Join(home, "ws")
		for path, text := range map[string]string{filepath.Join(l.Config, "ctx.toml"): c.user, filepath.Join(ws, "ctx.toml"): c.workspace} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		cfg, problems := config.Load(l, ws, nil)
		ok, why := profile.Active(cfg.Surface, "").Admits(profile.Tool{Server: "s", Name: "t"})
		if len(problems) != 1 || ok == c.shut || c.shut && !strings.Contains(why, "ctx.toml:") {
			t.Errorf("%q, %q: admitted %v, %q; %v", c.user, c.workspace, ok, why, problems)
		}
	}
}
