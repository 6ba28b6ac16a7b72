// Command features prints what the product computes of labelled prompts, one
// JSON line each, so that a scorer is trained on exactly what it will see.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"

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
	tokens := flag.Bool("tokens", false, "print token vectors, to find a projection with")
	flag.Parse()
	taps := map[string][]activate.Candidate{"": fromDir(*tapDir)}
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
	return printRows(out, s, m, taps, rows)
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

func printRows(out *bufio.Writer, s *activate.Scorer, m *embed.Model, taps map[string][]activate.Candidate, rows []row) error {
	routers := map[string]*activate.Router{}
	enc := json.NewEncoder(out)
	for _, r := range rows {
		router := routers[r.Tap]
		if router == nil {
			var err error
			if router, err = activate.New(s, m, ""); err != nil {
				return err
			}
			routers[r.Tap] = router
		}
		o, err := router.Observe(context.Background(), r.Text, r.Domain, taps[r.Tap])
		if err != nil {
			return fmt.Errorf("%s: %w", r.ID, err)
		}
		line := struct {
			row
			activate.Observation
		}{r, o}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
