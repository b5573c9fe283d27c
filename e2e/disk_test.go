package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// smallDisk is a folder on a file system of its own, of so many bytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := ownFolder(t)
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=755,size="+size)
	if errors.Is(err, syscall.EPERM) {
		t.Skip("a file system is mounted by root alone")
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fill writes a file until the disk is full; free removes it.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	file, err := os.Create(path)
	require.NoError(t, err)
	for size := 1 << 20; size >= 512; {
		if _, err = file.Write(make([]byte, size)); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			size /= 2
		}
	}
	require.NoError(t, file.Close())
	return func() { require.NoError(t, os.Remove(path)) }
}

// full reports whether a disk has no block left.
func full(t *testing.T, dir string) bool {
	t.Helper()
	var disk syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &disk))
	return disk.Bavail == 0
}

// inBucket lists the customers' files of the bucket.
func inBucket(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(options.DataDir, "files", "*"))
	require.NoError(t, err)
	return slices.DeleteFunc(found, func(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() })
}

// The disk of the database, of Temporal and of the bucket is full in the middle of orders. Calls are served or answered
// with 503, a gift card with a picture among them, of which nothing stays; once there is room again it is accepted, and
// every order ends with each effect once.
func TestADiskThatIsFullLosesNothing(t *testing.T) {
	disk := smallDisk(t, "640m")
	ownStackIn(t, disk, local.Variant{}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	list := buyers(t, 4)
	reader := list[3]
	counted, enough := underLoad(ctx, t, reader)
	ended := underWay(ctx, t, list[:3], wholeWay)
	for _, far := range []string{"pending", "payment_approved", "fulfilling"} {
		t.Run("full when "+far, func(t *testing.T) {
			until(t, "an order that is so far", func() bool { return past(far)(list[0].nowIfMade(ctx)) })
			require.NoError(t, reader.ask(ctx))
			key, form := uuid.NewString(), map[string]string{"brand": "amazon", "value": "40", "cardType": "regular", "cardCode": "TP" + rand.Text()[:10], "pin": "4711"}
			upload := func() int { return reader.customer.tryForm(ctx, "/api/gift-cards", key, "images", form) }
			before := inBucket(t)
			free := fill(t, disk)
			t.Cleanup(func() { _ = os.Remove(filepath.Join(disk, "ballast")) })
			require.True(t, full(t, disk))
			until(t, "an order that cannot be stored", func() bool {
				status := reader.customer.try(ctx, http.MethodPost, "/api/orders", uuid.NewString(), map[string]string{"asset": reader.what.asset,
					"amountAsset": reader.what.amount, "paymentMethod": reader.what.method, "destAddress": reader.what.address, "quoteId": reader.quote}, nil)
				counted.count("an order", status)
				return status == http.StatusServiceUnavailable
			})
			require.Equal(t, http.StatusServiceUnavailable, upload())
			require.Equal(t, before, inBucket(t), "of an upload that is refused nothing stays")
			free()
			healthySoon(t)
			require.Equal(t, http.StatusCreated, upload())
			require.Len(t, inBucket(t), len(before)+1)
		})
	}
	enough()
	t.Logf("%d calls, of which %d were answered with 503", counted.total, counted.reported)
	require.Empty(t, counted.problem)
	ended()
	sentOnce(t, list[:3])
	require.NoError(t, balanceBooks(ctx))
}
