package gctune

import (
	"os"
	"runtime"
)

// OneProcessor keeps a process to one processor at a time, as its container does. It is for
// those that wait far more than they compute: with more, Go signals a thread for each
// answer, which finds no work. An operator's GOMAXPROCS stays.
func OneProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}
