package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/supervise"
)

// shell makes a unit of a shell script that touches the file "ready" when it
// is up.
func shell(t *testing.T, logs *supervise.Logs, script string) (*supervise.Unit, string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	unit, err := supervise.NewUnit(supervise.Spec{
		Name: "shell",
		Command: func() *exec.Cmd {
			_ = os.Remove(ready)
			return exec.Command("/bin/sh", "-c", script, "shell", ready)
		},
		Ready:    func(context.Context) error { _, err := os.Stat(ready); return err },
		Patience: 20 * time.Second,
		Grace:    300 * time.Millisecond,
	}, logs)
	require.NoError(t, err)
	t.Cleanup(unit.Down)
	return unit, ready
}

func newLogs(t *testing.T, stream *syncBuffer) *supervise.Logs {
	t.Helper()
	logs, err := supervise.NewLogs(t.TempDir(), stream, false)
	require.NoError(t, err)
	return logs
}

func TestKilledProcessIsStartedAgainUntilItIsStopped(t *testing.T) {
	var stream syncBuffer
	unit, ready := shell(t, newLogs(t, &stream), `echo hello; touch "$1"; exec sleep 1000`)
	require.NoError(t, unit.Up(t.Context()))
	for range 2 {
		before := unit.Pid()
		require.NoError(t, os.Remove(ready))
		require.NoError(t, unit.Kill())
		require.NoError(t, unit.WaitReady(t.Context()))
		require.NotEqual(t, before, unit.Pid())
	}
	pid := unit.Pid()
	unit.Down()
	require.Zero(t, unit.Pid())
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	require.Contains(t, stream.String(), "shell    | hello\n")
	require.Contains(t, stream.String(), "ended unasked (signal: killed)")

	require.NoError(t, unit.Up(t.Context()), "a unit that was taken down can be started again")
}

func TestFirstFailureIsAnErrorWithTheLastWords(t *testing.T) {
	unit, _ := shell(t, newLogs(t, &syncBuffer{}), `echo "port 1 is taken" >&2; exit 3`)
	err := unit.Up(t.Context())
	require.ErrorContains(t, err, "shell: ended before it was ready")
	require.ErrorContains(t, err, "port 1 is taken")
}

func TestProcessThatIgnoresTheStopIsKilledWithItsChildren(t *testing.T) {
	logs := newLogs(t, &syncBuffer{})
	unit, _ := shell(t, logs, `trap "" TERM; sleep 1000 & echo $!; touch "$1"; wait; wait`)
	require.NoError(t, unit.Up(t.Context()))
	child := 0
	require.Eventually(t, func() bool {
		child = number(logs.Tail("shell", 1))
		return child > 0
	}, time.Minute, 10*time.Millisecond)
	unit.Down()
	require.Eventually(t, func() bool {
		return errors.Is(syscall.Kill(child, 0), syscall.ESRCH) || zombie(child)
	}, time.Minute, 10*time.Millisecond)
}

func number(text string) int {
	n := 0
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	return n
}

// zombie reports whether a process has ended and only waits to be reaped by its new parent.
func zombie(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || bytes.HasPrefix(bytes.TrimSpace(out), []byte("Z"))
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestALogOnAFullDiskEndsNoProcess(t *testing.T) {
	logs, err := supervise.NewLogs(t.TempDir(), nil, false)
	require.NoError(t, err)
	require.NoError(t, os.Symlink("/dev/full", logs.Path("unit")))
	out, err := logs.Writer("unit")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "for i in 1 2 3; do echo line; done")
	cmd.Stdout = out
	require.NoError(t, cmd.Run())
}
