package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
)

// A file of vectors: cacheMagic, then per vector its text's hash, its length and
// its numbers; at the end the SHA-256 of all that.

// cacheMagic starts every file of vectors; it changes with the format.
const cacheMagic = "ctx vectors v1\n"

// vectorFile ends the name of every file of vectors.
const vectorFile = ".vec"

type textHash [16]byte

func hashText(text string) textHash {
	sum := sha256.Sum256([]byte(text))
	return textHash(sum[:16])
}

const vectorHead = len(textHash{}) + 4

func appendVector(out []byte, h textHash, v []float32) []byte {
	out = append(out, h[:]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

// seal ends a file of vectors.
func seal(out []byte) []byte {
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// eachVector calls do with every vector of a file: row is all that the file has
// of it, its hash included.
func eachVector(raw []byte, do func(h textHash, row []byte) error) error {
	if len(raw) < len(cacheMagic)+sha256.Size || string(raw[:len(cacheMagic)]) != cacheMagic {
		return errors.New("it is no vector cache of this version")
	}
	body, sum := raw[:len(raw)-sha256.Size], raw[len(raw)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return errors.New("it is damaged")
	}
	for body = body[len(cacheMagic):]; len(body) > 0; {
		if len(body) < vectorHead {
			return errors.New("it is damaged")
		}
		size := int(binary.LittleEndian.Uint32(body[vectorHead-4:]))
		if (len(body)-vectorHead)/4 < size {
			return errors.New("it is damaged")
		}
		end := vectorHead + 4*size
		if err := do(textHash(body[:vectorHead-4]), body[:end]); err != nil {
			return err
		}
		body = body[end:]
	}
	return nil
}

// vectorOf is the vector of a row; the error is one that is not model's.
func vectorOf(row []byte, model Embedder) ([]float32, error) {
	numbers := row[vectorHead:]
	v := make([]float32, len(numbers)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	if !model.Fits(v) {
		return nil, errors.New("it has a vector that is not of this model")
	}
	return v, nil
}
