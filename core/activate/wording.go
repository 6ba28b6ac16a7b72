package activate

import (
	"regexp"
	"strings"
	"sync"
)

var wordOrQuestion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[a-z']+|\?`) })

// wording returns how a prompt is put, whatever it is about: its words and word
// pairs, and how it starts. It is what tells a request ("open the page") from
// talk ("what is a page"); which of it counts, the scorer has learned. Length,
// full stops and how a prompt ends are left out: they tell who wrote it.
func wording(prompt string) map[string]float64 {
	marks := map[string]float64{}
	tokens := wordOrQuestion().FindAllString(strings.ToLower(prompt), -1)
	for i, t := range tokens {
		marks["w:"+t] = 1
		if i > 0 {
			marks["b:"+tokens[i-1]+" "+t] = 1
		}
	}
	if len(tokens) > 0 {
		marks["1:"+tokens[0]] = 1
	}
	if len(tokens) > 1 {
		marks["12:"+tokens[0]+" "+tokens[1]] = 1
	}
	return marks
}
