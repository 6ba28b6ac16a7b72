//go:build !cgo

package embed

func openGraph(Bundle, string, int) (graph, error) { return nil, ErrNoRuntime }
