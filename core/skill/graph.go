package skill

// mention is a place in a skill's prose that names a word which may be another
// skill.
type mention struct {
	name string
	line int
}
