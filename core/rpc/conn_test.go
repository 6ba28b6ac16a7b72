package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder is a Handler made of functions; what is nil is ignored.
type recorder struct {
	request  func(context.Context, Request)
	notified func(string, json.RawMessage)
	problem  func(error)
}

func (r *recorder) Request(ctx context.Context, req Request) {
	if r.request != nil {
		r.request(ctx, req)
	}
}

func (r *recorder) Notification(method string, params json.RawMessage) {
	if r.notified != nil {
		r.notified(method, params)
	}
}

func (r *recorder) Problem(err error) {
	if r.problem != nil {
		r.problem(err)
	}
}

// wire is a Conn under test and the two ends of what it is connected to.
type wire struct {
	*Conn
	send io.WriteCloser
	got  *bufio.Scanner
	ran  chan error
}

func newWire(t *testing.T, h Handler) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{Conn: NewConn(inR, outW, h), send: inW, got: bufio.NewScanner(outR), ran: make(chan error, 1)}
	w.got.Buffer(nil, 64<<20)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { w.ran <- w.Run(ctx) }()
	t.Cleanup(func() { cancel(); inW.Close(); outR.Close() })
	return w
}

func (w *wire) say(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(w.send, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
}

// read returns the next line that the Conn wrote.
func (w *wire) read(t *testing.T) string {
	t.Helper()
	if !w.got.Scan() {
		t.Fatalf("nothing was written: %v", w.got.Err())
	}
	return w.got.Text()
}

func idOf(t *testing.T, line string) string {
	t.Helper()
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(m.ID)
}

type outcome struct {
	result json.RawMessage
	err    error
}

func (w *wire) call(ctx context.Context, method, params string) chan outcome {
	done := make(chan outcome, 1)
	go func() {
		r, err := w.Call(ctx, method, json.RawMessage(params))
		done <- outcome{r, err}
	}()
	return done
}

func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing happened within 10 s")
		panic("unreachable")
	}
}

func TestResultComesBackByteForByte(t *testing.T) {
	t.Parallel()
	for _, result := range []string{
		`{"n":12345678901234567890.10e3,"s":"\u00e9\/<>", "k" : [ 1,2 ]}`,
		`null`, `"x"`, `[]`, `false`,
	} {
		w := newWire(t, &recorder{})
		done := w.call(t.Context(), "tools/call", `{"a":1}`)
		line := w.read(t)
		if !strings.Contains(line, `"params":{"a":1}`) {
			t.Errorf("params changed on the way out: %s", line)
		}
		w.say(t, `{"jsonrpc":"2.0","id":%s,"result":%s,"error":null}`, idOf(t, line), result)
		if got := await(t, done); got.err != nil || string(got.result) != result {
			t.Errorf("got %s, %v; want %s", got.result, got.err, result)
		}
	}
}

func TestErrorOfTheOtherEndIsTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, code, message, data string }{
		{`{"code":-32042,"message":"visit","data":{"url":"x"}}`, "-32042", "visit", `{"url":"x"}`},
		{`{"code":"E1","message":"odd"}`, "-32603", `{"code":"E1","message":"odd"}`, ""},
	} {
		w := newWire(t, &recorder{})
		done := w.call(t.Context(), "m", "")
		w.say(t, `{"jsonrpc":"2.0","id":%s,"error":%s}`, idOf(t, w.read(t)), c.sent)
		var e *Error
		if got := await(t, done); !errors.As(got.err, &e) {
			t.Fatalf("%s: got %v", c.sent, got.err)
		}
		if fmt.Sprint(e.Code) != c.code || e.Message != c.message || string(e.Data) != c.data {
			t.Errorf("%s: got %+v", c.sent, e)
		}
	}
}

func TestAnAnswerWithoutAResultIsAnError(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{``, `,"error":null`} {
		w := newWire(t, &recorder{})
		done := w.call(t.Context(), "m", "")
		w.say(t, `{"jsonrpc":"2.0","id":%s%s}`, idOf(t, w.read(t)), rest)
		if got := await(t, done); got.err == nil || !strings.Contains(got.err.Error(), "neither a result nor an error") {
			t.Errorf("%q: got %s, %v", rest, got.result, got.err)
		}
	}
}

func TestAnswersFindTheirCallsInAnyOrder(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	const n = 50
	calls := map[string]chan outcome{}
	var ids []string
	for i := range n {
		done := w.call(t.Context(), "m", fmt.Sprintf(`{"i":%d}`, i))
		id := idOf(t, w.read(t))
		calls[id] = done
		ids = append(ids, id)
	}
	for i := n - 1; i >= 0; i-- {
		w.say(t, `{"jsonrpc":"2.0","id":%s,"result":%s}`, ids[i], ids[i])
	}
	for id, done := range calls {
		if got := await(t, done); string(got.result) != id {
			t.Errorf("call %s got the answer of %s (%v)", id, got.result, got.err)
		}
	}
}

func TestGivingUpWithdrawsTheCall(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	ctx, cancel := context.WithCancelCause(t.Context())
	done := w.call(ctx, "tools/call", `{}`)
	id := idOf(t, w.read(t))
	cause := errors.New("the host withdrew it")
	cancel(cause)
	if got := await(t, done); !errors.Is(got.err, cause) {
		t.Errorf("got %v", got.err)
	}
	line := w.read(t)
	if !strings.Contains(line, "notifications/cancelled") || !strings.Contains(line, `"requestId":`+id) {
		t.Errorf("got %s", line)
	}
	// The late answer harms nobody.
	w.say(t, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	again := w.call(t.Context(), "m", "")
	w.say(t, `{"jsonrpc":"2.0","id":%s,"result":{"ok":1}}`, idOf(t, w.read(t)))
	if got := await(t, again); string(got.result) != `{"ok":1}` {
		t.Errorf("got %s, %v", got.result, got.err)
	}
}

func TestWithdrawnRequestIsCancelledAndNotAnswered(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`7`, `"a"`} {
		var w *wire
		ready := make(chan struct{})
		w = newWire(t, &recorder{request: func(ctx context.Context, r Request) {
			<-ready
			if r.Method == "slow" {
				<-ctx.Done()
			}
			_ = w.Reply(r.ID, json.RawMessage(`{}`), ctx.Err())
		}})
		close(ready)
		w.say(t, `{"jsonrpc":"2.0","id":%s,"method":"slow"}`, id)
		w.say(t, `{"jsonrpc":"2.0","id":99,"method":"ping"}`)
		if line := w.read(t); idOf(t, line) != "99" {
			t.Errorf("a slow request delayed a fast one: %s", line)
		}
		w.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id)
		w.send.Close()
		await(t, w.ran)
		if err := w.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.silent(t)
	}
}

// silent checks that nothing was written but what it writes itself.
func (w *wire) silent(t *testing.T) {
	t.Helper()
	_ = w.Notify("end", nil)
	if line := w.read(t); !strings.Contains(line, `"end"`) {
		t.Errorf("a withdrawn request was answered: %s", line)
	}
}

func TestNoiseIsSkippedAndReported(t *testing.T) {
	t.Parallel()
	var problems []string
	w := newWire(t, &recorder{problem: func(err error) {
		var l *LineError
		if errors.As(err, &l) {
			problems = append(problems, string(l.Line))
		}
	}})
	done := w.call(t.Context(), "m", "")
	id := idOf(t, w.read(t))
	noise := []string{"starting on port 3000", "[INFO] ready", `{"half":`, `{"jsonrpc":"2.0"}`, `42`, "\x00\xff"}
	for _, n := range noise {
		w.say(t, "%s", n)
	}
	w.say(t, "")
	w.say(t, `{"jsonrpc":"2.0","id":%s,"result":{"ok":true}}`, id)
	if got := await(t, done); string(got.result) != `{"ok":true}` {
		t.Fatalf("got %s, %v", got.result, got.err)
	}
	if len(problems) != len(noise) {
		t.Errorf("reported %q, want %d of them", problems, len(noise))
	}
}

func TestInvalidUTF8IsMended(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	done := w.call(t.Context(), "m", "")
	w.say(t, `{"jsonrpc":"2.0","id":%s,"result":"a%sb"}`, idOf(t, w.read(t)), "\xff\xfe")
	if got := await(t, done); string(got.result) != "\"a\uFFFDb\"" {
		t.Errorf("got %q, %v", got.result, got.err)
	}
}

func TestBatchIsTakenApart(t *testing.T) {
	t.Parallel()
	var w *wire
	ready := make(chan struct{})
	notified := make(chan string, 1)
	w = newWire(t, &recorder{
		request:  func(_ context.Context, r Request) { <-ready; _ = w.Reply(r.ID, r.ID, nil) },
		notified: func(m string, _ json.RawMessage) { notified <- m },
	})
	close(ready)
	w.say(t, `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"}]`)
	ids := map[string]bool{idOf(t, w.read(t)): true, idOf(t, w.read(t)): true}
	if !ids["1"] || !ids["2"] {
		t.Errorf("answered %v", ids)
	}
	if got := await(t, notified); got != "n" {
		t.Errorf("notified %q", got)
	}
}

func TestEndFailsWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	done := w.call(t.Context(), "m", "")
	w.read(t)
	w.send.Close()
	if got := await(t, done); !errors.Is(got.err, ErrClosed) {
		t.Errorf("got %v", got.err)
	}
	if err := await(t, w.ran); err != nil {
		t.Errorf("a regular end is no error: %v", err)
	}
	if _, err := w.Call(t.Context(), "m", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after the end: %v", err)
	}
}

func TestOtherEndThatDoesNotReadHoldsUpNoCaller(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{}) // nobody reads what it writes
	ctx, cancel := context.WithCancel(t.Context())
	done := w.call(ctx, "m", `"`+strings.Repeat("x", 1<<20)+`"`)
	cancel()
	if got := await(t, done); !errors.Is(got.err, context.Canceled) {
		t.Errorf("got %v", got.err)
	}
}

func TestPanickingHandlerAnswers(t *testing.T) {
	t.Parallel()
	problems := make(chan error, 1)
	w := newWire(t, &recorder{
		request: func(context.Context, Request) { panic("oops") },
		problem: func(err error) { problems <- err },
	})
	w.say(t, `{"jsonrpc":"2.0","id":5,"method":"m"}`)
	if line := w.read(t); idOf(t, line) != "5" || !strings.Contains(line, "-32603") {
		t.Errorf("got %s", line)
	}
	if err := await(t, problems); !strings.Contains(err.Error(), "oops") {
		t.Errorf("reported %v", err)
	}
}

func TestParamsWithLineBreaksGoOutAsOneLine(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	_ = w.Notify("m", json.RawMessage("{\n  \"a\": \"x\\ny\"\r\n}"))
	if line := w.read(t); !strings.Contains(line, `"params":{"a":"x\ny"}`) {
		t.Errorf("got %s", line)
	}
}

func TestHugeResult(t *testing.T) {
	t.Parallel()
	w := newWire(t, &recorder{})
	done := w.call(t.Context(), "m", "")
	big := `"` + strings.Repeat("y", 8<<20) + `"`
	id := idOf(t, w.read(t))
	go fmt.Fprintf(w.send, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, big)
	if got := await(t, done); string(got.result) != big {
		t.Errorf("got %d bytes, %v", len(got.result), got.err)
	}
}

func TestEndlessLineEndsTheConversation(t *testing.T) {
	t.Parallel()
	l := newLines(io.MultiReader(strings.NewReader("short\n"), neverEnding{}))
	l.max = 1 << 20
	if line, err := l.next(); string(line) != "short" || err != nil {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := l.next(); !errors.Is(err, ErrLineTooLong) {
		t.Errorf("got %v", err)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// oneWrite fails the test when a message is written in parts.
type oneWrite struct {
	mu sync.Mutex
	t  *testing.T
	n  int
}

func (w *oneWrite) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	if !bytes.HasSuffix(p, []byte("}\n")) || bytes.Count(p, []byte("\n")) != 1 {
		w.t.Errorf("not one line: %q", p)
	}
	return len(p), nil
}

func TestEachMessageIsOneWrite(t *testing.T) {
	t.Parallel()
	out := &oneWrite{t: t}
	c := NewConn(strings.NewReader(""), out, &recorder{})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { _ = c.Notify("m", json.RawMessage(`{"a":1}`)) })
	}
	wg.Wait()
	if err := c.Wait(t.Context()); err != nil || out.n != 50 {
		t.Errorf("%d writes, %v", out.n, err)
	}
}
