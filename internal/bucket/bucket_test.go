package bucket

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
)

// A file that may grow no further is cut off as by a full disk.
func TestAFileThatIsCutOffReplacesNone(t *testing.T) {
	dir := t.TempDir()
	b, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	require.NoError(t, err)
	defer func() { _ = b.Close() }()
	require.NoError(t, Write(t.Context(), b, "photo", []byte("whole"), blob.WriterOptions{}))
	limited(t, 4096, func() {
		require.Error(t, Write(t.Context(), b, "photo", bytes.Repeat([]byte("part"), 4096), blob.WriterOptions{}))
		require.Error(t, Write(t.Context(), b, "new", bytes.Repeat([]byte("part"), 4096), blob.WriterOptions{}))
	})
	found, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "photo")}, found)
	content, err := os.ReadFile(filepath.Join(dir, "photo"))
	require.NoError(t, err)
	require.Equal(t, "whole", string(content))
}

// limited has no file of this process grow beyond a size meanwhile.
func limited(t *testing.T, size uint64, do func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: was.Max}))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }()
	do()
}
