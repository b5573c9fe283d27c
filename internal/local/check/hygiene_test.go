package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/local/build"
)

// tracked are the files of the checkout: those that git tracks, or would add.
func tracked(t *testing.T, patterns ...string) (root string, files []string) {
	t.Helper()
	root, err := build.Root()
	require.NoError(t, err)
	args := append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, patterns...)
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	for _, file := range strings.Fields(string(out)) {
		if info, err := os.Stat(filepath.Join(root, file)); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	require.NotEmpty(t, files)
	return root, files
}

// lockFile is what npm writes.
type lockFile struct {
	Packages map[string]struct {
		Resolved, Integrity                string
		Link, InBundle                     bool
		Dependencies, OptionalDependencies map[string]string
	}
}

// missing lists what a lock file lacks: a checksum, or a dependency's own entry
// (`npm ci` fails on such a file on another machine than the one that made it).
func (l lockFile) missing() []string {
	var wrong []string
	for place, p := range l.Packages {
		if strings.Contains(p.Resolved, "://") {
			wrong = append(wrong, place+" names a download address")
		}
		if place != "" && p.Integrity == "" && !p.Link && !p.InBundle {
			wrong = append(wrong, place+" has no checksum")
		}
		for _, needs := range []map[string]string{p.Dependencies, p.OptionalDependencies} {
			for name := range needs {
				if !l.resolves(place, name) {
					wrong = append(wrong, place+" needs "+name+", which is not locked")
				}
			}
		}
	}
	return wrong
}

// resolves finds a package as Node does, from the inside out.
func (l lockFile) resolves(from, name string) bool {
	for {
		if _, ok := l.Packages[path.Join(from, "node_modules", name)]; ok {
			return true
		}
		if from == "" {
			return false
		}
		from = strings.TrimSuffix(from[:strings.LastIndex(from, "node_modules")], "/")
	}
}

func TestBar40LockFilesAreComplete(t *testing.T) {
	root, files := tracked(t, "*package-lock.json")
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		var lock lockFile
		require.NoError(t, json.Unmarshal(raw, &lock), file)
		require.Empty(t, lock.missing(), file+" "+asvs.Claim(t, "15.2.1"))
	}
}

func TestBar40IncompleteLockFileIsFound(t *testing.T) {
	var lock lockFile
	require.NoError(t, json.Unmarshal([]byte(`{"packages": {
		"": {"dependencies": {"a": "1"}},
		"node_modules/a": {"integrity": "x", "dependencies": {"b": "1", "c": "1"}, "optionalDependencies": {"d": "1"}},
		"node_modules/a/node_modules/b": {"integrity": "x", "dependencies": {"c": "1"}},
		"node_modules/c": {"resolved": "https://example.com/c.tgz"}
	}}`), &lock))
	require.ElementsMatch(t, []string{
		"node_modules/a needs d, which is not locked",
		"node_modules/c names a download address", "node_modules/c has no checksum",
	}, lock.missing())
}

// secretForms are the forms of real credentials. Those of the local stack and
// of tests hold none of them: live keys, cloud keys, private keys, tokens.
var secretForms = regexp.MustCompile(`\b(?:sk|rk)_live_[0-9A-Za-z]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[0-9A-Za-z]{36}\b` +
	`|\bxox[abpr]-[0-9A-Za-z-]{20,}|\bglpat-[0-9A-Za-z_-]{20}\b|\bnpm_[0-9A-Za-z]{36}\b` +
	`|-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----\n[0-9A-Za-z+/=\n]{64,}|\bprd:[0-9A-Za-z]{24,}\.[0-9A-Za-z]{24,}`)

func TestBar40NoSecretsInTheCheckout(t *testing.T) {
	root, files := tracked(t)
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		if found := secretForms.Find(raw); found != nil {
			t.Errorf("%s holds what looks like a secret: %.12s…: %s", file, found, asvs.Claim(t, "13.3.1"))
		}
	}
}

func TestBar40SecretFormsAreRecognised(t *testing.T) {
	for _, secret := range []string{"sk_live_" + strings.Repeat("a1", 12), "AKIA" + strings.Repeat("Q7", 8), "ghp_" + strings.Repeat("x9", 18)} {
		require.Regexp(t, secretForms, "key = "+secret)
	}
	require.NotRegexp(t, secretForms, "STRIPE_KEY must be a live key (sk_live_… or rk_live_…)")
}
