package main

import (
	"os"
	"regexp"
	"strconv"
	"syscall"

	"github.com/tradepost/tradepost/internal/local/testbed"
)

// Linux's folder in memory, and what must be free there and in the machine for the tests to
// use it: their files fill 1 GiB at most, and their processes need the rest.
const (
	memoryFolder = "/dev/shm"
	memoryPrefix = "tradepost-check-"
	memoryFree   = 8 << 30
)

var (
	available  = regexp.MustCompile(`(?m)^MemAvailable: +(\d+) kB$`)
	noPrograms = regexp.MustCompile(`(?m)^\S+ ` + memoryFolder + ` \S+ \S*\bnoexec\b`)
)

// useMemory makes a folder in memory the place of temporary files, where there is room: the
// tests create hundreds of databases, and a slow disk makes them last twice as long. The
// returned function removes it.
func useMemory() func() {
	none := func() {}
	if !memoryIsRoomy() {
		return none
	}
	testbed.RemoveLeftovers(memoryFolder, memoryPrefix)
	dir, err := os.MkdirTemp(memoryFolder, memoryPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return none
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if os.Chmod(dir, 0o777|os.ModeSticky) != nil || os.Setenv("TMPDIR", dir) != nil { // Postgres's account passes through it
		remove()
		return none
	}
	return remove
}

func memoryIsRoomy() bool {
	var folder syscall.Statfs_t
	if syscall.Statfs(memoryFolder, &folder) != nil || folder.Bavail*uint64(folder.Bsize) < memoryFree {
		return false
	}
	memory, _ := os.ReadFile("/proc/meminfo") // what cannot be read has no match
	mounts, _ := os.ReadFile("/proc/mounts")
	found := available.FindSubmatch(memory)
	if found == nil || noPrograms.Match(mounts) {
		return false
	}
	kilobytes, err := strconv.ParseUint(string(found[1]), 10, 64)
	return err == nil && kilobytes<<10 >= memoryFree
}
