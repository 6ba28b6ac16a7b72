package backend

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// noting is how remote servers are reached. It notes the status of an answer,
// which mcp-go does not hand on, for a request with a context of [withStatus].
type noting struct{}

type statusKey struct{}

// status is the latest that a request was answered with, 0 before there is one.
type status struct{ atomic.Int64 }

func withStatus(ctx context.Context) (context.Context, *status) {
	s := new(status)
	return context.WithValue(ctx, statusKey{}, s), s
}

// String is the status as HTTP spells it.
func (s *status) String() string {
	code := int(s.Load())
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// RoundTrip implements [http.RoundTripper].
func (noting) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(req)
	if s, ok := req.Context().Value(statusKey{}).(*status); ok && err == nil {
		s.Store(int64(resp.StatusCode))
	}
	return resp, err
}
