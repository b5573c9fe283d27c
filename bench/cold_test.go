package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/process"
)

// The memory of a process counts all below it, whichever thread forked them: the
// shell's child is the grandchild of a thread that is not the first one.
func TestMemoryOfAllBelowIsCounted(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		return // only Linux reports it
	}
	alone := held(os.Getpid())
	require.Positive(t, alone)
	cmd := exec.Command("sh", "-c", "head -c 64m /dev/zero | tail -c 64m | sleep 120; true")
	require.NoError(t, process.Start(cmd, 9))
	t.Cleanup(func() { _ = process.Signal(cmd, 9); _ = cmd.Wait() })
	require.Eventually(t, func() bool { return held(os.Getpid()) > alone+48 }, 60e9, 50e6)
}
