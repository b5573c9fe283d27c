package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A test that failed and then passed is passed and named; one that failed twice
// has failed; a package that ends early is one failure.
func TestWhatWasRepeatedIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.json")
	require.NoError(t, os.WriteFile(file, []byte(`
{"Action":"pass","Package":"a/b","Test":"TestFine"}
{"Action":"fail","Package":"a/b","Test":"TestFlaky"}
{"Action":"fail","Package":"a/b","Test":"TestBroken"}
{"Action":"skip","Package":"a/b","Test":"TestSkipped"}
{"Action":"fail","Package":"a/b"}
{"Action":"fail","Package":"a/ends-early"}
{"Action":"pass","Package":"a/b","Test":"TestFlaky"}
{"Action":"fail","Package":"a/b","Test":"TestBroken"}
{"Action":"fail","Package":"a/b"}
`), 0o600))
	counted, err := (&goSuite{events: file}).tally()
	require.NoError(t, err)
	require.Equal(t, count{
		passed: 2, failed: 2, skipped: 1,
		names: []string{"b TestBroken", "ends-early"}, repeated: []string{"b TestFlaky"},
	}, counted)
}

func TestBrowserAccountIsReadToItsDepth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "browser.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"suites":[{"specs":[
		{"title":"one","file":"x.spec.ts","tests":[{"status":"expected"}]}],
		"suites":[{"specs":[
			{"title":"two","file":"x.spec.ts","tests":[{"status":"expected"}]},
			{"title":"three","file":"x.spec.ts","tests":[{"status":"unexpected"}]},
			{"title":"four","file":"x.spec.ts","tests":[{"status":"skipped"}]}]}]}]}`), 0o600))
	counted, err := browserCount(file)
	require.NoError(t, err)
	require.Equal(t, count{
		passed: 2, failed: 1, skipped: 1, names: []string{"x.spec.ts three"},
	}, counted)
}

func TestWhatTheBrowserRepeatedIsNamed(t *testing.T) {
	first := count{passed: 5, failed: 2, skipped: 1, names: []string{"x broken", "x slow"}}
	require.Equal(t, count{
		passed: 6, failed: 1, skipped: 1, names: []string{"x broken"}, repeated: []string{"x slow"},
	}, first.after(count{passed: 1, failed: 1, names: []string{"x broken"}}))
	held := count{passed: 5, failed: 2, skipped: 3, names: []string{"x broken", "x slow"}}
	require.Equal(t, count{
		passed: 9, failed: 1, names: []string{"x broken"}, repeated: []string{"x slow"},
	}, held.after(count{passed: 4, failed: 1, names: []string{"x broken"}}), "three did not run because of one that failed")
}
