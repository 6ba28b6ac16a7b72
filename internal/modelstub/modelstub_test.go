package modelstub_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ctx-sidecar/ctx/internal/modelstub"
)

const offer = `"tools":[{"name":"t"}]`

func start(t *testing.T, script ...modelstub.Step) *modelstub.Server {
	t.Helper()
	s, err := modelstub.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMessagesFollowTheScript(t *testing.T) {
	t.Parallel()
	s := start(t, modelstub.Step{Tool: "search", Input: map[string]any{"q": "x"}}, modelstub.Step{Text: "found"})
	url := s.URL + "/v1/messages"

	for _, step := range []struct{ body, want string }{
		{`{"messages":[]}`, `"ok"`},           // a title request has no tools and uses no step
		{`{` + offer + `}`, `{"q":"x"}`},      // the first step
		{`{` + offer + `}`, `"text":"found"`}, // the second
		{`{` + offer + `}`, `"text":"done"`},  // past the end
	} {
		if got := post(t, url, step.body); !strings.Contains(got, step.want) {
			t.Errorf("answer to %s: %s; want it to contain %s", step.body, got, step.want)
		}
	}
	if got := len(s.Requests()); got != 4 {
		t.Errorf("%d requests were kept, want 4", got)
	}
	if got := len(s.Turns()); got != 3 {
		t.Errorf("%d turns were kept, want 3", got)
	}
}

func TestMessagesAreStreamedWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := start(t, modelstub.Step{Tool: "search", Input: map[string]any{"q": "x"}})
	got := post(t, s.URL+"/v1/messages?beta=true", `{"stream":true,`+offer+`}`)
	want := []string{"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}
	if diff := cmp.Diff(want, events(t, got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !strings.Contains(got, `"partial_json":"{\"q\":\"x\"}"`) {
		t.Errorf("the arguments are not in the stream:\n%s", got)
	}
}

func TestResponsesFollowTheScript(t *testing.T) {
	t.Parallel()
	s := start(t, modelstub.Step{Tool: "search", Namespace: "mcp__ctx"})
	got := post(t, s.URL+"/v1/responses", `{`+offer+`}`)
	want := []string{"response.created", "response.output_item.done", "response.completed"}
	if diff := cmp.Diff(want, events(t, got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	for _, part := range []string{`"namespace":"mcp__ctx"`, `"arguments":"{}"`} {
		if !strings.Contains(got, part) {
			t.Errorf("the call lacks %s:\n%s", part, got)
		}
	}
}

func TestRequestsAreKeptAsTheyCame(t *testing.T) {
	t.Parallel()
	s := start(t)
	const body = `{"tools":[{"name":"t","x":1.0e3}]}`
	post(t, s.URL+"/v1/messages", body)
	post(t, s.URL+"/v1/messages", "no JSON")

	got := s.Requests()
	if string(got[0].Body) != body || got[0].Path != "/v1/messages" {
		t.Errorf("kept %s %s, want the request unchanged", got[0].Path, got[0].Body)
	}
	if tools := got[0].Tools(); len(tools) != 1 || string(tools[0]) != `{"name":"t","x":1.0e3}` {
		t.Errorf("tools are %s", tools)
	}
	if got[1].Body != nil {
		t.Errorf("a body that is no JSON was kept as %s", got[1].Body)
	}
}

func TestScriptThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	if s, err := modelstub.Start([]modelstub.Step{{Tool: "t", Input: func() {}}}); err == nil {
		s.Close()
		t.Error("a function was taken for arguments")
	}
}

// events lists the types in a stream, each of which must be in its data too.
func events(t *testing.T, body string) []string {
	t.Helper()
	var names []string
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var v struct{ Type string }
			if err := json.Unmarshal([]byte(data), &v); err != nil || v.Type != names[len(names)-1] {
				t.Errorf("data of %s is %s (%v)", names[len(names)-1], data, err)
			}
		}
	}
	return names
}
