package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

// readStyle prices the output style in use, when it is one of the user's own.
func (r *reader) readStyle() {
	name := r.setting("outputStyle").text()
	if name == "" {
		return
	}
	for _, s := range r.shelves() {
		r.walk(filepath.Join(s.dir, "output-styles"), func(path, rel string) {
			src, err := file.Read(path)
			if err != nil {
				r.warn("%v", err)
				return
			}
			matter, body, line := splitFront(src)
			f, err := parseFront(matter, line)
			if err != nil {
				r.warn("%s:%v", path, err)
			}
			title := string(f.Name)
			if title == "" {
				title = strings.TrimSuffix(rel, ".md")
			}
			if title == name {
				r.note(path)
				style := "# Output Style: " + title + "\n\n" + string(bytes.TrimSpace(body))
				r.addItem(surface.Item{Kind: surface.KindInstructions, Provider: s.provider, Name: "output style " + title}, path, style)
			}
		})
	}
}
