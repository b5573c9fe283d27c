package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// mostRepeated is how many failures are put down to a busy machine and run once
// more; with more of them something is broken.
const mostRepeated = "--rerun-fails-max-failures=5"

// suite makes the suite of some packages of the module in dir, run with a flag
// of `go test`. around starts and stops what the tests need.
func (g *goSuite) suite(
	dir, flag string, packages func(context.Context) ([]string, error),
	around func(ctx context.Context, tests func(env []string) error) error,
) suite {
	work := func(ctx context.Context, log io.Writer) (count, error) {
		chosen, err := packages(ctx)
		if err != nil {
			return count{}, err
		}
		failed := around(ctx, func(env []string) error {
			return g.checker.command(ctx, log, dir, env, filepath.Join(g.checker.tools, "gotestsum"),
				"--format=standard-quiet", "--jsonfile="+g.events, "--rerun-fails=1", mostRepeated,
				"--packages="+strings.Join(chosen, " "), "--", "-timeout=40m", flag)
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

// tally counts tests and their subtests by how each ended last: a few that
// failed are run once more. A package that fails without a failed test (it does
// not compile, or it ends early) is one failure.
func (g *goSuite) tally() (count, error) {
	file, err := os.Open(g.events)
	if err != nil {
		return count{}, err
	}
	defer func() { _ = file.Close() }()
	ended, failed := map[testName]string{}, map[testName]bool{}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil { // the end, or a line that is still being written
			return sum(ended, failed), nil
		}
		var event struct{ Action, Package, Test string }
		if json.Unmarshal(line, &event) != nil || !slices.Contains([]string{"pass", "skip", "fail"}, event.Action) {
			continue
		}
		name := testName{event.Package, event.Test}
		ended[name] = event.Action
		failed[name] = failed[name] || event.Action == "fail"
	}
}

// testName is a test of a package; the package itself has an empty test.
type testName struct{ pkg, test string }

func (n testName) String() string { return strings.TrimSpace(path.Base(n.pkg) + " " + n.test) }

func sum(ended map[testName]string, failed map[testName]bool) count {
	var found count
	testsFailed := map[string]bool{}
	for name := range failed {
		if failed[name] && name.test != "" {
			testsFailed[name.pkg] = true
		}
	}
	for name, how := range ended {
		switch {
		case name.test == "" && (how != "fail" || testsFailed[name.pkg]): // said by its tests
		case how == "fail":
			found.failed++
			found.names = append(found.names, name.String())
		case how == "skip":
			found.skipped++
		default:
			found.passed++
			if failed[name] {
				found.repeated = append(found.repeated, name.String())
			}
		}
	}
	slices.Sort(found.names)
	slices.Sort(found.repeated)
	return found
}
