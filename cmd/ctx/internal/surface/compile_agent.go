package surface

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/core/file"
)

// agentTools reads from an agent's front matter which MCP tools it may use, by
// the names that its host gives them. One that does not say may use them all.
func agentTools(path, pattern string) (func(server, tool string) bool, error) {
	text, err := file.Read(path)
	if err != nil {
		return nil, err
	}
	var front struct {
		Tools yaml.Node `yaml:"tools"`
	}
	if err := yaml.Unmarshal(frontMatter(text), &front); err != nil {
		return nil, cmdutil.Fail("mend its front matter", "%s: %w", path, err)
	}
	var names []string
	switch front.Tools.Kind {
	case yaml.ScalarNode:
		names = strings.FieldsFunc(front.Tools.Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	case yaml.SequenceNode:
		for _, n := range front.Tools.Content {
			names = append(names, strings.TrimSpace(n.Value))
		}
	}
	if len(names) == 0 || len(names) == 1 && names[0] == "*" {
		return nil, nil
	}
	return func(server, tool string) bool {
		whole := strings.NewReplacer("{server}", underscored(server), "{tool}", "").Replace(pattern)
		name := whole + underscored(tool)
		for _, n := range names {
			switch {
			case n == strings.TrimRight(whole, "_"), n == whole+"*", tool != "" && underscored(n) == underscored(name):
				return true
			}
		}
		return false
	}, nil
}

// frontMatter is what stands between the first two lines of "---".
func frontMatter(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil
	}
	head, _, ok := bytes.Cut(rest, []byte("\n---"))
	if !ok {
		return nil
	}
	return head
}

// underscored is a name as hosts write it in the names of tools.
func underscored(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '_'
	}, name)
}
