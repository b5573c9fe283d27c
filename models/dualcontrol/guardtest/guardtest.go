// Package guardtest is for tests only. It compares the rules of dualcontrol with the rules that they replaced, which asked about one object at a
// time. Tests run the old rules beside the new ones: nothing that an old rule rejects may be allowed now (decision 56).
package guardtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// receiptPeopleSQL selects the people whom the old rule barred from an order's coin: who confirmed a receipt, proposed one that
// is approved or open, or found or placed the money that became one.
const receiptPeopleSQL = `SELECT d.actor_id::text FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused'
	UNION SELECT p.proposed_by::text FROM order_proposals p WHERE p.order_id = orders.id AND p.kind = 'confirm_receipt' AND p.status IN ('open', 'approved')
	UNION SELECT unnest(ARRAY(SELECT u.opened_by::text FROM unplaced_money u WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.subject_id = u.id AND m.status = 'approved' WHERE u.decision_id = d.id)
	  || ARRAY(SELECT m.proposed_by::text FROM unplaced_money u JOIN money_proposals m ON m.id = u.id WHERE u.decision_id = d.id))
	  FROM decisions d WHERE d.order_id = orders.id AND d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused'`

// Compare fails the test if an old rule rejects something in this database that the new rules allow.
func Compare(ctx context.Context, t testing.TB, db *store.DB) {
	t.Helper()
	if t.Failed() {
		return
	}
	comparePeople(ctx, t, db)
	compareSums(ctx, t, db)
}

func comparePeople(ctx context.Context, t testing.TB, db *store.DB) {
	t.Helper()
	weaker, err := store.RowsOf[struct{ Missing string }](ctx, db, `SELECT orders.reference || ': ' || w.who AS missing FROM orders, LATERAL (`+receiptPeopleSQL+`) w(who)
		WHERE NOT EXISTS (SELECT FROM attestations a WHERE a.subject_kind = 'order' AND a.subject_id = orders.id::text AND a.kind = 'receipt' AND a.withdrawn_at IS NULL
		  AND w.who IN (a.by_id::text, a.second_by::text))`)
	require.NoError(t, err)
	require.Empty(t, weaker, "people who confirmed an order's money and may move its coin now")
}

// compareSums compares what single persons credited to each customer within a day: receipts, gift cards and returned payouts.
// A gift card whose counter-offer was declined, or ended by a rejection, was never credited: the old rule knew no
// counter-offers.
func compareSums(ctx context.Context, t testing.TB, db *store.DB) {
	t.Helper()
	old := map[string]money.Units{}
	receipts, err := store.RowsOf[struct {
		Customer string
		Sum      money.Units
	}](ctx, db, `SELECT o.user_id::text AS customer, CAST(d.data->>'amount' AS numeric) AS sum FROM decisions d JOIN orders o ON o.id = d.order_id
		WHERE d.kind = 'confirm_receipt' AND d.created_at > clock_now() - interval '1 day' AND d.outcome IS DISTINCT FROM 'refused'
		  AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id) AND coalesce(d.data->>'unplacedId', '') = ''
		UNION ALL SELECT p.user_id::text, p.amount FROM payouts p JOIN matter_decisions d ON d.matter = 'payout' AND d.matter_id = p.id
		WHERE d.kind = 'return' AND d.created_at > clock_now() - interval '1 day' AND coalesce(d.outcome_code, 'done') = 'done'
		  AND NOT EXISTS (SELECT FROM money_proposals m WHERE m.subject_id = p.id AND m.status = 'approved')`)
	require.NoError(t, err)
	for _, r := range receipts {
		old[r.Customer] = old[r.Customer].Add(r.Sum)
	}
	cards, err := store.RowsOf[struct {
		Customer string
		Value    money.Units
	}](ctx, db, `SELECT g.user_id::text AS customer, d.amount AS value FROM gift_card_decisions d JOIN gift_cards g ON g.id = d.card_id
		WHERE d.kind = 'approve' AND d.first_by IS NULL AND d.created_at > clock_now() - interval '1 day' AND coalesce(d.outcome_code, 'done') = 'done'
		  AND g.status NOT IN ('declined', 'rejected')`)
	require.NoError(t, err)
	for _, c := range cards {
		paid, err := pricing.CardPayout(c.Value)
		require.NoError(t, err)
		old[c.Customer] = old[c.Customer].Add(paid)
	}
	for customer, sum := range old {
		var now money.Units
		err := db.Row(ctx, `SELECT coalesce(sum(amount), 0) FROM attestations WHERE customer_id = $1 AND kind IN ('receipt', 'card_value', 'payout_returned')
			AND at > clock_now() - interval '1 day' AND NOT proposed AND withdrawn_at IS NULL`, customer).Scan(&now)
		require.NoError(t, err)
		require.GreaterOrEqual(t, now.Cmp(sum), 0, "%s was credited %s on single persons' statements, and attestations have %s", customer, sum, now)
	}
}

// Age makes attestations older by an interval of Postgres, as if that time had passed: those about subjects, or all if there
// are none. owner is the address of the database as the owner of its tables.
func Age(ctx context.Context, t testing.TB, owner, interval string, subjects ...string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, owner)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	tx, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "ALTER TABLE attestations DISABLE TRIGGER keep_attestation")
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "UPDATE attestations SET at = at - $1::interval, credited_at = credited_at - $1::interval WHERE cardinality($2::text[]) = 0 OR subject_id = ANY($2)",
		interval, append([]string{}, subjects...))
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "ALTER TABLE attestations ENABLE TRIGGER keep_attestation")
	require.NoError(t, err)
	require.NoError(t, tx.Commit(ctx))
}
