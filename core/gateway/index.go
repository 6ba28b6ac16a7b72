package gateway

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The index is paid for in every session, so it grows with what it saves: with
// the kernel tools it stays within a share of the bytes that a host would send
// for the tools themselves, where that leaves room for an index at all. The
// share falls from a tenth for few tools, whose names nearly all fit, to three
// hundredths for many. Naming every server may take it to the hard limit.
const (
	leastIndex = 500
	mostIndex  = 1200
	hardIndex  = 2000
	kernelSize = 1400 // with the names that a host gives the kernel tools

	fewBehind, manyBehind = 40, 300
	fewShare, manyShare   = 100, 30 // thousandths
)

// indexBudget is the size in bytes that an index of so many tools, which a host
// would send in so many bytes, should have.
func indexBudget(tools, bytes int) int {
	n := min(max(tools, fewBehind), manyBehind) - fewBehind
	share := fewShare - (fewShare-manyShare)*n/(manyBehind-fewBehind)
	return min(max(bytes*share/1000-kernelSize, leastIndex), mostIndex)
}

// instructions is the index of what is behind the gateway: by server, the
// heaviest first, each with its number of tools and the names of some. Only
// names, in ASCII: descriptions are not the gateway's words.
func (c *catalog) instructions(listed bool) string {
	if listed {
		return ""
	}
	bytes := 0
	for _, s := range c.servers {
		bytes += s.bytes
	}
	budget := indexBudget(len(c.tools), bytes)

	head := "No MCP server is behind this gateway now."
	if len(c.servers)+len(c.hidden) > 0 {
		head = fmt.Sprintf("%d tools of the user's MCP servers are behind tool_search, then call_tool or call_tool_write. By server:", len(c.tools))
	}
	var tail strings.Builder
	if len(c.hidden) > 0 {
		tail.WriteString("\nNot shown for now, found by tool_search: " + ascii(strings.Join(c.hidden, ", "), 220))
	}
	for _, w := range slices.Concat(c.heldWarnings(), c.rules.Warnings) {
		if note := "\n! " + ascii(w, 220); tail.Len()+len(note) <= 450 {
			tail.WriteString(note)
		}
	}
	shelves := slices.Clone(c.servers)
	slices.SortStableFunc(shelves, func(a, b shelf) int { return cmp.Compare(b.bytes, a.bytes) })

	// Every server's name first, then tool names while there is room for them.
	lines := make([]string, 0, len(shelves))
	size := len(head) + tail.Len()
	left := 0
	for i, s := range shelves {
		l := "\n" + s.title()
		if size+len(l)+len("\n+ 9999 more servers") > hardIndex {
			left = len(shelves) - i
			break
		}
		lines = append(lines, l)
		size += len(l)
	}
	for i := range lines {
		share := (budget - size) / (len(lines) - i)
		names := shelves[i].toolNames(share)
		lines[i] += names
		size += len(names)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("\n+ %d more servers", left))
	}
	return head + strings.Join(lines, "") + tail.String()
}

func (s shelf) title() string {
	switch {
	case s.listed:
		return fmt.Sprintf("%s (%d)", word(s.name, 40), len(s.tools))
	case s.failed != "":
		return word(s.name, 40) + " (down)"
	default:
		return word(s.name, 40) + " (starting)"
	}
}

// toolNames lists the names of tools in at most room bytes.
func (s shelf) toolNames(room int) string {
	var b strings.Builder
	for i, t := range s.tools {
		name := word(t.Name, 40)
		more := 0
		if i < len(s.tools)-1 {
			more = len(", ...")
		}
		if b.Len()+len(": ")+len(name)+more > room {
			if b.Len() > 0 {
				b.WriteString(", ...")
			}
			break
		}
		if b.Len() == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

func ascii(s string, max int) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, line(s, max))
}
