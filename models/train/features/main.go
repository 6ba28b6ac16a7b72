// Command features prints what the product computes of labelled prompts, one
// JSON line each, so that a scorer is trained on exactly what it will see.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/embed"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	tapDir := flag.String("tap", "", "folder with the capabilities of rows that name no tap")
	model := flag.String("model", "", "folder of the model's bundle; none: what needs no model")
	scorer := flag.String("scorer", "", "scorer file")
	parts := flag.String("parts", "", "sizes of parts of taps that each row is asked about too, as 1,2,3")
	seed := flag.Uint64("seed", 1, "for the choice of parts")
	own := flag.Bool("own", false, "ask of parts the rows alone, not triggers and requests for other taps")
	only := flag.Bool("candidates", false, "print what -tap holds, and nothing else")
	tokens := flag.Bool("tokens", false, "print token vectors, to find a projection with")
	flag.Parse()
	taps := map[string][]activate.Candidate{"": fromDir(*tapDir)}
	if *only {
		return printCandidates(os.Stdout, taps[""])
	}
	var rows []row
	for _, path := range flag.Args() {
		more, err := read(path, taps)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	var m *embed.Model
	if *model != "" {
		b, err := embed.ReadBundle(*model)
		if err != nil {
			return err
		}
		library, err := embed.OpenLibrary(embed.LibrarySource{Env: os.Environ()})
		if err != nil {
			return err
		}
		defer library.Close()
		if m, err = embed.Open(b, library, 1); err != nil {
			return err
		}
		defer m.Close()
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if *tokens {
		return printTokens(out, m, taps, rows)
	}
	s, err := activate.ReadScorer(*scorer)
	if err != nil {
		return err
	}
	sizes := []int{0}
	for text := range strings.FieldsFuncSeq(*parts, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-parts: %q is no size", text)
		}
		sizes = append(sizes, n)
	}
	var inParts []row
	if !*own {
		inParts = slices.Concat(requests(taps), foreign(rows, taps))
	}
	return printRows(out, s, m, rows, inParts, sizes, func(r row, size int) (row, []activate.Candidate, bool) {
		if size == 0 {
			return r, taps[r.Tap], true
		}
		return part(r, taps[r.Tap], size, *seed)
	})
}

// printCandidates prints what has triggers, by name.
func printCandidates(out io.Writer, candidates []activate.Candidate) error {
	enc := json.NewEncoder(out)
	for _, c := range candidates {
		if len(c.Triggers) == 0 {
			continue
		}
		if err := enc.Encode(map[string]any{"capability": c.Name, "title": c.Title, "description": c.Description, "triggers": c.Triggers}); err != nil {
			return err
		}
	}
	return nil
}

// printTokens prints the token vectors of every trigger and every third prompt.
func printTokens(out *bufio.Writer, m *embed.Model, taps map[string][]activate.Candidate, rows []row) error {
	var texts []string
	for _, tap := range taps {
		for _, c := range tap {
			texts = append(texts, c.Triggers...)
		}
	}
	slices.Sort(texts)
	for i := 0; i < len(rows); i += 3 {
		texts = append(texts, activate.Clean(rows[i].Text))
	}
	encodings, err := m.Encode(context.Background(), texts)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, e := range encodings {
		for _, t := range e.Tokens {
			if err := enc.Encode(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// printRows prints what is observed of every row, for every size of parts, and
// of those that are for parts alone. ask
// says what a row is asked about, and whether it is at all.
func printRows(
	out *bufio.Writer, s *activate.Scorer, m *embed.Model, rows, inParts []row, sizes []int,
	ask func(row, int) (row, []activate.Candidate, bool),
) error {
	var once activate.Encoder
	if m != nil {
		once = &memory{m, map[string]embed.Encoding{}}
	}
	router, err := activate.New(s, once, "")
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, size := range sizes {
		asked := rows
		if size > 0 {
			asked = slices.Concat(rows, inParts)
		}
		for _, whole := range asked {
			r, candidates, ok := ask(whole, size)
			if !ok {
				continue
			}
			o, err := router.Observe(context.Background(), r.Text, r.Domain, candidates)
			if err != nil {
				return fmt.Errorf("%s: %w", r.ID, err)
			}
			line := struct {
				row
				Size int `json:"size"` // of the part; 0: the whole tap
				activate.Observation
			}{r, size, o}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// memory encodes no text twice.
type memory struct {
	*embed.Model
	known map[string]embed.Encoding
}

func (m *memory) Encode(ctx context.Context, texts []string) ([]embed.Encoding, error) {
	out := make([]embed.Encoding, len(texts))
	for i, text := range texts {
		if e, ok := m.known[text]; ok {
			out[i] = e
			continue
		}
		e, err := m.Model.Encode(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		m.known[text], out[i] = e[0], e[0]
	}
	return out, nil
}
