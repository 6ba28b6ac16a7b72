package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/activate"
	"github.com/ctx-sidecar/ctx/core/tap"
)

// row is a labelled prompt.
type row struct {
	Set    string   `json:"set"` // the file's name
	Tap    string   `json:"tap"` // "" for the one given by -tap
	ID     string   `json:"id"`
	Text   string   `json:"text"`
	Domain string   `json:"domain"`
	Expect []string `json:"expect"`
	Kind   string   `json:"kind"`
	Near   string   `json:"near,omitempty"` // the capability that a row comes close to which expects none
}

func fromDir(dir string) []activate.Candidate {
	var out []activate.Candidate
	all, _ := tap.LoadDir(dir) // what is wrong with a capability is no matter here
	for _, c := range all {
		out = append(out, activate.Candidate{
			Name: c.Name, Title: c.Title, Description: c.Description, Triggers: c.Triggers, Domains: c.Domains,
		})
	}
	return out
}

// read returns the rows of a file, and adds the capabilities that it declares to
// taps.
func read(path string, taps map[string][]activate.Candidate) ([]row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []row
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		var line struct {
			row
			Capability  string   `json:"capability"`
			Title       string   `json:"title"`
			Description string   `json:"description"`
			Triggers    []string `json:"triggers"`
			Domains     []string `json:"domains"`
		}
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		if line.Capability != "" {
			taps[line.Tap] = append(taps[line.Tap], activate.Candidate{
				Name: line.Capability, Title: line.Title, Description: line.Description, Triggers: line.Triggers, Domains: line.Domains,
			})
			continue
		}
		line.Set = filepath.Base(path)
		rows = append(rows, line.row)
	}
	return rows, s.Err()
}
