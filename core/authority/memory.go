package authority

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
)

// memory keeps judgements by the definition. They depend on nothing else, so
// one memory serves a whole process.
var memory struct {
	sync.Mutex
	known map[definition]Judgement
}

type definition struct {
	server string
	sum    [sha256.Size]byte // of what the server sent
}

// mostKnown bounds the memory: ten thousand tools fit, listed twice.
const mostKnown = 20_000

// Of is [JudgeRaw], but judges every definition only once. It may be called
// concurrently.
func Of(server string, tool json.RawMessage) Judgement {
	key := definition{server, sha256.Sum256(tool)}
	memory.Lock()
	j, ok := memory.known[key]
	memory.Unlock()
	if ok {
		return j
	}
	j = JudgeRaw(server, tool)
	memory.Lock()
	defer memory.Unlock()
	if memory.known == nil || len(memory.known) >= mostKnown {
		memory.known = make(map[definition]Judgement)
	}
	memory.known[key] = j
	return j
}
