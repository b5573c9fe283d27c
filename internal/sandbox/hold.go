package sandbox

import "context"

// Wait returns once a hold is released, or ctx ends: for what is not an HTTP
// request, which Guard holds by itself.
func (f *Faults) Wait(ctx context.Context, fault Fault) {
	released := f.gate(fault.ID)
	if released == nil {
		return
	}
	select {
	case <-released:
	case <-ctx.Done():
	}
}
