package worker

import (
	"maps"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/workflows"
)

// A market that was closed when its rules were read is read again soon: it opens with
// the exchange, long before the next reading of all rules.
func TestMarketOpensAgainWithTheExchange(t *testing.T) {
	h := open(t)
	open := func() (open bool) {
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT coalesce(bool_and(tradable), false) FROM markets").Scan(&open))
		return open
	}
	h.until("the markets to be read", open)
	h.control("/control/kraken/status", map[string]string{"status": "cancel_only"})
	h.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
		AND (CAST(classid AS bigint) << 32 | CAST(objid AS bigint)) = hashtextextended('price poller', 0)`)
	h.until("the rules to be read by the next leader", func() bool { return !open() })
	h.control("/control/kraken/status", map[string]string{"status": "online"})
	h.until("the markets to be open", open)
}

// A coin that the exchange takes off its list closes alone: the others are priced and sold as before, and its market
// opens again when it is listed again.
func TestDelistedCoinClosesAlone(t *testing.T) {
	h := open(t)
	stands := func() (tradable map[string]bool) {
		tradable = map[string]bool{}
		rows, err := h.db.Pool().Query(t.Context(), "SELECT asset, tradable FROM markets")
		require.NoError(t, err)
		var asset string
		var is bool
		_, err = pgx.ForEachRow(rows, []any{&asset, &is}, func() error { tradable[asset] = is; return nil })
		require.NoError(t, err)
		return tradable
	}
	nextLeader := func() { // reads the rules at once
		h.exec(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
			AND (CAST(classid AS bigint) << 32 | CAST(objid AS bigint)) = hashtextextended('price poller', 0)`)
	}
	all := map[string]bool{"BTC": true, "ETH": true, "USDC": true, "USDT": true}
	h.until("the markets to be read", func() bool { return maps.Equal(all, stands()) })
	h.control("/control/kraken/listing", map[string]string{"pair": "USDTUSD", "listed": "false"})
	nextLeader()
	h.until("one market to close", func() bool {
		return maps.Equal(map[string]bool{"BTC": true, "ETH": true, "USDC": true, "USDT": false}, stands())
	})
	var last time.Time
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT max(priced_at) FROM markets WHERE asset = 'BTC'").Scan(&last))
	h.until("another price of another coin", func() (later bool) {
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT priced_at > $1 FROM markets WHERE asset = 'BTC'", last).Scan(&later))
		return later
	})
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	h.closed(o.ID)
	h.control("/control/kraken/listing", map[string]string{"pair": "USDTUSD"})
}
