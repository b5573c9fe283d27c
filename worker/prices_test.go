package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
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
