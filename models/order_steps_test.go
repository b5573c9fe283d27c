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

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// desk is a shop with an admin, a teller who confirms receipts, a float and an
// order being carried out.
type desk struct {
	*shop
	staff, teller string
	order         *models.Order
}

func openDesk(t *testing.T) *desk {
	d := &desk{shop: openShop(t), staff: models.NewID(), teller: models.NewID()}
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'staff', 's@example.com', true), ($2, 'test', 'teller', 't@example.com', true)`, d.staff, d.teller)
	d.exec(`UPDATE kyc_pricing SET max_single_transaction = NULL, max_daily_volume = NULL, max_monthly_volume = NULL`)
	d.exec(`UPDATE risk_rules SET enabled = false`) // one person buys all day here
	d.exec(`UPDATE users SET volume_tier = 'gold' WHERE id = $1`, d.user)
	require.NoError(t, d.db.SeedFloat(t.Context(), "opening", []models.Posting{
		{From: models.AccountEquity, To: models.WalletAccount("bitcoin"), Currency: money.BTC, Amount: money.FromInt(1_000_000_000)},
		{From: models.AccountEquity, To: models.AccountExchange, Currency: money.USD, Amount: money.FromInt(1_000_000_000)}}))
	return d
}

// take makes an order by a method.
func (d *desk) take(method string) {
	d.Helper()
	d.price("50000")
	in := d.input("0.01")
	in.Method = method
	quote, err := d.quoter.Quote(d.Context(), in)
	require.NoError(d, err)
	d.order, err = d.shop.order(d.Context(), quote)
	require.NoError(d, err)
}

func (d *desk) decide(kind string, data any) (string, error) {
	actor := map[string]string{models.DecisionCancel: d.user, models.DecisionConfirmReceipt: d.teller}[kind]
	if actor == "" {
		actor = d.staff
	}
	decision, err := d.db.OpenDecision(d.Context(), models.NewDecision{OrderID: d.order.ID, Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "why not", Data: data})
	if err != nil {
		return "", err
	}
	return decision.ID, nil
}

func (d *desk) now() *models.Order {
	d.Helper()
	o, err := d.db.Order(d.Context(), d.order.ID)
	for models.Unreachable(err) { // a test ended the session
		o, err = d.db.Order(d.Context(), d.order.ID)
	}
	require.NoError(d, err)
	return o
}

func (d *desk) balanced() {
	d.Helper()
	totals, err := d.db.TrialBalance(d.Context())
	require.NoError(d, err)
	require.Empty(d, models.CheckTrialBalance(totals))
	d.counted()
}

var held = models.PaymentReading{PaymentID: "pi_1", Authorised: true, Brand: "visa", Last4: "4242"}

// reading is what Stripe says of the order's card.
func (d *desk) reading(captured bool) models.PaymentReading {
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
func (d *desk) actions(draw func(n int) int) map[string]func() error {
	ctx, id := d.Context(), d.order.ID
	byWith := func(kind string, data any, carry func(decision string) error) func() error {
		return func() error {
			decision, err := d.decide(kind, data)
			if err == nil {
				err = carry(decision)
			}
			if err != nil && decision != "" {
				err = errors.Join(err, d.db.RefuseDecision(ctx, decision, "refused"))
			}
			return err
		}
	}
	by := func(kind string, carry func(decision string) error) func() error { return byWith(kind, nil, carry) }
	transfer := func(status string) func() error {
		return func() error {
			job, err := d.db.CurrentTransfer(ctx, id)
			if err != nil || job.Done {
				return err
			}
			_, err = d.db.RecordTransfer(ctx, id, job.Withdrawal.Generation, models.TransferReading{ID: "t" + job.Withdrawal.SequenceID,
				TxID: "tx" + job.Withdrawal.SequenceID, Status: status, Fee: money.FromInt(2000), FeeCurrency: money.BTC}, time.Now())
			return err
		}
	}
	fill := func(share int) func() error {
		return func() error {
			job, err := d.db.StartBuy(ctx, id, 100, 20*time.Second)
			if err != nil || job.Done {
				return err
			}
			coins := decimal.NewFromInt(int64(share)).Shift(-1).Mul(job.Order.Asset.Decimal(job.Order.Asked)).RoundDown(8)
			filled := money.BTC.FromDecimal(coins, money.Down)
			cost := money.USD.FromDecimal(coins.Mul(decimal.NewFromInt(50_000)), money.Up)
			return d.db.RecordFill(ctx, id, job.Order.Generation, fmt.Sprintf("O%s-%d", id, job.Order.Generation), models.Fill{Filled: filled, Cost: cost, Fee: money.FromInt(int64(share))})
		}
	}
	return map[string]func() error{
		"authorise": func() error { return d.db.ApplyReading(ctx, id, d.reading(false), time.Now()) },
		"lapse": func() error {
			return d.db.ApplyReading(ctx, id, models.PaymentReading{PaymentID: "pi_" + id, Cancelled: true}, time.Now())
		},
		"process": by(models.DecisionProcess, func(decision string) error {
			if _, err := d.db.StartCapture(ctx, id, decision); err != nil {
				return err
			}
			return d.db.Captured(ctx, id, decision, d.reading(true))
		}),
		"refused capture": by(models.DecisionProcess, func(decision string) error { return d.db.CaptureRefused(ctx, id, decision, "card_declined") }),
		"cancel": by(models.DecisionCancel, func(decision string) error {
			return d.db.EndUnpaid(ctx, id, models.Unpaid{How: models.ResolutionCancelled, DecisionID: decision})
		}),
		"fulfill":  by(models.DecisionFulfill, func(decision string) error { return d.db.Reserve(ctx, id, decision, 100) }),
		"hold":     by(models.DecisionHold, func(decision string) error { return d.db.HoldOrder(ctx, id, decision, true) }),
		"resume":   by(models.DecisionResume, func(decision string) error { return d.db.HoldOrder(ctx, id, decision, false) }),
		"buy":      fill(10),
		"buy part": fill(draw(10)),
		"fail buy": func() error { return d.db.StepFailed(d.Context(), id, models.StepBuy, "refused") },
		"start transfer": func() error {
			_, err := d.db.StartTransfer(ctx, id, models.Caps{Order: 100_000, Day: 1_000_000_000})
			return err
		},
		"broadcast": transfer(models.TransferBroadcast),
		"confirm":   transfer(models.TransferConfirmed),
		"reject":    transfer(models.TransferRejected),
		"die":       transfer(models.TransferFailed),
		"fail send": func() error { return d.db.StepFailed(d.Context(), id, models.StepSend, "refused") },
		"mark sent": byWith(models.DecisionMarkSent, models.SentEvidence{TxID: "by hand " + id}, func(decision string) error { return d.db.MarkSent(ctx, id, decision) }),
		"mark this sent": func() error {
			job, err := d.db.CurrentTransfer(ctx, id)
			if err != nil || job.Done {
				return err
			}
			evidence := models.SentEvidence{TxID: "tx" + job.Withdrawal.SequenceID, TransferID: "t" + job.Withdrawal.SequenceID}
			return byWith(models.DecisionMarkSent, evidence, func(decision string) error { return d.db.MarkSent(ctx, id, decision) })()
		},
		"cap":     func() error { _, err := d.db.StartTransfer(ctx, id, models.Caps{Order: 1, Day: 1}); return err },
		"pause":   func() error { return d.turned(true) },
		"unpause": func() error { return d.turned(false) },
		"go on":   func() error { return d.db.GoOn(ctx, id, 100) },
		"revoke":  func() error { return d.identify("clock_now()") },
		"verify":  func() error { return d.identify("NULL") },
		"refund waits": by(models.DecisionRefund, func(decision string) error {
			job, err := d.db.StartRefund(ctx, id, decision)
			if err != nil || job.Done {
				return err
			}
			err = d.db.RecordRefund(ctx, id, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", id, job.Refund.Sequence), models.RefundPending, decision)
			return errors.Join(err, d.db.NeedPerson(ctx, id, models.AttentionRefundFailed, decision))
		}),
		"refund arrives":     func() error { return d.hears(models.RefundSucceeded) },
		"refund called back": func() error { return d.hears(models.RefundFailed) },
		"retry": by(models.DecisionRetry, func(decision string) error {
			if d.now().Status == models.StatusPaymentApproved {
				return d.db.Reserve(ctx, id, decision, 100)
			}
			return d.db.RetryStep(ctx, id, decision)
		}),
		"refund": by(models.DecisionRefund, func(decision string) error {
			job, err := d.db.StartRefund(ctx, id, decision)
			if err != nil || job.Done {
				return err
			}
			return d.db.RecordRefund(ctx, id, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", id, job.Refund.Sequence), "succeeded", decision)
		}),
		"refund part":    func() error { return d.givePart(draw, models.RefundSucceeded) },
		"refused part":   func() error { return d.givePart(draw, models.RefundFailed) },
		"refund bounces": d.bounce,
		"refunded there": func() error { return d.refundedThere(draw) },
		"dispute":        func() error { return d.dispute(models.DisputeOpen) },
		"dispute won":    func() error { return d.dispute(models.DisputeWon) },
		"dispute lost":   func() error { return d.dispute(models.DisputeLost) },
		"accept dispute": func() error {
			_, err := d.db.OpenAnswer(ctx, models.NewAnswer{OrderID: id, Kind: models.DecisionAccept, ActorID: d.staff, ActorRole: "admin", Reason: "they are right"})
			return err
		},
	}
}

// turned turns the switch of all deliveries; where it stands so, nothing happens.
func (d *desk) turned(pause bool) error {
	_, err := d.db.TurnSwitch(d.Context(), models.SwitchFulfilment, "", pause, models.By{ActorID: d.staff, ActorRole: "admin", Reason: "a test"})
	return err
}

func (d *desk) identify(revokedAt string) error {
	_, err := d.db.Pool().Exec(d.Context(), `UPDATE kyc_records SET revoked_at = `+revokedAt+` WHERE user_id = $1`, d.user)
	return err
}

// hears has somebody read what became of the order's refund that is under way.
func (d *desk) hears(status string) error {
	rows, err := d.db.OrderRefunds(d.Context(), d.order.ID)
	if err != nil || len(rows) == 0 || rows[len(rows)-1].ProviderID == nil || rows[len(rows)-1].DoneAt != nil {
		return err
	}
	last := rows[len(rows)-1]
	_, err = d.db.LearnRefund(d.Context(), d.order.ID, last.Sequence, *last.ProviderID, status)
	return err
}

// never fails a walk in which coin left beside a refund of the whole.
func (d *desk) never(r *rapid.T, before, after *models.Order) {
	rows, err := d.db.OrderRefunds(d.Context(), d.order.ID)
	if err != nil {
		r.Fatal(err)
	}
	sends := after.Status == models.StatusSent && before.Status != models.StatusSent
	for _, row := range rows {
		if sends && row.Origin == "ours" && row.Carrier == "order" && row.Status != models.RefundFailed {
			r.Fatalf("sent beside a refund of the whole that is %s", row.Status)
		}
	}
	if after.ClosedAt == nil && after.Waits() {
		p, err := d.db.PaymentOf(d.Context(), d.order.ID)
		onItsWay := slices.ContainsFunc(rows, func(row models.Refund) bool { return row.DoneAt == nil })
		disputed := after.AttentionReason != nil && *after.AttentionReason == models.AttentionDisputed
		if err != nil || len(models.DecisionsFor(after, p)) == 0 && !onItsWay && !disputed {
			r.Fatalf("%s, waits for %s, and there is no way on (%v)", after.Status, *after.AttentionReason, err)
		}
	}
}

// goodDay is what usually happens next.
var goodDay = map[models.OrderStatus][]string{
	models.StatusPending:         {"authorise", "process"},
	models.StatusPaymentApproved: {"fulfill", "retry"},
	models.StatusFulfilling:      {"buy", "buy part"},
	models.StatusFilled:          {"start transfer", "broadcast"},
	models.StatusSent:            {"confirm", "confirm", "die", "reject"},
	models.StatusFailed:          {"retry", "refund"},
}

// Whatever is done to an order, in whatever order and however often: refused or
// booked, and the books balance after each.
func TestBar22AnySequenceOfStepsKeepsTheBooksBalanced(t *testing.T) {
	d := openDesk(t)
	rapid.Check(t, func(r *rapid.T) {
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
			if err != nil && models.CodeOf(err) != models.CodeConflict {
				r.Fatalf("%s of an order that is %s: %v", name, before.Status, err)
			}
			after := d.now()
			r.Logf("%s: %s → %s (%v)", name, before.Status, after.Status, err)
			if after.Status != before.Status && !models.CanMove(before.Status, after.Status) {
				r.Fatalf("%s moved the order from %s to %s", name, before.Status, after.Status)
			}
			d.never(r, before, after)
		}
		if totals, err := d.db.TrialBalance(t.Context()); err != nil || len(models.CheckTrialBalance(totals)) > 0 {
			r.Fatalf("%v %v", models.CheckTrialBalance(totals), err)
		}
		d.settled(r)
	})
	var reached int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(DISTINCT status || coalesce(resolution, '')) FROM orders WHERE closed_at IS NOT NULL`).Scan(&reached))
	require.Greater(t, reached, 2, "orders got to more than one end")
}

// settled checks what a closed order must have left behind: nothing owed,
// nothing reserved, no conversion open.
func (d *desk) settled(r *rapid.T) {
	o := d.now()
	if o.ClosedAt == nil {
		return
	}
	if left, err := d.db.Refundable(d.Context(), o); err != nil || left.Sign() < 0 || o.Refunded.Cmp(o.Total) > 0 {
		r.Fatalf("$%s given back of $%s", o.Refunded, o.Total)
	}
	d.emptied(r)
}

// emptied checks that a closed order's accounts are empty.
func (d *desk) emptied(r *rapid.T) {
	o := d.now()
	record, err := d.db.OrderRecord(d.Context(), o.ID)
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
	d := openDesk(t)
	d.take("zelle")
	d.exec(`UPDATE orders SET status = 'filled', paid_at = now() WHERE id = $1`, d.order.ID)
	_, err := d.db.StartTransfer(t.Context(), d.order.ID, models.Caps{Order: 100_000, Day: 100_000})
	require.Equal(t, "not_paid", models.ReasonOf(err), "an order that says it is filled, without money in the ledger")

	d.take("zelle")
	decision, err := d.decide(models.DecisionConfirmReceipt, models.Receipt{Amount: d.order.Total, ReceivedOn: "2026-11-20", BankReference: "R1"})
	require.NoError(t, err)
	require.NoError(t, d.db.ConfirmReceipt(t.Context(), d.order.ID, decision))
	d.exec(`UPDATE orders SET status = 'filled' WHERE id = $1`, d.order.ID)
	for _, caps := range []models.Caps{{Order: 499, Day: 100_000}, {Order: 100_000, Day: 499}} {
		job, err := d.db.StartTransfer(t.Context(), d.order.ID, caps)
		require.NoError(t, err)
		require.True(t, job.Done)
		require.Equal(t, models.AttentionCaps, *d.now().AttentionReason)
	}
	job, err := d.db.StartTransfer(t.Context(), d.order.ID, models.Caps{Order: 500, Day: 500})
	require.NoError(t, err)
	require.False(t, job.Done)
	require.Equal(t, fmt.Sprintf("ord-%s-send-1", d.order.ID), job.Withdrawal.SequenceID)
}

// A transaction that took another's place with a higher fee: the wallet pays the
// fee of the one that the network took, once.
func TestFeeOfTheTransactionThatTookAnothersPlaceIsBooked(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	job, err := d.db.CurrentTransfer(t.Context(), d.order.ID)
	require.NoError(t, err)
	for range 2 {
		for _, status := range []string{models.TransferBroadcast, models.TransferConfirmed} {
			_, err = d.db.RecordTransfer(t.Context(), d.order.ID, job.Withdrawal.Generation, models.TransferReading{ID: "bumped", TxID: "another",
				Status: status, Fee: money.FromInt(3000), FeeCurrency: money.BTC}, time.Now())
			require.NoError(t, err)
		}
	}
	record, err := d.db.OrderRecord(t.Context(), d.order.ID)
	require.NoError(t, err)
	var fees money.Units
	for _, p := range record.Postings {
		if p.ToAccount == models.AccountNetworkFee {
			require.Equal(t, models.WalletAccount(models.NetworkBitcoin), p.FromAccount)
			fees = fees.Add(p.Amount)
		}
	}
	require.Equal(t, "3000", fees.String())
	job, err = d.db.CurrentTransfer(t.Context(), d.order.ID)
	require.NoError(t, err)
	require.True(t, job.Done, "an attempt that died after it wrote the end leaves nothing to follow")
	d.balanced()
}

// A transfer that dies after it was sent: on Bitcoin no block took it, and its
// fee is the wallet's again.
func TestFeeOfATransferThatNoBlockTookComesBack(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("fulfill", "buy", "start transfer", "broadcast")
	job, err := d.db.CurrentTransfer(t.Context(), d.order.ID)
	require.NoError(t, err)
	require.False(t, job.Withdrawal.Fee.IsZero(), "a fee was booked as it was sent")
	_, err = d.db.RecordTransfer(t.Context(), d.order.ID, job.Withdrawal.Generation, models.TransferReading{ID: *job.Withdrawal.TransferID,
		Status: models.TransferFailed, Fee: job.Withdrawal.Fee, FeeCurrency: money.BTC}, time.Now())
	require.NoError(t, err)
	record, err := d.db.OrderRecord(t.Context(), d.order.ID)
	require.NoError(t, err)
	var spent money.Units
	for _, p := range record.Postings {
		switch models.AccountNetworkFee {
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
	d := openDesk(t)
	d.take("zelle")
	_, err := d.db.OpenDecision(t.Context(), models.NewDecision{OrderID: d.order.ID, Kind: models.DecisionReject, ActorID: d.user, Reason: "mine"})
	require.Equal(t, "own_order", models.ReasonOf(err))
	_, err = d.db.OpenDecision(t.Context(), models.NewDecision{OrderID: d.order.ID, Kind: models.DecisionReject, ActorID: d.staff})
	require.Equal(t, models.CodeInvalid, models.CodeOf(err), "without a reason")
	_, err = d.decide(models.DecisionFulfill, nil)
	require.Equal(t, "order_state", models.ReasonOf(err))
	first, err := d.decide(models.DecisionReject, nil)
	require.NoError(t, err)
	_, err = d.decide(models.DecisionCancel, nil)
	require.Equal(t, "decision_open", models.ReasonOf(err))
	require.NoError(t, d.db.EndUnpaid(t.Context(), d.order.ID, models.Unpaid{How: models.ResolutionDeclined, DecisionID: first}))
	var code string
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), "SELECT outcome_code FROM decisions WHERE id = $1", first).Scan(&code))
	require.Equal(t, models.DecisionDone, code)
}

func TestAnEventOfAKindThatIsNotListedIsRefused(t *testing.T) {
	d := openDesk(t)
	d.take("zelle")
	err := d.db.ChangeOrder(t.Context(), d.order.ID, func(c *models.OrderChange) error { return c.Event(models.Event{Kind: "telepathy"}) })
	require.ErrorContains(t, err, "telepathy")
	require.ElementsMatch(t, models.EventKinds, slices.Compact(slices.Sorted(slices.Values(models.EventKinds))), "each kind once")
}

// What waits for an order's lock happens after what it waited for: its time is
// not that of its beginning, or the order's story would go back in time.
func TestTheTimeOfAChangeIsAfterItsWait(t *testing.T) {
	d := openDesk(t)
	d.take("zelle")
	first, err := d.db.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = first.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = first.Exec(t.Context(), "SELECT FROM orders WHERE id = $1 FOR UPDATE", d.order.ID)
	require.NoError(t, err)
	changed := make(chan time.Time, 1)
	go func() {
		_ = d.db.ChangeOrder(t.Context(), d.order.ID, func(c *models.OrderChange) error {
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

// What a late word says was bought while its order stood as failed is not bought
// again.
func TestCoinThatWasBoughtAfterAllIsNotBoughtAgain(t *testing.T) {
	d := openDesk(t)
	d.pay()
	d.do("fulfill")
	job, err := d.db.StartBuy(t.Context(), d.order.ID, 100, 20*time.Second)
	require.NoError(t, err)
	d.do("fail buy")
	require.Equal(t, models.StatusFailed, d.now().Status)
	bought := models.Fill{Filled: job.Order.Asked, Cost: d.order.BasePrice, Fee: cents(10)}
	require.NoError(t, d.db.RecordFill(t.Context(), d.order.ID, job.Order.Generation, "O-late", bought))
	d.do("retry")
	again, err := d.db.StartBuy(t.Context(), d.order.ID, 100, 20*time.Second)
	require.NoError(t, err)
	require.True(t, again.Done)
	require.Equal(t, models.StatusFilled, d.now().Status)
	d.do("start transfer", "confirm")
	require.Equal(t, models.StatusSent, d.now().Status)
	d.balanced()
}
