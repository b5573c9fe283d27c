package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// goSuite runs Go tests with gotestsum and counts them.
type goSuite struct {
	checker *checker
	name    string
	events  string // file of test events
}

func (c *checker) goSuite(name string) *goSuite {
	return &goSuite{checker: c, name: name, events: filepath.Join(c.logs, name+".json")}
}

// suite makes the suite of some packages of the module in dir. around starts
// and stops what the tests need.
func (g *goSuite) suite(
	dir string, packages func(context.Context) ([]string, error),
	around func(ctx context.Context, tests func(env []string) error) error,
) suite {
	work := func(ctx context.Context, log io.Writer) (count, error) {
		chosen, err := packages(ctx)
		if err != nil {
			return count{}, err
		}
		failed := around(ctx, func(env []string) error {
			args := append([]string{"--format=standard-quiet", "--jsonfile=" + g.events, "--", "-timeout=40m"}, chosen...)
			return g.checker.command(ctx, log, dir, env, filepath.Join(g.checker.tools, "gotestsum"), args...)
		})
		counted, err := g.tally()
		return counted, errors.Join(failed, err)
	}
	return suite{name: g.name, work: work, progress: g.progress}
}

func (g *goSuite) progress() string {
	counted, err := g.tally()
	if err != nil {
		return "compiling"
	}
	return fmt.Sprintf("%d passed, %d failed so far", counted.passed, counted.failed)
}

// tally counts tests and their subtests. A package that fails without a failed
// test (it does not compile, or it ends early) is one failure.
func (g *goSuite) tally() (count, error) {
	file, err := os.Open(g.events)
	if err != nil {
		return count{}, err
	}
	defer func() { _ = file.Close() }()
	var counted count
	failedTests := map[string]int{}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil { // the end, or a line that is still being written
			return counted, nil
		}
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) != nil {
			continue
		}
		switch {
		case event.Action == "pass" && event.Test != "":
			counted.passed++
		case event.Action == "skip" && event.Test != "":
			counted.skipped++
		case event.Action == "fail" && event.Test != "":
			counted.failed++
			failedTests[event.Package]++
		case event.Action == "fail" && failedTests[event.Package] == 0:
			counted.failed++
		}
	}
}
