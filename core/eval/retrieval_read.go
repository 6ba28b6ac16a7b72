package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ctx-sidecar/ctx/core/listing"
)

// Query is what somebody looks for, with the tools that serve.
type Query struct {
	ID     string
	Text   string
	Labels []Label
}

// Label says how much a tool serves a query.
type Label struct {
	Tool      string  // "server:name"
	Relevance float64 // 0 for not at all, to 100
}

const mostRelevance = 100

// misread is what is wrong with a line, and where in it.
type misread struct {
	column int // from 1, in bytes
	text   string
}

func (m *misread) Error() string { return m.text }

func misreadf(format string, args ...any) error { return &misread{1, fmt.Sprintf(format, args...)} }

// ReadCatalogue reads a file of tool definitions, JSON lines
// {"server", "name", "description", "inputSchema", "annotations"}. The error
// names every line that is none by its line and column; empty lines are passed
// over. Of several tools with one server and name the first counts; the others
// are told of in warnings.
func ReadCatalogue(path string) (tools []listing.Tool, warnings []string, err error) {
	first := map[string]int{}
	err = eachLine(path, "tools", func(n int, line []byte) error {
		t, err := parseTool(line)
		if err != nil {
			return err
		}
		if earlier, twice := first[t.ID()]; twice {
			warnings = append(warnings, fmt.Sprintf("%s:%d: %s is defined in line %d already, which counts", path, n, t.ID(), earlier))
			return nil
		}
		first[t.ID()] = n
		tools = append(tools, t)
		return nil
	})
	return tools, warnings, err
}

func parseTool(line []byte) (listing.Tool, error) {
	var row struct {
		Server      string          `json:"server"`
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations"`
	}
	if err := decode(line, &row); err != nil {
		return listing.Tool{}, err
	}
	switch {
	case strings.TrimSpace(row.Server) == "":
		return listing.Tool{}, misreadf(`the tool has no "server"`)
	case strings.TrimSpace(row.Name) == "":
		return listing.Tool{}, misreadf(`the tool has no "name"`)
	case !object(row.InputSchema):
		return listing.Tool{}, misreadf(`"inputSchema" is to be an object, not %.40s`, row.InputSchema)
	case !object(row.Annotations):
		return listing.Tool{}, misreadf(`"annotations" is to be an object, not %.40s`, row.Annotations)
	}
	return listing.Listing{Server: row.Server, Tools: []json.RawMessage{bytes.Clone(line)}}.Parse()[0], nil
}

// object reports whether value is one, null or not there.
func object(value json.RawMessage) bool {
	return len(value) == 0 || value[0] == '{' || string(value) == "null"
}

// ReadQueries reads a file of queries, JSON lines
// {"id", "query", "labels": [{"tool", "relevance"}]}. The error names every line
// that is none by its line and column; empty lines are passed over.
func ReadQueries(path string) (queries []Query, err error) {
	err = eachLine(path, "queries", func(n int, line []byte) error {
		q, err := parseQuery(line)
		if err != nil {
			return err
		}
		if q.ID == "" {
			q.ID = fmt.Sprintf("line %d", n)
		}
		queries = append(queries, q)
		return nil
	})
	return queries, err
}

func parseQuery(line []byte) (Query, error) {
	var row struct {
		ID     string `json:"id"`
		Query  string `json:"query"`
		Labels []struct {
			Tool      string   `json:"tool"`
			Relevance *float64 `json:"relevance"`
		} `json:"labels"`
	}
	if err := decode(line, &row); err != nil {
		return Query{}, err
	}
	if strings.TrimSpace(row.Query) == "" {
		return Query{}, misreadf(`the row has no "query"`)
	}
	q := Query{ID: row.ID, Text: row.Query}
	seen := map[string]bool{}
	for i, l := range row.Labels {
		switch {
		case l.Tool == "":
			return Query{}, misreadf(`label %d has no "tool"`, i+1)
		case l.Relevance == nil:
			return Query{}, misreadf(`the label of %q has no "relevance"`, l.Tool)
		case *l.Relevance < 0 || *l.Relevance > mostRelevance:
			return Query{}, misreadf(`the relevance of %q is to be from 0 to %d, not %v`, l.Tool, mostRelevance, *l.Relevance)
		case seen[l.Tool]:
			return Query{}, misreadf(`%q is labelled twice`, l.Tool)
		}
		seen[l.Tool] = true
		q.Labels = append(q.Labels, Label{l.Tool, *l.Relevance})
	}
	return q, nil
}

// eachLine gives every line that is not empty to use, with its number from 1,
// and joins what is wrong with them.
func eachLine(path, what string, use func(n int, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	defer f.Close()
	var wrong []error
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestTool)
	n, rows := 0, 0
	for lines.Scan() {
		n++
		line, mark := bytes.CutPrefix(lines.Bytes(), []byte(byteOrderMark))
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		rows++
		if err := use(n, line); err != nil {
			column := 1
			if at := (*misread)(nil); errors.As(err, &at) {
				column = at.column
			}
			if mark {
				column += len(byteOrderMark)
			}
			wrong = append(wrong, fmt.Errorf("%s:%d:%d: %w", path, n, column, err))
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		wrong = append(wrong, fmt.Errorf("%s:%d:%d: the line is over %d bytes", path, n+1, longestTool, longestTool))
	case err != nil:
		wrong = append(wrong, fmt.Errorf("read %s: %w", what, err))
	case rows == 0:
		wrong = append(wrong, fmt.Errorf("%s has no %s", path, what))
	}
	return errors.Join(wrong...)
}

// decode reads one JSON object.
func decode(line []byte, into any) error {
	err := json.Unmarshal(line, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return &misread{max(int(syntax.Offset), 1), syntax.Error()}
	case errors.As(err, &kind) && kind.Field != "":
		return &misread{columnOf(line, int(kind.Offset)), fmt.Sprintf("%q is to be %s, not %s", kind.Field, wanted(kind.Type.Kind().String()), kind.Value)}
	case err != nil || bytes.TrimSpace(line)[0] != '{':
		return misreadf("it is no JSON object")
	}
	return nil
}

// columnOf is where the value begins whose last byte is in column end: there
// [json.UnmarshalTypeError] points, but for lists and objects, of which it has
// read the bracket alone.
func columnOf(line []byte, end int) int {
	end = min(max(end, 1), len(line))
	before := line[:end-1]
	switch line[end-1] {
	case '[', '{':
		return end
	case '"':
		for i := len(before) - 1; i >= 0; i-- {
			rest := bytes.TrimRight(before[:i], `\`)
			if before[i] == '"' && (i-len(rest))%2 == 0 {
				return i + 1
			}
		}
		return end
	default:
		return bytes.LastIndexAny(before, ",:[ \t") + 2
	}
}

// wanted names a kind of Go's as JSON does.
func wanted(kind string) string {
	switch kind {
	case "float64":
		return "a number"
	case "slice":
		return "a list"
	case "struct":
		return "an object"
	default:
		return "a string"
	}
}

// QueryFaults says what is odd about queries for a set of tools: labels that
// name none, queries that no tool is relevant to, and ids that come twice.
func QueryFaults(queries []Query, tools []listing.Tool) []string {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, t := range tools {
		known[t.ID()] = true
	}
	var all faults
	for _, q := range queries {
		row, relevant := Row{ID: q.ID}, false
		for _, l := range q.Labels {
			if !known[l.Tool] {
				all.add(row, fmt.Sprintf("names %q: there is no such tool, and the label is left out", l.Tool))
				continue
			}
			relevant = relevant || l.Relevance > 0
		}
		if !relevant {
			all.add(row, "has no tool that is relevant, and is left out")
		}
		if seen[q.ID] {
			all.add(row, "has the id of an earlier one")
		}
		seen[q.ID] = true
	}
	return all.texts()
}
