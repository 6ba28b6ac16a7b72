package report

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in a headless Chromium, with what it complained of and asked for.
type tab struct {
	context.Context
	t   *testing.T
	url string

	mu    sync.Mutex
	wrong []string
}

// step is something to be done in a tab.
type step = chromedp.Action[chromedp.Void]

// send is a command of the protocol.
func send[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, command, params)
		return err
	})
}

// chromium finds the browser; a test without one is skipped.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CTX_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no Chromium is here: apt-get install chromium, or name one in CTX_CHROMIUM")
	return ""
}

// browser is the one that all tests open their tabs in.
var browser struct {
	once sync.Once
	ctx  context.Context
	err  error
	end  func()
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

// start starts the browser.
func start(path string) {
	dir, err := os.MkdirTemp("", "ctx-report-")
	if err != nil {
		browser.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.WindowSize(1360, 1000),
		chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("lang", "en"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with it
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closing := chromedp.NewContext(ctx)
	browser.ctx, browser.err = ctx, chromedp.Do(ctx)
	browser.end = func() {
		closing()
		end()
		os.RemoveAll(dir)
	}
}

// load shows a page in a tab of its own.
func load(t *testing.T, p Page, before ...step) *tab {
	t.Helper()
	path := chromium(t)
	browser.once.Do(func() { start(path) })
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	var b bytes.Buffer
	if _, err := HTML(&b, p); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, closing := chromedp.NewContext(browser.ctx)
	t.Cleanup(closing)
	tb := &tab{Context: ctx, t: t, url: (&url.URL{Scheme: "file", Path: file}).String()}
	if err := chromedp.Listen(ctx, tb.listen); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	tb.Context = ctx
	tb.run(send(network.Enable, network.EnableParams{}), send(log.Enable, cdp.Empty{}), send(runtime.Enable, cdp.Empty{}),
		send(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	tb.run(before...)
	tb.run(chromedp.Navigate(tb.url))
	t.Cleanup(func() {
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for _, w := range tb.wrong {
			t.Error(w)
		}
	})
	return tb
}

func (tb *tab) listen(event any) {
	wrong := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != tb.url {
			wrong = "the page asked for " + e.Request.URL
		}
	case *runtime.EventExceptionThrown:
		wrong = "the page threw: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		wrong = fmt.Sprintf("the page wrote to the console: %s", e.Type)
	case *log.EventEntryAdded:
		wrong = "the browser complained: " + e.Entry.Text
	}
	if wrong != "" {
		tb.mu.Lock()
		tb.wrong = append(tb.wrong, wrong)
		tb.mu.Unlock()
	}
}

func (tb *tab) run(steps ...step) {
	tb.t.Helper()
	if err := chromedp.Do(tb, steps...); err != nil {
		tb.t.Fatal(err)
	}
}

// ask evaluates an expression of JavaScript.
func ask[T any](tb *tab, expression string) T {
	tb.t.Helper()
	out, err := chromedp.Run(tb, chromedp.Evaluate[T](expression))
	if err != nil {
		tb.t.Fatal(err)
	}
	return out
}

// search types words into the page's search.
func (tb *tab) search(words string) {
	tb.t.Helper()
	tb.run(chromedp.Evaluate[chromedp.Void](`(q => { q.value = ""; q.focus(); })(document.querySelector("#q"))`), chromedp.KeyEvent(words))
}
