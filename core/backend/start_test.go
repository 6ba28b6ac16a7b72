package backend

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ctx-sidecar/ctx/core/listing"
	"github.com/ctx-sidecar/ctx/core/surface"
)

func TestServerGetsItsEnvironmentFolderAndArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	srv := stub(t, "s", "-env", "-log", "${LOG:-default.log}", "-mark", "${env:MARK}")
	srv.Expand = true
	srv.Cwd = "sub"
	srv.Env = map[string]string{"TOKEN": "${SECRET}", "LITERAL": "$SECRET", "UNSET": "${NOT_THERE}", "BASE": "over"}
	srv.EnvVars = []string{"SECRET", "MISSING"}
	m := newManager(t, Options{Servers: []surface.Server{srv}, Dir: dir, Env: []string{
		"PATH=" + os.Getenv("PATH"), "SECRET=s3cret", "MARK=mark", "BASE=1", "BASE=2",
	}})
	text, err := callTool(within(t), m, "s", "show_env", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Env, Args []string
		Cwd       string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got.Env)
	want := []string{"BASE=over", "LITERAL=$SECRET", "MARK=mark", "PATH=" + os.Getenv("PATH"), "SECRET=s3cret", "TOKEN=s3cret", "UNSET=${NOT_THERE}"}
	if !slices.Equal(got.Env, want) {
		t.Errorf("environment %q, want %q", got.Env, want)
	}
	if got.Cwd != filepath.Join(dir, "sub") || !slices.Equal(got.Args, []string{"-env", "-log", "default.log", "-mark", "mark"}) {
		t.Errorf("folder %s, arguments %q", got.Cwd, got.Args)
	}
	warnings := strings.Join(m.Status()[0].Warnings, "; ")
	if !strings.Contains(warnings, "NOT_THERE") || !strings.Contains(warnings, "MISSING") || strings.Contains(warnings, "s3cret") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestPlaceholdersOfATapAreFilledInAtTheStartAlone(t *testing.T) {
	t.Parallel()
	srv := stub(t, "s", "-env")
	srv.Scope = surface.ScopeTap
	srv.Env = map[string]string{"TOKEN": "Bearer {{ENV:SECRET}}", "LITERAL": "${SECRET}"}
	other := stub(t, "hosts", "-env")
	other.Env = map[string]string{"TOKEN": "{{ENV:SECRET}}"}
	m := newManager(t, Options{Servers: []surface.Server{srv, other}, Env: []string{"PATH=" + os.Getenv("PATH"), "SECRET=s3cret"}})
	for server, wanted := range map[string][]string{"s": {"TOKEN=Bearer s3cret", "LITERAL=${SECRET}"}, "hosts": {"TOKEN={{ENV:SECRET}}"}} {
		text, err := callTool(within(t), m, server, "show_env", `{}`)
		for _, w := range wanted {
			if err != nil || !strings.Contains(text, w) {
				t.Errorf("%s: %v, no %q in %s", server, err, w, text)
			}
		}
	}
}

func TestReferencesStayLiteralWhereTheHostDoesNotExpand(t *testing.T) {
	t.Parallel()
	e := newExpander(surface.Server{}, []string{"A=1"})
	if got := e.expand("${A} ${B:-2}"); got != "${A} ${B:-2}" {
		t.Errorf("got %s", got)
	}
	e = newExpander(surface.Server{Expand: true}, []string{"A=1", "EMPTY="})
	for in, want := range map[string]string{
		"${A}${env:A}": "11", "${B:-x}": "x", "${EMPTY:-x}": "", "${B:-}": "", "$A ${} ${A": "$A ${} ${A", "${B}": "${B}",
	} {
		if got := e.expand(in); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestWhatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server := func(name, command, cwd string) surface.Server {
		return surface.Server{Name: name, Transport: surface.Stdio, Command: command, Cwd: cwd}
	}
	wants := map[string]string{
		"absent": `"no-such-program"`, "plain": "permission denied", "folder": "is not there", "none": "no command",
		"quits": "cannot find module", "ws": `transport "ws"`,
	}
	m := newManager(t, Options{Dir: dir, Servers: []surface.Server{
		server("absent", "no-such-program", ""), server("plain", "./plain", ""), server("folder", "sh", "nowhere"), server("none", "", ""),
		shell("quits", "echo cannot find module >&2; exit 1"), {Name: "ws", Transport: surface.WS, URL: "ws://x"},
	}})
	for name, want := range wants {
		_, err := m.Request(within(t), name, "ping", nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, s := range m.Status() {
		if s.State != Failed || !strings.Contains(s.Error, wants[s.Server]) {
			t.Errorf("status %+v", s)
		}
	}
}

func TestWhatAServerSaysIsKeptNowhere(t *testing.T) {
	t.Parallel()
	answers := func(lines ...string) surface.Server {
		script := ""
		for _, l := range lines {
			script += "read x; "
			if l != "" {
				script += "echo '{\"jsonrpc\":\"2.0\"," + l + "}'; "
			}
		}
		return shell("s", script+"read x")
	}
	const hello = `"id":"ctx-1","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"b"}}`
	for name, tt := range map[string]struct {
		server surface.Server
		want   string
	}{
		"stderr":                 {shell("s", "echo token s3cret is wrong >&2; exit 1"), "exit status 1"},
		"an error to initialize": {answers(`"id":"ctx-1","error":{"code":-32000,"message":"invalid API key s3cret"}`), "error -32000"},
		"an error to tools/list": {answers(hello, "", `"id":"ctx-2","error":{"code":-32001,"message":"invalid API key s3cret"}`), "tools/list: error -32001"},
		"an error to prompts/list": {answers(hello, "", `"id":"ctx-2","result":{"tools":[]}`, `"id":"ctx-3","error":{"code":-32002,"message":"s3cret"}`),
			"prompts/list: error -32002"},
		"no error object":    {answers(hello, "", `"id":"ctx-2","error":"s3cret"`), "tools/list: error -32603"},
		"an HTTP error":      {answering(t, http.StatusForbidden, "invalid API key s3cret"), "tools/list: it answered 403 Forbidden"},
		"a long HTTP error":  {answering(t, http.StatusBadGateway, "s3cret "+strings.Repeat("x", 1000)), "it answered 502 Bad Gateway"},
		"an error by HTTP":   {answering(t, http.StatusOK, `{"id":ID,"error":{"code":-32003,"message":"s3cret"}}`), "tools/list: error -32003"},
		"an odd HTTP answer": {talking(t, "HTTP/1.1 200 OK\r\nContent-Type: text/s3cret\r\nContent-Length: 0\r\n\r\n"), "it answered 200 OK"},
		"no HTTP":            {talking(t, "s3cret\r\n\r\n"), "malformed HTTP response"},
	} {
		dir := t.TempDir()
		var log strings.Builder
		m := newManager(t, Options{
			Servers: []surface.Server{tt.server},
			Cache:   listing.OpenCache(dir, filepath.Join(dir, "cache.key")), Log: hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace}),
		})
		m.Refresh(within(t))
		s := m.Status()[0]
		if s.Error != "" && !strings.Contains(s.Error, "s3cret") || strings.Contains(s.Failure, "s3cret") || (s.Failure == "") != (s.Error == "") {
			t.Errorf("%s: status %+v", name, s)
		}
		m.Close()
		cached, err := os.ReadFile(filepath.Join(dir, "probe-cache.json"))
		if err != nil || !strings.Contains(string(cached), tt.want) || strings.Contains(string(cached), "s3cret") {
			t.Errorf("%s: cache %s, %v", name, cached, err)
		}
		if s.Error != "" && !strings.Contains(log.String(), tt.want) || strings.Contains(log.String(), "s3cret") {
			t.Errorf("%s: log %s", name, log.String())
		}
	}
}

func TestHungServerCostsOnlyItself(t *testing.T) {
	t.Parallel()
	cache := listing.OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	hung := stub(t, "hung", "-hang")
	hung.StartTimeout = 300 * time.Millisecond
	servers := []surface.Server{hung, stub(t, "good")}
	m := newManager(t, Options{Servers: servers, Cache: cache})
	m.Start()
	if text, err := callTool(within(t), m, "good", "echo", `{"text":"x"}`); err != nil || text != "x" {
		t.Fatalf("got %q, %v", text, err)
	}
	_, err := callTool(within(t), m, "hung", "echo", `{}`)
	if err == nil || !strings.Contains(err.Error(), "within 300ms") {
		t.Errorf("got %v", err)
	}
	eventually(t, "the failure and the listing are kept", func() bool {
		f, ok := cache.Failure("hung", hung.Fingerprint(), "")
		_, listed := cache.Any("good", servers[1].Fingerprint())
		return ok && f.Hung && listed
	})
	m.Close()

	// The next session leaves it alone at first, and starts it when it is used.
	m = newManager(t, Options{Servers: servers, Cache: cache})
	m.Start()
	if s := m.Status(); s[0].State != Idle || s[1].State != Idle {
		t.Errorf("status %+v", s)
	}
	if _, err := callTool(within(t), m, "hung", "echo", `{}`); err == nil || !strings.Contains(err.Error(), "within 300ms") {
		t.Errorf("got %v", err)
	}
}

func TestNeverMoreThanFourStartAtOnce(t *testing.T) {
	t.Parallel()
	s := &slots{free: 4}
	var mu sync.Mutex
	running, most := 0, 0
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			ticket := s.queue(i%3 == 0)
			<-ticket.granted
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			running--
			mu.Unlock()
			s.leave(ticket)
		})
	}
	wg.Wait()
	if most > 4 || s.free != 4 {
		t.Errorf("%d at once, %d free in the end", most, s.free)
	}
}

func TestWhoIsWaitedForStartsFirst(t *testing.T) {
	t.Parallel()
	s := &slots{free: 1}
	first, second, third, gone := s.queue(false), s.queue(false), s.queue(false), s.queue(true)
	s.hurry(third)
	s.leave(gone)
	s.leave(first)
	select {
	case <-third.granted:
	default:
		t.Error("the urgent one waits")
	}
	select {
	case <-second.granted:
		t.Error("two at once")
	default:
	}
}

func TestServersStartTogetherAndAllAreListed(t *testing.T) {
	t.Parallel()
	var servers []surface.Server
	for i := range 7 {
		servers = append(servers, stub(t, strconv.Itoa(i), "-delay-start", "100ms"))
	}
	m := newManager(t, Options{Servers: servers})
	m.Start()
	m.Refresh(within(t))
	for i, l := range m.Listings() {
		if l.Server != strconv.Itoa(i) || len(l.Tools) != 5 {
			t.Errorf("%d: %s with %d tools", i, l.Server, len(l.Tools))
		}
	}
	if n := len(m.Listings()); n != 7 {
		t.Errorf("%d listings", n)
	}
}

func TestChangedServersAreReplacedAndTheOthersLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := func(name string) string { return filepath.Join(dir, name) }
	a, b := stub(t, "a", "-log", log("a")), stub(t, "b", "-log", log("b"))
	m := newManager(t, Options{Servers: []surface.Server{a, b}})
	m.Start()
	m.Refresh(within(t))
	pid := m.Status()[0].PID
	b.Args = append(slices.Clone(b.Args), "-env")
	m.SetServers([]surface.Server{a, b, stub(t, "c")})
	if _, err := callTool(within(t), m, "b", "show_env", `{}`); err != nil {
		t.Error(err)
	}
	if s := m.Status(); s[0].PID != pid || len(s) != 3 {
		t.Errorf("status %+v", s)
	}
	m.SetServers([]surface.Server{b})
	if _, err := m.Request(within(t), "a", "ping", nil, nil); err == nil {
		t.Error("a server that is gone answers")
	}
	eventually(t, "the other is listed alone", func() bool { l := m.Listings(); return len(l) == 1 && l[0].Server == "b" })
}

func TestAServerThatIsTakenAwayBeforeItsTurnIsNeverStarted(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	hung := stub(t, "hung", "-hang")
	hung.StartTimeout = 2 * time.Second
	m := newManager(t, Options{Servers: []surface.Server{hung, shell("gone", "echo started > '"+trace+"'")}, MaxStarting: 1})
	m.Start()
	m.SetServers([]surface.Server{hung, stub(t, "next")})
	eventually(t, "the next in the queue is listed", func() bool { return len(m.Listings()) == 1 })
	if _, err := os.Stat(trace); err == nil {
		t.Error("it was started")
	}
}

func TestAServerThatIsTakenAwayWhileItStartsMakesWay(t *testing.T) {
	t.Parallel()
	cache := listing.OpenCache(t.TempDir(), filepath.Join(t.TempDir(), "key"))
	hung := stub(t, "hung", "-hang")
	hung.StartTimeout = time.Hour
	m := newManager(t, Options{Servers: []surface.Server{hung}, MaxStarting: 1, Cache: cache})
	m.Start()
	waited := m.backend("hung").begin(true)
	m.SetServers([]surface.Server{stub(t, "next")})
	eventually(t, "the next in the queue is listed", func() bool { return len(m.Listings()) == 1 })
	await(t, waited.listed)
	if !errors.Is(waited.err, errClosing) {
		t.Errorf("who waited for it got %v", waited.err)
	}
	if f, ok := cache.Failure("hung", hung.Fingerprint(), ""); ok {
		t.Errorf("that it was taken away counts as a failure: %+v", f)
	}
}

func TestRequestWhoseCallerLeavesDoesNotWaitForTheStart(t *testing.T) {
	t.Parallel()
	m := newManager(t, Options{Servers: []surface.Server{stub(t, "s", "-hang")}})
	ctx, cancel := context.WithTimeout(within(t), 50*time.Millisecond)
	defer cancel()
	if _, err := m.Request(ctx, "s", "ping", nil, nil); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}
