package capability

// op serves those who change one capability one after the other, in the order in
// which they have asked.
type op struct {
	last    <-chan struct{} // closed at the end of the last turn that was given out
	waiting int             // turns that have not ended
}

// turn gives out the next turn with one capability, for mu's holder: it begins
// when ahead is closed, nil meaning at once, and lasts until end is called.
func (r *Registry) turn(pinned string) (ahead <-chan struct{}, end func()) {
	o := r.ops[pinned]
	if o == nil {
		o = &op{}
		r.ops[pinned] = o
	}
	done := make(chan struct{})
	ahead, o.last = o.last, done
	o.waiting++
	return ahead, func() {
		close(done)
		r.mu.Lock()
		defer r.mu.Unlock()
		if o.waiting--; o.waiting == 0 {
			delete(r.ops, pinned)
		}
	}
}

// one waits for a turn with one capability.
func (r *Registry) one(pinned string) (end func()) {
	r.mu.Lock()
	ahead, end := r.turn(pinned)
	r.mu.Unlock()
	if ahead != nil {
		<-ahead
	}
	return end
}
