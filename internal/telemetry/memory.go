package telemetry

import (
	"context"
	"runtime/debug"
	"time"
)

// trimEvery is how often memory that is not used goes back to the system. One
// collection of a heap as small as ours takes some milliseconds.
const trimEvery = 30 * time.Second

// A process that works may use this much before it collects more often than
// growth asks for, and lets its small heap grow to four times its size in
// between: collecting one at the usual pace was a tenth of its processor time.
const (
	busyLimit = 128 << 20
	growth    = 300
)

// KeepSmall has the process use little processor time for its garbage while it
// works, and give back what a burst of work left behind, which the runtime alone
// would keep. Until ctx ends.
func KeepSmall(ctx context.Context) {
	debug.SetMemoryLimit(busyLimit)
	debug.SetGCPercent(growth)
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
