package loader

import (
	"context"
	"sync"
)

// pending is work in the background that may be waited for. The zero pending
// has none.
type pending struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed once n is 0 again
}

func (p *pending) run(work func()) {
	p.mu.Lock()
	if p.n == 0 {
		p.idle = make(chan struct{})
	}
	p.n++
	p.mu.Unlock()
	go func() {
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.n--; p.n == 0 {
				close(p.idle)
			}
		}()
		work()
	}()
}

func (p *pending) wait(ctx context.Context) {
	p.mu.Lock()
	n, idle := p.n, p.idle
	p.mu.Unlock()
	if n == 0 {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
