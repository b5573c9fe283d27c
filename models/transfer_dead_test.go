package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

var unspendable = order.DeathEvidence{Seen: "block 900001: its inputs were spent by another transaction"}

// removed is an order whose transfer custody calls removed.
func (d *cashFixture) removed() {
	d.Helper()
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	d.receives(execution.TransferRemoved)
}

func (d *cashFixture) receives(status string) {
	d.Helper()
	id := "t-" + d.order.ID
	_, err := order.RecordTransfer(d.Context(), d.db, d.order.ID, 1, execution.TransferReading{ID: id, TxID: "tx-" + d.order.ID, Status: status}, time.Now())
	require.NoError(d, err)
}

// declares has two people declare the order's transfer dead; custody gives that state when it is read once more.
func (d *cashFixture) declares(custody string) error {
	d.Helper()
	p, err := order.Propose(d.Context(), d.db, order.NewProposal{OrderID: d.order.ID, Kind: order.DecisionTransferDead, ActorID: d.staff, ActorRole: "admin", Reason: "they wait", Data: unspendable})
	require.NoError(d, err)
	answer := order.ProposalAnswer{OrderID: d.order.ID, ID: p.ID, Kinds: []string{order.DecisionTransferDead}, ActorID: d.staff, ActorRole: "admin"}
	_, err = order.ApproveProposal(d.Context(), d.db, answer)
	require.Equal(d, "own_proposal", store.ReasonOf(err))
	answer.ActorID = d.second
	made, err := order.ApproveProposal(d.Context(), d.db, answer)
	require.NoError(d, err)
	reading := execution.TransferReading{ID: "t-" + d.order.ID, TxID: "tx-" + d.order.ID, Status: custody}
	err = order.DeclareDead(d.Context(), d.db, d.order.ID, made.Decision.ID, reading)
	if err == nil {
		require.NoError(d, order.DeclareDead(d.Context(), d.db, d.order.ID, made.Decision.ID, reading), "killed and repeated: once")
	}
	return err
}

func (d *cashFixture) transfer() execution.Withdrawal {
	d.Helper()
	rows, err := execution.OrderWithdrawals(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return rows[0]
}

// A transfer is declared dead by two people while custody calls it removed, and never otherwise: not by one, not
// without evidence, not before, and not when custody reports another state at the second reading.
func TestADeadTransferTakesTwoPeopleAndCustody(t *testing.T) {
	d := openCashFixture(t)
	dead := func(data any) error {
		_, err := d.decide(order.DecisionTransferDead, data)
		return err
	}
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	d.receives(execution.TransferSigned)
	require.Equal(t, "order_state", store.ReasonOf(dead(unspendable)), "it is on its way")
	d.receives(execution.TransferRemoved)
	require.Contains(t, order.TransferEndsFor(d.now()), order.DecisionTransferDead)
	require.Equal(t, "required", store.ReasonOf(dead(order.DeathEvidence{Seen: " "})))
	require.Equal(t, dualcontrol.ErrSecondPerson, dead(unspendable), "whatever the sum")
	require.Equal(t, "custody_says_broadcast", store.ReasonOf(d.declares(execution.TransferBroadcast)))
	require.Equal(t, order.StatusSent, d.now().Status, "what custody says is recorded")
	d.receives(execution.TransferRemoved)
	require.NoError(t, d.declares(execution.TransferRemoved))
	o, w := d.now(), d.transfer()
	require.Equal(t, order.StatusFailed, o.Status)
	require.Equal(t, execution.TransferDead, w.Status)
	require.NotNil(t, w.DeadBy)
	require.Empty(t, order.TransferEndsFor(o))
	d.receives(execution.TransferBroadcast)
	require.Equal(t, order.StatusFailed, d.now().Status, "what is read of it later is the statement's")
	d.balanced()
}

// Coin of a dead transfer that confirmed is booked once: by who marks the order as sent by that transaction, or by
// the statement. It cannot be booked as a break.
func TestCoinOfADeadTransferIsBookedOnce(t *testing.T) {
	d := openCashFixture(t)
	lost := func() string { return d.coinOf(ledger.AccountLosses, money.BTC) }
	confirmed := func(txid string) {
		t.Helper()
		w := d.transfer()
		require.NoError(t, d.confirmedLate(&w, txid))
		for range 2 {
			require.NoError(t, correction.BookRevived(t.Context(), d.db))
		}
	}
	evidence := map[string]func() order.SentEvidence{
		"its transaction": func() order.SentEvidence { return order.SentEvidence{TxID: "tx-" + d.order.ID} },
		"custody's id": func() order.SentEvidence {
			return order.SentEvidence{TxID: "another-" + d.order.ID, TransferID: "t-" + d.order.ID}
		},
		"what replaced it": func() order.SentEvidence { return order.SentEvidence{TxID: "another-" + d.order.ID} },
	}
	for name, of := range evidence {
		d.removed()
		require.NoError(t, d.declares(execution.TransferRemoved))
		d.mark(of())
		confirmed(of().TxID)
		require.Equal(t, execution.TransferConfirmed, d.transfer().Status, name)
		require.Equal(t, "0", lost(), name)
	}
	d.removed()
	require.NoError(t, d.declares(execution.TransferRemoved))
	d.mark(order.SentEvidence{TxID: "by hand " + d.order.ID})
	w := d.transfer()
	d.exec(`INSERT INTO reconciled_effects (holder, key, currency, booked, told, last_at) VALUES ('bitgo', $1, 'BTC', 0, -1, clock_now())`, "transfer:"+w.SequenceID)
	var id string
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `INSERT INTO reconciliation_breaks (holder, key, currency, booked, told) VALUES ('bitgo', $1, 'BTC', 0, -1) RETURNING id::text`, "transfer:"+w.SequenceID).Scan(&id))
	_, err := reconciliation.ResolveBreak(t.Context(), d.db, reconciliation.BreakResolution{ID: id, Account: ledger.AccountTrading, Seen: "-0.00000001", Alone: plenty, By: as(d.staff)})
	require.Equal(t, "transfer_dead", store.ReasonOf(err))
	confirmed("late-" + d.order.ID)
	require.Equal(t, execution.TransferRevived, d.transfer().Status)
	require.Equal(t, w.Amount.String(), lost())
	totals, err := ledger.TrialBalance(t.Context(), d.db)
	require.NoError(t, err)
	require.Empty(t, ledger.CheckTrialBalance(totals))
}

// A webhook about a dead transfer has the next statement read from before it, however old it is; the order's workflow
// is not signalled.
func TestANoticeOfADeadTransferIsAnsweredByTheStatement(t *testing.T) {
	d := openCashFixture(t)
	d.removed()
	require.NoError(t, d.declares(execution.TransferRemoved))
	w, begun := d.transfer(), time.Now().Add(-200*24*time.Hour)
	take := func(w reconciliation.Window, lines ...reconciliation.StatementLine) {
		t.Helper()
		_, err := reconciliation.TakeStatement(t.Context(), d.db, ledger.ProviderBitGo, w, lines)
		require.NoError(t, err)
	}
	line := reconciliation.StatementLine{ID: *w.TransferID, Kind: "transfer", Key: "transfer:" + w.SequenceID, At: begun, State: "removed", Network: "bitcoin", Ours: w.SequenceID, Moved: map[money.Currency]money.Units{money.BTC: {}}}
	take(reconciliation.Window{From: begun, To: time.Now(), Deep: true}, line)
	window, err := reconciliation.StatementWindow(t.Context(), d.db, ledger.ProviderBitGo)
	require.NoError(t, err)
	require.True(t, window.From.After(begun.Add(24*time.Hour)), "too old to be read again by itself")
	owner, err := webhook.OwnerOfSubject(t.Context(), d.db, ledger.Custody, *w.TransferID)
	require.NoError(t, err)
	require.Equal(t, webhook.Owner{OrderID: d.order.ID, Dead: true}, owner)
	_, err = webhook.StoreWebhook(t.Context(), d.db, webhook.WebhookNotice{Provider: "bitgo", EventID: "e1", Type: "transfer", Subject: *w.TransferID, Owner: owner})
	require.NoError(t, err)
	_, _, err = webhook.DeleteSignals(t.Context(), d.db)
	require.NoError(t, err)
	due, err := webhook.UnhandledSignals(t.Context(), d.db, ledger.Custody, 0, 10)
	require.NoError(t, err)
	require.Empty(t, due)
	window, err = reconciliation.StatementWindow(t.Context(), d.db, ledger.ProviderBitGo)
	require.NoError(t, err)
	require.WithinDuration(t, begun, window.From, 2*time.Second)
	take(window, line)
	var open int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL`).Scan(&open))
	require.Zero(t, open)
}

// Custody calls a transfer removed or replaced: it may still confirm. Until it is known to be dead no money goes back
// and no other address is named, whether its coin was booked as sent or not; and neither is offered.
func TestTransferInDoubtBarsRefunds(t *testing.T) {
	d := openCashFixture(t)
	for _, status := range []string{execution.TransferRemoved, execution.TransferReplaced} {
		for _, sent := range []bool{false, true} {
			d.pay()
			d.do("fulfill", "buy", "start transfer")
			if sent {
				d.receives(execution.TransferBroadcast)
			}
			d.receives(status)
			o := d.now()
			require.Equal(t, casework.AttentionTransfer, *o.AttentionReason)
			_, err := d.part(100)
			require.ErrorIs(t, err, order.ErrInDoubt, "a part, %v", sent)
			for _, kind := range []string{order.DecisionRefund, order.DecisionAmendAddress} {
				require.NotContains(t, o.AttentionChoices, kind)
				require.NotContains(t, order.RefundsFor(o), kind)
			}
			d.exec(`UPDATE orders SET attention_reason = 'step_stuck' WHERE id = $1`, o.ID) // another reason covers it
			staff, err := order.ReadStaffOrder(t.Context(), d.db, o.ID)
			require.NoError(t, err)
			require.Empty(t, staff.Offered([]string{order.DecisionRefund, order.ActionRefundPart, order.DecisionAmendAddress}))
			if !sent {
				_, err = d.decide(order.DecisionRefund, nil)
				require.ErrorIs(t, err, order.ErrInDoubt)
				amended := order.AmendedAddress{Address: "bc1q" + o.ID, AddressKey: "bc1q" + o.ID}
				_, err = order.Propose(t.Context(), d.db, order.NewProposal{OrderID: o.ID, Kind: order.DecisionAmendAddress,
					ActorID: d.staff, ActorRole: "admin", Reason: "they moved", Data: amended})
				require.ErrorIs(t, err, order.ErrInDoubt)
			}
			d.receives(execution.TransferConfirmed)
			require.Equal(t, order.StatusSent, d.now().Status)
		}
	}
	d.balanced()
}

// An order all of whose money we refunded ends by itself as soon as its coin can no longer leave.
func TestRefundedOrderEndsWithItsTransfer(t *testing.T) {
	d := openCashFixture(t)
	for name, dies := range map[string]func() error{
		"failed": func() error { d.receives(execution.TransferFailed); return nil },
		"declared dead": func() error {
			d.receives(execution.TransferRemoved)
			return d.declares(execution.TransferRemoved)
		},
	} {
		d.pay()
		d.do("fulfill", "buy", "start transfer")
		d.receives(execution.TransferBroadcast)
		require.NoError(t, d.refundedThere(func(int) int { return 10 }))
		require.Equal(t, order.StatusSent, d.now().Status, "a gesture")
		require.NoError(t, dies(), name)
		o := d.now()
		require.NotNil(t, o.Resolution, name)
		require.Equal(t, order.ResolutionRefunded, *o.Resolution, name)
		require.NotNil(t, o.ClosedAt)
		require.Nil(t, o.AttentionReason)
		p, err := order.PaymentOf(t.Context(), d.db, o.ID)
		require.NoError(t, err)
		require.Empty(t, order.DecisionsFor(o, p), name)
		require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid), name)
	}
	d.balanced()
}
