//go:build !cgo

package embed

func openGraph(Bundle, *Library, int) (graph, error) { return nil, ErrNoRuntime }
