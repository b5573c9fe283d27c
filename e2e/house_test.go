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

// Bar 45: what each process takes at rest. The API and each worker have at most 45 MiB
// of their own; everything together is within 900, with the programs' files.
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
			untilIn(t, 3*time.Minute, part+" has at most 45 MiB of its own", func() bool {
				if now := resident(t, stack.Pid(part)); now != used {
					t.Logf("%-9s %s now", part, now)
					used = now
				}
				return used.own <= 45
			})
		}
		t.Logf("%-9s %s", part, used)
		total += used.own + used.files
	}
	t.Logf("together  %4d MiB", total)
	require.LessOrEqual(t, total, 900)
}

// memory is what a process has in memory, in MiB: of its own, and of files, which the
// kernel can drop. A page that processes share is counted by their shares.
type memory struct{ own, files int }

func (m memory) String() string { return fmt.Sprintf("%4d MiB, and %d of files", m.own, m.files) }

// resident is the memory of a process and of those it started.
func resident(t *testing.T, pid int) memory {
	t.Helper()
	require.NotZero(t, pid)
	kilobytes := map[string]int{}
	for _, id := range append(children(t, pid), pid) {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", id))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // a session of Postgres that ended meanwhile
		}
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			if fields := strings.Fields(line); strings.HasPrefix(fields[0], "Pss_") {
				n, err := strconv.Atoi(fields[1])
				require.NoError(t, err)
				kilobytes[fields[0]] += n
			}
		}
	}
	return memory{own: (kilobytes["Pss_Anon:"] + kilobytes["Pss_Shmem:"]) / 1024, files: kilobytes["Pss_File:"] / 1024}
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
