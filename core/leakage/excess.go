package leakage

import "github.com/ctx-sidecar/ctx/core/authority"

const neverUsed = " and was never used"

// excess finds authority that nobody was told of, or that nobody needs.
func excess(name string, j authority.Judgement, used Used) []Finding {
	var out []Finding
	claimed, claims := authority.Destructive, false
	for _, c := range j.Evidence {
		if c.Source == authority.Name && c.Confidence >= 0.5 {
			claimed, claims = min(claimed, c.Tier), true
		}
	}
	if claims && j.Tier > claimed && !j.Unknown() {
		out = append(out, Finding{ExcessiveAuthority, "is " + j.Tier.String() + " where its name says " + claimed.String(), Place{"name", 0, len(name)}, j.Confidence})
	}
	if j.Tier >= authority.RemoteWrite && used == 0 {
		out = append(out, Finding{ExcessiveAuthority, "is " + j.Tier.String() + neverUsed, Place{"name", 0, len(name)}, j.Confidence})
	}
	return out
}
