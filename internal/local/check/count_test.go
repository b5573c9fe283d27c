package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// accountOf is what a suite found whose tests wrote this.
func accountOf(t *testing.T, written string) (count, error) {
	t.Helper()
	c := &checker{logs: t.TempDir()}
	require.NoError(t, os.Mkdir(filepath.Join(c.logs, "junit"), 0o700))
	require.NoError(t, os.WriteFile(c.junit("suite"), []byte(written), 0o600))
	return c.tally("suite")
}

// The files as gotestsum, Playwright and vitest write them.
func TestTestsAreCountedByHowTheyEnded(t *testing.T) {
	found, err := accountOf(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="7" failures="2" errors="1" time="9.1">
	<testsuite tests="3" failures="1" name="github.com/tradepost/tradepost/worker" time="6.5">
		<properties><property name="go.version" value="go1.26"></property></properties>
		<testcase classname="github.com/tradepost/tradepost/worker" name="TestBroken" time="2.5"><failure message="Failed" type="">=== RUN   TestBroken
    a log
        	Error Trace:	/a/b_test.go:12
        	Error:      	Not equal
</failure></testcase>
		<testcase classname="github.com/tradepost/tradepost/worker" name="TestFine" time="4.000000"></testcase>
		<testcase classname="github.com/tradepost/tradepost/worker" name="TestFine/part" time="4.000000"></testcase>
	</testsuite>
	<testsuite name="flows/buy.spec.ts" tests="2" skipped="1" time="3" errors="0">
		<testcase name="an order / a coin" classname="flows/buy.spec.ts" time="3"></testcase>
		<testcase name="not run" classname="flows/buy.spec.ts" time="0"><skipped></skipped></testcase>
		<testcase name="it broke" classname="flows/buy.spec.ts" time="0.1"><error></error></testcase>
	</testsuite>
	<testsuite name="github.com/tradepost/tradepost/broken" tests="0">
		<testcase classname="github.com/tradepost/tradepost/broken" name="TestMain" time="0.000000"><failure message="Failed" type="">does not compile</failure></testcase>
	</testsuite>
</testsuites>`)
	require.NoError(t, err)
	require.Equal(t, [3]int{3, 3, 1}, [3]int{found.passed, found.failed, found.skipped})

	var names []string
	for _, test := range slowest(found.tests) {
		names = append(names, test.String())
	}
	require.Equal(t, []string{"worker TestFine", "flows/buy.spec.ts an order / a coin", "worker TestBroken"}, names[:3],
		"the longest first, and no subtest beside its test")
	require.Equal(t, []string{"        	Error Trace:	/a/b_test.go:12", "        	Error:      	Not equal"}, found.tests[0].reason())
	require.Equal(t, []string{"does not compile"}, found.tests[6].reason())
	require.Empty(t, found.tests[1].reason())
}

func TestSuiteWithoutAnAccountFails(t *testing.T) {
	_, err := (&checker{logs: t.TempDir()}).tally("suite")
	require.ErrorContains(t, err, "no account")
	_, err = accountOf(t, `<testsuites><testsuite>`)
	require.Error(t, err, "a file that ends early")
}

func TestOnlyTheInnermostFailureHasItsReason(t *testing.T) {
	found, err := accountOf(t, `<testsuites><testsuite name="github.com/tradepost/tradepost/e2e">
		<testcase classname="github.com/tradepost/tradepost/e2e" name="TestKill/core/a_card" time="1"><failure>Error: left too much</failure></testcase>
		<testcase classname="github.com/tradepost/tradepost/e2e" name="TestKill/core" time="1"><failure>many logs</failure></testcase>
		<testcase classname="github.com/tradepost/tradepost/e2e" name="TestKill" time="1"><failure>more logs</failure></testcase>
		<testcase classname="github.com/tradepost/tradepost/e2e" name="TestKillOther" time="1"><failure>Error: another</failure></testcase>
		<testcase classname="github.com/tradepost/tradepost/e2e" name="TestFine" time="1"></testcase>
	</testsuite></testsuites>`)
	require.NoError(t, err)
	var out strings.Builder
	printFailed(&out, "e2e", found.tests)
	require.Equal(t, `failed: e2e: e2e TestKill/core/a_card
  Error: left too much
failed: e2e: e2e TestKill/core
failed: e2e: e2e TestKill
failed: e2e: e2e TestKillOther
  Error: another
`, out.String())
}
