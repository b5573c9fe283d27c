package models_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// orderFixture is a shop with an admin, a teller who confirms receipts, a float and an open order.
type orderFixture struct {
	*shop
	staff, cashier string
	order          *order.Order
}

func openOrderFixture(t *testing.T) *orderFixture {
	d := &orderFixture{shop: openShop(t), staff: store.NewID(), cashier: store.NewID()}
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'staff', 's@example.com', true), ($2, 'test', 'teller', 't@example.com', true)`, d.staff, d.cashier)
	d.exec(`UPDATE kyc_pricing SET max_single_transaction = NULL, max_daily_volume = NULL, max_monthly_volume = NULL`)
	d.exec(`UPDATE risk_rules SET enabled = false`) // one person buys all day here
	d.exec(`UPDATE users SET volume_tier = 'gold' WHERE id = $1`, d.user)
	require.NoError(t, ledger.SeedFloat(t.Context(), d.db, "opening", []ledger.Posting{
		{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: money.FromInt(1_000_000_000)},
		{From: ledger.AccountEquity, To: ledger.AccountExchange, Currency: money.USD, Amount: money.FromInt(1_000_000_000)}}))
	return d
}

// take makes an order by a method.
func (d *orderFixture) take(method string) {
	d.Helper()
	d.price("50000")
	in := d.input("0.01")
	in.Method = method
	quote, err := d.quoter.Quote(d.Context(), in)
	require.NoError(d, err)
	d.order, err = d.shop.order(d.Context(), quote)
	require.NoError(d, err)
}

func (d *orderFixture) decide(kind string, data any) (string, error) {
	actor := map[string]string{order.DecisionCancel: d.user, order.DecisionConfirmReceipt: d.cashier}[kind]
	if actor == "" {
		actor = d.staff
	}
	decision, err := order.OpenDecision(d.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "why not", Data: data})
	if err != nil {
		return "", err
	}
	return decision.ID, nil
}

func (d *orderFixture) now() *order.Order {
	d.Helper()
	o, err := order.ReadOrder(d.Context(), d.db, d.order.ID)
	for store.Unreachable(err) { // a test ended the session
		o, err = order.ReadOrder(d.Context(), d.db, d.order.ID)
	}
	require.NoError(d, err)
	return o
}

func (d *orderFixture) balanced() {
	d.Helper()
	totals, err := ledger.TrialBalance(d.Context(), d.db)
	require.NoError(d, err)
	require.Empty(d, ledger.CheckTrialBalance(totals))
	d.counted()
}

var held = order.PaymentReading{PaymentID: "pi_1", Authorised: true, Brand: "visa", Last4: "4242"}

// reading is what Stripe says of the order's card.
func (d *orderFixture) reading(captured bool) order.PaymentReading {
	r := held
	r.PaymentID = "pi_" + d.order.ID
	r.Capturable, r.CaptureBefore = d.order.Total, time.Now().Add(time.Hour)
	if captured {
		r.Authorised, r.Captured, r.Capturable, r.Received = false, true, money.Units{}, d.order.Total
	}
	return r
}

// actions are all that can be done to an order, each as its activity does it.
// Doing one at a wrong moment must be refused, never booked.
func (d *orderFixture) actions(draw func(n int) int) map[string]func() error {
	ctx, id := d.Context(), d.order.ID
	byWith := func(kind string, data any, execute func(decision string) error) func() error {
		return func() error {
			decision, err := d.decide(kind, data)
			if err == nil {
				err = execute(decision)
			}
			if err != nil && decision != "" {
				err = errors.Join(err, order.RefuseDecision(ctx, d.db, decision, "refused"))
			}
			return err
		}
	}
	by := func(kind string, execute func(decision string) error) func() error { return byWith(kind, nil, execute) }
	transfer := func(status string) func() error {
		return func() error {
			job, err := order.CurrentTransfer(ctx, d.db, id)
			if err != nil || job.Done {
				return err
			}
			_, err = order.RecordTransfer(ctx, d.db, id, job.Withdrawal.Generation, execution.TransferReading{ID: "t" + job.Withdrawal.SequenceID,
				TxID: "tx" + job.Withdrawal.SequenceID, Status: status, Fee: money.FromInt(2000), FeeCurrency: money.BTC}, time.Now())
			return err
		}
	}
	fill := func(share int) func() error {
		return func() error {
			job, err := order.StartBuy(ctx, d.db, id, 100, 20*time.Second)
			if err != nil || job.Done {
				return err
			}
			coins := decimal.NewFromInt(int64(share)).Shift(-1).Mul(job.Order.Asset.Decimal(job.Order.Asked)).RoundDown(8)
			filled := money.BTC.FromDecimal(coins, money.Down)
			cost := money.USD.FromDecimal(coins.Mul(decimal.NewFromInt(50_000)), money.Up)
			return order.RecordFill(ctx, d.db, id, job.Order.Generation, fmt.Sprintf("O%s-%d", id, job.Order.Generation), execution.Fill{Filled: filled, Cost: cost, Fee: money.FromInt(int64(share))})
		}
	}
	return map[string]func() error{
		"authorise": func() error { return order.ApplyReading(ctx, d.db, id, d.reading(false), time.Now()) },
		"lapse": func() error {
			return order.ApplyReading(ctx, d.db, id, order.PaymentReading{PaymentID: "pi_" + id, Cancelled: true}, time.Now())
		},
		"process": by(order.DecisionProcess, func(decision string) error {
			if job, err := order.StartCapture(ctx, d.db, id, decision); err != nil || job.Done {
				return err
			}
			return order.Captured(ctx, d.db, id, decision, d.reading(true))
		}),
		"refused capture": by(order.DecisionProcess, func(decision string) error { return order.CaptureRefused(ctx, d.db, id, decision, "card_declined") }),
		"cancel": by(order.DecisionCancel, func(decision string) error {
			return order.EndUnpaid(ctx, d.db, id, order.Unpaid{How: order.ResolutionCancelled, DecisionID: decision})
		}),
		"fulfill":  by(order.DecisionFulfill, func(decision string) error { return order.Reserve(ctx, d.db, id, decision, 100) }),
		"hold":     by(order.DecisionHold, func(decision string) error { return order.HoldOrder(ctx, d.db, id, decision, true) }),
		"resume":   by(order.DecisionResume, func(decision string) error { return order.HoldOrder(ctx, d.db, id, decision, false) }),
		"buy":      fill(10),
		"buy part": fill(draw(10)),
		"fail buy": func() error { return order.StepFailed(d.Context(), d.db, id, execution.StepBuy, "refused", "") },
		"start transfer": func() error {
			_, err := order.StartTransfer(ctx, d.db, id, execution.Caps{Order: 100_000, Day: 1_000_000_000})
			return err
		},
		"broadcast": transfer(execution.TransferBroadcast),
		"confirm":   transfer(execution.TransferConfirmed),
		"reject":    transfer(execution.TransferRejected),
		"die":       transfer(execution.TransferFailed),
		"fail send": func() error { return order.StepFailed(d.Context(), d.db, id, execution.StepSend, "refused", "") },
		"mark sent": byWith(order.DecisionMarkSent, order.SentEvidence{TxID: "by hand " + id}, func(decision string) error { return order.MarkSent(ctx, d.db, id, decision) }),
		"mark this sent": func() error {
			job, err := order.CurrentTransfer(ctx, d.db, id)
			if err != nil || job.Done {
				return err
			}
			evidence := order.SentEvidence{TxID: "tx" + job.Withdrawal.SequenceID, TransferID: "t" + job.Withdrawal.SequenceID}
			return byWith(order.DecisionMarkSent, evidence, func(decision string) error { return order.MarkSent(ctx, d.db, id, decision) })()
		},
		"cap": func() error {
			_, err := order.StartTransfer(ctx, d.db, id, execution.Caps{Order: 1, Day: 1})
			return err
		},
		"pause":   func() error { return d.turned(true) },
		"unpause": func() error { return d.turned(false) },
		"go on":   func() error { return order.GoOn(ctx, d.db, id, 100, surplusTerms) },
		"revoke":  func() error { return d.identify("clock_now()") },
		"verify":  func() error { return d.identify("NULL") },
		"refund waits": by(order.DecisionRefund, func(decision string) error {
			job, err := order.StartRefund(ctx, d.db, id, decision)
			if err != nil || job.Done {
				return err
			}
			err = order.RecordRefund(ctx, d.db, id, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", id, job.Refund.Sequence), order.RefundPending, decision)
			return errors.Join(err, order.NeedPerson(ctx, d.db, id, order.AttentionRefundFailed, decision, ""))
		}),
		"refund arrives":     func() error { return d.refundRead(order.RefundSucceeded) },
		"refund called back": func() error { return d.refundRead(order.RefundFailed) },
		"retry": by(order.DecisionRetry, func(decision string) error {
			if d.now().Status == order.StatusPaymentApproved {
				return order.Reserve(ctx, d.db, id, decision, 100)
			}
			return order.RetryStep(ctx, d.db, id, decision)
		}),
		"refund": by(order.DecisionRefund, func(decision string) error {
			job, err := order.StartRefund(ctx, d.db, id, decision)
			if err != nil || job.Done {
				return err
			}
			return order.RecordRefund(ctx, d.db, id, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", id, job.Refund.Sequence), "succeeded", decision)
		}),
		"refund part":    func() error { return d.givePart(draw, order.RefundSucceeded) },
		"refused part":   func() error { return d.givePart(draw, order.RefundFailed) },
		"refund bounces": d.bounce,
		"refunded there": func() error { return d.refundedThere(draw) },
		"dispute":        func() error { return d.dispute(order.DisputeOpen) },
		"dispute won":    func() error { return d.dispute(order.DisputeWon) },
		"dispute lost":   func() error { return d.dispute(order.DisputeLost) },
		"accept dispute": func() error {
			_, err := order.OpenAnswer(ctx, d.db, order.NewAnswer{OrderID: id, Kind: order.DecisionAccept, ActorID: d.staff, ActorRole: "admin", Reason: "they are right"})
			return err
		},
	}
}

// turned turns the switch of all deliveries; setting its present state does nothing.
func (d *orderFixture) turned(pause bool) error {
	_, err := pricing.TurnSwitch(d.Context(), d.db, pricing.SwitchFulfilment, "", pause, store.Actor{ActorID: d.staff, ActorRole: "admin", Reason: "a test"})
	return err
}

func (d *orderFixture) identify(revokedAt string) error {
	_, err := d.db.Pool().Exec(d.Context(), `UPDATE kyc_records SET revoked_at = `+revokedAt+` WHERE user_id = $1`, d.user)
	return err
}

// refundRead records the state of the order's refund in progress as read.
func (d *orderFixture) refundRead(status string) error {
	rows, err := order.OrderRefunds(d.Context(), d.db, d.order.ID)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].ProviderID == nil || rows[len(rows)-1].DoneAt != nil {
		return err
	}
	last := rows[len(rows)-1]
	_, err = order.LearnRefund(d.Context(), d.db, d.order.ID, last.Sequence, *last.ProviderID, status)
	return err
}

// never fails a walk in which coin left beside a refund of the whole.
func (d *orderFixture) never(r *rapid.T, before, after *order.Order) {
	rows, err := order.OrderRefunds(d.Context(), d.db, d.order.ID)
	if err != nil {
		r.Fatal(err)
	}
	sends := after.Status == order.StatusSent && before.Status != order.StatusSent
	for _, row := range rows {
		if sends && row.Origin == "ours" && row.Carrier == "order" && row.Status != order.RefundFailed {
			r.Fatalf("sent beside a refund of the whole that is %s", row.Status)
		}
	}
	if after.ClosedAt == nil && after.Waits() {
		p, err := order.PaymentOf(d.Context(), d.db, d.order.ID)
		onItsWay := slices.ContainsFunc(rows, func(row order.Refund) bool { return row.DoneAt == nil })
		disputed := after.AttentionReason != nil && *after.AttentionReason == order.AttentionDisputed
		if err != nil || len(order.DecisionsFor(after, p)) == 0 && !onItsWay && !disputed {
			r.Fatalf("%s, waits for %s, and there is no way on (%v)", after.Status, *after.AttentionReason, err)
		}
	}
}

// goodDay is what usually happens next.
var goodDay = map[order.OrderStatus][]string{
	order.StatusPending:         {"authorise", "process"},
	order.StatusPaymentApproved: {"fulfill", "retry"},
	order.StatusFulfilling:      {"buy", "buy part"},
	order.StatusFilled:          {"start transfer", "broadcast"},
	order.StatusSent:            {"confirm", "confirm", "die", "reject"},
	order.StatusFailed:          {"retry", "refund"},
}

// checkUntil checks a property in further rounds until they have reached what
// it is about: one round, short in `make test`, may by chance not get there.
func checkUntil(t *testing.T, reached func() bool, property func(*rapid.T)) {
	t.Helper()
	for range 25 {
		if rapid.Check(t, property); t.Failed() || reached() {
			return
		}
	}
	t.Fatal("no round reached what the property is about")
}

// Whatever is done to an order, in whatever order and however often: refused or
// booked, and the books balance after each.
func TestBar22AnySequenceOfStepsKeepsTheBooksBalanced(t *testing.T) {
	d := openOrderFixture(t)
	ends := func() bool {
		var kinds int
		require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(DISTINCT status || coalesce(resolution, '')) FROM orders WHERE closed_at IS NOT NULL`).Scan(&kinds))
		return kinds > 2
	}
	checkUntil(t, ends, func(r *rapid.T) {
		_ = d.turned(false) // where the walk before left off
		_ = d.identify("NULL")
		d.take("card")
		names := rapid.SampledFrom([]string{"authorise", "authorise", "lapse", "process", "process", "refused capture", "cancel", "fulfill", "fulfill", "hold", "resume",
			"buy", "buy", "buy part", "fail buy", "start transfer", "start transfer", "broadcast", "confirm", "reject", "die", "fail send", "mark sent", "retry", "retry", "refund",
			"refund part", "refund part", "refused part", "refund bounces", "refunded there", "dispute", "dispute won", "dispute lost", "accept dispute",
			"refund waits", "refund waits", "refund waits", "refund arrives", "refund called back", "cap", "pause", "unpause", "go on", "revoke", "verify", "mark this sent"})
		for range rapid.IntRange(4, 24).Draw(r, "steps") {
			before := d.now()
			name := names.Draw(r, "step")
			if rapid.IntRange(1, 10).Draw(r, "luck") > 4 { // mostly a good day, so that orders get far
				name = rapid.SampledFrom(goodDay[before.Status]).Draw(r, "good step")
			}
			err := d.actions(func(n int) int { return rapid.IntRange(1, n-1).Draw(r, "share") })[name]()
			if err != nil && store.CodeOf(err) != store.CodeConflict {
				r.Fatalf("%s of an order that is %s: %v", name, before.Status, err)
			}
			after := d.now()
			r.Logf("%s: %s → %s (%v)", name, before.Status, after.Status, err)
			if after.Status != before.Status && !order.CanMove(before.Status, after.Status) {
				r.Fatalf("%s moved the order from %s to %s", name, before.Status, after.Status)
			}
			d.never(r, before, after)
		}
		if totals, err := ledger.TrialBalance(t.Context(), d.db); err != nil || len(ledger.CheckTrialBalance(totals)) > 0 {
			r.Fatalf("%v %v", ledger.CheckTrialBalance(totals), err)
		}
		d.settled(r)
	})
}

// settled checks what a closed order must have left behind: nothing owed,
// nothing reserved, no conversion open.
func (d *orderFixture) settled(r *rapid.T) {
	o := d.now()
	if o.ClosedAt == nil {
		return
	}
	if left, err := order.Refundable(d.Context(), d.db, o); err != nil || left.Sign() < 0 || o.Refunded.Cmp(o.Total) > 0 {
		r.Fatalf("$%s given back of $%s", o.Refunded, o.Total)
	}
	d.emptied(r)
}

// emptied checks that a closed order's accounts are empty.
func (d *orderFixture) emptied(r *rapid.T) {
	o := d.now()
	record, err := order.ReadOrderRecord(d.Context(), d.db, o.ID)
	require.NoError(d, err)
	balance := map[string]money.Units{}
	for _, p := range record.Postings {
		balance[p.ToAccount+string(p.Currency)] = balance[p.ToAccount+string(p.Currency)].Add(p.Amount)
		balance[p.FromAccount+string(p.Currency)] = balance[p.FromAccount+string(p.Currency)].Sub(p.Amount)
	}
	for _, account := range []string{"prepaid_ordersUSD", "wallet_reserved:bitcoinBTC", "conversionUSD", "conversionBTC"} {
		if sum := balance[account]; !sum.IsZero() {
			r.Fatalf("a closed order (%s) leaves %s in %s", o.Status, sum, account)
		}
	}
}

func TestCustodySendsOnlyWhatIsPaidAndWithinItsCaps(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	d.exec(`UPDATE orders SET status = 'filled', paid_at = now() WHERE id = $1`, d.order.ID)
	_, err := order.StartTransfer(t.Context(), d.db, d.order.ID, execution.Caps{Order: 100_000, Day: 100_000})
	require.Equal(t, "not_paid", store.ReasonOf(err), "an order that says it is filled, without money in the ledger")

	d.take("zelle")
	decision, err := d.decide(order.DecisionConfirmReceipt, order.Receipt{Amount: d.order.Total, ReceivedOn: "2026-11-20", BankReference: "R1"})
	require.NoError(t, err)
	require.NoError(t, order.ConfirmReceipt(t.Context(), d.db, d.order.ID, decision, surplusTerms))
	d.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, d.order.ID)
	for _, caps := range []execution.Caps{{Order: 499, Day: 100_000}, {Order: 100_000, Day: 499}} {
		job, err := order.StartTransfer(t.Context(), d.db, d.order.ID, caps)
		require.NoError(t, err)
		require.True(t, job.Done)
		require.Equal(t, casework.AttentionCaps, *d.now().AttentionReason)
	}
	job, err := order.StartTransfer(t.Context(), d.db, d.order.ID, execution.Caps{Order: 500, Day: 500})
	require.NoError(t, err)
	require.False(t, job.Done)
	require.Equal(t, fmt.Sprintf("ord-%s-send-1", d.order.ID), job.Withdrawal.SequenceID)
}

// A transaction that replaced another with a higher fee: the wallet pays the fee of the one in a block, once.
func TestFeeOfAReplacementTransactionIsBooked(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	job, err := order.CurrentTransfer(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	for range 2 {
		for _, status := range []string{execution.TransferBroadcast, execution.TransferConfirmed} {
			_, err = order.RecordTransfer(t.Context(), d.db, d.order.ID, job.Withdrawal.Generation, execution.TransferReading{ID: "bumped", TxID: "another",
				Status: status, Fee: money.FromInt(3000), FeeCurrency: money.BTC}, time.Now())
			require.NoError(t, err)
		}
	}
	record, err := order.ReadOrderRecord(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	var fees money.Units
	for _, p := range record.Postings {
		if p.ToAccount == ledger.AccountNetworkFee {
			require.Equal(t, ledger.WalletAccount(money.Bitcoin), p.FromAccount)
			fees = fees.Add(p.Amount)
		}
	}
	require.Equal(t, "3000", fees.String())
	job, err = order.CurrentTransfer(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.True(t, job.Done, "an attempt that died after it wrote the end leaves nothing to follow")
	d.balanced()
}

// A capture that is reported once the order has ended, against what Stripe said before, pays nothing.
func TestACaptureReportedAfterTheEndPaysNothing(t *testing.T) {
	d := openOrderFixture(t)
	d.take("card")
	ctx, id := d.Context(), d.order.ID
	require.NoError(d, order.ApplyReading(ctx, d.db, id, d.reading(false), time.Now()))
	decision, err := d.decide(order.DecisionProcess, nil)
	require.NoError(d, err)
	_, err = order.StartCapture(ctx, d.db, id, decision)
	require.NoError(d, err)
	d.do("lapse")
	require.Equal(t, "order_state", store.ReasonOf(order.Captured(ctx, d.db, id, decision, d.reading(true))))
	require.Equal(t, order.StatusFailed, d.now().Status)
	require.Nil(t, d.now().PaidAt)
}

// A transfer that dies after it was sent: on Bitcoin no block contains it, and its fee is the wallet's again.
func TestFeeOfATransferThatWasNeverMinedComesBack(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	job, err := order.CurrentTransfer(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.False(t, job.Withdrawal.Fee.IsZero(), "a fee was booked as it was sent")
	_, err = order.RecordTransfer(t.Context(), d.db, d.order.ID, job.Withdrawal.Generation, execution.TransferReading{ID: *job.Withdrawal.TransferID,
		Status: execution.TransferFailed, Fee: job.Withdrawal.Fee, FeeCurrency: money.BTC}, time.Now())
	require.NoError(t, err)
	record, err := order.ReadOrderRecord(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	var spent money.Units
	for _, p := range record.Postings {
		switch ledger.AccountNetworkFee {
		case p.ToAccount:
			spent = spent.Add(p.Amount)
		case p.FromAccount:
			spent = spent.Sub(p.Amount)
		}
	}
	require.Equal(t, "0", spent.String())
	d.balanced()
}

func TestDecisionsAreOneAtATimeAndNeverOnOnesOwnOrder(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	_, err := order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: order.DecisionReject, ActorID: d.user, Reason: "mine"})
	require.Equal(t, "own_order", store.ReasonOf(err))
	_, err = order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: order.DecisionReject, ActorID: d.staff})
	require.Equal(t, store.CodeInvalid, store.CodeOf(err), "without a reason")
	_, err = d.decide(order.DecisionFulfill, nil)
	require.Equal(t, "order_state", store.ReasonOf(err))
	first, err := d.decide(order.DecisionReject, nil)
	require.NoError(t, err)
	_, err = d.decide(order.DecisionCancel, nil)
	require.Equal(t, "decision_open", store.ReasonOf(err))
	require.NoError(t, order.EndUnpaid(t.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionDeclined, DecisionID: first}))
	var code string
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), "SELECT outcome_code FROM decisions WHERE id = $1", first).Scan(&code))
	require.Equal(t, casework.DecisionDone, code)
}

func TestAnEventOfAKindThatIsNotListedIsRefused(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	err := order.ChangeOrder(t.Context(), d.db, d.order.ID, func(c *order.OrderChange) error { return c.Event(casework.Event{Kind: "telepathy"}) })
	require.ErrorContains(t, err, "telepathy")
	require.ElementsMatch(t, order.EventKinds, slices.Compact(slices.Sorted(slices.Values(order.EventKinds))), "each kind once")
}

// What waits for an order's lock happens after what it waited for: its time is
// not that of its beginning, or the order's timeline would go back in time.
func TestTheTimeOfAChangeIsAfterItsWait(t *testing.T) {
	d := openOrderFixture(t)
	d.take("zelle")
	first, err := d.db.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = first.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = first.Exec(t.Context(), "SELECT FROM orders WHERE id = $1 FOR UPDATE", d.order.ID)
	require.NoError(t, err)
	changed := make(chan time.Time, 1)
	go func() {
		_ = order.ChangeOrder(t.Context(), d.db, d.order.ID, func(c *order.OrderChange) error {
			changed <- c.Now
			return nil
		})
	}()
	require.Eventually(t, func() bool {
		var waits bool
		err := d.db.Pool().QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	}, time.Minute, 5*time.Millisecond)
	var released time.Time
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&released))
	require.NoError(t, first.Rollback(t.Context()))
	require.False(t, (<-changed).Before(released))
}

// Coin that was bought as reported late, while its order was failed, is not bought again.
func TestCoinThatWasBoughtAfterAllIsNotBoughtAgain(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	d.do("fulfill")
	job, err := order.StartBuy(t.Context(), d.db, d.order.ID, 100, 20*time.Second)
	require.NoError(t, err)
	d.do("fail buy")
	require.Equal(t, order.StatusFailed, d.now().Status)
	bought := execution.Fill{Filled: job.Order.Asked, Cost: d.order.BasePrice, Fee: cents(10)}
	require.NoError(t, order.RecordFill(t.Context(), d.db, d.order.ID, job.Order.Generation, "O-late", bought))
	d.do("retry")
	again, err := order.StartBuy(t.Context(), d.db, d.order.ID, 100, 20*time.Second)
	require.NoError(t, err)
	require.True(t, again.Done)
	require.Equal(t, order.StatusFilled, d.now().Status)
	d.do("start transfer", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	d.balanced()
}
