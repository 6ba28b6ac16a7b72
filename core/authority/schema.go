package authority

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/schema/refs"
)

// property is what is read of one member of a schema.
type property struct {
	Description string              `json:"description"`
	Title       string              `json:"title"`
	Enum        []json.RawMessage   `json:"enum"`
	Const       json.RawMessage     `json:"const"`
	Properties  map[string]property `json:"properties"`
	Items       json.RawMessage     `json:"items"`
	OneOf       []property          `json:"oneOf"`
	AnyOf       []property          `json:"anyOf"`
	AllOf       []property          `json:"allOf"`
}

// item is the schema of an array's elements; nil where they have none, or
// several. It is read no sooner, for arrays of arrays would be read once for
// each of the arrays that they are in.
func (p *property) item() *property {
	if len(p.Items) == 0 || p.Items[0] != '{' {
		return nil
	}
	item := new(property)
	read(p.Items, item)
	return item
}

// read reads a schema. What has the wrong type says nothing; the rest counts.
func read(raw json.RawMessage, into *property) { _ = json.Unmarshal(raw, into) }

// parameter is a named argument of a tool, at any depth.
type parameter struct {
	name   string
	tokens []string
	about  string // its description
	values []string
	top    bool
}

const (
	deepest        = 4
	mostParameters = 400
)

// parameters reads a schema's named arguments, in the order of names. A schema
// that is none has none.
func parameters(raw json.RawMessage) []parameter {
	var root property
	read(refs.Resolve(raw), &root)
	var all []parameter
	var walk func(p *property, depth, branch int)
	walk = func(p *property, depth, branch int) {
		if depth > deepest || branch > deepest {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
			if len(all) == mostParameters {
				return
			}
			child := p.Properties[name]
			tokens, _ := nameTokens(name)
			all = append(all, parameter{name, tokens, child.Description, child.values(deepest), depth == 0})
			walk(&child, depth+1, branch)
		}
		if item := p.item(); item != nil {
			walk(item, depth+1, branch)
		}
		for _, branches := range [][]property{p.OneOf, p.AnyOf, p.AllOf} {
			for i := range branches {
				walk(&branches[i], depth, branch+1)
			}
		}
	}
	walk(&root, 0, 0)
	return all
}

// values are what can be chosen, also in arrays of at most so many levels.
func (p *property) values(levels int) []string {
	var out []string
	add := func(raw json.RawMessage) {
		var s string
		if len(raw) > 1 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	for _, v := range p.Enum {
		add(v)
	}
	add(p.Const)
	for _, b := range slices.Concat(p.OneOf, p.AnyOf, p.AllOf) {
		out = append(out, b.values(levels)...)
	}
	if item := p.item(); item != nil && levels > 0 {
		out = append(out, item.values(levels-1)...)
	}
	return out
}

func (p parameter) has(tokens ...string) bool {
	for _, t := range p.tokens {
		if slices.Contains(tokens, t) {
			return true
		}
	}
	return false
}

func (p parameter) last() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[len(p.tokens)-1]
}

var (
	selectors = words(`method action operation op verb mode command task subcommand function type kind what do act step request activity`)
	sure      = words(`method action operation op verb command subcommand act`)

	outputs  = words(`output out dest destination target save saved export result download to`)
	pathLike = words(`path file dir directory folder filename filepath location dest destination outfile outdir`)

	aboutNames = words(`the a an optional desired full absolute relative name filename path filepath location for of to where`)
)

// methods are the values by which a caller chooses what a tool does.
func (p parameter) methods() []string {
	if !p.top || !selectors.has(p.last()) {
		return nil
	}
	if len(p.values) > 0 {
		return p.values
	}
	if !sure.has(p.last()) || p.last() == "command" {
		return nil
	}
	return quoted(p.about)
}

// quoted are the words in quotation marks in a text.
func quoted(text string) []string {
	var out []string
	for _, q := range []string{"'", "`", `"`} {
		parts := strings.Split(text, q)
		for i := 1; i+1 < len(parts); i += 2 {
			if w := parts[i]; w != "" && len(w) < 40 && !strings.ContainsAny(w, " \n") {
				out = append(out, w)
			}
		}
	}
	return out
}

// writes reports whether an argument names a place that is written to.
func (p parameter) writes() bool {
	joined := strings.Join(p.tokens, "")
	switch joined {
	case "outputpath", "outputdir", "outputfile", "outputfolder", "outputdirectory", "outpath", "outfile", "outdir", "savepath", "saveto", "savedir", "savefile",
		"savelocation", "destpath", "destinationpath", "targetpath", "exportpath", "downloadpath", "downloaddir", "outputfilename", "outputlocation", "savefolder", "saveas",
		"destinationdir", "targetdir", "destinationfolder", "outputname":
		return true
	}
	return len(p.tokens) > 1 && outputs.has(p.tokens[0]) && p.tokens[0] != "to" && pathLike.has(p.last()) || p.namesOutput()
}

// namesOutput reports whether an argument's description begins by saying that
// it is what an output file or folder is called.
func (p parameter) namesOutput() bool {
	said := strings.FieldsFunc(strings.ToLower(p.about[:min(len(p.about), 200)]), func(r rune) bool { return r < 'a' || r > 'z' })
	for i, w := range said {
		switch {
		case w == "output":
			return i+1 < len(said) && pathLike.has(said[i+1])
		case !aboutNames.has(w):
			return false
		}
	}
	return false
}
