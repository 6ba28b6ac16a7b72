package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/trust"
)

// GraphFile is what a graph is kept in, in the folder of what is known of a
// workspace. It is only there to be spared reading all prose again.
const GraphFile = "skill-graph.json"

const graphSchema = "ctx.skill-graph/v1"

type keptGraph struct {
	Schema string `json:"schema"`
	Key    string `json:"key"` // of the files that it was made of
	Graph
}

// Graph is how the skills lead to one another as their files are now. It is kept
// in dir; "" for in memory alone.
func (l *Library) Graph(dir string) Graph {
	c := l.Load()
	c.once.Do(func() {
		key := c.key()
		var kept keptGraph
		path := filepath.Join(dir, GraphFile)
		if b, err := file.Read(path); dir != "" && err == nil && json.Unmarshal(b, &kept) == nil && kept.Schema == graphSchema && kept.Key == key && kept.fits(c) {
			c.graph = kept.Graph
			c.graph.finish()
			return
		}
		c.graph = newGraph(c)
		if dir == "" || key == "" {
			return
		}
		b, err := json.Marshal(keptGraph{graphSchema, key, c.graph})
		if err == nil {
			err = file.Write(path, append(b, '\n'), 0o600)
		}
		c.unkept = err
	})
	return c.graph
}

// Unkept is why the graph could not be written down, which only costs time; nil
// where it was.
func (c *Catalog) Unkept() error { return c.unkept }

// fits reports whether a kept graph speaks of nothing but the skills of c: its
// file may have been written by anybody.
func (g Graph) fits(c *Catalog) bool {
	return g.Skills == len(c.Skills) && !slices.ContainsFunc(g.Edges, func(e Edge) bool {
		from, ok := c.Find(e.From)
		_, too := c.Find(e.To)
		return !ok || !too || e.File != from.File
	})
}

// key stands for the files of all skills as they were read, "" where one of them
// may have changed since without a sign of it.
func (c *Catalog) key() string {
	h := sha256.New()
	for _, k := range c.known {
		if !k.believed || k.stamp == (trust.Stamp{}) {
			return ""
		}
		fmt.Fprintf(h, "%q %q %+v\n", k.skill.Name, k.skill.File, k.stamp)
	}
	return hex.EncodeToString(h.Sum(nil))
}
