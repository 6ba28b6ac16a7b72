package spelling

// Nearest is the word that was probably meant, "" where none is near.
func Nearest(word string, words []string) string {
	best, least := "", 4
	for _, w := range words {
		if d := Distance(word, w); d < least && d < len(w) {
			best, least = w, d
		}
	}
	return best
}
