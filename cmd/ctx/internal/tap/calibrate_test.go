package tap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/root"
)

// rows writes labelled rows about the capabilities of newUser: n that expect
// one, n that expect none.
func (u *user) rows(n int) string {
	u.t.Helper()
	var b strings.Builder
	row := func(text, kind string, expect ...string) {
		line, err := json.Marshal(map[string]any{"id": fmt.Sprint(b.Len()), "text": text, "domain": "", "expect": append([]string{}, expect...), "kind": kind})
		if err != nil {
			u.t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	for i := range n {
		row(fmt.Sprintf("query db for the %d newest entries", i+2), "direct", "db")
		row(fmt.Sprintf("thanks, that makes %d today, see you tomorrow", i+2), "chitchat")
	}
	path := filepath.Join(u.home, "rows.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return path
}

func (u *user) added() *user {
	u.t.Helper()
	if code, _, errOut := u.run("", "tap", "add", "acme/tools", u.tap, "--yes"); code != 0 {
		u.t.Fatal(errOut)
	}
	return u
}

type calibrated struct {
	Schema       string
	Kept         bool
	File         string
	Calibrations []struct {
		Ranker, Stale string
		ActivateAt    float64 `json:"activate_at"`
		SuggestAt     float64 `json:"suggest_at"`
		Expected      map[string]float64
		Set           struct{ Positives, Abstain int }
	}
	Warnings []string
}

func (u *user) calibrate(args ...string) calibrated {
	u.t.Helper()
	code, out, errOut := u.run("", append([]string{"tap", "calibrate", "acme/tools", "--json"}, args...)...)
	var d calibrated
	if err := json.Unmarshal([]byte(out), &d); code != 0 || err != nil {
		u.t.Fatalf("exit %d, %v: %s", code, err, errOut)
	}
	return d
}

func (u *user) listed() calibrated {
	u.t.Helper()
	_, out, errOut := u.run("", "tap", "list", "--json")
	var d struct{ Taps []calibrated }
	if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Taps) != 1 {
		u.t.Fatalf("%v: %s%s", err, out, errOut)
	}
	return d.Taps[0]
}

func TestACalibrationIsTheUsersAndEndsWithTheTextsItWasMadeFor(t *testing.T) {
	t.Parallel()
	u := newUser(t).added()
	set := u.rows(25)
	before := tree(t, u.tap)
	d := u.calibrate("--set", set)
	if d.Schema != "ctx.tap-calibrate/v1" || !d.Kept || len(d.Calibrations) != 1 {
		t.Fatalf("%+v", d)
	}
	c := d.Calibrations[0]
	if c.Ranker != "lexical" || c.Set.Positives != 25 || c.Set.Abstain != 25 || c.Expected["false_fires"] > 0.03 || c.Expected["fired_correct"] < 0.9 {
		t.Errorf("%+v", c)
	}
	if all := strings.Join(d.Warnings, "\n"); !strings.Contains(all, "words alone") || !strings.Contains(all, "25 rows expect nothing") {
		t.Errorf("warnings %q", d.Warnings)
	}
	if after := tree(t, u.tap); after != before {
		t.Errorf("the tap was written to:\n%s", after)
	}
	if !strings.HasPrefix(d.File, filepath.Join(u.home, ".local", "share", "ctx", "calibrations")) {
		t.Errorf("kept in %s", d.File)
	}
	if l := u.listed(); len(l.Calibrations) != 1 || l.Calibrations[0].Stale != "" {
		t.Errorf("listed: %+v", l)
	}

	_, out, _ := u.run("", "capability", "discover", "query db for the newest entries", "--explain", "--json")
	if !strings.Contains(out, `"calibrated": "acme/tools"`) || !strings.Contains(out, fmt.Sprintf(`"activate_at": %v`, c.ActivateAt)) {
		t.Errorf("discover does not use it: %s", out)
	}

	u.write("capabilities/db/config.toml", `triggers = ["query db", "ask db", "open db", "close db"]`)
	if l := u.listed(); len(l.Calibrations) != 1 || !strings.Contains(l.Calibrations[0].Stale, "changed") {
		t.Errorf("after an edit: %+v", l)
	}
	if _, out, _ := u.run("", "tap", "list"); !strings.Contains(out, "stale (lexical: the tap or one before it has changed since)") {
		t.Errorf("the table does not say so:\n%s", out)
	}
	if _, out, _ := u.run("", "capability", "discover", "query db for the newest entries", "--explain", "--json"); strings.Contains(out, "calibrated") {
		t.Errorf("a stale one is used: %s", out)
	}

	if code, _, errOut := u.run("", "tap", "remove", "acme/tools"); code != 0 {
		t.Fatal(errOut)
	}
	if left, err := filepath.Glob(filepath.Join(u.home, ".local", "share", "ctx", "calibrations", "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Prompts lead to none of what an earlier tap has by the same name.
func TestACalibrationIsOfWhatNoEarlierTapHas(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	fork := filepath.Join(u.home, "src", "fork")
	if err := os.CopyFS(fork, os.DirFS(u.tap)); err != nil {
		t.Fatal(err)
	}
	u.must(0, "2 of them for prompts", "tap", "add", "fork/tools", fork, "--yes")
	u.must(0, "0 of them for prompts", "tap", "add", "acme/tools", u.tap, "--yes")
	set := u.rows(25)
	u.must(1, "no prompt leads to acme/tools", "tap", "calibrate", "acme/tools", "--set", set)

	if err := os.RemoveAll(filepath.Join(fork, "capabilities", "db")); err != nil {
		t.Fatal(err)
	}
	if d := u.calibrate("--set", set); !d.Kept {
		t.Errorf("%+v", d)
	}
	var l struct {
		Taps []struct {
			Name                             string
			Capabilities, Routable, Shadowed int
			Calibrations                     []struct{ Stale string }
		}
	}
	if err := json.Unmarshal([]byte(u.must(0, "", "tap", "list", "--json")), &l); err != nil || len(l.Taps) != 2 {
		t.Fatalf("%v: %+v", err, l)
	}
	if own := l.Taps[1]; own.Capabilities != 2 || own.Routable != 1 || own.Shadowed != 1 || len(own.Calibrations) != 1 || own.Calibrations[0].Stale != "" {
		t.Errorf("%+v", own)
	}
	u.must(0, `"calibrated": "acme/tools"`, "capability", "discover", "query db for the newest entries", "--explain", "--json")
	u.must(0, "removed fork/tools", "tap", "remove", "fork/tools")
	u.must(0, "the tap or one before it has changed since", "tap", "list")
}

func TestWhatCannotBeCalibratedOnIsRefusedAndNothingIsKept(t *testing.T) {
	t.Parallel()
	u := newUser(t).added()
	bad := filepath.Join(u.home, "bad.jsonl")
	if err := os.WriteFile(bad, []byte("{\"text\":\"x\",\"expect\":[]}\n{\"text\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	few := u.rows(19)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no set":       {[]string{"acme/tools"}, 2, "needs --set"},
		"no such tap":  {[]string{"acme/tool", "--set", few}, 1, "did you mean: acme/tools"},
		"no such file": {[]string{"acme/tools", "--set", "none.jsonl"}, 3, "none.jsonl"},
		"bad line":     {[]string{"acme/tools", "--set", bad}, 1, "bad.jsonl:2: column"},
		"too few":      {[]string{"acme/tools", "--set", few}, 1, "too few rows: 19 that expect a capability and 19 that expect none"},
		"no share":     {[]string{"acme/tools", "--set", few, "--max-noise", "15"}, 2, "--max-noise is 15"},
	} {
		if code, _, errOut := u.run("", append([]string{"tap", "calibrate"}, c.args...)...); code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: exit %d, %s", name, code, errOut)
		}
	}
	if d := u.calibrate("--set", u.rows(20), "--dry-run"); d.Kept {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(filepath.Join(u.home, ".local", "share", "ctx", "calibrations")); !os.IsNotExist(err) {
		t.Errorf("something is kept: %v", err)
	}
}

func TestACalibrationThatIsStoppedIsNotKept(t *testing.T) {
	t.Parallel()
	u := newUser(t).added()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	streams, _, _, _ := iostreams.Test()
	cmd := root.New(&cmdutil.Factory{IO: streams, Env: []string{"HOME=" + u.home}, Dir: u.home})
	cmd.SetArgs([]string{"tap", "calibrate", "acme/tools", "--set", u.rows(25)})
	if err := cmd.ExecuteContext(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(u.home, ".local", "share", "ctx", "calibrations")); !os.IsNotExist(err) {
		t.Errorf("something is kept: %v", err)
	}
}

func TestADamagedCalibrationIsNamedAndCostsNothingElse(t *testing.T) {
	t.Parallel()
	u := newUser(t).added()
	set := u.rows(20)
	file := u.calibrate("--set", set).File
	if err := os.WriteFile(file, []byte(`{"schema":"ctx.calibration/v1","tap":"acme/tools","calibrations":[{"scale":0}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := u.run("", "tap", "list")
	if code != 0 || !strings.Contains(errOut, file) || !strings.Contains(out, "acme/tools") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if d := u.calibrate("--set", set); !d.Kept {
		t.Errorf("%+v", d)
	}
	if _, err := os.Stat(file + ".bad"); err != nil {
		t.Errorf("the damaged one is not kept aside: %v", err)
	}
}

// tree is every file below dir with what is in it.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s\n%s\n", path, raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
