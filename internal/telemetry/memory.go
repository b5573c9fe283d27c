package telemetry

import (
	"context"
	"runtime/debug"
	"time"
)

// trimEvery is how often unused memory is returned to the system. One collection of a heap
// as small as ours lasts some milliseconds.
const trimEvery = 30 * time.Second

// KeepSmall has the process stay within goal bytes while it works, as far as what it holds
// allows, and return what a burst of work left behind, which the runtime alone would keep
// until the goal is near. It runs until ctx ends.
func KeepSmall(ctx context.Context, goal int64) {
	debug.SetMemoryLimit(goal)
	go func() {
		ticker := time.NewTicker(trimEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				debug.FreeOSMemory()
			}
		}
	}()
}
