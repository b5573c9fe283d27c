package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/process"
)

// count is what a suite found.
type count struct {
	passed, failed, skipped int
	tests                   []testCase // none where the suite is one check
}

// suite is one check that can fail. Preparation has no count of its own.
type suite struct {
	name string
	// prepares are the suites that include this one when chosen, and start once it ended.
	prepares []string
	// work runs it; its output goes to log. The error is what failed.
	work func(ctx context.Context, log io.Writer) (count, error)
}

type result struct {
	name            string
	count           count
	err             error
	took, processor time.Duration
}

type checker struct {
	root, logs, tools, bin string
	only                   []string
	titles                 string                   // a regular expression for the browser's tests; empty for all
	quick                  bool                     // of the Go packages, those whose tests need no server
	full                   bool                     // every property and every situation, for longer
	ended                  map[string]chan struct{} // by the suite's name; closed when it ended

	mu      sync.Mutex
	results []result
}

const heartbeat = 20 * time.Second

func (c *checker) wanted(s suite) bool {
	return len(c.only) == 0 || slices.Contains(c.only, s.name) ||
		slices.ContainsFunc(s.prepares, func(name string) bool { return slices.Contains(c.only, name) })
}

// awaitPreparation waits for what the other lane prepares for a suite, whether it worked or not.
func (c *checker) awaitPreparation(ctx context.Context, s suite) {
	for _, other := range slices.Concat(c.lanes()...) {
		if !slices.Contains(other.prepares, s.name) {
			continue
		}
		select {
		case <-c.ended[other.name]:
		case <-ctx.Done():
		}
	}
}

func (c *checker) runSuite(ctx context.Context, s suite) {
	defer close(c.ended[s.name])
	if !c.wanted(s) {
		return
	}
	if c.awaitPreparation(ctx, s); ctx.Err() != nil {
		return
	}
	log, err := os.Create(c.logPath(s.name))
	if err != nil {
		c.finish(result{name: s.name, err: err, count: count{failed: 1}})
		return
	}
	defer func() { _ = log.Close() }()
	begun := time.Now()
	c.say("%s …", s.name)
	done := make(chan struct{})
	go c.beat(s, begun, done)
	ctx, spent := spending(ctx)
	counted, err := s.work(ctx, log)
	close(done)
	if err != nil && counted.failed == 0 {
		counted.failed = 1
	}
	c.finish(result{name: s.name, count: counted, err: err, took: time.Since(begun), processor: time.Duration(spent.Load())})
}

func (c *checker) beat(s suite, begun time.Time, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(heartbeat):
			raw, _ := os.ReadFile(c.logPath(s.name)) // an unreadable log gives no text
			c.say("%s … %s: %s", s.name, time.Since(begun).Round(time.Second), shorten(tail(string(raw), 1)))
		}
	}
}

func (c *checker) finish(r result) {
	c.mu.Lock()
	c.results = append(c.results, r)
	c.mu.Unlock()
	verdict := "ok"
	if r.err != nil || r.count.failed > 0 {
		verdict = "FAILED"
	}
	c.say("%s %s after %s", r.name, verdict, r.took.Round(100*time.Millisecond))
	if r.err != nil {
		raw, _ := os.ReadFile(c.logPath(r.name)) // missing when it could not be made: then the error has the cause
		c.say("%v\n%s", r.err, tail(string(raw), 150))
	}
}

func (c *checker) logPath(name string) string { return filepath.Join(c.logs, name+".log") }

func (c *checker) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Printf("· "+format+"\n", args...)
}

// shorten cuts a line of output to what fits beside a heartbeat.
func shorten(line string) string {
	letters := []rune(strings.TrimSpace(line))
	return string(letters[:min(len(letters), 90)])
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// command runs a program of the suite in a folder of the checkout.
func (c *checker) command(ctx context.Context, log io.Writer, dir string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(c.root, dir)
	cmd.Env = append(build.Environment(), env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = 5 * time.Second
	_, _ = fmt.Fprintf(log, "$ %s %s\n", name, strings.Join(args, " ")) // for the reader of the log only
	err := process.Run(cmd)
	spend(ctx, cmd.ProcessState)
	if err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args[:min(2, len(args))], " "), err)
	}
	return nil
}

// one is a check that passes or fails as a whole.
func one(work func(ctx context.Context, log io.Writer) error) func(context.Context, io.Writer) (count, error) {
	return func(ctx context.Context, log io.Writer) (count, error) {
		if err := work(ctx, log); err != nil {
			return count{failed: 1}, err
		}
		return count{passed: 1}, nil
	}
}

// preparation counts nothing unless it fails.
func preparation(work func(ctx context.Context, log io.Writer) error) func(context.Context, io.Writer) (count, error) {
	return func(ctx context.Context, log io.Writer) (count, error) { return count{}, work(ctx, log) }
}
