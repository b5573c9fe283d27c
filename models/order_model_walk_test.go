package models_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// seen is where the order stands by its rows, as far as the model says it.
func (d *desk) seen() orderModel {
	d.Helper()
	o := d.now()
	m := orderModel{Status: string(o.Status), Closed: o.ClosedAt != nil, Held: o.Held, Resolution: string(valueOf(o.Resolution)), Waits: valueOf(o.AttentionReason), FailedStep: valueOf(o.FailedStep)}
	quarters := func(cents int64) int { return int((cents*price + d.total()/2) / d.total()) }
	var pending, back, there, taken, settled int64
	err := d.db.Pool().QueryRow(d.Context(), `SELECT
		(SELECT authorised_at IS NOT NULL FROM payments WHERE order_id = $1),
		coalesce((SELECT CASE WHEN bool_or(done_at IS NULL) THEN 'buying' WHEN sum(filled) > 0 THEN 'bought' END FROM exchange_orders WHERE order_id = $1), ''),
		coalesce((SELECT status FROM withdrawals WHERE order_id = $1 ORDER BY generation DESC LIMIT 1), ''),
		(SELECT coalesce(sum(amount) FILTER (WHERE done_at IS NULL), 0) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(bool_or(carrier = 'order' AND done_at IS NULL), false) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(sum(amount) FILTER (WHERE status = 'succeeded' AND origin = 'ours'), 0) FROM refunds WHERE order_id = $1),
		(SELECT coalesce(sum(amount) FILTER (WHERE status = 'succeeded' AND origin = 'provider'), 0) FROM refunds WHERE order_id = $1),
		coalesce((SELECT CASE status WHEN 'under_review' THEN 'open' ELSE status END FROM disputes WHERE order_id = $1), ''),
		(SELECT coalesce(sum(withdrawn - reinstated), 0) FROM disputes WHERE order_id = $1),
		(SELECT coalesce(sum(settled), 0) FROM disputes WHERE order_id = $1)`, d.order.ID).
		Scan(&m.Authorised, &m.Coin, &m.Transfer, &pending, &m.PendingWhole, &back, &there, &m.Dispute, &taken, &settled)
	require.NoError(d, err)
	m.Pending, m.Back, m.There, m.Taken, m.Settled = quarters(pending), quarters(back), quarters(there), quarters(taken), quarters(settled)
	if slices.Contains([]string{"refused", "rejected", "failed"}, m.Transfer) {
		m.Transfer = "dead"
	}
	return m
}

func (d *desk) total() int64 {
	cents, _ := d.order.Total.Int64()
	return cents
}

func valueOf[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}

// visible leaves out of the model's state what no row of the order says.
func (o orderModel) visible() orderModel {
	o.ThereNew, o.Paused, o.NoIdentity = false, false, false
	if o.Coin == "reserved" {
		o.Coin = ""
	}
	if o.Pending == 0 {
		o.PendingWhole = false
	}
	return o
}

// steps does the model's events as the activities and providers do them.
func (d *desk) steps() map[string]func() error {
	ctx, id := d.Context(), d.order.ID
	known := d.actions(func(int) int { return 9 })
	steps := map[string]func() error{}
	for _, name := range []string{"authorise", "process", "cancel", "fulfill", "hold", "resume", "fail buy", "fail send", "start transfer", "broadcast", "confirm", "die", "retry"} {
		steps[name] = known[name]
	}
	maps.Copy(steps, map[string]func() error{
		"start buy": func() error {
			_, err := d.db.StartBuy(ctx, id, 100, 20*time.Second)
			return err
		},
		"fill": func() error {
			var generation int
			err := d.db.Pool().QueryRow(ctx, "SELECT coalesce(max(generation), 0) FROM exchange_orders WHERE order_id = $1 AND done_at IS NULL", id).Scan(&generation)
			if err != nil || generation == 0 {
				return err
			}
			return d.db.RecordFill(ctx, id, generation, fmt.Sprintf("O%s-%d", id, generation), models.Fill{Filled: d.order.Amount, Cost: d.order.BasePrice, Fee: money.FromInt(9)})
		},
		"mark sent": func() error {
			return d.decided(models.DecisionMarkSent, models.SentEvidence{TxID: "by-hand-" + id}, func(decision string) error { return d.db.MarkSent(ctx, id, decision) })
		},
		"refund":          d.wholeRefundWaits,
		"refund part":     d.partRefundWaits,
		"refund succeeds": func() error { return d.refundEnds(models.RefundSucceeded) },
		"refund fails":    func() error { return d.refundEnds(models.RefundFailed) },
		"refunded there":  func() error { return d.refundedThere(func(int) int { return 10 }) },
		"dispute": func() error {
			if disputes, err := d.db.Disputes(ctx, id); err != nil || len(disputes) > 0 {
				return err
			}
			return d.dispute(models.DisputeOpen)
		},
		"dispute won":  func() error { return d.disputeEnds(models.DisputeWon) },
		"dispute lost": func() error { return d.disputeEnds(models.DisputeLost) },
		"pause":        func() error { return d.turnSwitch(true) }, "take back pause": func() error { return d.turnSwitch(false) },
		"withdraw identity": func() error { d.exec("UPDATE kyc_records SET revoked_at = clock_now()"); return nil },
		"verify again":      func() error { d.exec("UPDATE kyc_records SET revoked_at = NULL"); return nil },
		"go on":             func() error { return d.db.GoOn(ctx, id, 100) },
	})
	return steps
}

// decided takes a decision and has it carried out, as the order's workflow does.
func (d *desk) decided(kind string, data any, carry func(decision string) error) error {
	decision, err := d.decide(kind, data)
	if err != nil {
		return err
	}
	if err := carry(decision); err != nil {
		return errors.Join(err, d.db.RefuseDecision(d.Context(), decision, "refused"))
	}
	return nil
}

// wholeRefundWaits is a refund of all that is left which Stripe still carries out when
// the workflow's budget for it is over.
func (d *desk) wholeRefundWaits() error {
	ctx, id := d.Context(), d.order.ID
	return d.decided(models.DecisionRefund, nil, func(decision string) error {
		job, err := d.db.StartRefund(ctx, id, decision)
		if err != nil || job.Done {
			return err
		}
		if err := d.db.RecordRefund(ctx, id, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", id, job.Refund.Sequence), models.RefundPending, ""); err != nil {
			return err
		}
		return d.db.NeedPerson(ctx, id, models.AttentionRefundFailed, decision)
	})
}

// partRefundWaits is a refund of a quarter that Stripe still carries out.
func (d *desk) partRefundWaits() error {
	ctx, o := d.Context(), d.now()
	left, err := d.db.Refundable(ctx, o)
	if err != nil {
		return err
	}
	quarter := d.total() / price
	if cents, _ := left.Int64(); cents < 2*quarter {
		quarter = cents
	}
	row, err := d.part(quarter)
	if err != nil {
		return err
	}
	if _, err := d.db.StartGiveBack(ctx, o.ID, row.Sequence); err != nil {
		return err
	}
	return d.db.RecordRefund(ctx, o.ID, row.Sequence, fmt.Sprintf("re_%s_%d", o.ID, row.Sequence), models.RefundPending, "")
}

// refundEnds is what Stripe says in the end of the refund that is under way, to
// whoever reads it.
func (d *desk) refundEnds(status string) error {
	rows, err := d.db.OrderRefunds(d.Context(), d.order.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.DoneAt != nil {
			continue
		}
		if r.Carrier == "own" {
			return d.db.RecordRefund(d.Context(), d.order.ID, r.Sequence, *r.ProviderID, status, "")
		}
		_, err = d.db.LearnRefund(d.Context(), d.order.ID, r.Sequence, *r.ProviderID, status)
		return err
	}
	return nil
}

func (d *desk) disputeEnds(status string) error {
	disputes, err := d.db.Disputes(d.Context(), d.order.ID)
	if err != nil || len(disputes) == 0 || disputes[0].ClosedAt != nil {
		return err
	}
	return d.dispute(status)
}

// turnSwitch pauses all deliveries or resumes them; where they stand so, nothing changes.
func (d *desk) turnSwitch(paused bool) error {
	_, err := d.db.TurnSwitch(d.Context(), models.SwitchFulfilment, "", paused, models.By{ActorID: d.staff, ActorRole: "admin", Reason: "the walk"})
	if models.CodeOf(err) == models.CodeConflict {
		return nil
	}
	return err
}

// Whatever happens to an order, in whatever order: the code makes of it what the
// model says, or refuses it where the model does, and the books balance.
func TestOrdersGoAsTheirModelSays(t *testing.T) {
	d := openDesk(t)
	names := slices.Sorted(maps.Keys(orderRules))
	taken := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		require.NoError(t, d.turnSwitch(false))
		d.exec("UPDATE kyc_records SET revoked_at = NULL")
		d.take("card")
		model := orderModel{Status: "pending"}
		steps := d.steps()
		for range rapid.IntRange(6, 26).Draw(r, "events") {
			event := rapid.SampledFrom(names).Draw(r, "event")
			if rapid.IntRange(1, 10).Draw(r, "luck") > 4 { // mostly something that changes the order
				event = rapid.SampledFrom(model.changing(names)).Draw(r, "change")
			}
			after, allowed := orderRules[event](model)
			err := steps[event]()
			if err != nil && models.CodeOf(err) != models.CodeConflict {
				r.Fatalf("%s of %+v: %v", event, model, err)
			}
			if seen := d.seen(); seen != after.visible() {
				r.Fatalf("%s of\n%+v (%v) makes\n%+v\nand the model says\n%+v", event, model, err, seen, after.visible())
			}
			if allowed != (err == nil) {
				r.Fatalf("%s of %+v: %v, and the model allows it: %v", event, model, err, allowed)
			}
			taken[event]++
			model = after
		}
		d.settled(r)
	})
	d.balanced()
	for _, event := range names {
		require.NotZero(t, taken[event], "%s never happened", event)
	}
}

// changing are the events that change a state.
func (o orderModel) changing(names []string) (some []string) {
	for _, name := range names {
		if after, ok := orderRules[name](o); ok && after != o {
			some = append(some, name)
		}
	}
	if len(some) == 0 {
		return names
	}
	return some
}
