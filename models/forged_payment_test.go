package models_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// as is the shop's database as a process connects to it.
func (s *shop) as(process string) *store.DB {
	s.Helper()
	db, err := store.Open(s.Context(), s.dbs.Process[process], store.Options{MaxConns: 2})
	require.NoError(s, err)
	s.Cleanup(db.Close)
	return db
}

// Whoever has the API's connection books no payment of an order and no money received for one. What Postgres books from a
// balance is an order's own.
func TestTheAPIBooksNoPayment(t *testing.T) {
	s := openShop(t)
	id, api := s.ordered().ID, s.as("api")
	for _, event := range []string{"captured", "receipt_confirmed", "receipt_allocated", "paid_from_balance", "money_received", "money_left_over"} {
		err := order.ChangeOrder(t.Context(), api, id, func(c *order.OrderChange) error {
			return c.Post(event, event, order.CapturedPostings(c.Order)...)
		})
		require.ErrorContains(t, err, "the API does not book "+event, asvs.Claim(t, "13.2.2"))
	}
	_, err := api.Pool().Exec(t.Context(), `SELECT pay_from_balance($1)`, id)
	require.ErrorContains(t, err, "does not wait for a payment from the balance")
	_, err = s.as("core").Pool().Exec(t.Context(), `SELECT pay_from_balance($1)`, id)
	require.ErrorContains(t, err, "permission denied")
}

// A payment that the API booked nonetheless counts for nothing: exchange buys nothing, custody sends nothing, whatever the
// other workers made of it, and staff are alerted. The same payment by a worker is bought and sent.
func TestPaymentThatTheAPIBookedBuysAndSendsNothing(t *testing.T) {
	for process, counts := range map[string]bool{"api": false, "payments": true} {
		for event, lines := range map[string]func(*order.Order) []ledger.Posting{"captured": order.CapturedPostings, "receipt_confirmed": order.ReceiptPostings} {
			t.Run(process+" "+event, func(t *testing.T) {
				s := openShop(t)
				owner, err := pgx.Connect(t.Context(), s.dbs.Owner)
				require.NoError(t, err)
				t.Cleanup(func() { _ = owner.Close(context.WithoutCancel(t.Context())) })
				_, err = owner.Exec(t.Context(), `ALTER TABLE postings DISABLE TRIGGER booked_by_others`)
				require.NoError(t, err)
				id := s.ordered().ID
				require.NoError(t, order.ChangeOrder(t.Context(), s.as(process), id, func(c *order.OrderChange) error {
					return store.FirstError(c.Post(event, event, lines(c.Order)...), c.Move(order.StatusPaymentApproved))
				}))
				s.exec(`UPDATE orders SET status = 'fulfilling' WHERE id = $1`, id)
				_, bought := order.StartBuy(t.Context(), s.as("exchange"), id, 100, time.Minute)
				s.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, id)
				_, sent := order.StartTransfer(t.Context(), s.as("custody"), id, execution.Caps{Order: 100_000, Day: 500_000})
				require.NoError(t, reporting.WatchAlerts(t.Context(), s.db, reporting.AlertLimits{Books: time.Hour}, false))
				alerts, err := reporting.OpenAlerts(t.Context(), s.db)
				require.NoError(t, err)
				forged := slices.ContainsFunc(alerts, func(a reporting.Alert) bool {
					return a.Kind == reporting.AlertBooks && a.Subject == "payments booked by the API"
				})
				var begun int
				require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM exchange_orders) + (SELECT count(*) FROM withdrawals)`).Scan(&begun))
				require.Equal(t, !counts, forged, "the alert")
				if counts {
					require.NoError(t, store.FirstError(bought, sent))
					require.Equal(t, 2, begun)
					return
				}
				require.Equal(t, []string{"not_paid", "not_paid"}, []string{store.ReasonOf(bought), store.ReasonOf(sent)})
				require.Zero(t, begun)
			})
		}
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
