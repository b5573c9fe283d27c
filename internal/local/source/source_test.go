package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files at every depth are found; tests and testdata are not, and an empty folder is an error.
func TestFilesAreFoundAtEveryDepth(t *testing.T) {
	root := t.TempDir()
	_, err := Files(root)
	require.ErrorIs(t, err, ErrNone)
	for _, name := range []string{
		"doc.go", "order/order.go", "order/order_test.go", "order/delivery/send.go", "order/testdata/x.go", "order/notes.md",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	found, err := Files(root)
	require.NoError(t, err)
	require.Equal(t, []string{
		filepath.Join(root, "doc.go"), filepath.Join(root, "order", "delivery", "send.go"), filepath.Join(root, "order", "order.go"),
	}, found)
	_, err = Files(filepath.Join(root, "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
