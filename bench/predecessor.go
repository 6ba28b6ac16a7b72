package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// predecessor is ctx-harness from PyPI, with a workspace of its own: the
// closest program there is.
type predecessor struct {
	program              string
	world                *world
	listBytes, listTools int
}

const predecessorPackage = "ctx-harness==0.39.0"

// findPredecessor installs the predecessor into the cache, or says why not.
func (b *bench) findPredecessor() {
	if b.clients == "" {
		b.why = "no CTX_REALHOSTS"
		return
	}
	venv := filepath.Join(b.clients, "predecessor")
	program := filepath.Join(venv, "bin", "ctx")
	if _, err := os.Stat(program); err != nil {
		for _, cmd := range [][]string{{"python3", "-m", "venv", venv}, {filepath.Join(venv, "bin", "pip"), "install", "-q", predecessorPackage}} {
			if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
				b.why = fmt.Sprintf("%s did not install: %v: %.200s", predecessorPackage, err, out)
				return
			}
		}
	}
	p := &predecessor{program: program}
	if err := b.preparePredecessor(p); err != nil {
		b.why = fmt.Sprintf("%s did not run: %v", predecessorPackage, err)
		return
	}
	b.before = p
}

func (b *bench) preparePredecessor(p *predecessor) (err error) {
	if p.world, err = b.newWorld(object{}, false); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(p.world.work, ".mcp.json"), object{"mcpServers": b.reference(p.world.work)}); err != nil {
		return err
	}
	// The first hook lists the servers and keeps what they list.
	if err := p.hook(0); err != nil {
		return err
	}
	if _, err := p.world.exec(p.program, nil, "surface", "install-gateway", "--apply", "--host", "claude"); err != nil {
		return err
	}
	g, err := p.gateway()
	if err != nil {
		return err
	}
	defer g.close()
	tools, err := g.tools()
	if err != nil {
		return err
	}
	list, err := json.Marshal(tools)
	p.listBytes, p.listTools = len(list), len(tools)
	return err
}

func (p *predecessor) hook(i int) error {
	_, err := p.world.exec(p.program, p.world.sessionStart(i), "hook", "claude-code", "session-start")
	return err
}

func (p *predecessor) gateway() (*server, error) {
	return p.world.start(p.program, "surface", "gateway", "--workspace", p.world.work)
}

// predecessorSays is a cell about the predecessor, or why there is none.
func (b *bench) predecessorSays(cell func(*predecessor) string) string {
	if b.before == nil {
		return "predecessor: " + b.why
	}
	return cell(b.before)
}
