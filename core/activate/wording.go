package activate

import (
	"math"
	"regexp"
	"strings"
)

var wordOrMark = regexp.MustCompile(`[a-z']+|[?!.,:]`)

// wording returns how a prompt is put, whatever it is about: its words and word
// pairs, how it starts and ends, how long it is. It is what tells a request
// ("open the page") from talk ("what is a page"); which of it counts, the scorer
// has learned.
func wording(prompt string) map[string]float64 {
	marks := map[string]float64{}
	tokens := wordOrMark.FindAllString(strings.ToLower(prompt), -1)
	for i, t := range tokens {
		marks["w:"+t] = 1
		if i > 0 {
			marks["b:"+tokens[i-1]+" "+t] = 1
		}
	}
	if len(tokens) > 0 {
		marks["1:"+tokens[0]] = 1
		marks["L:"+tokens[len(tokens)-1]] = 1
	}
	if len(tokens) > 1 {
		marks["12:"+tokens[0]+" "+tokens[1]] = 1
	}
	words := len(strings.Fields(prompt))
	marks["#log"] = math.Log(float64(words + 1))
	if words < 5 {
		marks["#short"] = 1
	}
	if words > 40 {
		marks["#long"] = 1
	}
	return marks
}
