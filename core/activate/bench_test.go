package activate

import (
	"fmt"
	"testing"
)

func BenchmarkDecide(b *testing.B) {
	for _, size := range []int{10, 60, 1000} {
		b.Run(fmt.Sprintf("lexical/%d", size), func(b *testing.B) {
			r, err := New(Lexical(), nil, "")
			if err != nil {
				b.Fatal(err)
			}
			var many []Candidate
			for i := range size {
				c := shop[i%4]
				c.Name = fmt.Sprint(c.Name, i)
				many = append(many, c)
			}
			for b.Loop() {
				if _, err := r.Decide(b.Context(), Request{Prompt: "The customer of order 4711 has moved, please send it to the new address.", Candidates: many}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
