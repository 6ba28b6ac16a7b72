package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/embed"
)

const rowsFile = `{"id":"1","text":"cancel an order for me","domain":"","expect":["orders"],"kind":"direct"}
{"id":"2","text":"thanks, that is all for today","domain":"","expect":[],"kind":"chitchat"}
{"id":"3","text":"count the inventory","domain":"","expect":[],"kind":"out-of-domain"}
`

// workspace is a folder with a tap and labelled rows.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"tap/capabilities/orders/config.toml":  "triggers = [\"cancel an order\", \"look up an order\", \"change an order\"]\n",
		"tap/capabilities/orders/default.toml": "# Title: Orders of customers\n# Description: Look up, change and cancel customer orders.\n\n[deps]\nrequire = [\"shop/orders\"]\n",
		"tap/capabilities/stock/config.toml":   "triggers = [\"count the inventory\", \"move stock\", \"how many are left\"]\ndomains = [\"logistics\"]\n",
		"tap/capabilities/stock/default.toml":  "# Title: Stock in warehouses\n# Description: Count and move stock between warehouses.\n\n[deps]\nrequire = [\"shop/stock\"]\n",
		"rows.jsonl":                           rowsFile,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, dir string, jsonOutput bool, env []string, args ...string) (code int, out, errOut string) {
	t.Helper()
	s, _, o, e := iostreams.Test()
	cmd := New(&cmdutil.Factory{IO: s, Env: append(env, "HOME="+dir), Dir: dir, JSON: jsonOutput})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	return cmdutil.Report(s.Err, cmd.ExecuteContext(t.Context())), o.String(), e.String()
}

type document struct {
	Schema    string
	Positives int
	Abstain   int
	Rankers   []map[string]any
	Warnings  []string
}

func TestWithoutAModelItSaysSoAndMeasuresWords(t *testing.T) {
	t.Parallel()
	code, out, errOut := run(t, workspace(t), true, nil, "routing", "--tap", "tap", "--set", "rows.jsonl", "--rankers", "all")
	if code != cmdutil.OK {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	var d document
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if d.Schema != "ctx.eval.routing/v1" || d.Positives != 1 || d.Abstain != 2 {
		t.Errorf("%+v", d)
	}
	if len(d.Rankers) != 2 || d.Rankers[0]["name"] != "lexical" || d.Rankers[1]["name"] != "default" {
		t.Errorf("rankers %v", d.Rankers)
	}
	for _, key := range []string{"top1", "fired_correct", "false_fires", "covered", "noise"} {
		if d.Rankers[0][key] != d.Rankers[1][key] {
			t.Errorf("without a model default is lexical, and %s differs", key)
		}
		if _, there := d.Rankers[0][key].(float64); !there {
			t.Errorf("%s is missing", key)
		}
	}
	if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], embed.ErrNoModel.Error()) {
		t.Errorf("warnings %q", d.Warnings)
	}
}

func TestWithTheModelAllRankersAreMeasured(t *testing.T) {
	t.Parallel()
	lib := os.Getenv(embed.LibraryVariable)
	if lib == "" {
		t.Skip(embed.LibraryVariable + " names no ONNX Runtime library")
	}
	dir := workspace(t)
	model, err := filepath.Abs("../../../../models/" + embed.DefaultModel)
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, ".config", "ctx")
	if err := os.MkdirAll(settings, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(settings, "ctx.toml"), []byte("[embed]\nmodel = \""+model+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{embed.LibraryVariable + "=" + lib}
	code, out, errOut := run(t, dir, true, env, "routing", "--tap", "tap", "--set", "rows.jsonl", "--rankers", "all")
	var d document
	if err := json.Unmarshal([]byte(out), &d); code != cmdutil.OK || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errOut)
	}
	if len(d.Warnings) == 1 && strings.Contains(d.Warnings[0], embed.ErrNoRuntime.Error()) {
		t.Skip(d.Warnings[0])
	}
	var names []string
	for _, r := range d.Rankers {
		names = append(names, r["name"].(string))
	}
	if got := strings.Join(names, " "); got != "lexical semantic default top3 unlearned" || d.Warnings != nil {
		t.Errorf("rankers %s, warnings %q", got, d.Warnings)
	}
}

func TestTextHasConfusionsKindsAndASweep(t *testing.T) {
	t.Parallel()
	code, out, _ := run(t, workspace(t), false, nil, "routing", "--tap", "tap", "--set", "rows.jsonl")
	for _, want := range []string{"1 rows that should", "warning:", "RANKER", "by kind", "chitchat", "in another one's place", "95 %", "THRESHOLD"} {
		if code != cmdutil.OK || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, out)
		}
	}
}

func TestWhatIsWrongIsSaidByName(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	bad := filepath.Join(dir, "bad.jsonl")
	if err := os.WriteFile(bad, []byte(rowsFile+"{\"id\":\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "none"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"routing", cmdutil.Usage, "needs --tap and --set"},
		{"routing --tap tap --set rows.jsonl --rankers some", cmdutil.Usage, `"some"`},
		{"routing --tap none --set rows.jsonl", cmdutil.Missing, "none/capabilities"},
		{"routing --tap tap --set not.jsonl", cmdutil.Missing, "not.jsonl"},
		{"routing --tap tap --set bad.jsonl", cmdutil.No, bad + ":4:"},
	} {
		code, out, errOut := run(t, dir, false, nil, strings.Fields(c.args)...)
		if code != c.code || out != "" || !strings.Contains(errOut, c.want) || !strings.Contains(errOut, "hint:") {
			t.Errorf("ctx eval %s: exit %d, %q, %q", c.args, code, out, errOut)
		}
	}
}

func TestARowThatExpectsAStrangerIsAWarning(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	if err := os.WriteFile(filepath.Join(dir, "rows.jsonl"), []byte(`{"id":"7","text":"pay the wages","expect":["payroll"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, _ := run(t, dir, false, nil, "routing", "--tap", "tap", "--set", "rows.jsonl")
	if !strings.Contains(out, `row 7 expects "payroll"`) {
		t.Errorf("no warning in\n%s", out)
	}
}

// The tap that was measured is not the one that its author means.
func TestWhatOfTheTapIsNotMeasuredIsSaid(t *testing.T) {
	t.Parallel()
	const provider = "# Title: Orders of customers\n# Description: Look up, change and cancel customer orders.\n"
	for name, c := range map[string]struct {
		file, text string
		want       string // "" for nothing
	}{
		"domains of another kind":  {"stock/config.toml", "triggers = [\"count the inventory\"]\ndomains = \"logistics\"\n", "stock/config.toml:2:"},
		"triggers of another kind": {"stock/config.toml", "triggers = \"count the inventory\"\n", "stock/config.toml:1:"},
		"routing that is no TOML":  {"stock/config.toml", "triggers = [\n", "stock/config.toml:"},
		"provider that is no TOML": {"orders/default.toml", provider + "[deps\n", "orders/default.toml:3:"},
		"no provider":              {"wages/config.toml", "triggers = [\"pay the wages\"]\n", "wages has no default.toml"},
		"name that is none":        {"a b/config.toml", "triggers = [\"pay the wages\"]\n", `"a b" cannot be a capability's name`},
		"neither server nor dep":   {"orders/default.toml", provider, ""},
		"server without a command": {"orders/default.toml", provider + "[[mcp.servers]]\nname = \"orders\"\n", ""},
		"unknown key":              {"stock/config.toml", "triggers = [\"count the inventory\"]\ntigers = []\n", ""},
	} {
		dir := workspace(t)
		path := filepath.Join(dir, "tap", "capabilities", filepath.FromSlash(c.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errOut := run(t, dir, true, nil, "routing", "--tap", "tap", "--set", "rows.jsonl")
		var d document
		if err := json.Unmarshal([]byte(out), &d); code != cmdutil.OK || err != nil {
			t.Fatalf("%s: exit %d, %v: %s", name, code, err, errOut)
		}
		said := strings.Join(d.Warnings, "\n")
		if c.want != "" && !strings.Contains(said, c.want) || c.want == "" && len(d.Warnings) != 1 { // that there is no model
			t.Errorf("%s: warnings %q", name, d.Warnings)
		}
	}
}

// What is measured is what prompts do in the user's sessions.
func TestTheUsersThresholdsAreMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		want     map[string]float64 // of the rates
	}{
		"none":                        {"", map[string]float64{"fired_correct": 1, "covered": 1}},
		"nothing is activated":        {"activate_at = 1.0\nsuggest_at = 0.5\n", map[string]float64{"fired_correct": 0, "covered": 1}},
		"nothing is suggested":        {"activate_at = 1.0\nsuggest = false\n", map[string]float64{"fired_correct": 0, "covered": 0}},
		"everything is suggested":     {"suggest_at = 0.0\n", map[string]float64{"fired_correct": 1, "noise": 0.5}},
		"all prompts are too short":   {"min_chars = 100\n", map[string]float64{"top1": 0, "covered": 0}},
		"everything can be activated": {"activate_at = 0.0\n", map[string]float64{"fired_correct": 1, "false_fires": 0.5}},
	} {
		dir := workspace(t)
		path := filepath.Join(dir, ".config", "ctx", "ctx.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[activate]\n"+c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errOut := run(t, dir, true, nil, "routing", "--tap", "tap", "--set", "rows.jsonl")
		var d document
		if err := json.Unmarshal([]byte(out), &d); code != cmdutil.OK || err != nil {
			t.Fatalf("%s: exit %d, %v: %s", name, code, err, errOut)
		}
		for _, r := range d.Rankers {
			for rate, want := range c.want {
				if r[rate] != want {
					t.Errorf("%s: %s of %s is %v, want %v (warnings %q)", name, rate, r["name"], r[rate], want, d.Warnings)
				}
			}
		}
	}
}

// Else the shipped model would be measured in place of the one that was meant.
func TestWhatIsWrongWithTheSettingsIsSaid(t *testing.T) {
	t.Parallel()
	for what, args := range map[string][]string{
		"routing":   {"routing", "--tap", "tap", "--set", "rows.jsonl"},
		"retrieval": retrievalArgs,
	} {
		dir := workspace(t)
		if what == "retrieval" {
			dir = retrievalFiles(t, shelf, asked)
		}
		path := filepath.Join(dir, ".config", "ctx", "ctx.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[embed]\nmodle = \"mine\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errOut := run(t, dir, true, nil, args...)
		if code != cmdutil.OK || !strings.Contains(out, "ctx.toml:2") || !strings.Contains(out, "modle") {
			t.Errorf("%s: exit %d: %s%s", what, code, out, errOut)
		}
	}
}
