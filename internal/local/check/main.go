// Command check is `make test`: it runs every check of the project on a machine
// that has Go, Node and make, and ends with one line that sums them up:
//
//	N passed, N failed, N skipped
//
// Two lanes keep two cores busy: one builds what Go tests need, runs them and then those of
// the whole system; the other builds the web app, lints, and runs the campaign and the
// browser's tests. Nothing is run twice: a test that fails has failed. Each suite's whole
// output is in .data/check/<suite>.log, its tests as JUnit in .data/check/junit; the slowest
// tests and the names of failed ones are printed above the counts.
//
// `check -quick` is `make check`: all but the tests that start something, and one scenario
// in the browser. `check -full` is `make test FULL=1`: every property is tried a hundred times
// in place of twenty, and the browser plays every situation of an order, not every status and
// every reason once. Arguments choose suites by name: `check lint web-unit`; `check -grep 'a
// large refund' browser` runs of the browser's tests those whose title matches.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tradepost/tradepost/internal/local/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &checker{ended: map[string]chan struct{}{}}
	flag.StringVar(&c.titles, "grep", "", "of the browser's tests, those whose title matches this regular expression")
	flag.BoolVar(&c.quick, "quick", false, "only what is run before a commit")
	flag.BoolVar(&c.full, "full", false, "every property and every situation, for longer")
	flag.Parse()
	c.only = flag.Args()
	failed, err := c.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

func (c *checker) run(ctx context.Context) (failed bool, err error) {
	begun := time.Now()
	if c.root, err = build.Root(); err != nil {
		return true, err
	}
	data := filepath.Join(c.root, ".data")
	c.logs, c.tools, c.bin = filepath.Join(data, "check"), filepath.Join(data, "tools"), filepath.Join(data, "bin")
	for _, suite := range slices.Concat(c.lanes()...) {
		c.ended[suite.name] = make(chan struct{})
	}
	if err := c.validate(c.only); err != nil {
		return true, err
	}
	if c.quick {
		c.only, c.titles = quickSuites, oneFlow
	}
	if err := os.RemoveAll(c.logs); err != nil {
		return true, err
	}
	if err := os.MkdirAll(filepath.Join(c.logs, "junit"), 0o700); err != nil {
		return true, err
	}
	defer useMemory()()
	var lanes sync.WaitGroup // a failed suite stops nothing: the sum needs all of them
	for _, lane := range c.lanes() {
		lanes.Go(func() {
			for _, suite := range lane {
				c.runSuite(ctx, suite)
			}
		})
	}
	lanes.Wait()
	if ctx.Err() != nil {
		return true, fmt.Errorf("interrupted")
	}
	return c.account(os.Stdout, time.Since(begun)), nil
}

func (c *checker) validate(names []string) error {
	var known []string
	for _, suite := range slices.Concat(c.lanes()...) {
		known = append(known, suite.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no suite is called %q; there are: %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}
