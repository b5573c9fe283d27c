package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/store"
)

// The nightly run gives every customer the tier of their own volume, whatever batch they are in, except those with a
// tier set by hand until a later day.
func TestTiersFollowTheVolumeUnlessSetByHand(t *testing.T) {
	d := openOrderFixture(t)
	forward := func(by time.Duration) {
		owner, err := store.Open(t.Context(), d.dbs.Owner, store.Options{MaxConns: 1, AllowOwner: true})
		require.NoError(t, err)
		defer owner.Close()
		_, err = owner.Pool().Exec(t.Context(), "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", by.Seconds())
		require.NoError(t, err)
	}
	d.take("zelle")
	tier := func() (tier string) {
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT volume_tier FROM users WHERE id = $1`, d.user).Scan(&tier))
		return tier
	}
	count := func(sql string, args ...any) (n int) {
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), sql, args...).Scan(&n))
		return n
	}
	night := func() (changed int) {
		for after, more := "", true; more; more = after != "" {
			batch, err := customer.FollowTiers(t.Context(), d.db, after, 1)
			require.NoError(t, err)
			after, changed = batch.Last, changed+batch.Changed
		}
		d.counted()
		return changed
	}
	require.Equal(t, 1, night(), "gold was never earned")
	require.Equal(t, "bronze", tier())
	require.Zero(t, night(), "again changes nothing")

	d.exec(`UPDATE orders SET status = 'payment_approved', total = 5000000, paid_at = clock_now() - interval '29 days' WHERE id = $1`, d.order.ID)
	night()
	require.Equal(t, "gold", tier())
	in := account.StaffAction{CustomerID: d.user, ActorID: d.staff, ActorRole: "admin"}
	_, err := customer.SetTier(t.Context(), d.db, in, customer.TierChoice{Tier: "platinum"})
	require.NoError(t, err)
	require.Zero(t, night(), "what somebody set stands")
	forward(31 * 24 * time.Hour)
	require.Zero(t, night())
	require.Equal(t, "platinum", tier())
	forward(customer.TierByHandFor)
	night()
	require.Equal(t, "bronze", tier(), "until its end; what was bought is longer ago than 30 days")
	require.Equal(t, 3, count(`SELECT count(*) FROM audit_log WHERE action = 'customer.tier_followed' AND object_id = $1`, d.user))
	_, err = customer.SetTier(t.Context(), d.db, account.StaffAction{CustomerID: d.staff, ActorID: d.staff}, customer.TierChoice{Tier: "gold"})
	require.Equal(t, "own_account", store.ReasonOf(err))
}
