package activate

import (
	"cmp"
	"slices"
)

// Candidate is one capability as the router sees it.
type Candidate struct {
	Name        string
	Title       string
	Description string
	Triggers    []string // requests that it answers; a candidate without any is never chosen
	Domains     []string // session domains that may have it; none: all
	Tap         string   // that it comes from; calibrations are per tap

	Active  bool // enabled in this session
	Static  bool // the role's: always there
	Unready bool // something that it needs is not set
}

// Gate is why a candidate that wins is not activated.
type Gate string

const (
	Open        Gate = ""
	Active      Gate = "active"
	Static      Gate = "static"
	Unready     Gate = "unready"
	OutOfDomain Gate = "out of domain"
)

// Outside reports whether sessions of a domain may not have c; those of none, "",
// have only what names no domain.
func (c Candidate) Outside(domain string) bool {
	return len(c.Domains) > 0 && (domain == "" || !slices.Contains(c.Domains, domain))
}

func (c Candidate) gate(domain string) Gate {
	switch {
	case c.Outside(domain):
		return OutOfDomain
	case c.Static:
		return Static
	case c.Active:
		return Active
	case c.Unready:
		return Unready
	}
	return Open
}

// card is what a candidate says of itself in a sentence.
func (c Candidate) card() string {
	if c.Title == "" {
		return c.Description
	}
	return c.Title + ". " + c.Description
}

// sentence is what the joint network reads of a candidate beside a trigger. It
// reads few tokens, and titles mostly say the name again: they are better spent
// on the description.
func (c Candidate) sentence() string { return cmp.Or(c.Description, c.Title) }
