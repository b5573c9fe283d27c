package config

import (
	"os"
	"time"
	_ "unsafe" // for linkname
)

// This file, and the one in assembly beside it, are put over a build of the
// product by a test: its wall clock is then wrong by CLOCK_WRONG_BY, for our own
// code and for every library. Go asks the kernel for the time through one
// function, whose address is here replaced by that of ours.

//go:linkname kernelClock runtime.vdsoClockgettimeSym
var kernelClock uintptr

var (
	rightClock uintptr // the kernel's function
	wrongBy    int64   // seconds
)

// wrongClock is our function's address; assembly gives it its value.
var wrongClock uintptr

func init() {
	by, err := time.ParseDuration(os.Getenv("CLOCK_WRONG_BY"))
	if err != nil || kernelClock == 0 {
		return
	}
	rightClock, wrongBy = kernelClock, int64(by/time.Second)
	kernelClock = wrongClock
}
