package models_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// Whoever has the API's connection can write that a card was captured, and move the order to paid; custody sends nothing
// for it, whatever the other workers made of it, and staff are alerted. The same capture by the payments worker is sent.
func TestCaptureThatTheAPIBookedIsNotSent(t *testing.T) {
	for process, sent := range map[string]bool{"api": false, "payments": true} {
		t.Run(process, func(t *testing.T) {
			s := openShop(t)
			id := s.ordered().ID
			db, err := store.Open(t.Context(), s.dbs.Process[process], store.Options{MaxConns: 2})
			require.NoError(t, err)
			t.Cleanup(db.Close)
			require.NoError(t, order.ChangeOrder(t.Context(), db, id, func(c *order.OrderChange) error {
				return store.FirstError(c.Post("captured", "captured", order.CapturedPostings(c.Order)...), c.Move(order.StatusPaymentApproved))
			}))
			s.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, id)
			custody, err := store.Open(t.Context(), s.dbs.Process["custody"], store.Options{MaxConns: 2})
			require.NoError(t, err)
			t.Cleanup(custody.Close)
			job, err := order.StartTransfer(t.Context(), custody, id, execution.Caps{Order: 100_000, Day: 500_000})
			require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, reporting.AlertLimits{Books: time.Hour}, false))
			alerts, failed := reporting.OpenAlerts(t.Context(), s.db)
			require.NoError(t, failed)
			forged := slices.ContainsFunc(alerts, func(a reporting.Alert) bool {
				return a.Kind == reporting.AlertBooks && a.Subject == "captures booked by the API"
			})
			require.Equal(t, !sent, forged, "the alert")
			if sent {
				require.NoError(t, err)
				require.NotEmpty(t, job.Withdrawal.SequenceID)
				return
			}
			require.Equal(t, "not_paid", store.ReasonOf(err))
			var transfers int
			require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM withdrawals`).Scan(&transfers))
			require.Zero(t, transfers)
		})
	}
}

// No process says who wrote a line of the ledger.
func TestWhoWroteALineIsPostgresToSay(t *testing.T) {
	s := openShop(t)
	for _, role := range store.Roles {
		var may bool
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT has_column_privilege($1, 'postings', 'written_by', 'INSERT, UPDATE')`, role).Scan(&may))
		require.False(t, may, role)
	}
}
