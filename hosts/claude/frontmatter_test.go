package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	type want struct {
		Name, Description, Tools string
		Hidden                   bool
		Body, Fault              string
	}
	for _, c := range []struct {
		name, src string
		want      want
	}{
		{"none", "body\n", want{Body: "body\n"}},
		{"empty file", "", want{}},
		{"plain", "---\nname: n\ndescription: d\n---\nbody", want{Name: "n", Description: "d", Body: "body"}},
		{"CRLF and BOM", "\xef\xbb\xbf---\r\nname: n\r\n---\r\nbody", want{Name: "n", Body: "body"}},
		{"blank behind the fences", "--- \nname: n\n---\t\nbody", want{Name: "n", Body: "body"}},
		{"a rule further down is no fence", "text\n---\nname: n\n---\n", want{Body: "text\n---\nname: n\n---\n"}},
		{"never closed", "---\nname: n\n", want{Body: "---\nname: n\n"}},
		{"closed at the end", "---\nname: n\n---", want{Name: "n"}},
		{"folded", "---\ndescription: >\n  one\n  two\n---\n", want{Description: "one two\n"}},
		{"a list of tools", "---\ntools:\n  - Read\n  - Grep\n---\n", want{Tools: "Read, Grep"}},
		{"numbers and words for text", "---\nname: 7\ndescription: yes\ndisable-model-invocation: True\n---\n", want{Name: "7", Description: "yes", Hidden: true}},
		{"unknown keys", "---\nname: n\nmodel: {a: [1]}\n---\n", want{Name: "n"}},
		{"an unquoted colon", "---\nname: n\ndescription: use: it\n---\n", want{Name: "n", Description: "use: it", Fault: "3:1: mapping values are not allowed in this context"}},
		{"a tab", "---\nname: n\n\ttools: x\n---\n", want{Name: "n", Fault: "3:2: found a tab character that violates indentation"}},
		{"no mapping", "---\njust text\n---\nb", want{Body: "b", Fault: `2:1: lines of the form "key: value" are expected`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			matter, body, line := splitFront([]byte(c.src))
			f, err := parseFront(matter, line)
			got := want{
				Name: string(f.Name), Description: string(f.Description), Tools: string(f.Tools),
				Hidden: f.hidden(), Body: string(body),
			}
			if err != nil {
				got.Fault = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
