package sandbox

import (
	"context"
	"slices"
)

// Holding returns the calls that are held now: one entry a call, with the fault that holds
// it. A hold_after is in it once its effect has been made.
func (f *Faults) Holding() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Fault{}, f.holding...)
}

// Wait returns once a hold is released, or ctx ends.
func (f *Faults) Wait(ctx context.Context, fault Fault) {
	f.mu.Lock()
	released := f.gates[fault.ID]
	if released == nil {
		f.mu.Unlock()
		return
	}
	f.holding = append(f.holding, fault)
	f.mu.Unlock()
	select {
	case <-released:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.IndexFunc(f.holding, func(held Fault) bool { return held.ID == fault.ID }); i >= 0 {
		f.holding = slices.Delete(f.holding, i, i+1)
	}
}

// Release lets everything go that is held, and holds nothing any more; what is
// armed stays armed for the next start.
func (f *Faults) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.release("")
}

// release opens the gate of a hold, or all of them.
func (f *Faults) release(id string) {
	for gate, released := range f.gates {
		if id == "" || gate == id {
			close(released)
			delete(f.gates, gate)
		}
	}
}
