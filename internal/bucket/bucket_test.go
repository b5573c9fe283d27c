package bucket

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob"
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

// A bucket is opened with an access key of its own, or with that of the environment, which is the same afterwards.
func TestABucketIsOpenedWithItsOwnAccessKey(t *testing.T) {
	var signed string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { signed = r.Header.Get("Authorization") }))
	defer server.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "of-the-environment")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "token")
	address := "s3://one?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(server.URL)
	for id, want := range map[string]string{"own": "own", "": "of-the-environment"} {
		b, err := Open(t.Context(), address, Access{ID: id, Secret: "another"})
		require.NoError(t, err)
		require.NoError(t, b.Delete(t.Context(), "object"))
		require.NoError(t, b.Close())
		require.Contains(t, signed, "Credential="+want+"/")
		require.Equal(t, id == "", strings.Contains(signed, "x-amz-security-token"))
	}
	temporary, err := Open(t.Context(), address, Access{ID: "temporary", Secret: "another", Token: "its-token"})
	require.NoError(t, err)
	require.NoError(t, temporary.Delete(t.Context(), "object"))
	require.NoError(t, temporary.Close())
	require.Contains(t, signed, "Credential=temporary/")
	require.Contains(t, signed, "x-amz-security-token")
	require.Equal(t, []string{"of-the-environment", "secret", "token"},
		[]string{os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")})
}
