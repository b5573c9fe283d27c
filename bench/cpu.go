package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// cpuTimes is the processor time that each process has used, the bare programs
// and this one included, children with their parents.
func (h *platform) cpuTimes() map[string]time.Duration {
	times := map[string]time.Duration{"bench": cpuOf(os.Getpid())}
	for _, part := range h.stack.Parts() {
		pid := h.stack.Pid(part)
		times[part] = cpuOf(pid)
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none, or not Linux
		for word := range strings.FieldsSeq(string(raw)) {
			if id, err := strconv.Atoi(word); err == nil {
				times[part] += cpuOf(id)
			}
		}
	}
	for _, cmd := range h.beside {
		times["bare"] += cpuOf(cmd.Process.Pid)
	}
	return times
}

// cpuOf is what a process has used, its own threads only.
func cpuOf(pid int) time.Duration {
	const tick = 10 * time.Millisecond
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// perOne returns what each process used for each of n operations, the highest first.
func perOne(before, after map[string]time.Duration, n int) (text string, total time.Duration) {
	var words []string
	for _, part := range []string{"temporal", "postgres", "api", "core", "payments", "exchange", "custody", "sandbox", "bare", "bench"} {
		one := (after[part] - before[part]) / time.Duration(max(n, 1))
		total += one
		if one >= 100*time.Microsecond {
			words = append(words, fmt.Sprintf("%s %.1f", part, float64(one.Microseconds())/1000))
		}
	}
	return strings.Join(words, ", "), total
}
