// Package heap says how often a process collects its garbage.
package heap

import "runtime/debug"

// Percent is by how much the heap may outgrow what is in use before it is
// collected. Our processes use 10 to 30 MiB each, so that it costs little memory,
// and calls that come while the collector runs are the slowest there are.
const Percent = 400

// asGoStarts is GOGC where nobody set it.
const asGoStarts = 100

// Settle is called once a process has started. What starting left behind (a
// contract, schemas, policies) is given back to the system at once: the heap
// would grow around it. A GOGC that an operator set stays.
func Settle() {
	if was := debug.SetGCPercent(Percent); was != asGoStarts {
		debug.SetGCPercent(was)
		return
	}
	debug.FreeOSMemory()
}
