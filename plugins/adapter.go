// Package plugins is the contract between ctx and the adapter of one host. An
// adapter is an executable named ctx-host-NAME that calls [Serve]; ctx starts it
// with hashicorp/go-plugin and speaks gRPC to it, as host.proto says.
package plugins

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/ctx-sidecar/ctx/core/event"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
)

// Adapter is what ctx needs to know of a host. Everything that is particular to
// the host (its names, paths, JSON and TOML) lives behind this interface.
//
// Methods may be called concurrently. They read files and never write one.
type Adapter interface {
	// Describe tells who the adapter is; it reads nothing.
	Describe(ctx context.Context) (Description, error)

	// Detect looks for the host on this machine.
	Detect(ctx context.Context, m Machine) (Detection, error)

	// Decode turns one event of the host's, as it came on a hook's stdin, into
	// an Event. An event that ctx does not act on has Kind event.Other; bytes
	// that are no event are an error.
	Decode(ctx context.Context, raw RawEvent) (event.Event, error)

	// Encode turns a reply into the bytes that the host's hook prints: one JSON
	// document, or nothing.
	Encode(ctx context.Context, ev event.Event, r event.Reply) ([]byte, error)

	// Sources reads what the host would load in a workspace.
	Sources(ctx context.Context, req SourcesRequest) (surface.Sources, error)

	// PlanWrap says which edits of which files wire ctx into the host. It is
	// pure: the same request on the same files gives the same plan. Undoing
	// needs no plan: what was put in is on record.
	PlanWrap(ctx context.Context, req WrapRequest) (WrapPlan, error)

	// Compile writes a selection of servers and tools in the host's own
	// configuration format, for a launch that does not touch the user's files.
	Compile(ctx context.Context, req CompileRequest) (Compiled, error)
}

// Description is what an adapter says of itself.
type Description struct {
	Name    string // "claude"; the executable is ctx-host-claude
	Title   string // "Claude Code"
	Version string // the adapter's own
	// Events are the host's events that ctx-hook is wired to, by the host's own
	// names, each with a recorded example that ctx doctor runs the hook with.
	Events []EventSpec
	// AsksPermission is true where the host's own question, or our hook's answer
	// before each call, decides on a call to a tool behind the gateway; false
	// leaves the question to the gateway. Without an event of Kind
	// event.ToolBefore among Events the host asks about the gateway's tools alone:
	// the user's rules to ask about one behind it are then left to the gateway.
	AsksPermission bool
	// SessionEnv names the environment variable in which the host tells its MCP
	// servers the id of the conversation, "" when it tells them none.
	SessionEnv string
	// GatewayName is the server that ctx-gateway is in the names of its tools, as
	// Sources calls it once it is wired; "" for ctx.
	GatewayName string
	// ClientCapabilities is the JSON object of what the host declares to its MCP
	// servers that it can do for them (roots, sampling, elicitation): what they
	// list depends on it. nil where that is not known.
	ClientCapabilities []byte
}

// EventSpec is one event that an adapter takes.
type EventSpec struct {
	Name   string
	Sample []byte // one event as the host sends it; {{WORKSPACE}} stands for the folder
}

// In is the sample as it comes from a workspace, whose path becomes text within
// JSON.
func (e EventSpec) In(workspace string) []byte {
	quoted, err := json.Marshal(workspace)
	if err != nil {
		panic("plugins: a string always marshals: " + err.Error())
	}
	return bytes.ReplaceAll(e.Sample, []byte("{{WORKSPACE}}"), quoted[1:len(quoted)-1])
}

// Machine is where and for whom an adapter works. An adapter takes the user's
// environment from here and not from its own process, which may have another.
type Machine struct {
	Home string
	Env  []string // "KEY=VALUE"
}

// Detection is what Detect found.
type Detection struct {
	Installed bool   // the program is there, or its configuration folder is
	Program   string // absolute path of the executable, "" when not found
	Config    string // the user-level configuration folder
	Version   string // "" when it cannot be told without running the program
}

// RawEvent is an event as a hook received it.
type RawEvent struct {
	Name    string // from the hook's arguments
	Payload []byte // stdin
	Dir     string // the hook's working folder
	Machine Machine
}

// SourcesRequest asks for what a host loads in Workspace.
type SourcesRequest struct {
	Machine   Machine
	Workspace string // absolute; the folder that the wrap belongs to
	Dir       string // absolute; where the host was started, "" for Workspace
	// Fronted are the servers that a wrap of ours switched off in this host's
	// files: that switch does not make them Disabled.
	Fronted []string
	// Detail asks for more than the start of a session needs: the texts that the
	// sizes of items measure, and the items of which nothing is resident, such as
	// hooks, plugins and the instructions of folders further down.
	Detail bool
}

// WrapRequest asks for the edits that wire ctx into a host.
type WrapRequest struct {
	Machine    Machine
	Workspace  string
	Scope      surface.Scope // project or user; hosts that have but one kind of wiring say so in Notes
	Gateway    bool          // front the servers; false: hooks alone
	Front      []string      // names of the servers to front, when Gateway
	Hook       string        // absolute path of ctx-hook
	GatewayBin string        // absolute path of ctx-gateway
	Profile    string        // "" for none
}

// WrapPlan is the answer to a WrapRequest.
type WrapPlan struct {
	Edits []wiring.Edit
	Notes []string // printed before the edits, one line each
	Next  []string // what the user still has to do by hand; printed last
}

// CompileRequest asks for a host configuration that loads exactly Servers.
type CompileRequest struct {
	Machine    Machine
	Workspace  string
	Profile    string
	Servers    []surface.Server
	DenyTools  map[string][]string // by server: tools that the host must not show
	Gateway    bool                // load ctx-gateway in place of the servers
	GatewayBin string
	Dir        string // absolute; the .ctx-surface folder that the files go to
	// Off are skills, agents and commands that the model should not be told of.
	Off []surface.Item
}

// Compiled is the answer to a CompileRequest.
type Compiled struct {
	Files  []CompiledFile
	Launch []string // the command line that starts the host with these files
	// Off are those of the request's that these files, or the command line, switch
	// off. Of any other the host goes on telling.
	Off []surface.Item
	// Beside are servers that the host loads all the same, by name.
	Beside []string
}

// CompiledFile is one file of a compiled profile.
type CompiledFile struct {
	Name    string // within CompileRequest.Dir
	Content []byte
}
