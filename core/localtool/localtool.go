// Package localtool reads the executables that a workspace keeps in
// .agents/tools: each is a tool whose leading comments say what it does and
// takes. Whether one may run is the user's word on its exact bytes, which core/trust
// keeps; nothing is run from here.
package localtool

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/trust"
)

const (
	// Server is the name under which the tools are served.
	Server = "local"

	// Transport is that of the server of this name, behind which there is no
	// process: the gateway runs its tools itself.
	Transport surface.Transport = "local"
)

// Tool is one executable in one state of its bytes.
type Tool struct {
	Name        string  `json:"name"` // that of the file
	Description string  `json:"description"`
	Params      []Param `json:"params,omitempty"`
	Path        string  `json:"path"` // absolute
	SHA256      string  `json:"sha256"`

	workspace string
}

// Param is one thing that a tool takes.
type Param struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // as JSON schema names it
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	line        int
}

// Problem is a file that is no tool although it may be meant to be one.
type Problem struct {
	File string `json:"file"`           // absolute
	Line int    `json:"line,omitempty"` // counts from 1; 0: the whole file
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Position is "FILE:LINE", as far as that is known.
func (p Problem) Position() string {
	if p.Line > 0 {
		return p.File + ":" + strconv.Itoa(p.Line)
	}
	return p.File
}

// String is "FILE:LINE: TEXT (HINT)".
func (p Problem) String() string {
	s := p.Position() + ": " + p.Text
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// ErrOther says that the bytes of a tool are others than those that were asked
// for.
var ErrOther = errors.New("the file is another one now")

// Folder is where a workspace keeps its tools.
func Folder(workspace string) string { return filepath.Join(workspace, ".agents", "tools") }

// AsServer is the tools of a workspace as one server, under the name that it is
// served by.
func AsServer(name, workspace string) surface.Server {
	return surface.Server{
		Name: name, Scope: surface.ScopeProject, Transport: Transport,
		Place: surface.Place{File: Folder(workspace)},
	}
}

// ID is how a model and the user name a tool: "local:NAME".
func (t Tool) ID() string { return Server + ":" + t.Name }

// TrustID is the tool's ID in the store of approvals.
func (t Tool) TrustID() string { return trust.LocalToolID(t.workspace, t.Name) }

// hashKey is where a declaration holds the hash of the bytes.
const hashKey = "SHA-256"

// Hash is the SHA-256, in hex, of the bytes that a declaration is about.
func Hash(declaration surface.Server) string { return declaration.Env[hashKey] }

// Declaration is the tool in the shape in which approvals are kept: what would
// be run, with the hash of its bytes as a part of it.
func (t Tool) Declaration() surface.Server {
	return surface.Server{
		Name: t.ID(), Scope: surface.ScopeProject, Place: surface.Place{File: t.Path},
		Transport: surface.Stdio, Command: t.Path, Env: map[string]string{hashKey: t.SHA256},
	}
}

// Definition is the tool as an MCP server would list it. It claims nothing about
// what it changes: nobody but its author could say that.
func (t Tool) Definition() json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	type schema struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required,omitempty"`
	}
	s := schema{Type: "object", Properties: map[string]property{}}
	for _, p := range t.Params {
		s.Properties[p.Name] = property{p.Type, p.Description}
		if p.Required {
			s.Required = append(s.Required, p.Name)
		}
	}
	b, err := json.Marshal(struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		InputSchema schema `json:"inputSchema"`
	}{t.Name, t.Description, s})
	if err != nil {
		panic("localtool: strings always marshal: " + err.Error())
	}
	return b
}
