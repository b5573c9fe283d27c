package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/tradepost/tradepost/internal/secret"
)

const segment = 16 << 20

func empty(t *testing.T) Archive {
	t.Helper()
	keys, err := secret.NewKeys(bytes.Repeat([]byte{1}, secret.KeySize))
	require.NoError(t, err)
	return Archive{Bucket: memblob.OpenBucket(nil), Keys: keys}
}

// archived adds base backups that ended at these ages, a segment apart, with the WAL after each.
func archived(t *testing.T, a Archive, l lineage, now time.Time, ages ...time.Duration) {
	t.Helper()
	for i, age := range ages {
		at := pglogrepl.LSN((i + 1) * segment)
		require.NoError(t, a.put(t.Context(), l.base(at+40)+partName(1), []byte("a part")))
		require.NoError(t, a.putJSON(t.Context(), l.base(at+40)+recordName, record{From: at + 40, To: at + 80, Ended: now.Add(-age), Parts: 1, Segment: segment}))
		require.NoError(t, a.put(t.Context(), l.wal(span{at, at + 100}), make([]byte, 100)))
		require.NoError(t, a.put(t.Context(), l.wal(span{at + 100, at + segment}), make([]byte, segment-100)))
	}
	require.NoError(t, a.putJSON(t.Context(), l.head(), head{Through: now.Add(-ages[len(ages)-1]), To: pglogrepl.LSN((len(ages) + 1) * segment)}))
}

func names(t *testing.T, a Archive) (found []string) {
	t.Helper()
	objects := a.Bucket.List(&blob.ListOptions{})
	for {
		object, err := objects.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		found = append(found, object.Key)
	}
}

// What no restore to a moment that is kept needs is deleted, and nothing else: the base backup before that moment stays,
// a timeline of the same cluster that ended before it goes, and other clusters are left alone.
func TestWhatIsNotKeptIsDeleted(t *testing.T) {
	a, now := empty(t), time.Now().UTC()
	first, second, other := lineage{"71", 1}, lineage{"71", 2}, lineage{"72", 1}
	archived(t, a, first, now, 90*time.Hour)
	archived(t, a, second, now, 80*time.Hour, 50*time.Hour, 30*time.Hour, time.Hour)
	archived(t, a, other, now, 90*time.Hour)
	keeper := NewKeeper(a, Options{Keep: 48 * time.Hour, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, keeper.prune(t.Context(), second, now.Add(-keeper.Keep)))

	left := names(t, a)
	var want []string
	for _, at := range []pglogrepl.LSN{2 * segment, 3 * segment, 4 * segment} {
		want = append(want, second.base(at+40)+partName(1), second.base(at+40)+recordName, second.wal(span{at, at + 100}), second.wal(span{at + 100, at + segment}))
	}
	at := pglogrepl.LSN(segment)
	want = append(want, second.head(), other.head(), other.base(at+40)+partName(1), other.base(at+40)+recordName, other.wal(span{at, at + 100}), other.wal(span{at + 100, at + segment}))
	require.ElementsMatch(t, want, left)

	plan, err := a.Plan(t.Context(), now.Add(-keeper.Keep))
	require.NoError(t, err)
	require.Equal(t, pglogrepl.LSN(2*segment+40), plan.base.From)
	for ago, says := range map[time.Duration]string{100 * time.Hour: "the archive begins at", 60 * time.Hour: "the archive ends at"} {
		_, err = a.Plan(t.Context(), now.Add(-ago))
		require.ErrorContains(t, err, says)
	}
}

// A restore up to a moment before a gap is possible, one to the latest moment is not: with an older base backup neither.
func TestAGapIsNotPassed(t *testing.T) {
	a, now := empty(t), time.Now().UTC()
	l := lineage{"71", 1}
	archived(t, a, l, now, 3*time.Hour, 2*time.Hour, time.Hour)
	require.NoError(t, a.Bucket.Delete(t.Context(), l.wal(span{3*segment + 100, 4 * segment})))
	require.NoError(t, a.put(t.Context(), l.wal(span{4 * segment, 4*segment + 50}), make([]byte, 50)))
	require.NoError(t, a.putJSON(t.Context(), l.head(), head{Through: now, To: 4*segment + 50}))
	_, err := a.Plan(t.Context(), time.Time{})
	require.EqualError(t, err, "WAL from 0/3000064 to 0/4000000 is missing from the archive")
	plan, err := a.Plan(t.Context(), now.Add(-90*time.Minute))
	require.NoError(t, err)
	require.Equal(t, pglogrepl.LSN(2*segment+40), plan.base.From)
	require.Equal(t, pglogrepl.LSN(3*segment+100), plan.wal[len(plan.wal)-1].to)
}

// What cannot go on is unhealthy, and says for how long.
func TestDelaysCountFromTheStart(t *testing.T) {
	keeper := NewKeeper(empty(t), Options{BaseEvery: time.Hour})
	require.ErrorContains(t, keeper.Healthy(context.Background()), "nothing is archived yet")
	keeper.started = time.Now().Add(-time.Hour)
	require.Greater(t, keeper.Lag(), 59*time.Minute)
	require.Positive(t, keeper.Late())
	keeper.through = time.Now().Add(-allowed - time.Second)
	require.ErrorContains(t, keeper.Healthy(context.Background()), "1m1s behind")
	keeper.through = time.Now()
	require.NoError(t, keeper.Healthy(context.Background()))
}
