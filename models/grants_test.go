package models_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/store"
)

// Each role has what the table of grants lists, of tables and of columns, and no more; what is granted beside it is gone
// after the next migration.
func TestEachRoleHasWhatIsGranted(t *testing.T) {
	s := openShop(t)
	check := func(wantLacking, wantBeyond []string) {
		t.Helper()
		lacking, beyond, err := store.Rights(t.Context(), s.db)
		require.NoError(t, err)
		require.Equal(t, wantLacking, lacking)
		require.Equal(t, wantBeyond, beyond, asvs.Claim(t, "13.2.2"))
	}
	check(nil, nil)
	for _, sql := range []string{"GRANT UPDATE (total), DELETE ON orders TO tradepost_api", "GRANT SELECT ON devices TO tradepost_custody", "REVOKE INSERT ON ledger_snapshots FROM tradepost_core"} {
		_, err := s.asOwner(t).Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	check([]string{"tradepost_core INSERT ledger_snapshots max_at", "tradepost_core INSERT ledger_snapshots through_id"},
		[]string{"tradepost_api DELETE orders", "tradepost_api UPDATE orders total", "tradepost_custody SELECT devices device_hash", "tradepost_custody SELECT devices first_seen_at",
			"tradepost_custody SELECT devices last_seen_at", "tradepost_custody SELECT devices user_id"})
	require.NoError(t, store.Migrate(t.Context(), s.dbs.Owner))
	check(nil, nil)
}

// A table of grants that names what is no table, column or role grants nothing: it is found.
func TestGrantsAndPrivateNameTablesThatThereAre(t *testing.T) {
	s := openShop(t)
	for _, table := range slices.Concat(slices.Collect(maps.Keys(store.Grants)), slices.Collect(maps.Keys(store.Private))) {
		var is bool
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), "SELECT to_regclass($1) IS NOT NULL", table).Scan(&is))
		require.True(t, is, table)
	}
}

// asOwner is a connection as the owner of the tables.
func (s *shop) asOwner(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.dbs.Owner)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// Whoever has the API's connection writes nothing that custody takes for done: no transfer, nothing bought, no order or
// redemption that is bought or sent, no other amount or address of one, no move of the treasury that was sent, and
// nothing of a ledger line, event, audit line or seal that stands.
func TestTheAPIWritesNothingThatCustodyTakesForDone(t *testing.T) {
	s := openShop(t)
	id := s.ordered().ID
	s.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed)
		VALUES (gen_random_uuid(), 'PO-1', $1, 5000, 'requested', 'iban', 'DE', '1234', 'sealed', 1)`, s.user)
	api, err := pgx.Connect(t.Context(), s.dbs.Process["api"])
	require.NoError(t, err)
	t.Cleanup(func() { _ = api.Close(t.Context()) })
	copied := func(status string) string {
		return `INSERT INTO orders SELECT (jsonb_populate_record(o, '{"id": "00000000-0000-4000-8000-000000000001", "reference": "forged", "quote_id": null, "status": "` + status + `"}')).* FROM orders o LIMIT 1`
	}
	for _, forged := range []string{
		"UPDATE orders SET status = 'fulfilling'", "UPDATE orders SET status = 'filled'", "UPDATE orders SET status = 'sent'",
		"UPDATE orders SET dest_address = 'mine'", "UPDATE orders SET amount = amount * 2", "UPDATE orders SET total = 1", "UPDATE orders SET network = 'tron'",
		"UPDATE orders SET user_id = user_id", "UPDATE orders SET txid = 'x'", "UPDATE orders SET sent_at = now()", "UPDATE orders SET confirmed_at = now()",
		"UPDATE orders SET resumed_at = now()", "UPDATE orders SET bitgo_transfer_id = 'x'", "UPDATE orders SET kraken_order_id = 'x'", "DELETE FROM orders",
		"INSERT INTO withdrawals DEFAULT VALUES", "UPDATE withdrawals SET status = 'dead'", "DELETE FROM withdrawals",
		"INSERT INTO exchange_orders DEFAULT VALUES", "UPDATE exchange_orders SET filled = 1",
		"UPDATE voucher_redemptions SET status = 'filled'", "UPDATE voucher_redemptions SET dest_address = 'mine'", "UPDATE voucher_redemptions SET amount = 1",
		"UPDATE treasury_moves SET amount = 1", "UPDATE treasury_moves SET txid = 'x'", "UPDATE treasury_moves SET withdraw_key = 'mine'", "DELETE FROM treasury_moves",
		"UPDATE payouts SET status = 'paid'", "UPDATE payouts SET amount = 1", "UPDATE payouts SET sealed_account = NULL",
		"UPDATE decisions SET kind = 'fulfil'", "UPDATE decisions SET actor_id = NULL", "UPDATE decisions SET data = '{}'", "DELETE FROM decisions",
		"UPDATE payments SET amount = 1", "UPDATE payments SET capture_generation = 9",
		"UPDATE postings SET amount = 1", "DELETE FROM postings", "UPDATE order_events SET kind = 'x'", "DELETE FROM order_events",
		"UPDATE audit_log SET reason = ''", "DELETE FROM audit_log", "INSERT INTO audit_seals (through_id, hash) VALUES (1, '')", "DELETE FROM audit_seals",
		"UPDATE receipts SET amount = 1", "UPDATE providers SET name = 'mine'", "UPDATE daily_prices SET ask = 1", "DELETE FROM daily_prices", "UPDATE clock SET ahead = '1 day'", "TRUNCATE orders",
		"SET SESSION AUTHORIZATION tradepost_custody", "SET ROLE tradepost_custody",
	} {
		var refusal *pgconn.PgError
		_, err := api.Exec(t.Context(), forged)
		require.ErrorAs(t, err, &refusal, forged)
		require.Equal(t, "42501", refusal.Code, "%s: %v: %s", forged, err, asvs.Claim(t, "13.2.2"))
	}
	for _, status := range []string{"payment_approved", "fulfilling", "filled", "sent"} {
		_, err := api.Exec(t.Context(), copied(status))
		require.ErrorContains(t, err, "the API does not write orders "+status)
	}
	_, err = api.Exec(t.Context(), `INSERT INTO orders SELECT (jsonb_populate_record(o, '{"id": "00000000-0000-4000-8000-000000000001", "reference": "forged", "quote_id": null, "total": 1}')).* FROM orders o LIMIT 1`)
	require.ErrorContains(t, err, "the API does not sell coin of")
	for _, raised := range []string{"amount = amount + 1", "base_price = base_price + 1", "reduced = reduced - 1",
		"amount = amount - 1, base_price = base_price + 1, reduced = reduced + 1"} {
		var refusal *pgconn.PgError
		_, err = api.Exec(t.Context(), "UPDATE orders SET "+raised+" WHERE id = $1", id)
		require.ErrorAs(t, err, &refusal, raised)
		require.Equal(t, "42501", refusal.Code, raised)
		require.Contains(t, refusal.Message, "the API does not raise the coin of an order", raised)
	}
	const less = "UPDATE orders SET amount = amount - 1, base_price = base_price - 1, reduced = reduced + 1 WHERE id = $1"
	_, err = api.Exec(t.Context(), less, id)
	require.NoError(t, err, "less coin, as its customer agrees")
	_, err = api.Exec(t.Context(), "UPDATE orders SET status = 'failed' WHERE id = $1", id)
	require.NoError(t, err, "an order that ends unpaid is the API's to end")
}
