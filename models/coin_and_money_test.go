package models_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

var wideCaps = execution.Caps{Order: 100_000, Day: 1_000_000_000}

// waits reports what the order waits for; "" is nothing.
func (d *orderFixture) waits() string {
	if reason := d.now().AttentionReason; reason != nil {
		return *reason
	}
	return ""
}

// choices are what staff can decide now.
func (d *orderFixture) choices() []string {
	d.Helper()
	p, err := order.PaymentOf(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return order.DecisionsFor(d.now(), p)
}

// parkedAt pays an order and brings it to a status where it waits for a person.
func (d *orderFixture) parkedAt(status order.OrderStatus) {
	d.Helper()
	d.pay()
	switch status {
	case order.StatusFulfilling:
		d.do("fulfill")
		require.NoError(d, order.NeedPerson(d.Context(), d.db, d.order.ID, casework.AttentionPrice, "", ""))
	case order.StatusFilled:
		d.do("fulfill", "buy")
		job, err := order.StartTransfer(d.Context(), d.db, d.order.ID, execution.Caps{Order: 1, Day: 1})
		require.NoError(d, err)
		require.True(d, job.Done)
	case order.StatusFailed:
		d.do("fulfill", "fail buy")
	}
	require.Equal(d, status, d.now().Status)
}

// refundWaits decides to refund all of it, and has Stripe process it for longer than the workflow waits. It gives the
// refund's number.
func (d *orderFixture) refundWaits() int {
	d.Helper()
	decision, err := d.decide(order.DecisionRefund, nil)
	require.NoError(d, err)
	job, err := order.StartRefund(d.Context(), d.db, d.order.ID, decision)
	require.NoError(d, err)
	require.NoError(d, order.RecordRefund(d.Context(), d.db, d.order.ID, job.Refund.Sequence, "re_"+d.order.ID, order.RefundPending, decision))
	require.NoError(d, order.NeedPerson(d.Context(), d.db, d.order.ID, order.AttentionRefundFailed, decision, ""))
	require.Equal(d, order.AttentionRefundPending, d.waits())
	return job.Refund.Sequence
}

// onward tries everything that leads to coin, each as its activity does it, and
// whatever its row says of a decision.
func (d *orderFixture) onward() {
	d.Helper()
	ctx, id := d.Context(), d.order.ID
	for _, kind := range []string{order.DecisionFulfill, order.DecisionRetry, order.DecisionAmendAddress, order.DecisionMarkSent} {
		require.NotContains(d, d.choices(), kind)
		_, err := d.decide(kind, nil)
		require.Equal(d, store.CodeConflict, store.CodeOf(err), kind)
		execute := map[string]func(decision string) error{
			order.DecisionFulfill:      func(n string) error { return order.Reserve(ctx, d.db, id, n, 100) },
			order.DecisionRetry:        func(n string) error { return order.RetryStep(ctx, d.db, id, n) },
			order.DecisionAmendAddress: func(n string) error { return order.AmendAddress(ctx, d.db, id, n) },
			order.DecisionMarkSent:     func(n string) error { return order.MarkSent(ctx, d.db, id, n) },
		}[kind]
		decision := store.NewID() // made before the refund was opened
		d.exec(`INSERT INTO decisions (id, order_id, kind, actor_id, reason, data) VALUES ($1, $2, $3, $4, 'early', $5)`, decision, id, kind, d.staff,
			`{"txid": "by hand", "address": "bc1q0ht9tyks4vh7p5p904t340cr9nvahy7u3re7zg"}`)
		before := d.now().Status
		if err := execute(decision); err == nil {
			require.Contains(d, []string{order.DecisionFulfill, order.DecisionRetry}, kind)
		}
		require.Equal(d, before, d.now().Status, kind)
		require.NoError(d, order.RefuseDecision(ctx, d.db, decision, "refused"))
	}
	for range 2 {
		buy, err := order.StartBuy(ctx, d.db, id, 100, time.Minute)
		require.NoError(d, err)
		require.True(d, buy.Done)
		send, err := order.StartTransfer(ctx, d.db, id, wideCaps)
		require.NoError(d, err)
		require.True(d, send.Done)
		require.NoError(d, order.GoOn(ctx, d.db, id, 100, surplusTerms))
	}
	if status := d.now().Status; status == order.StatusFulfilling || status == order.StatusFilled || status == order.StatusPaymentApproved {
		may, err := order.MaySend(ctx, d.db, id)
		require.NoError(d, err)
		require.False(d, may)
		require.Equal(d, order.AttentionRefundPending, d.waits())
	}
}

// A whole refund in progress at Stripe when its order's workflow has stopped waiting for it: no coin is bought or
// sent, whatever is decided, and its outcome is booked by any reader.
func TestNoCoinLeavesWhileARefundRuns(t *testing.T) {
	for _, status := range []order.OrderStatus{order.StatusPaymentApproved, order.StatusFulfilling, order.StatusFilled, order.StatusFailed} {
		for _, received := range []string{"notice", "sweep"} {
			t.Run(string(status)+" "+received, func(t *testing.T) {
				d := openOrderFixture(t)
				d.parkedAt(status)
				sequence := d.refundWaits()
				d.onward()
				_, err := d.part(100)
				require.Equal(t, "refund_open", store.ReasonOf(err))
				switch received {
				case "notice":
					for range 2 {
						known, err := order.LearnRefund(t.Context(), d.db, d.order.ID, sequence, "re_"+d.order.ID, order.RefundSucceeded)
						require.NoError(t, err)
						require.True(t, known)
					}
				case "sweep":
					d.exec(`UPDATE refunds SET created_at = created_at - interval '1 hour'`)
					found, err := order.OrphanRefunds(t.Context(), d.db, time.Minute, time.Hour, 10)
					require.NoError(t, err)
					require.Equal(t, []order.Part{{OrderID: d.order.ID, Sequence: sequence}}, found)
					job, err := order.StartGiveBack(t.Context(), d.db, d.order.ID, sequence)
					require.NoError(t, err)
					require.True(t, job.SentBefore)
					require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, sequence, "re_"+d.order.ID, order.RefundSucceeded, ""))
				}
				o := d.now()
				require.Equal(t, order.ResolutionRefunded, *o.Resolution)
				require.NotNil(t, o.ClosedAt)
				require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
				require.Equal(t, "0.00", d.balanceOf(ledger.AccountClearing))
				d.balanced()
			})
		}
	}
}

// Refused after all: the order can be retried, and refunded again.
func TestARefundThatFailsLateLetsTheOrderGoOn(t *testing.T) {
	d := openOrderFixture(t)
	d.parkedAt(order.StatusFilled)
	sequence := d.refundWaits()
	known, err := order.LearnRefund(t.Context(), d.db, d.order.ID, sequence, "re_"+d.order.ID, order.RefundFailed)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, order.AttentionRefundFailed, d.waits())
	require.Contains(t, d.choices(), order.DecisionRetry)
	d.do("refund")
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	d.balanced()
}

// While its order's workflow owns a refund, no other process writes to it. The sweep does not request all of the
// money of an order whose coin may be on its way.
func TestARefundIsLeftToTheWorkflowThatOwnsIt(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	decision, err := d.decide(order.DecisionRefund, nil)
	require.NoError(t, err)
	job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
	require.NoError(t, err)
	d.exec(`UPDATE refunds SET created_at = created_at - interval '1 hour'`)
	found, err := order.OrphanRefunds(t.Context(), d.db, time.Minute, time.Hour, 10)
	require.NoError(t, err)
	require.Empty(t, found)
	for _, status := range []string{order.RefundSucceeded, order.RefundFailed} {
		_, err = order.LearnRefund(t.Context(), d.db, d.order.ID, job.Refund.Sequence, "re_1", status)
		require.NoError(t, err)
		require.Nil(t, d.now().ClosedAt)
	}
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, decision, "refused"))
	d.exec(`UPDATE orders SET status = 'sent', sent_at = now(), txid = 'x' WHERE id = $1`, d.order.ID) // by a release without the guard
	_, err = order.StartGiveBack(t.Context(), d.db, d.order.ID, job.Refund.Sequence)
	require.Equal(t, store.CodeConflict, store.CodeOf(err), "never asked for at Stripe, and the coin has left")
}

// A refund of a part holds the coin up until it is there; then the order continues.
func TestARefundOfAPartHoldsTheCoinUp(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill")
	row, err := d.part(500)
	require.NoError(t, err)
	buy, err := order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	require.True(t, buy.Done)
	require.Equal(t, order.AttentionRefundPending, d.waits())
	require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, row.Sequence, "re_part", order.RefundSucceeded, ""))
	require.Empty(t, d.waits())
	d.do("buy", "start transfer", "broadcast", "confirm")
	d.balanced()
}

// coinOf is what an account moved of a coin for this order, in base units.
func (d *orderFixture) coinOf(account string, asset money.Currency) string {
	d.Helper()
	var sum money.Units
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT coalesce(sum(CASE to_account WHEN $1 THEN amount ELSE -amount END), 0) FROM postings
		WHERE order_id = $2 AND currency = $3 AND $1 IN (from_account, to_account)`, account, d.order.ID, asset).Scan(&sum))
	return sum.String()
}

// A replacement's fee that is another at confirmation than at broadcast is booked as often as it changes, and the
// order ends.
func TestAFeeSettledTwiceEndsTheOrder(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	job, err := order.CurrentTransfer(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	for _, reported := range []struct {
		txid, status string
		fee          int64
	}{{"a", execution.TransferBroadcast, 3000}, {"b", execution.TransferBroadcast, 2500}, {"b", execution.TransferRemoved, 2500}, {"a", execution.TransferBroadcast, 3000}, {"a", execution.TransferConfirmed, 2800}} {
		for range 2 {
			_, err = order.RecordTransfer(t.Context(), d.db, d.order.ID, job.Withdrawal.Generation, execution.TransferReading{ID: "bumped", TxID: reported.txid,
				Status: reported.status, Fee: money.FromInt(reported.fee), FeeCurrency: money.BTC}, time.Now())
			require.NoError(t, err, "%s at %d", reported.status, reported.fee)
		}
	}
	require.NotNil(t, d.now().ClosedAt)
	require.Equal(t, "2800", d.coinOf(ledger.AccountNetworkFee, money.BTC))
	d.balanced()
}

// Coin that the exchange's minimum had us buy beyond what was missing is stock,
// however the order ends and however often it is sent.
func TestCoinBoughtBeyondTheOrderIsStock(t *testing.T) {
	for name, steps := range map[string][]string{
		"sent": {"start transfer", "broadcast", "confirm"}, "died and sent again": {"start transfer", "broadcast", "die", "retry", "start transfer", "broadcast", "confirm"},
		"died and refunded": {"start transfer", "broadcast", "die", "refund"}, "refunded": {"fail send", "refund"}, "marked": {"fail send", "mark by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.exec(`UPDATE markets SET min_amount = 0.0001 WHERE asset = 'BTC'`)
			d.pay()
			d.do("fulfill")
			d.buys("0.00994", "0.0001")
			for _, step := range steps {
				if step == "mark by hand" {
					d.mark(order.SentEvidence{TxID: "by hand"})
					continue
				}
				d.do(step)
			}
			require.NotNil(t, d.now().ClosedAt)
			require.Equal(t, "0", d.coinOf(ledger.AccountConversion, money.BTC))
			if d.now().Status == order.StatusSent {
				require.Equal(t, "-4000", d.coinOf(ledger.AccountTrading, money.BTC))
			}
			d.balanced()
		})
	}
}

// buys fills the order in parts.
func (d *orderFixture) buys(parts ...string) {
	d.Helper()
	for _, part := range parts {
		job, err := order.StartBuy(d.Context(), d.db, d.order.ID, 100, 20*time.Second)
		require.NoError(d, err)
		require.False(d, job.Done)
		filled, err := money.BTC.Parse(part)
		require.NoError(d, err)
		require.LessOrEqual(d, filled.Cmp(job.Order.Asked), 0)
		require.NoError(d, order.RecordFill(d.Context(), d.db, d.order.ID, job.Order.Generation, "O"+store.NewID(), execution.Fill{Filled: filled, Cost: money.FromInt(100), Fee: money.FromInt(1)}))
	}
	require.Equal(d, order.StatusFilled, d.now().Status)
}

// mark marks the order as sent.
func (d *orderFixture) mark(evidence order.SentEvidence) {
	d.Helper()
	decision, err := d.decide(order.DecisionMarkSent, evidence)
	require.NoError(d, err)
	require.NoError(d, order.MarkSent(d.Context(), d.db, d.order.ID, decision))
}

// Orders that were sent by a release which left such coin in conversion: closed ones,
// and one whose transfer dies later.
func TestMigrationMovesCoinLeftInConversionToStock(t *testing.T) {
	text, err := os.ReadFile("migrations/00080_overbought_is_stock.sql")
	require.NoError(t, err)
	up, _, _ := strings.Cut(string(text), "-- +goose Down")
	for _, after := range []string{"confirm", "die"} {
		t.Run(after, func(t *testing.T) {
			d := openOrderFixture(t)
			d.exec(`UPDATE markets SET min_amount = 0.0001 WHERE asset = 'BTC'`)
			d.pay()
			d.do("fulfill")
			d.buys("0.00994", "0.0001")
			d.do("start transfer", "broadcast")
			d.owner(`ALTER TABLE postings DISABLE TRIGGER append_only`)
			d.owner(`DELETE FROM postings WHERE event = 'sent' AND from_account = 'trading_difference' AND currency = 'BTC'`)
			d.owner(`ALTER TABLE postings ENABLE TRIGGER append_only`)
			require.Equal(t, "-4000", d.coinOf(ledger.AccountConversion, money.BTC))
			for range 2 {
				d.owner(up)
				require.Equal(t, "0", d.coinOf(ledger.AccountConversion, money.BTC))
				require.Equal(t, "-4000", d.coinOf(ledger.AccountTrading, money.BTC))
			}
			d.do(after)
			if after == "die" {
				require.Equal(t, "0", d.coinOf(ledger.AccountTrading, money.BTC))
				d.do("refund")
			}
			require.Equal(t, "0", d.coinOf(ledger.AccountConversion, money.BTC))
			d.balanced()
		})
	}
}

// Beside a transfer that may still happen, an order is marked as sent only by that transfer: its coin is booked once,
// whatever custody reports later.
func TestMarkedSentBesideAnOpenTransferIsThatTransfer(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	require.NoError(t, order.NeedPerson(t.Context(), d.db, d.order.ID, casework.AttentionSendUnknown, "", ""))
	_, err := d.decide(order.DecisionMarkSent, order.SentEvidence{TxID: "by hand"})
	require.Equal(t, "transfer_open", store.ReasonOf(err))
	proposal, err := order.Propose(t.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionMarkSent, Data: order.SentEvidence{TxID: "by hand"}, ActorID: d.staff, ActorRole: "admin", Reason: "seen"})
	require.Equal(t, "transfer_open", store.ReasonOf(err), "%v", proposal)

	d.mark(order.SentEvidence{TxID: "on the chain", TransferID: "custody-1"})
	o := d.now()
	require.NotNil(t, o.ClosedAt)
	require.Equal(t, "on the chain", *o.TxID)
	news, err := order.RecordTransfer(t.Context(), d.db, o.ID, 1, execution.TransferReading{ID: "custody-1", TxID: "on the chain", Status: execution.TransferConfirmed}, time.Now())
	require.NoError(t, err)
	require.False(t, news)
	var known int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM withdrawals WHERE order_id = $1 AND transfer_id = 'custody-1' AND status = 'confirmed' AND txid = 'on the chain'`, o.ID).Scan(&known))
	require.Equal(t, 1, known, "custody's statement finds it")
	require.Equal(t, "0", d.coinOf(ledger.ReservedAccount(money.Bitcoin), money.BTC))
	d.balanced()

	d.pay() // another order: that transfer has an order already
	d.do("fulfill", "buy", "start transfer")
	require.NoError(t, order.NeedPerson(t.Context(), d.db, d.order.ID, casework.AttentionSendUnknown, "", ""))
	_, err = d.decide(order.DecisionMarkSent, order.SentEvidence{TxID: "x", TransferID: "custody-1"})
	require.Equal(t, "transfer_other", store.ReasonOf(err))
	d.do("fail send") // the row of the transfer is open still
	_, err = d.decide(order.DecisionMarkSent, order.SentEvidence{TxID: "x"})
	require.Equal(t, "transfer_open", store.ReasonOf(err))
	require.NoError(t, order.TransferRefused(t.Context(), d.db, d.order.ID, 1))
	d.mark(order.SentEvidence{TxID: "by hand"})
	require.NotNil(t, d.now().ClosedAt)
	d.balanced()
}

// A refund that succeeded is read again at intervals while its bank may return it, each in its turn.
func TestSettledRefundsAreReadAgain(t *testing.T) {
	d := openOrderFixture(t)
	var ids []string
	for range 3 {
		d.pay()
		d.do("refund")
		ids = append(ids, d.order.ID)
	}
	poll := func(limit int) []string {
		found, err := order.SettledRefunds(t.Context(), d.db, 72*time.Hour, 60*24*time.Hour, limit)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, poll(10), "just made")
	d.ahead("73 hours")
	require.Len(t, poll(2), 2)
	rest := poll(2)
	require.Len(t, rest, 1)
	require.Contains(t, ids, rest[0])
	require.Empty(t, poll(2))
	d.ahead("60 days")
	require.Empty(t, poll(10), "too old")
}
