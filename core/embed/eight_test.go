package embed_test

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// A processor without VNNI adds the products of two neighbours of a column in 16
// bits and cuts off what does not fit: 255 times what both weights of one sign
// come to. Vectors would then depend on the processor, and tests of them on the
// machine that runs them.
func TestNoProcessorCutsOffWhatTheDefaultModelAdds(t *testing.T) {
	t.Parallel()
	const most = 128
	for _, name := range []string{"model.onnx", "joint.onnx"} {
		graph, err := os.ReadFile(filepath.Join("../../models", embed.DefaultModel, name))
		if err != nil {
			t.Fatal(err)
		}
		matrices := 0
		for _, m := range field(t, field(t, [][]byte{graph}, 7), 5) { // initializers of the graph, in onnx.proto3
			columns, data := matrix(t, m)
			if data == nil {
				continue
			}
			matrices++
			for at := 0; at+columns < len(data); at++ {
				if at/columns%2 == 1 {
					continue
				}
				a, b := int(int8(data[at])), int(int8(data[at+columns]))
				if max(a, 0)+max(b, 0) > most || min(a, 0)+min(b, 0) < -most {
					t.Fatalf("%s: matrix %d has the neighbours %d and %d in a column", name, matrices, a, b)
				}
			}
		}
		if matrices != 36 { // six in each of six layers
			t.Errorf("%s: %d matrices in eight bits", name, matrices)
		}
	}
}

// field is every occurrence of a field of bytes in messages.
func field(t *testing.T, messages [][]byte, number protowire.Number) (all [][]byte) {
	t.Helper()
	for _, m := range messages {
		each(t, m, func(n protowire.Number, _ uint64, b []byte) {
			if n == number && b != nil {
				all = append(all, b)
			}
		})
	}
	return all
}

// matrix is a tensor's columns and data, none of what is no matrix in eight bits.
func matrix(t *testing.T, tensor []byte) (columns int, data []byte) {
	t.Helper()
	const dims, dataType, rawData, int8s = 1, 2, 9, 3
	var shape []int
	var eight bool
	each(t, tensor, func(n protowire.Number, v uint64, b []byte) {
		switch {
		case n == dims && b == nil:
			shape = append(shape, int(v))
		case n == dims:
			for len(b) > 0 {
				v, size := protowire.ConsumeVarint(b)
				shape, b = append(shape, int(v)), b[max(size, 1):]
			}
		case n == dataType:
			eight = v == int8s
		case n == rawData:
			data = b
		}
	})
	if !eight || len(shape) != 2 || data == nil {
		return 0, nil
	}
	if len(data) != shape[0]*shape[1] {
		t.Fatalf("%d bytes of a matrix of %v", len(data), shape)
	}
	return shape[1], data
}

// each calls f with the fields of a message: a number, or bytes that are not nil.
func each(t *testing.T, message []byte, f func(n protowire.Number, v uint64, b []byte)) {
	t.Helper()
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		message = message[size:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, size = protowire.ConsumeBytes(message)
			b = append([]byte{}, b...)
		default:
			size = protowire.ConsumeFieldValue(n, kind, message)
		}
		if size < 0 {
			t.Fatal(protowire.ParseError(size))
		}
		message = message[size:]
		f(n, v, b)
	}
}
