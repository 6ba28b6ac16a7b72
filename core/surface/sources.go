// Package surface holds what a host places, or could place, before its model:
// the servers, tools, skills, agents and instructions that its configuration
// declares, and what each costs.
package surface

// Kind is a kind of capability.
type Kind string

const (
	KindServer       Kind = "mcp_server"
	KindTool         Kind = "mcp_tool"
	KindSkill        Kind = "skill"
	KindAgent        Kind = "agent"
	KindCommand      Kind = "command"
	KindHook         Kind = "hook"
	KindInstructions Kind = "repo_instructions"
	KindPolicy       Kind = "policy"
	KindPlugin       Kind = "plugin"
)

// Loading is how a host puts MCP tools before its model.
type Loading string

const (
	Eager    Loading = "eager"    // every schema, each turn
	Deferred Loading = "deferred" // names alone; the host's own search loads a schema
	// ServerLines is one line for each server, its name and the first line of its
	// instructions cut at 250 characters; the host's own search loads names and
	// schemas.
	ServerLines Loading = "server_lines"
)

// Sources is everything that one host would load in one workspace, read from
// its configuration. Servers come in the host's own order of precedence; a name
// appears once, as the declaration that wins.
type Sources struct {
	Host     string   `json:"host"`
	Servers  []Server `json:"servers"`
	Items    []Item   `json:"items"`
	Rules    []Rule   `json:"rules"` // permission rules on MCP tools, any order
	Loading  Loading  `json:"loading"`
	ToolName string   `json:"tool_name"` // how the host names a tool: "mcp__{server}__{tool}"

	// TextCap is how many characters of a tool's description and of a server's
	// instructions the host passes on; 0 for all of them.
	TextCap int `json:"text_cap,omitempty"`

	// Form is how the host writes tools and servers into a request.
	Form Form `json:"form"`

	// Frames are the host's own words around items: they are sent because some
	// item is.
	Frames []Frame `json:"frames,omitempty"`

	// Files are the configuration files that were read, and those that were
	// looked for and are absent: if none of them changes, neither do Sources.
	Files []string `json:"files"`

	// Warnings name what could not be read ("FILE:LINE:COLUMN: what"); the rest
	// of Sources stands without it.
	Warnings []string `json:"warnings,omitempty"`

	// Unseen says what this adapter cannot see of its host.
	Unseen []string `json:"unseen,omitempty"`
}

// Item is a capability that is no MCP server: a skill, an agent, an
// instruction file. Sizes are UTF-8 bytes of what the host really sends.
type Item struct {
	Kind     Kind   `json:"kind"`
	Provider string `json:"provider"` // scope or plugin that it comes from
	Name     string `json:"name"`
	Place    Place  `json:"place"`
	Resident int    `json:"resident"`  // in every request
	Deferred int    `json:"deferred"`  // loaded by the host when it thinks fit
	OnDemand int    `json:"on_demand"` // read when used

	// Unmeasured says why Resident is not known, "" where it is.
	Unmeasured string `json:"unmeasured,omitempty"`

	// NotLoaded says why the host places nothing of the item before its model
	// and never reads it, "" where it does.
	NotLoaded string `json:"not_loaded,omitempty"`

	// Text is what Resident measures, or Deferred where nothing is resident. It is
	// there where detail was asked for.
	Text string `json:"-"`

	// Body is what OnDemand measures where that is not the end of the file at
	// Place.
	Body string `json:"-"`
}

// Frame is what a host writes around all its items of one kind together.
type Frame struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
}

// Effect is what a permission rule says.
type Effect string

const (
	EffectAllow Effect = "allow"
	EffectAsk   Effect = "ask"
	EffectDeny  Effect = "deny"
)

// Rule is one permission rule of the user's on MCP tools. Server and Tool are
// globs in which "*" matches any run of characters. Deny beats ask beats allow.
type Rule struct {
	Effect Effect `json:"effect"`
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Text   string `json:"text"` // as the user wrote it
	Place  Place  `json:"place"`

	// Plain is true where the host writes every character of a name but letters,
	// digits, "_" and "-" as "_", and the rule speaks of names in that form.
	Plain bool `json:"plain,omitempty"`
}
