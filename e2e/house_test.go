package e2e

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// Bar 45: what each process takes at rest. The API and each worker stay within
// 60 MiB, everything together within 900.
func TestBar45MemoryAtRest(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		return // only Linux reports it
	}
	total := 0
	for _, part := range stack.Parts() {
		used := resident(t, stack.Pid(part))
		switch part {
		case "api", "core", "payments", "exchange", "custody":
			// At rest: the resources used by the tests before this one are released.
			untilIn(t, 3*time.Minute, part+" is at most 60 MiB", func() bool {
				if now := resident(t, stack.Pid(part)); now != used {
					t.Logf("%-9s %4d MiB now", part, now)
					used = now
				}
				return used <= 60
			})
		}
		t.Logf("%-9s %4d MiB", part, used)
		total += used
	}
	t.Logf("together  %4d MiB", total)
	require.LessOrEqual(t, total, 900)
}

// resident is the memory of a process and of those it started, in MiB, each
// shared page counted by its share.
func resident(t *testing.T, pid int) int {
	t.Helper()
	require.NotZero(t, pid)
	kilobytes := 0
	for _, id := range append(children(t, pid), pid) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // a session of Postgres that ended meanwhile
		}
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			if fields := strings.Fields(line); fields[0] == "Pss:" {
				n, err := strconv.Atoi(fields[1])
				require.NoError(t, err)
				kilobytes += n
			}
		}
	}
	return kilobytes / 1024
}

func children(t *testing.T, pid int) []int {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var ids []int
	words := bufio.NewScanner(file)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		id, err := strconv.Atoi(words.Text())
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// A second stack on the same data folder is refused; one beside it works, with
// its own; stopped and started again, it has kept its state.
func TestSecondStackBesideTheFirstKeepsItsState(t *testing.T) {
	_, err := local.Start(t.Context(), options)
	require.ErrorContains(t, err, "in use by another run")

	beside := options
	beside.DataDir = filepath.Join(filepath.Dir(options.DataDir), "beside")
	first := stack
	t.Cleanup(func() { stack = first })
	stack, err = local.Start(t.Context(), beside)
	require.NoError(t, err)
	customer := signedUp(t)
	stack.Stop()

	begun := time.Now()
	stack, err = local.Start(t.Context(), beside)
	require.NoError(t, err)
	defer stack.Stop()
	t.Logf("Bar 45: built, the site answers after %s", time.Since(begun).Round(time.Millisecond))
	again := newVisitor(t)
	again.signIn(customer.mail, newPassword)
}
