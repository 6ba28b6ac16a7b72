package rendezvous

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// mostBytes bounds one message: an event beyond it takes the cold path.
const mostBytes = 16 << 20

// A message is its length, four bytes in network order, and that much JSON.

func writeMessage(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > mostBytes {
		return fmt.Errorf("message of %d bytes is over %d", len(b), mostBytes)
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(b)), uint32(len(b)))
	_, err = w.Write(append(head, b...))
	return err
}

func readMessage(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > mostBytes {
		return fmt.Errorf("message of %d bytes is over %d", n, mostBytes)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}
