package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// What of MEMORY.md is sent at most, as Claude Code's documentation has it.
const (
	mostMemoryLines = 200
	mostMemoryBytes = 25_000
)

const labelAuto = "user's auto-memory, persists across conversations"

// automatic prices what Claude Code itself wrote down of a project: the index is
// sent, the notes that it names are read when the model wants them.
func (m *memory) automatic() {
	if m.setting("autoMemoryEnabled").isFalse() || truthy(m.lookup("CLAUDE_CODE_DISABLE_AUTO_MEMORY")) {
		return
	}
	dir := filepath.Join(m.config, "projects", slug(m.root), "memory")
	if own := m.setting("autoMemoryDirectory").text(); own != "" {
		if rest, ok := strings.CutPrefix(own, "~/"); ok {
			own = filepath.Join(m.home, rest)
		}
		dir = own
	}
	index := filepath.Join(dir, "MEMORY.md")
	m.note(index)
	if src, err := file.Read(index); err == nil {
		if body := bytes.TrimSpace(shortened(src)); len(body) > 0 {
			m.sent++
			text := "Contents of " + index + " (" + labelAuto + "):\n\n" + string(body) + "\n\n"
			m.addItem(surface.Item{Kind: surface.KindInstructions, Provider: string(surface.ScopeLocal), Name: m.short(index)}, index, text)
		}
	}
	if !m.detail {
		return
	}
	for _, e := range m.list(dir) {
		path := filepath.Join(dir, e.Name())
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && path != index && strings.HasSuffix(path, ".md") {
			m.addItem(surface.Item{
				Kind: surface.KindInstructions, Provider: string(surface.ScopeLocal), Name: m.short(path), OnDemand: int(info.Size()),
			}, path, "")
		}
	}
}

// shortened is as much of an index as is sent.
func shortened(src []byte) []byte {
	end := 0
	for range mostMemoryLines {
		i := bytes.IndexByte(src[end:], '\n')
		if i < 0 {
			end = len(src)
			break
		}
		end += i + 1
	}
	for end > mostMemoryBytes {
		end = max(0, bytes.LastIndexByte(src[:end-1], '\n')) // whole lines
		if end == 0 {
			return src[:mostMemoryBytes]
		}
	}
	return src[:end]
}
