// Package gctune has a process use little of the machine that it shares with others.
package gctune

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// By how much the heap may outgrow what is in use before it is collected, in
// percent. Our processes use 10 to 30 MiB each.
const (
	idle = 100 // as Go does where no GOGC is set
	busy = 400
)

const (
	interval = time.Second // interval between samples
	calm     = 10          // idle samples in a row before memory is returned
	brisk    = 1 << 20     // bytes per second allocated by a busy process
)

// Heap controls how often garbage is collected, until ctx ends: rarely while the process is
// busy, since calls during a collection are the slowest; and as soon as it is idle, so that
// it idles in little memory. A GOGC that an operator set stays.
func Heap(ctx context.Context) { heap(ctx, interval) }

func heap(ctx context.Context, interval time.Duration) {
	if read("/gc/gogc:percent") != idle {
		return
	}
	rest() // starting left much behind: a contract, schemas, policies
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for before, quiet := allocated(), calm; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if float64(now-before) >= brisk*interval.Seconds() {
			debug.SetGCPercent(busy)
			quiet = 0
		} else if quiet++; quiet == calm {
			rest()
		}
		before = now
	}
}

// rest returns unused memory to the system.
func rest() {
	debug.SetGCPercent(idle)
	debug.FreeOSMemory()
}

// allocated is the total ever allocated, in bytes.
func allocated() uint64 { return read("/gc/heap/allocs:bytes") }

func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
