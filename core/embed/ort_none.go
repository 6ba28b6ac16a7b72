//go:build !cgo

package embed

// Supported is nil where this program can load ONNX Runtime, else ErrNoRuntime.
func Supported() error { return ErrNoRuntime }

func openGraph(Bundle, string, string, *Library, int) (graph, error) { return nil, ErrNoRuntime }
