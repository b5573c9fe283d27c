package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
)

// goTests makes the suite of some packages of the module in dir, run with flags of
// `go test`. around starts and stops what the tests need. The linters hold vet's rules.
func (c *checker) goTests(
	name, dir, atOnce string, packages func(context.Context) ([]string, error),
	around func(ctx context.Context, tests func(env []string) error) error, flags ...string,
) suite {
	work := func(ctx context.Context, log io.Writer) (count, error) {
		chosen, err := packages(ctx)
		if err != nil {
			return count{}, err
		}
		failed := around(ctx, func(env []string) error {
			args := append([]string{
				"--format=testname", "--junitfile=" + c.junit(name),
				"--packages=" + strings.Join(chosen, " "), "--", "-timeout=80m", "-vet=off", atOnce,
			}, flags...)
			return c.command(ctx, log, dir, env, filepath.Join(c.tools, "gotestsum"), args...)
		})
		counted, err := c.tally(name)
		return counted, errors.Join(failed, err)
	}
	return suite{name: name, work: work}
}
