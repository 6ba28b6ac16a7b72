package config

import (
	"errors"
)

// value is one value of a file and where it may come from.
type value struct {
	raw       any // as BurntSushi/toml decodes it
	workspace bool
	names     []string // what the stars of the key stand for
	file      string
}

// key is a setting: its place in the file, "*" standing for a name that the
// user chooses, and how it is taken over. set leaves Config as it is where the
// value does not fit, and says why.
type key struct {
	path string
	set  func(c *Config, v value) error
}

// A workspace comes with its repository, so what is written there may narrow
// what the user allows and never widen it.
var (
	errUserOnly = errors.New("counts in the user's own ctx.toml alone")
	errWidens   = errors.New("is more than the user's own ctx.toml allows")
)

var errNoEffect = errors.New("has no effect: the host owns the conversation and its length")

var keys = []key{
	{"auto_capabilities", narrowing(func(c *Config) *bool { return &c.AutoCapabilities })},
	{"mcp_response_tokens_threshold", number(1, func(c *Config) *int { return &c.MaxResponseTokens })},
	{"max_session_tokens_threshold", func(*Config, value) error { return errNoEffect }},
	{"role", text(func(c *Config) *string { return &c.Role })},
	{"roles.*.capabilities", setRole},

	{"surface.max_static_tokens", number(0, func(c *Config) *int { return &c.Surface.MaxStaticTokens })},
	{"surface.gate", oneOf(func(c *Config) *string { return &c.Surface.Gate }, "warn", "off")},
	{"surface.gateway", boolean(func(c *Config) *bool { return &c.Surface.Gateway })},
	{"surface.probe", narrowing(func(c *Config) *bool { return &c.Surface.Probe })},
	{"surface.default_profile", setDefaultProfile},
	{"surface.tokenizer", oneOf(func(c *Config) *string { return &c.Surface.Tokenizer }, "bytes4", "cl100k", "o200k")},
	{"surface.profiles.*.families", profile(setFamilies)},
	{"surface.profiles.*.authority_ceiling", setCeiling},
	{"surface.profiles.*.max_schema_tokens", profile(func(p *Profile, v value) error { return whole(&p.MaxSchemaTokens, 0, v) })},
	{"surface.profiles.*.include", profile(func(p *Profile, v value) error { return toolGlobs(&p.Include, v) })},
	{"surface.profiles.*.exclude", profile(func(p *Profile, v value) error { return toolGlobs(&p.Exclude, v) })},
	{"surface.profiles.*.description", profile(func(p *Profile, v value) error { return str(&p.Description, v) })},

	{"capabilities.*", setProvider},

	{"activate.max_active", number(1, func(c *Config) *int { return &c.Activate.MaxActive })},
	{"activate.min_chars", number(0, func(c *Config) *int { return &c.Activate.MinChars })},
	{"activate.suggest", boolean(func(c *Config) *bool { return &c.Activate.Suggest })},
	{"activate.activate_at", fraction(func(c *Config) **float64 { return &c.Activate.ActivateAt })},
	{"activate.suggest_at", fraction(func(c *Config) **float64 { return &c.Activate.SuggestAt })},

	{"skills.auto_activation", narrowing(func(c *Config) *bool { return &c.AutoSkills })},

	{"gateway.mode", oneOf(func(c *Config) *string { return &c.Gateway.Mode }, "kernel", "narrow", "reveal")},
	{"gateway.narrow_above", number(0, func(c *Config) *int { return &c.Gateway.NarrowAbove })},
	{"gateway.narrow_to", number(0, func(c *Config) *int { return &c.Gateway.NarrowTo })},
	{"gateway.pin", list(func(c *Config) *[]string { return &c.Gateway.Pin })},
	{"gateway.families_whole", list(func(c *Config) *[]string { return &c.Gateway.FamiliesWhole })},
	{"gateway.schema_mode", oneOf(func(c *Config) *string { return &c.Gateway.SchemaMode }, "full", "deferred")},
	{"gateway.schema_fallback_ms", number(0, func(c *Config) *int { return &c.Gateway.SchemaFallbackMS })},

	{"discovery.active_profile", text(func(c *Config) *string { return &c.Discovery.ActiveProfile })},
	{"discovery.profiles.*.always_visible", discovery(setVisible)},
	{"discovery.profiles.*.mandatory_skills", discovery(func(p *DiscoveryProfile, v value) error { return texts(&p.MandatorySkills, v) })},

	{"embed.model", userOnly(text(func(c *Config) *string { return &c.Embed.Model }))},
	{"embed.ort_library", userOnly(text(func(c *Config) *string { return &c.Embed.OrtLibrary }))},
}

func userOnly(set func(*Config, value) error) func(*Config, value) error {
	return func(c *Config, v value) error {
		if v.workspace {
			return errUserOnly
		}
		return set(c, v)
	}
}

// narrowing is a boolean that a workspace may switch off and not on.
func narrowing(field func(*Config) *bool) func(*Config, value) error {
	return func(c *Config, v value) error {
		b := *field(c)
		if err := yes(&b, v); err != nil {
			return err
		}
		if v.workspace && b && !*field(c) {
			return errWidens
		}
		*field(c) = b
		return nil
	}
}

func setRole(c *Config, v value) error {
	r := c.Roles[v.names[0]]
	if err := texts(&r.Capabilities, v); err != nil {
		return err
	}
	put(&c.Roles, v.names[0], r)
	return nil
}

func setProvider(c *Config, v value) error {
	var provider string
	if err := str(&provider, v); err != nil {
		return err
	}
	put(&c.Providers, v.names[0], provider)
	return nil
}

func discovery(set func(*DiscoveryProfile, value) error) func(*Config, value) error {
	return func(c *Config, v value) error {
		p := c.Discovery.Profiles[v.names[0]]
		if err := set(&p, v); err != nil {
			return err
		}
		put(&c.Discovery.Profiles, v.names[0], p)
		return nil
	}
}

func setVisible(p *DiscoveryProfile, v value) error {
	word, ok := v.raw.(string)
	if !ok {
		return texts(&p.AlwaysVisible, v)
	}
	if word != "all" && word != "all-native" {
		return wrong(`"all", "all-native" or a list of globs`, v)
	}
	p.AlwaysVisible = []string{word}
	return nil
}

func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[name] = v
}
