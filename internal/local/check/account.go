package main

import (
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// module begins the class of each Go test.
const module = "github.com/tradepost/tradepost/"

// testCase is a test as JUnit's files have it, which Go, vitest and Playwright
// write alike.
type testCase struct {
	Class   string    `xml:"classname,attr"`
	Title   string    `xml:"name,attr"`
	Seconds float64   `xml:"time,attr"`
	Failure *failure  `xml:"failure"`
	Error   *failure  `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

// failure is what a test that failed printed.
type failure struct {
	Text string `xml:",chardata"`
}

// Of a failure's text the end of a run shows so many lines, each cut to so many bytes.
const (
	reasonLines = 10
	reasonWidth = 200
)

// reason is the beginning of what failed: from testify's trace on where there is one.
func (t testCase) reason() []string {
	failed := cmp.Or(t.Failure, t.Error)
	if failed == nil {
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(failed.Text, "\n"), func(line string) bool {
		return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "=== ")
	})
	if at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Error Trace:") }); at > 0 {
		lines = lines[at:]
	}
	lines = lines[:min(reasonLines, len(lines))]
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		lines[i] = strings.ToValidUTF8(line[:min(reasonWidth, len(line))], "")
	}
	return lines
}

func (t testCase) String() string { return strings.TrimPrefix(t.Class, module) + " " + t.Title }

// within reports whether the test is a part of another: the time of a Go subtest is
// included in its test's.
func (t testCase) within() bool {
	return strings.HasPrefix(t.Class, module) && strings.Contains(t.Title, "/")
}

// contains reports whether another Go test is a subtest of this one.
func (t testCase) contains(other testCase) bool {
	return t.Class == other.Class && strings.HasPrefix(other.Title, t.Title+"/")
}

// junit is the file that a suite's tests write.
func (c *checker) junit(suite string) string { return filepath.Join(c.logs, "junit", suite+".xml") }

// tally counts the tests of a suite. A Go package that ends without a failed test
// and fails (it does not compile, or its TestMain fails) is one failed TestMain.
func (c *checker) tally(suite string) (count, error) {
	cases, err := readJUnit(c.junit(suite))
	found := count{tests: cases}
	for _, test := range cases {
		switch {
		case test.Failure != nil || test.Error != nil:
			found.failed++
		case test.Skipped != nil:
			found.skipped++
		default:
			found.passed++
		}
	}
	return found, err
}

func readJUnit(path string) ([]testCase, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the tests left no account: %w", err)
	}
	var file struct {
		Suites []struct {
			Cases []testCase `xml:"testcase"`
		} `xml:"testsuite"`
	}
	err = xml.Unmarshal(raw, &file)
	var cases []testCase
	for _, suite := range file.Suites {
		cases = append(cases, suite.Cases...)
	}
	return cases, err
}

// listed is how many of the slowest tests a run names.
const listed = 20

// account prints each suite's result and duration, the slowest tests, what failed and the
// sum. It reports whether anything failed.
func (c *checker) account(out io.Writer, took time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum count
	var counted time.Duration
	fmt.Fprintf(out, "\n%-16s %6s %6s %7s %9s %12s\n", "", "passed", "failed", "skipped", "took", "processor")
	for _, r := range c.results {
		fmt.Fprintf(out, "%-16s %6d %6d %7d %9s %12s\n", r.name, r.count.passed, r.count.failed, r.count.skipped,
			r.took.Round(time.Second), r.processor.Round(time.Second))
		sum.passed += r.count.passed
		sum.failed += r.count.failed
		sum.skipped += r.count.skipped
		sum.tests = append(sum.tests, r.count.tests...)
		counted += r.processor
	}
	all := processorTime()
	fmt.Fprintf(out, "%-38s %9s %12s\n", "servers and stacks beside the tests", "", (all - counted).Round(time.Second))
	fmt.Fprintf(out, "%-38s %9s %12s  %.0f%% of %d cores\n\n", "altogether", took.Round(time.Second), all.Round(time.Second),
		100*all.Seconds()/took.Seconds()/float64(runtime.NumCPU()), runtime.NumCPU())
	for _, test := range slowest(sum.tests) {
		fmt.Fprintf(out, "%6.1f s  %s\n", test.Seconds, test)
	}
	fmt.Fprintln(out)
	for _, r := range c.results { // here, because the end of a long output is read most
		printFailed(out, r.name, r.count.tests)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", sum.passed, sum.failed, sum.skipped)
	return sum.failed > 0
}

// printFailed names each test of a suite that failed, and why. Of a Go test whose subtest failed it prints the name
// alone: what it logged would push the reason out of sight.
func printFailed(out io.Writer, suite string, tests []testCase) {
	failed := slices.DeleteFunc(slices.Clone(tests), func(t testCase) bool {
		return t.Failure == nil && t.Error == nil
	})
	for _, test := range failed {
		fmt.Fprintf(out, "failed: %s: %s\n", suite, test)
		if slices.ContainsFunc(failed, test.contains) {
			continue
		}
		for _, line := range test.reason() {
			fmt.Fprintln(out, "  "+line)
		}
	}
}

func slowest(tests []testCase) []testCase {
	whole := slices.DeleteFunc(slices.Clone(tests), testCase.within)
	slices.SortFunc(whole, func(a, b testCase) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return whole[:min(listed, len(whole))]
}

// processorTime is the processor time of this program and of all that it started and waited
// for.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if syscall.Getrusage(who, &used) == nil { // it fails for an unknown who only
			sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
		}
	}
	return sum
}

type spentKey struct{}

// spending gives a suite's context a sum of the processor time of its programs.
func spending(ctx context.Context) (context.Context, *atomic.Int64) {
	spent := new(atomic.Int64)
	return context.WithValue(ctx, spentKey{}, spent), spent
}

// spend adds a program that ended, with all that it waited for, to its suite's sum.
func spend(ctx context.Context, ended *os.ProcessState) {
	if spent, ok := ctx.Value(spentKey{}).(*atomic.Int64); ok && ended != nil {
		spent.Add(int64(ended.UserTime() + ended.SystemTime()))
	}
}
