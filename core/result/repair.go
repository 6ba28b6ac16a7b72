package result

import (
	"bytes"
	"encoding/json"
)

// Repair replaces the escapes of lone surrogates (a \ud83d without its \ude00)
// in a JSON text by U+FFFD. They are legal JSON, but no text: a model's API
// refuses every later request of a conversation that holds one. A text without
// any is returned as it is.
func Repair(text json.RawMessage) json.RawMessage {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); {
		switch {
		case text[i] != '\\':
			i++
		case surrogate(text[i:], 'a') && surrogate(text[min(i+6, len(text)):], 'd'):
			i += 12
		case surrogate(text[i:], 'a'), surrogate(text[i:], 'd'):
			if out == nil {
				out = bytes.Clone(text)
			}
			copy(out[i:], `\ufffd`)
			i += 6
		default:
			i += 2
		}
	}
	if out == nil {
		return text
	}
	return out
}

// surrogate reports whether b begins with the escape of a high ('a': D800 to
// DBFF) or a low ('d': DC00 to DFFF) surrogate.
func surrogate(b []byte, half byte) bool {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' {
		return false
	}
	switch c := b[3] | 0x20; half {
	case 'a':
		return b[3] == '8' || b[3] == '9' || c == 'a' || c == 'b'
	default:
		return c >= 'c' && c <= 'f'
	}
}
