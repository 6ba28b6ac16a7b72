package authority

import "encoding/json"

// Declared is the tier that a tool's own annotations claim: readOnlyHint true
// is read, destructiveHint true destructive, everything else remote-write.
func Declared(tool json.RawMessage) Tier {
	var t struct {
		Annotations struct {
			ReadOnly    bool `json:"readOnlyHint"`
			Destructive bool `json:"destructiveHint"`
		} `json:"annotations"`
	}
	// A definition that does not parse claims nothing.
	_ = json.Unmarshal(tool, &t)
	switch {
	case t.Annotations.ReadOnly && !t.Annotations.Destructive:
		return Read
	case t.Annotations.Destructive:
		return Destructive
	default:
		return RemoteWrite
	}
}
