//go:build cgo

package embed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// runtimeMu guards the library's process-wide state, which has no lock of its
// own.
var runtimeMu sync.Mutex

var errTooOld = errors.New("it is too old: needs ONNX Runtime >= 1.24")

// Supported is nil where this program can load ONNX Runtime, else ErrNoRuntime.
func Supported() error { return nil }

func loadLibrary(l *Library) error {
	runtimeMu.Lock()
	defer runtimeMu.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	// From 1.29 on the library would keep an id of the device in the user's cache
	// folder, and report to its makers what it is used for.
	if err := os.Setenv("ORT_DISABLE_TELEMETRY", "1"); err != nil {
		return &LibraryError{l.Path, err}
	}
	ort.SetSharedLibraryPath(l.loadable())
	err := ort.InitializeEnvironment(ort.WithLogLevelError())
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "API base"):
		return &LibraryError{l.Path, errTooOld}
	}
	return &LibraryError{l.Path, errors.New(strings.ReplaceAll(err.Error(), l.loadable(), l.Path))}
}

type ortGraph struct {
	session *ort.DynamicAdvancedSession
	inputs  []string
}

func openGraph(b Bundle, name, output string, l *Library, threads int) (_ graph, err error) {
	if err := loadLibrary(l); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("load model %s: %w", b.Name, err)
		}
	}()
	file := filepath.Join(b.Dir, name)
	if len(b.Inputs) == 0 {
		inputs, _, err := ort.GetInputOutputInfo(file)
		if err != nil {
			return nil, Broken(err)
		}
		for _, in := range inputs {
			b.Inputs = append(b.Inputs, in.Name)
		}
	}
	for _, name := range b.Inputs {
		if !slices.Contains([]string{"input_ids", "attention_mask", "token_type_ids"}, name) {
			return nil, Broken(fmt.Errorf("its input %q is none that a BERT model has", name))
		}
	}
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer options.Destroy()
	// A spinning thread would take a core from the host between two prompts.
	err = errors.Join(
		options.SetIntraOpNumThreads(max(threads, 1)),
		options.SetInterOpNumThreads(1),
		options.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		// On a CPU the fused operator takes four times as long as its two parts, which
		// is a sixth of a prompt's time.
		options.AddSessionConfigEntry("optimization.disable_specified_optimizers", "SkipLayerNormFusion"),
		options.SetCpuMemArena(false),
	)
	if err != nil {
		return nil, err
	}
	session, err := ort.NewDynamicAdvancedSession(file, b.Inputs, []string{output}, options)
	if err != nil {
		return nil, Broken(err)
	}
	return &ortGraph{session, b.Inputs}, nil
}

func (g *ortGraph) close() error { return g.session.Destroy() }

func (g *ortGraph) run(ids, mask, types []int64, rows, width int) (_ []float32, err error) {
	shape := ort.NewShape(int64(rows), int64(width))
	inputs := make([]ort.Value, 0, len(g.inputs))
	defer func() {
		for _, in := range inputs {
			err = errors.Join(err, in.Destroy())
		}
	}()
	for _, name := range g.inputs {
		data := ids
		switch name {
		case "attention_mask":
			data = mask
		case "token_type_ids":
			data = types
		}
		tensor, err := ort.NewTensor(shape, data)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, tensor)
	}
	outputs := []ort.Value{nil}
	if err := g.session.Run(inputs, outputs); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, outputs[0].Destroy()) }()
	hidden, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, fmt.Errorf("its output is %T, not floats", outputs[0])
	}
	return slices.Clone(hidden.GetData()), nil
}
