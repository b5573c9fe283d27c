package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/process"
)

// TestMain lets the test program play the parent that is killed.
func TestMain(m *testing.M) {
	if os.Getenv("PLAY_PARENT") == "" {
		os.Exit(m.Run())
	}
	child := exec.Command("sleep", "1000")
	if err := process.Start(child, syscall.SIGKILL); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(child.Process.Pid)
	_ = child.Wait() // until we are killed
}

func TestChildDiesWithItsKilledParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "PLAY_PARENT=1")
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(child, 0), "the child runs")

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait() // reports the kill
	ends(t, child)
}

// ends waits until a process is gone, or only waits to be reaped.
func ends(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 10*time.Millisecond)
}

func TestCancelledCommandTakesItsChildrenAlong(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start(cmd, syscall.SIGKILL))
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	cancel()
	_ = cmd.Wait() // reports the kill
	ends(t, child)
}
