package activities

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"

	"github.com/tradepost/tradepost/models/audit"
)

// A copy of a seal is written once: again it is the same, and another seal of the line does not replace it. The newest is
// read, also beyond nine lines.
func TestCopyOfASealIsWrittenOnce(t *testing.T) {
	files, err := fileblob.OpenBucket(t.TempDir(), &fileblob.Options{Metadata: fileblob.MetadataDontWrite})
	require.NoError(t, err)
	for _, bucket := range []*blob.Bucket{memblob.OpenBucket(nil), files} {
		t.Cleanup(func() { _ = bucket.Close() })
		_, found, err := NewestSealCopy(t.Context(), bucket)
		require.NoError(t, err)
		require.False(t, found)
		keep := KeepSeals(bucket)
		first := audit.AuditSeal{ThroughID: 9, Hash: []byte{1}, MAC: []byte{2}}
		second := audit.AuditSeal{ThroughID: 12, Hash: []byte{3}, MAC: []byte{4}}
		for _, seal := range []audit.AuditSeal{first, second, first} {
			require.NoError(t, keep(t.Context(), seal))
		}
		require.ErrorIs(t, keep(t.Context(), audit.AuditSeal{ThroughID: 12, Hash: []byte{5}, MAC: []byte{4}}), errOtherSeal)
		newest, found, err := NewestSealCopy(t.Context(), bucket)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, second, newest)
	}
}
