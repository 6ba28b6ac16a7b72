// Package config reads ctx.toml: the workspace's and the user's. What is wrong
// in one costs that key alone, and is reported with its file and line.
package config

import "strconv"

// Config is the settings in force. Every field has its default unless a file or
// a variable says otherwise.
type Config struct {
	AutoCapabilities  bool            // auto_capabilities
	MaxResponseTokens int             // mcp_response_tokens_threshold: larger results are cut
	Role              string          // role: "DOMAIN:NAME"
	Roles             map[string]Role // [roles."NAME"]
	Surface           Surface
	Providers         map[string]string // [capabilities] NAME = "PROVIDER"
	Activate          Activate
	AutoSkills        bool // skills.auto_activation
	Gateway           Gateway
	Discovery         Discovery
	Embed             Embed

	// From the environment alone.
	PreloadCapabilities []string // CTX_CAPABILITIES
	PreloadSkills       []string // CTX_SKILLS
	LogLevel            string   // CTX_LOG, an hclog level, "" for the default
}

// Role is a [roles."NAME"] table.
type Role struct {
	Capabilities []string // static: never counted, never evicted
}

// Surface is the [surface] table.
type Surface struct {
	MaxStaticTokens int
	Gate            string // "warn" or "off": whether the advisory is given
	Gateway         bool
	Probe           bool   // approved servers may be listed in the background
	Tokenizer       string // "bytes4", "cl100k" or "o200k"

	// The user's own, and what the workspace's ctx.toml has of the same: that
	// narrows the user's and takes its place nowhere.
	DefaultProfile    string
	Profiles          map[string]Profile
	WorkspaceProfile  string
	WorkspaceProfiles map[string]Profile

	// Unread is what is wrong with the user's own file where it cannot be read and
	// speaks of profiles, or may, nil else: what it narrows is not known then.
	Unread *Problem
}

// Profile is a [surface.profiles.NAME] table of one file.
type Profile struct {
	Families         []string // nil where the table says nothing
	AuthorityCeiling string   // an authority tier's name, "" likewise
	MaxSchemaTokens  int      // 0 likewise
	Include          []string
	Exclude          []string
	Description      string
	File             string // that the table stands in

	// Faults are what of the table cannot be followed. What is left of it admits
	// more than its author meant.
	Faults []Problem
}

// Activate is the [activate] table.
type Activate struct {
	MaxActive  int
	MinChars   int
	Suggest    bool
	ActivateAt *float64 // nil: by the calibration of the model in use
	SuggestAt  *float64
}

// Gateway is the [gateway] table.
type Gateway struct {
	Mode             string // "kernel", "narrow" or "reveal"
	NarrowAbove      int
	NarrowTo         int
	Pin              []string
	FamiliesWhole    []string
	SchemaMode       string // "full" or "deferred"
	SchemaFallbackMS int
}

// Discovery is the [discovery] table.
type Discovery struct {
	// Legacy is CTX_TOOL_DISCOVERY_MODE=legacy: profiles are ignored and
	// everything that the gate admits is listed.
	Legacy        bool
	ActiveProfile string
	Profiles      map[string]DiscoveryProfile
}

// DiscoveryProfile is a [discovery.profiles.NAME] table.
type DiscoveryProfile struct {
	AlwaysVisible   []string // globs; "all" and "all-native" stand alone
	MandatorySkills []string
}

// Embed is the [embed] table.
type Embed struct {
	Model      string
	OrtLibrary string // as the user's own file has it: CTX_ORT_LIB is not asked here
}

// Default is the settings where no file says anything.
func Default() Config {
	return Config{
		AutoCapabilities:  true,
		MaxResponseTokens: 20000,
		Role:              "developer:general",
		Surface:           Surface{MaxStaticTokens: 8000, Gate: "warn", Probe: true, Tokenizer: "bytes4"},
		Activate:          Activate{MaxActive: 4, MinChars: 8, Suggest: true},
		AutoSkills:        true,
		Gateway: Gateway{
			Mode: "kernel", NarrowAbove: 8, NarrowTo: 6,
			FamiliesWhole: []string{"todo", "scheduling", "browser"},
			SchemaMode:    "full", SchemaFallbackMS: 60000,
		},
	}
}

// Problem is something in a configuration file or variable that was not
// followed.
type Problem struct {
	File string // absolute path, or the variable's name
	Line int    // counts from 1; 0 for a variable, and where no line is known
	Text string
	Hint string // what to do, "" when Text says it
}

// Where is "FILE:LINE: TEXT".
func (p Problem) Where() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	return s + ": " + p.Text
}

// String is "FILE:LINE: TEXT (HINT)".
func (p Problem) String() string {
	s := p.Where()
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}
