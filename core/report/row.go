package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ctx-sidecar/ctx/core/inventory"
)

// row is a record in the table.
type row struct {
	ID, Name, Kind, Origin, Place string
	At                            int // its origin, in the table of origins
	Resident, Deferred, OnDemand  string
	Tier                          Mark
	Why                           string // the strongest reason for its tier
	Use                           Mark
	Used                          string
	Level                         string
	Notes                         []string
}

func newRow(r inventory.Record, origin int, found []string) row {
	v := row{
		ID: plain(r.ID), Name: plain(r.Name), Kind: string(r.Kind), Origin: plain(r.Provider), At: origin,
		Resident: group(r.Cost.Resident), Deferred: group(r.Cost.Deferred), OnDemand: group(r.Cost.OnDemand),
		Tier: tierOf(r), Why: why(r), Use: useOf(r), Used: useText(r), Level: r.Level.String(),
	}
	if r.Place.File != "" {
		v.Place = fmt.Sprintf("%s:%d", plain(r.Place.File), r.Place.Line)
	}
	if r.Unmeasured != "" {
		v.Notes = append(v.Notes, "price unknown")
		if r.Cost.Resident == 0 && r.Cost.Deferred == 0 {
			v.Resident, v.Deferred = "?", "?"
			if r.Cost.OnDemand == 0 {
				v.OnDemand = "?"
			}
		}
	}
	if r.Standing != inventory.Loaded {
		note := string(r.Standing)
		if saved := r.Direct.Resident + r.Direct.Deferred; saved > 0 {
			note += " (" + group(saved) + " if loaded)"
		}
		v.Notes = append(v.Notes, note)
	}
	if r.Own {
		v.Notes = append(v.Notes, "ctx’s own")
	}
	if r.Trimmable() {
		v.Notes = append(v.Notes, "may go")
	}
	for _, f := range found {
		if !slices.Contains(v.Notes, f) {
			v.Notes = append(v.Notes, f)
		}
	}
	return v
}

// Note is all that is to be said of a record.
func (r row) Note() string { return strings.Join(r.Notes, " · ") }

// says reports whether a row has a phrase somewhere in what the page searches.
func (r row) says(phrase string) bool {
	text := strings.Join([]string{r.ID, r.Name, r.Place, r.Kind, r.Origin, r.Tier.Word, r.Why, r.Use.Letter + " " + r.Used, r.Level, r.Note()}, "\n")
	return strings.Contains(strings.ToLower(text), phrase)
}

// useText is how often a record was used.
func useText(r inventory.Record) string {
	switch {
	case r.Standing == inventory.NotLoaded:
		return "not by this host"
	case !r.Use.Measured:
		return "not measured"
	case r.Use.Calls == 0:
		return "never in " + counted(r.Use.Of, "session")
	}
	return fmt.Sprintf("%s× in %d of %s", group(r.Use.Calls), r.Use.Sessions, counted(r.Use.Of, "session"))
}
