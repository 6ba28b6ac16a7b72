// Package tokens estimates what text costs a model.
package tokens

// Bytes4 is the project's deterministic estimate: one token for every four
// UTF-8 bytes, rounded up. It is applied per record and then summed.
func Bytes4(n int) int { return (n + 3) / 4 }
