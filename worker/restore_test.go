package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/workflows"
)

// A backup of Postgres alone is put back: the order's workflow answered a decision that
// its row holds open again, and stands where the row does not. The decision is refused,
// the workflow reads its row again, and the order is bought and sent once.
func TestWorkflowThatIsAheadOfARestoredRow(t *testing.T) {
	h := open(t)
	o := h.paid()
	h.must(o.ID, workflows.Hold, nil)
	h.exec(`UPDATE orders SET held = false, swept_at = NULL, workflow_started_at = clock_now() - interval '1 day', created_at = created_at - interval '1 day' WHERE id = $1`, o.ID)
	h.exec(`UPDATE decisions SET settled_at = NULL, outcome = NULL, outcome_code = NULL, delivered_at = clock_now() - interval '1 hour' WHERE order_id = $1 AND kind = 'hold'`, o.ID)
	marked, err := correction.NoteRestored(t.Context(), h.db, "command:somebody")
	require.NoError(t, err)
	require.EqualValues(t, 1, marked.Orders)

	h.sweep()
	var outcome *string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT outcome_code FROM decisions WHERE order_id = $1 AND kind = 'hold'`, o.ID).Scan(&outcome))
	require.Equal(t, "not_awaited", text(outcome))
	h.until("the workflow to wait for Fulfill", func() bool { return h.decide(o.ID, workflows.Fulfill, nil).OK() })
	require.Equal(t, order.StatusSent, h.closed(o.ID).Status)
	require.Equal(t, 1, h.effects()["bitgo/send"])
	h.books()
}

// The same of a gift card's decision and a payout's, which their workflows answered.
func TestCaseWhoseAnsweredDecisionIsOpenAgain(t *testing.T) {
	h := open(t)
	h.rich()
	p := h.payOut(3_000, true)
	require.Equal(t, workflows.Done, h.decidePayout(p.ID, payout.PayoutApprove, h.staff).Code)
	for _, table := range []string{"gift_card_decisions", "matter_decisions"} {
		h.exec(`UPDATE ` + table + ` SET settled_at = NULL, outcome_code = NULL, delivered_at = clock_now() - interval '1 hour'`)
	}
	h.sweep()
	for _, table := range []string{"gift_card_decisions", "matter_decisions"} {
		var outcome *string
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT outcome_code FROM `+table).Scan(&outcome))
		require.Equal(t, "not_awaited", text(outcome), table)
	}
	h.books()

	for _, restored := range []bool{false, true} {
		if restored {
			_, err := correction.NoteRestored(t.Context(), h.db, "command:somebody")
			require.NoError(t, err)
		}
		h.exec(`UPDATE gift_cards SET swept_at = NULL, workflow_started_at = clock_now() - interval '1 day', created_at = created_at - interval '1 day'`)
		found, err := (&activities.Sweep{DB: h.db, Grace: time.Millisecond, Revive: time.Hour}).Find(t.Context())
		require.NoError(t, err)
		require.Len(t, found.Cards, 1)
		require.Equal(t, restored, len(found.LateCards) == 1, "the workflow of a restored card reads it again")
	}
}
