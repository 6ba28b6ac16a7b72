// Package plugintest checks that an adapter keeps the contract of package
// plugins. An adapter runs it from a test of its own, in its own module:
//
//	func TestConformance(t *testing.T) {
//		plugintest.Run(t, plugintest.Config{
//			Adapter:  acme{},
//			Fixtures: map[string]fs.FS{"typical": os.DirFS("testdata/typical")},
//		})
//	}
//
// Everything happens in temporary folders. No program of the host's is run, and
// nothing of the user's is read unless the adapter does so against the contract.
package plugintest

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/ctx-sidecar/ctx/plugins"
)

// Config says what to check.
type Config struct {
	// Adapter is checked in this process. nil: only Executable is.
	Adapter plugins.Adapter

	// Executable is the adapter as it is built, checked through go-plugin as ctx
	// runs it; "" for not at all.
	Executable string

	// Events are events of the host's, recorded, beside the samples of Describe.
	// {{WORKSPACE}} in a payload stands for the workspace, as it does there.
	Events []plugins.EventSpec

	// Fixtures are configurations of the host's, by name. Each holds a folder
	// "home", a folder "workspace", or both. A machine without any
	// configuration is always checked as well.
	Fixtures map[string]fs.FS

	// Odd has Sources read named pipes, devices, text that is too deep for a
	// recursive parser and a file of a terabyte as well, in the place of the
	// host's files. An adapter that is not made for them hangs, or takes all the
	// memory that there is.
	Odd bool
}

// Run makes every check, each as a subtest of t.
func Run(t *testing.T, c Config) {
	t.Helper()
	if c.Adapter == nil && c.Executable == "" {
		t.Fatal("plugintest: neither an Adapter nor an Executable is given")
	}
	if c.Adapter != nil {
		t.Run("adapter", func(t *testing.T) { run(t, c.Adapter, c) })
	}
	if c.Executable != "" {
		t.Run("executable", func(t *testing.T) {
			path, err := filepath.Abs(c.Executable)
			if err != nil {
				t.Fatal(err)
			}
			// Long enough for a machine that is busy with other tests.
			client, err := plugins.OpenPath(t.Context(), path, plugins.Options{StartTimeout: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			run(t, client, c)
		})
	}
}

func run(t *testing.T, a plugins.Adapter, c Config) {
	for _, check := range checks {
		t.Run(check.name, func(t *testing.T) {
			k := &kit{t: t, ctx: t.Context(), adapter: a, config: c, fail: t.Errorf}
			check.run(k)
		})
	}
}

// A check reports what is wrong through kit.fail and goes on.
type check struct {
	name string
	run  func(*kit)
}

var checks = []check{
	{"describe", (*kit).describe},
	{"detect", (*kit).detect},
	{"decode", (*kit).decode},
	{"decode-hostile", (*kit).decodeHostile},
	{"encode", (*kit).encode},
	{"sources", (*kit).sources},
	{"sources-damaged", (*kit).sourcesDamaged},
	{"sources-odd", (*kit).sourcesOdd},
	{"wrap", (*kit).wrap},
	{"prune", (*kit).prune},
	{"compile", (*kit).compile},
	{"concurrent", (*kit).concurrent},
}

// kit is what one check works with.
type kit struct {
	t       testing.TB // for folders; faults go to fail
	ctx     context.Context
	adapter plugins.Adapter
	config  Config
	fail    func(format string, args ...any)
}

// survives runs one call to the adapter and reports a panic of it. A panic in an
// executable arrives as an error of the call.
func (k *kit) survives(what string, call func()) {
	k.t.Helper()
	defer func() {
		if p := recover(); p != nil {
			k.fail("%s panics: %v", what, p)
		}
	}()
	call()
}

// description is for the checks of other methods, which need to know the name.
func (k *kit) description() plugins.Description {
	var d plugins.Description
	k.survives("Describe", func() { d, _ = k.adapter.Describe(k.ctx) })
	return d
}
