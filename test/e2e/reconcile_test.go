package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// families is a workspace behind the gateway whose server has tools of several
// families, in the mode that lists what fits or was revealed.
func (u *user) families(settings string) string {
	u.t.Helper()
	dir := u.notes("--tools", filepath.Join(u.home, "tools"))
	var lines []string
	for _, t := range []string{"read_file", "list_files", "run_tests", "deploy_release", "rollback_release", "git_status", "git_commit"} {
		lines = append(lines, fmt.Sprintf(`{"name":%q,"description":"Do %s.","inputSchema":{"type":"object"}}`, t, t))
	}
	u.write("tools", strings.Join(lines, "\n")+"\n", u.home)
	u.write("ctx.toml", "[gateway]\nmode = \"narrow\"\nnarrow_above = 0\n"+settings, dir)
	u.wrap(dir, "claude")
	return dir
}

func (u *user) event(dir, session, name, more string) string {
	u.t.Helper()
	return u.hook(dir, "claude", name, fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q%s}`, session, dir, name, more))
}

// converse holds a conversation in which some tools are called, one after the
// shadow has seen the other: it plans beside the calls, and once for several.
func (u *user) converse(dir, session string, tools ...string) {
	u.t.Helper()
	p := u.gateway(dir, "claude")
	u.event(dir, session, "SessionStart", `,"source":"startup"`)
	for i, t := range tools {
		if i > 0 {
			u.planned(dir, session)
		}
		p.call("call_tool_write", args{"tool": "notes:" + t, "arguments": args{}})
	}
	p.close()
}

// planned waits until the shadow has planned for a session.
func (u *user) planned(dir, session string) {
	u.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		ledger, _ := os.ReadFile(filepath.Join(dir, ".ctx-surface", "reconcile.jsonl"))
		if strings.Contains(string(ledger), fmt.Sprintf(`"session":%q`, session)) {
			return
		}
	}
	u.t.Fatalf("nothing is planned for the session %s", session)
}

type refereed struct {
	Schema, Verdict string
	Rules           []struct {
		Family, Phase, Verdict string
		Sessions, Misses       int
	}
}

func (u *user) referee(dir string) (refereed, int) {
	u.t.Helper()
	r := u.tryCtx(dir, "surface", "referee", "--json")
	var doc refereed
	if err := json.Unmarshal([]byte(r.out), &doc); err != nil {
		u.t.Fatalf("%v\n%s%s", err, r.out, r.err)
	}
	return doc, r.code
}

func (d refereed) rule(family, phase string) string {
	for _, r := range d.Rules {
		if r.Family == family && r.Phase == phase {
			return fmt.Sprintf("%s %d/%d", r.Verdict, r.Misses, r.Sessions)
		}
	}
	return ""
}

// Faults 9 to 11 end to end: what sessions do by themselves is what the referee
// judges by, what it promotes the running gateway follows, and a miss ends that.
func TestFaults9To11HidesArePromotedEnforcedAndDemoted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.families("")
	if _, code := u.referee(dir); code != 3 {
		t.Errorf("without data: exit %d", code)
	}
	for i := range 22 {
		tools := []string{"read_file"}
		if i == 3 {
			tools = append(tools, "run_tests")
		}
		u.converse(dir, fmt.Sprint("s", i), tools...)
	}
	doc, code := u.referee(dir)
	if code != 1 || doc.rule("deployment", "explore") != "promote 0/22" || doc.rule("testing", "explore") != "hold 1/22" {
		t.Fatalf("exit %d: %+v", code, doc)
	}

	p := u.gateway(dir, "claude")
	u.event(dir, "live", "SessionStart", `,"source":"startup"`)
	p.call("surface", args{"action": "reveal", "family": "notes"})
	lists := func(tool string) bool {
		_, ok := p.list()["notes__"+tool]
		return ok
	}
	if !lists("deploy_release") || !lists("run_tests") {
		t.Fatalf("listed: %v", p.list())
	}
	if r := u.tryCtx(dir, "surface", "reconcile", "--phase", "explore"); r.code != 0 || !lists("deploy_release") {
		t.Errorf("in the shadow: exit %d, %s%s", r.code, r.out, r.err)
	}
	r := u.tryCtx(dir, "surface", "reconcile", "--phase", "explore", "--enforce")
	if r.code != 0 || !strings.Contains(r.out, "hide, done") || !strings.Contains(r.out, "testing stays: not promoted") {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if lists("deploy_release") || lists("rollback_release") || !lists("run_tests") || !lists("read_file") {
		t.Errorf("listed: %v", p.list())
	}
	if found := p.call("tool_search", args{"query": "deploy a release"}); !strings.Contains(found.String(), "notes:deploy_release") {
		t.Errorf("search says %s", found)
	}

	// A miss: it is called, comes back, and the rule is no longer enforced. What
	// else was listed of its family by a reveal needs another one.
	if c := p.call("call_tool_write", args{"tool": "notes:deploy_release", "arguments": args{}}); strings.Contains(c.String(), "there is no tool") {
		t.Errorf("the call says %s", c)
	}
	for end := time.Now().Add(patience); !lists("deploy_release") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if !lists("deploy_release") {
		t.Errorf("listed: %v", p.list())
	}
	if doc, code := u.referee(dir); code != 1 || doc.rule("deployment", "explore") != "hold 1/1" {
		t.Errorf("exit %d: %+v", code, doc)
	}
	if r := u.tryCtx(dir, "surface", "reconcile", "--session", "s0", "--enforce"); r.code != 1 {
		t.Errorf("of a session that may be over: exit %d: %s", r.code, r.err)
	}
	info, err := os.Stat(filepath.Join(dir, ".ctx-surface/reconcile.jsonl"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	p.close()
	u.ctx(dir, "unwrap")
	if _, err := os.Stat(filepath.Join(dir, ".ctx-surface")); err == nil {
		t.Error("unwrap leaves the ledger")
	}
}

func TestTheShadowKeepsSilentWhereTheGateIsOff(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.families("[surface]\ngate = \"off\"\n")
	u.converse(dir, "s", "read_file")
	if _, err := os.Stat(filepath.Join(dir, ".ctx-surface/reconcile.jsonl")); err == nil {
		t.Error("there is a ledger")
	}
}

func TestReconcileFollowsWhatTheSessionDoesAndTheUserWants(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.families("")
	plan := func(arguments ...string) (phase, reveals, hides string) {
		t.Helper()
		r := u.tryCtx(dir, append([]string{"surface", "reconcile", "--host", "claude", "--json"}, arguments...)...)
		var doc struct {
			Schema string
			Hosts  []struct {
				Phase          string
				Reveals, Hides []struct{ Family string }
			}
		}
		if err := json.Unmarshal([]byte(r.out), &doc); err != nil || doc.Schema != "ctx.reconcile/v1" || len(doc.Hosts) != 1 {
			t.Fatalf("%v\n%s%s", err, r.out, r.err)
		}
		names := func(of []struct{ Family string }) string {
			var all []string
			for _, f := range of {
				all = append(all, f.Family)
			}
			slices.Sort(all)
			return strings.Join(all, " ")
		}
		h := doc.Hosts[0]
		return h.Phase, names(h.Reveals), names(h.Hides)
	}
	check := func(want string, arguments ...string) {
		t.Helper()
		if phase, reveals, hides := plan(arguments...); phase+"|"+reveals+"|"+hides != want {
			t.Errorf("%q: %s|%s|%s, want %s", arguments, phase, reveals, hides, want)
		}
	}
	check("explore||deployment testing")
	check("explore|source-control|deployment testing", "--intent", "open a PR")
	check("explore||deployment testing", "--intent", "improve the print, but do not deploy")
	u.converse(dir, "a", "read_file", "run_tests")
	check("verify||deployment source-control", "--session", "a")
	u.converse(dir, "b", "read_file", "run_tests", "git_commit")
	check("deliver||", "--session", "b")
	check("edit||deployment", "--phase", "edit") // of the latest session, that has used the others
}
