package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/build"
)

// What core seals, an operator verifies with its key and the copies in the bucket; another key, and a bucket without
// copies, are named.
func TestAuditLogIsSealedAndKeptElsewhere(t *testing.T) {
	root, err := build.Root()
	require.NoError(t, err)
	verify := func(key, bucket string) (string, error) {
		command := exec.CommandContext(t.Context(), filepath.Join(root, ".data", "bin", "api"), "audit", "verify")
		command.Env = append(os.Environ(), "MODE=local", "DATABASE_URL="+stack.OperatorDSN(), "AUDIT_SEAL_KEY="+key, "FILES_URL="+bucket)
		said, err := command.CombinedOutput()
		return string(said), err
	}
	files := "file://" + filepath.Join(options.DataDir, "files") + "?create_dir=true&metadata=skip"
	key := stack.Secret("AUDIT_SEAL_KEY")
	var said string
	until(t, "the audit log to be sealed", func() bool {
		said, err = verify(key, files)
		return err == nil
	})
	require.Contains(t, said, "It is as the newest copy says")
	said, err = verify(strings.Repeat("A", 43)+"=", files)
	require.Error(t, err)
	require.Contains(t, said, "is not as it was sealed")
	said, err = verify(key, "file://"+t.TempDir())
	require.Error(t, err)
	require.Contains(t, said, "no copy of a seal")
}
