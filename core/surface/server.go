package surface

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Scope is where a host found a declaration.
type Scope string

const (
	ScopeManaged Scope = "managed" // the machine's administrator
	ScopeUser    Scope = "user"    // the user's own files, every workspace
	ScopeLocal   Scope = "local"   // the user's own files, one workspace
	ScopeProject Scope = "project" // the repository
	ScopePlugin  Scope = "plugin"  // a plugin of the host's
	ScopeTap     Scope = "tap"     // a capability of a tap of the user's
)

// Transport is how an MCP server is reached.
type Transport string

const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"
	WS    Transport = "ws"
)

// Server is one MCP server as a host's configuration declares it. Values are
// unexpanded: a secret that the user wrote as ${TOKEN} stays ${TOKEN}.
type Server struct {
	Name      string    `json:"name"` // as the host's user wrote it
	Scope     Scope     `json:"scope"`
	Place     Place     `json:"place"` // where it is declared
	Transport Transport `json:"transport"`

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	EnvVars []string          `json:"env_vars,omitempty"` // names passed on from the host's environment
	Cwd     string            `json:"cwd,omitempty"`

	URL        string            `json:"url,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	HeaderEnv  map[string]string `json:"header_env,omitempty"`  // header -> name of the variable that holds its value
	BearerEnv  string            `json:"bearer_env,omitempty"`  // name of the variable that holds a bearer token
	HeadersCmd string            `json:"headers_cmd,omitempty"` // shell command that prints a JSON object of headers

	// Expand is true where the host itself expands ${VAR} and ${VAR:-default}
	// in command, args, env, url and headers.
	Expand bool `json:"expand,omitempty"`

	// DataDir is a folder of the server's own that is made before it starts, ""
	// for none.
	DataDir string `json:"data_dir,omitempty"`

	StartTimeout time.Duration `json:"start_timeout,omitempty"` // 0: the product's default
	CallTimeout  time.Duration `json:"call_timeout,omitempty"`  // 0: none

	// Disabled is true where the user has switched the server off; DisabledBy
	// is then the place that does. What ctx itself switched off does not count.
	Disabled   bool   `json:"disabled,omitempty"`
	DisabledBy *Place `json:"disabled_by,omitempty"`

	// ApprovedBy is the place, in a file that only the user writes, that lets
	// the host start this server without asking; nil when there is none.
	ApprovedBy *Place `json:"approved_by,omitempty"`

	// Direct is the reason why a gateway cannot stand before this server
	// ("needs the host's own OAuth"), "" when it can.
	Direct string `json:"direct,omitempty"`

	// Eager is true where the host loads every schema of this server each turn,
	// whatever its Loading is for the others.
	Eager bool `json:"eager,omitempty"`

	// Own is true for ctx-gateway's own entry.
	Own bool `json:"own,omitempty"`

	EnabledTools  []string            `json:"enabled_tools,omitempty"` // nil: all
	DisabledTools []string            `json:"disabled_tools,omitempty"`
	Approval      Approval            `json:"approval,omitempty"`      // default for its tools
	ToolApproval  map[string]Approval `json:"tool_approval,omitempty"` // by tool name
}

// ApprovedAsDeclared reports whether the word that lets the server start is the
// user's own declaration of it. Any other word, an approval by name or the trust
// in a folder, stays as it is when a repository changes what it is about.
func (s Server) ApprovedAsDeclared() bool {
	return s.Scope != ScopeProject && s.ApprovedBy != nil && *s.ApprovedBy == s.Place
}

// Approval is what a host's configuration demands before a tool runs, for hosts
// that leave the question to whoever runs the tool. "" and [ApproveAuto]: writes
// are asked for, reads are not.
type Approval string

const (
	ApproveAuto   Approval = "auto"
	ApprovePrompt Approval = "prompt"  // ask each time
	ApproveWrites Approval = "writes"  // ask for everything that is not a read
	ApproveAlways Approval = "approve" // never ask
)

// Place is a position in a file. Line counts from 1; 0 is the whole file.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Fingerprint is the SHA-256, in hex, of what running or reaching the server
// means: its unexpanded command, args, env, cwd, url and headers. A pin holds
// exactly as long as the fingerprint stays.
func (s Server) Fingerprint() string {
	// A struct marshals in field order and a map in key order, so the bytes are
	// the same wherever the same server is declared. No arguments are the same
	// as an empty list of them.
	b, err := json.Marshal(struct {
		Transport  Transport
		Command    string
		Args       []string          `json:",omitempty"`
		Env        map[string]string `json:",omitempty"`
		EnvVars    []string          `json:",omitempty"`
		Cwd        string
		URL        string
		Headers    map[string]string `json:",omitempty"`
		HeaderEnv  map[string]string `json:",omitempty"`
		BearerEnv  string
		HeadersCmd string
	}{s.Transport, s.Command, s.Args, s.Env, s.EnvVars, s.Cwd, s.URL, s.Headers, s.HeaderEnv, s.BearerEnv, s.HeadersCmd})
	if err != nil {
		panic("surface: strings and maps of strings always marshal: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
