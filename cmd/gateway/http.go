package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/gateway"
	"github.com/ctx-sidecar/ctx/core/hook"
	"github.com/ctx-sidecar/ctx/core/paths"
	"github.com/ctx-sidecar/ctx/internal/buildinfo"
)

// serveHTTP serves streamable HTTP on a loopback address until ctx ends.
func (p *program) serveHTTP(ctx context.Context) error {
	listener, err := listenLoopback(p.http)
	if err != nil {
		return err
	}
	defer listener.Close()
	token, from, forget, err := p.token()
	if err != nil {
		return err
	}
	defer forget()
	fmt.Fprintf(os.Stderr, "listening on http://%s%s\nbearer token in %s\n", listener.Addr(), gateway.Path, from)

	handler := gateway.NewHTTP(buildinfo.String(), token, func(session string) gateway.Options {
		b := hook.NewBinding(p.host, p.workspace, session)
		return p.gatewayOptions(b, p.newLoader(b))
	})
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		handler.Sweep(ctx)
		_ = srv.Close() // listening streams would keep a gentler end waiting
	}()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-swept
	return nil
}

// listenLoopback refuses every address that another machine could reach.
func listenLoopback(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &usageError{fmt.Sprintf("--http %s: %v", addr, err), "ctx-gateway --http 127.0.0.1:8930"}
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, &usageError{fmt.Sprintf("--http %s: other machines could reach it", addr), "use a loopback address: --http 127.0.0.1:8930"}
	}
	return net.Listen("tcp", addr)
}

// token is CTX_GATEWAY_TOKEN, else a new one in a file that only the user
// reads; from says where to find it.
func (p *program) token() (token, from string, forget func(), err error) {
	if t := paths.Lookup(p.env, "CTX_GATEWAY_TOKEN"); t != "" {
		return t, "CTX_GATEWAY_TOKEN", func() {}, nil
	}
	token = rand.Text()
	path := filepath.Join(p.surface, fmt.Sprintf("gateway-%d.token", os.Getpid()))
	if err := file.Write(path, []byte(token+"\n"), 0o600); err != nil {
		return "", "", nil, fmt.Errorf("token: %w", err)
	}
	return token, path, func() { _ = os.Remove(path) }, nil
}
