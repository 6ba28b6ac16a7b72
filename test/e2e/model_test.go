package e2e

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ctx-sidecar/ctx/core/embed"
)

const modelName = embed.DefaultModel

// needModel skips where the installation of this run has no model, as on a
// machine without a C compiler or a registry.
func needModel(t *testing.T) {
	t.Helper()
	u := newUser(t)
	if said := u.ctx(u.home, "doctor", "--install"); !strings.Contains(said, "routed with "+modelName) {
		t.Skip(strings.TrimSpace(said))
	}
}

// withoutModel is a user's own variables where no registry is reached.
var withoutModel = []string{"CTX_ORT_LIB=", "PIP_NO_INDEX=1", "PIP_FIND_LINKS=", "npm_config_offline=true"}

func TestTheInstalledModelRoutesAndLeavesNoTrace(t *testing.T) {
	t.Parallel()
	needModel(t)
	data := os.Getenv("CTX_DATA")
	if data == "" {
		t.Skip("CTX_DATA names no labelled rows")
	}
	u := newUser(t)
	said := u.ctx(u.home, "eval", "routing", "--json",
		"--tap", filepath.Join(data, "taps/octomind-tap"), "--set", filepath.Join(data, "routing/dev.jsonl"))
	var got struct {
		Rankers []struct {
			Name    string
			Covered float64
		}
		Warnings []string
	}
	if err := json.Unmarshal([]byte(said), &got); err != nil {
		t.Fatal(err)
	}
	covered := map[string]float64{}
	for _, r := range got.Rankers {
		covered[r.Name] = r.Covered
	}
	if _, ok := covered["semantic"]; !ok || covered["default"] <= covered["lexical"] {
		t.Errorf("covered %v, warnings %q", covered, got.Warnings)
	}
	if left := files(t, u.home); len(left) > 0 {
		t.Errorf("left in the home: %q", left)
	}
}

func TestAnUpgradeLeavesARunningSessionItsModel(t *testing.T) {
	t.Parallel()
	needModel(t)
	u := newUser(t)
	dir := u.workspace("w", nil)
	u.tapped(dir)
	p := filepath.Join(filepath.Dir(u.home), "prefix")
	install := func() {
		if r := u.install("--prefix", p); r.code != 0 {
			t.Fatalf("install.sh: exit %d\n%s%s", r.code, r.out, r.err)
		}
	}
	install()
	if r := u.run(dir, u.environ(), p+"/bin/ctx", "wrap", "setup", "--gateway", "--host", "claude", "--yes"); r.code != 0 {
		t.Fatal(r.err)
	}
	cmd := exec.Command(p+"/bin/ctx-gateway", "--host", "claude", "--workspace", dir)
	cmd.Dir, cmd.Env = dir, u.environ()
	session := speak(t, cmd)
	for _, when := range []string{"before", "after"} {
		said := session.call("capability", args{"action": "discover", "intent": diaryPrompt})
		if said.IsError || strings.Contains(said.String(), "by words alone") {
			t.Errorf("%s: %s", when, said)
		}
		install()
	}
}

// A model that is not the one that was installed may still answer.
func TestDoctorNamesAModelThatWasAltered(t *testing.T) {
	t.Parallel()
	needModel(t)
	u := newUser(t)
	p := filepath.Join(filepath.Dir(u.home), "prefix")
	if err := os.CopyFS(p, os.DirFS(prefix)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model.onnx", "joint.onnx", "words.bin", "tokenizer.json"} {
		path := filepath.Join(p, "share/ctx/models", modelName, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		altered := slices.Clone(whole)
		altered[len(altered)/2] ^= 1
		if err := os.WriteFile(path, altered, 0o644); err != nil {
			t.Fatal(err)
		}
		r := u.run(u.home, u.environ(), filepath.Join(p, "bin/ctx"), "doctor", "--install")
		if r.code != 1 || !strings.Contains(r.out, name+" is not the file that was installed") || !strings.Contains(r.out, "run install.sh again") {
			t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A library that notes that it was loaded.
const telltale = `#include <stdio.h>
__attribute__((constructor)) static void loaded(void) { fclose(fopen("MARK", "w")); }
`

func TestARepositoryHasNoLibraryLoaded(t *testing.T) {
	t.Parallel()
	needModel(t)
	u := newUser(t)
	dir, top := u.workspace("w", nil), filepath.Dir(u.home)
	mark := filepath.Join(top, "mark")
	u.write("t.c", strings.ReplaceAll(telltale, "MARK", mark), top)
	if r := u.run(top, u.environ(), "sh", "-c", "${CC:-cc} -shared -fPIC -o lib.so t.c"); r.code != 0 {
		t.Skip(r.err)
	}
	code, err := os.ReadFile(filepath.Join(top, "lib.so"))
	if err != nil {
		t.Fatal(err)
	}
	in := u.write("a/libonnxruntime.so", string(code), dir)
	sum := sha256.Sum256(code)
	u.write("data/ctx/lib/libonnxruntime.so", string(code), dir)
	u.write("data/ctx/lib/SHA256SUMS", hex.EncodeToString(sum[:])+"  libonnxruntime.so\n", dir)
	u.write("config/ctx/ctx.toml", "[embed]\nort_library = \""+in+"\"\n", dir)
	link := filepath.Join(top, "libonnxruntime.so")
	if err := os.Symlink(in, link); err != nil {
		t.Fatal(err)
	}
	for _, env := range []string{
		"CTX_ORT_LIB=" + in, "CTX_ORT_LIB=a/libonnxruntime.so", "CTX_ORT_LIB=" + link, "XDG_CONFIG_HOME=" + dir + "/config", "XDG_DATA_HOME=" + dir + "/data",
	} {
		for _, git := range []bool{true, false} { // a repository need not be one of git
			if !git {
				if err := os.Rename(dir+"/.git", top+"/.git.away"); err != nil {
					t.Fatal(err)
				}
			}
			r := u.run(dir, u.environ(env), filepath.Join(prefix, "bin/ctx"), "doctor", "--install")
			if _, err := os.Stat(mark); err == nil {
				t.Fatalf("%s: it was loaded: %s", env, r.out)
			}
			if own := "routed with " + modelName; strings.HasPrefix(env, "XDG_") && !strings.Contains(r.out, own) {
				t.Errorf("%s took the installed library away: %s%s", env, r.out, r.err)
			}
			if !git {
				if err := os.Rename(top+"/.git.away", dir+"/.git"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	// What the user themselves says counts: the library can tell.
	u.write(".config/ctx/ctx.toml", "[embed]\nort_library = \""+top+"/lib.so\"\n", u.home)
	r := u.run(dir, u.environ(), filepath.Join(prefix, "bin/ctx"), "doctor", "--install")
	if _, err := os.Stat(mark); err != nil || !strings.Contains(r.out, "by words alone, because") {
		t.Errorf("the user's own library was not tried: %s%s", r.out, r.err)
	}
}

// What is installed runs on what the machine has: the C library at most.
func TestInstalledProgramsNeedNothingElse(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads ELF files")
	}
	adapters, err := filepath.Glob(filepath.Join(prefix, "share/ctx/plugins/ctx-host-*"))
	if err != nil || len(adapters) == 0 {
		t.Fatalf("adapters %q, %v", adapters, err)
	}
	bin := filepath.Join(prefix, "bin")
	for _, path := range append(adapters, bin+"/ctx-hook", bin+"/ctx", bin+"/ctx-gateway") {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		needs, err := f.ImportedLibraries()
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		mayLoad := path == bin+"/ctx" || path == bin+"/ctx-gateway"
		for _, lib := range needs {
			name, _, _ := strings.Cut(lib, ".")
			switch name {
			case "libc", "libdl", "libpthread", "libresolv":
				if mayLoad {
					continue
				}
			}
			t.Errorf("%s needs %s", path, lib)
		}
	}
}

// tamperedWheel is a folder with a package of the pinned name and version, whose
// library is another.
func (u *user) tamperedWheel() string {
	u.t.Helper()
	sums, err := os.ReadFile("../../models/onnxruntime.sums")
	if err != nil {
		u.t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		f := strings.Fields(line)
		if len(f) != 8 || f[0] != runtime.GOOS || f[1] != runtime.GOARCH || f[2] != "pip" {
			continue
		}
		var wheel bytes.Buffer
		z := zip.NewWriter(&wheel)
		for name, content := range map[string]string{
			f[6]: "tampered",
			f[3] + "-" + f[4] + ".dist-info/METADATA": "Metadata-Version: 2.1\nName: " + f[3] + "\nVersion: " + f[4] + "\n",
			f[3] + "-" + f[4] + ".dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: a\nRoot-Is-Purelib: false\nTag: cp312-cp312-" + f[5] + "\n",
			f[3] + "-" + f[4] + ".dist-info/RECORD":   "",
		} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write([]byte(content))
			}
			if err != nil {
				u.t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			u.t.Fatal(err)
		}
		return filepath.Dir(u.write("wheels/"+f[3]+"-"+f[4]+"-cp312-cp312-"+f[5]+".whl", wheel.String(), filepath.Dir(u.home)))
	}
	u.t.Skipf("no library is known for %s %s", runtime.GOOS, runtime.GOARCH)
	return ""
}

func TestALibraryThatWasTamperedWithIsRefused(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	wheels := u.tamperedWheel()
	if r := u.run(u.home, u.environ("PYTHONDONTWRITEBYTECODE=1"), "sh", "-c", "python3 -m pip --version && ${CC:-cc} --version"); r.code != 0 {
		t.Skip("no pip, or no C compiler")
	}
	u.env = append(append(u.env, withoutModel...), "PIP_FIND_LINKS="+wheels)
	r := u.install()
	if r.code != 0 || !strings.Contains(r.err, "refused") || !strings.Contains(r.err, "tampered") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if !strings.Contains(r.out, "by words alone, because ONNX Runtime is not installed\nhint: ") {
		t.Errorf("it does not say what is missing:\n%s", r.out)
	}
	if left := files(t, filepath.Join(u.home, ".local/share/ctx/lib")); len(left) > 0 {
		t.Errorf("installed all the same: %q", left)
	}
	u.env = append(u.env, withoutModel...)
	if r := u.install(); r.code != 0 || !strings.Contains(r.err, "could not fetch it") || !strings.Contains(r.out, "by words alone") {
		t.Errorf("without a registry: exit %d\n%s%s", r.code, r.out, r.err)
	}
	u.uninstalled()
}

// uninstalled takes ctx out again and looks for what it left.
func (u *user) uninstalled() {
	u.t.Helper()
	if r := u.install("--uninstall"); r.code != 0 {
		u.t.Errorf("uninstall: exit %d\n%s%s", r.code, r.out, r.err)
	}
	left, err := os.ReadDir(u.home)
	if err != nil {
		u.t.Fatal(err)
	}
	for _, e := range left {
		u.t.Errorf("%s is left: %q", e.Name(), files(u.t, filepath.Join(u.home, e.Name())))
	}
}

func TestWithoutACompilerWordsRoute(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.env = append(u.env, "CC=/bin/false")
	r := u.install()
	if r.code != 0 || !strings.Contains(r.out, "no working C compiler (/bin/false)") ||
		!strings.Contains(r.out, "prompts are routed by words alone, because") || !strings.Contains(r.out, "\nhint: install a C compiler") {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	dir := u.workspace("w", nil)
	u.tapped(dir)
	ctx := filepath.Join(u.home, ".local/bin/ctx")
	r = u.run(dir, u.environ(), ctx, "capability", "discover", diaryPrompt)
	if said := r.out + r.err; r.code != 0 || !strings.Contains(said, "diary") || !strings.Contains(said, "without a C compiler") {
		t.Errorf("exit %d\n%s", r.code, said)
	}
	u.uninstalled()
}
