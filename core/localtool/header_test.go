package localtool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAHeaderSaysWhatAToolDoesAndTakes(t *testing.T) {
	t.Parallel()
	deploy := header{
		description: "Deploy the site to a stage and wait until it is up.",
		params: []Param{
			{Name: "stage", Type: "string", Required: true, Description: "Where to: dev, test or production"},
			{Name: "count", Type: "integer", Description: "Machines"},
			{Name: "dry-run", Type: "boolean", Description: ""},
			{Name: "note", Type: "string"},
			{Name: "tags", Type: "array", Description: "Any"},
		},
	}
	lines := []string{
		"@description Deploy the site to a stage",
		"and wait   until it is up.",
		"@param *stage string Where to: dev,",
		"  test or production",
		"@param count int Machines",
		"@param dry-run bool",
		"@param note",
		"@arg tags list Any",
		"@author somebody",
		"who is no part of it",
	}
	in := func(mark, first string) string {
		return first + mark + " Copyright\n\n" + mark + " " + strings.Join(lines, "\n"+mark+" ") + "\n\ncode # @param late string\n# @param later string\n"
	}
	for name, text := range map[string]string{
		"shell":             in("#", "#!/bin/sh\n"),
		"node":              in("//", "#!/usr/bin/env node\n"),
		"lua":               in("--", "#!/usr/bin/lua\n"),
		"no shebang":        in("#", ""),
		"CRLF":              strings.ReplaceAll(in("#", "#!/bin/sh\n"), "\n", "\r\n"),
		"byte order mark":   "\ufeff" + in("#", "#!/bin/sh\n"),
		"indented comments": strings.ReplaceAll(in("#", "#!/bin/sh\n"), "\n# @", "\n \t#@"),
		"nothing after":     strings.TrimSuffix(in("#", "#!/bin/sh\n"), "\n\ncode # @param late string\n# @param later string\n"),
		"short tag":         strings.Replace(in("#", "#!/bin/sh\n"), "@description", "@desc", 1),
	} {
		got, faults := parseHeader(text)
		if len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
		if d := cmp.Diff(deploy, got, cmp.AllowUnexported(header{}), cmpopts.IgnoreUnexported(Param{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestABadHeaderIsRefusedByLineWithAHint(t *testing.T) {
	t.Parallel()
	const ok = "#!/bin/sh\n# @description Fine.\n"
	for name, tt := range map[string]struct {
		text string
		line int
		says string
	}{
		"empty file":            {"", 0, "no @description"},
		"no description":        {"#!/bin/sh\n# Deploys.\n", 0, "no @description"},
		"empty description":     {"#!/bin/sh\n# @description\n\necho\n", 0, "no @description"},
		"after the code":        {"#!/bin/sh\nset -e\n# @description Late.\n", 0, "no @description"},
		"after 80 lines":        {"#!/bin/sh\n" + strings.Repeat("# x\n", 79) + "# @description Late.\n", 0, "no @description"},
		"two descriptions":      {ok + "# @desc Again.\n", 3, "a second"},
		"no name":               {ok + "# @param\n", 3, "without a name"},
		"a star alone":          {ok + "# @param * string What\n", 3, "parameter's name"},
		"a bad name":            {ok + "# @param a=b string What\n", 3, "parameter's name"},
		"no such type":          {ok + "# @param path The path\n", 3, "no type"},
		"the same twice":        {ok + "# @param a string\n# @param *a string\n", 4, "there already"},
		"the same variable":     {ok + "# @param a-b string\n# @param A_B string\n", 4, "there already"},
		"a slip in a tag":       {"#!/bin/sh\n# @descripton Does.\n", 2, "no tag @descripton"},
		"another slip":          {ok + "# @params a string\n", 3, "no tag @params"},
		"not UTF-8":             {ok + "# @param a string caf\xe9\n", 3, "UTF-8"},
		"a hidden character":    {ok + "# @param a string x\u202egnp\n", 3, "U+202E"},
		"an escape sequence":    {"#!/bin/sh\n# @description \x1b[2J\n", 2, "U+001B"},
		"a line without an end": {"#!/bin/sh\n# @description " + strings.Repeat("x", 1<<19), 2, "bytes"},
		"far too much":          {"#!/bin/sh\n# @description x\n" + strings.Repeat("# "+strings.Repeat("y", 1900)+"\n", 20), 0, "too much"},
	} {
		_, faults := parseHeader(tt.text)
		if len(faults) == 0 {
			t.Errorf("%s: it passes", name)
			continue
		}
		f := faults[0]
		if f.line != tt.line || !strings.Contains(f.text, tt.says) || f.hint == "" {
			t.Errorf("%s: line %d: %s (%s)", name, f.line, f.text, f.hint)
		}
	}
}

// write is the header that says the same.
func write(h header) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# @description " + h.description + "\n")
	for _, p := range h.params {
		star := ""
		if p.Required {
			star = "*"
		}
		b.WriteString("# @param " + star + p.Name + " " + p.Type + " " + p.Description + "\n")
	}
	return b.String()
}

func FuzzHeader(f *testing.F) {
	for _, text := range []string{
		"#!/bin/sh\n# @description Does.\n# @param *a string b c\n# d\n# @param e int\n",
		"// @desc x\n//@arg y\n", "-- @description \u00e9\r\n--\n-- z\n", "# @description a\n# @param b object @c\n", "\ufeff#\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, faults := parseHeader(text)
		if len(faults) > 0 {
			for _, x := range faults {
				if x.text == "" || x.hint == "" || x.line < 0 || x.line > headerLines {
					t.Errorf("%+v", x)
				}
			}
			return
		}
		if h.description == "" || strings.ContainsFunc(h.description, hidden) {
			t.Errorf("description %q", h.description)
		}
		if len(write(h)) > mostLine { // it may have to be written in several lines
			return
		}
		again, faults := parseHeader(write(h))
		if len(faults) > 0 {
			t.Fatalf("%q became %q: %v", text, write(h), faults)
		}
		if d := cmp.Diff(h, again, cmp.AllowUnexported(header{}), cmpopts.IgnoreUnexported(Param{}), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q became %q: %s", text, write(h), d)
		}
	})
}
