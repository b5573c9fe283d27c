package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

var unspendable = models.DeathEvidence{Seen: "block 900001: its inputs were spent by another transaction"}

// removed is an order whose transfer custody calls removed.
func (d *cashDesk) removed() {
	d.Helper()
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	d.hears(models.TransferRemoved)
}

func (d *cashDesk) hears(status string) {
	d.Helper()
	id := "t-" + d.order.ID
	_, err := d.db.RecordTransfer(d.Context(), d.order.ID, 1, models.TransferReading{ID: id, TxID: "tx-" + d.order.ID, Status: status}, time.Now())
	require.NoError(d, err)
}

// declares has two people declare the order's transfer dead; custody says so when it is
// asked once more.
func (d *cashDesk) declares(custody string) error {
	d.Helper()
	p, err := d.db.Propose(d.Context(), models.NewProposal{OrderID: d.order.ID, Kind: models.DecisionTransferDead, ActorID: d.staff, ActorRole: "admin", Reason: "they wait", Data: unspendable})
	require.NoError(d, err)
	answer := models.ProposalAnswer{OrderID: d.order.ID, ID: p.ID, Kinds: []string{models.DecisionTransferDead}, ActorID: d.staff, ActorRole: "admin"}
	_, err = d.db.ApproveProposal(d.Context(), answer)
	require.Equal(d, "own_proposal", models.ReasonOf(err))
	answer.ActorID = d.second
	made, err := d.db.ApproveProposal(d.Context(), answer)
	require.NoError(d, err)
	reading := models.TransferReading{ID: "t-" + d.order.ID, TxID: "tx-" + d.order.ID, Status: custody}
	err = d.db.DeclareDead(d.Context(), d.order.ID, made.Decision.ID, reading)
	if err == nil {
		require.NoError(d, d.db.DeclareDead(d.Context(), d.order.ID, made.Decision.ID, reading), "killed and repeated: once")
	}
	return err
}

func (d *cashDesk) transfer() models.Withdrawal {
	d.Helper()
	rows, err := d.db.OrderWithdrawals(d.Context(), d.order.ID)
	require.NoError(d, err)
	return rows[0]
}

// A transfer is declared dead by two people while custody calls it removed, and never
// else: not by one, not without evidence, not before, and not when custody says
// something else as it is asked once more.
func TestADeadTransferTakesTwoPeopleAndCustody(t *testing.T) {
	d := openCashDesk(t)
	dead := func(data any) error {
		_, err := d.decide(models.DecisionTransferDead, data)
		return err
	}
	d.pay()
	d.do("fulfill", "buy", "start transfer")
	d.hears(models.TransferSigned)
	require.Equal(t, "order_state", models.ReasonOf(dead(unspendable)), "it is on its way")
	d.hears(models.TransferRemoved)
	require.Contains(t, models.TransferEndsFor(d.now()), models.DecisionTransferDead)
	require.Equal(t, "required", models.ReasonOf(dead(models.DeathEvidence{Seen: " "})))
	require.Equal(t, models.ErrSecondPerson, dead(unspendable), "whatever the sum")
	require.Equal(t, "custody_says_broadcast", models.ReasonOf(d.declares(models.TransferBroadcast)))
	require.Equal(t, models.StatusSent, d.now().Status, "what custody says is recorded")
	d.hears(models.TransferRemoved)
	require.NoError(t, d.declares(models.TransferRemoved))
	o, w := d.now(), d.transfer()
	require.Equal(t, models.StatusFailed, o.Status)
	require.Equal(t, models.TransferDead, w.Status)
	require.NotNil(t, w.DeadBy)
	require.Empty(t, models.TransferEndsFor(o))
	d.hears(models.TransferBroadcast)
	require.Equal(t, models.StatusFailed, d.now().Status, "what is read of it later is the statement's")
	d.balanced()
}

// Coin of a dead transfer that confirmed is booked once: by who marks the order as sent
// by that transaction, or by the statement. Nobody books it as a break.
func TestCoinOfADeadTransferIsBookedOnce(t *testing.T) {
	d := openCashDesk(t)
	lost := func() string { return d.coinOf(models.AccountLosses, money.BTC) }
	confirmed := func(txid string) {
		t.Helper()
		w := d.transfer()
		require.NoError(t, d.confirmedLate(&w, txid))
		for range 2 {
			require.NoError(t, d.db.BookRevived(t.Context()))
		}
	}
	evidence := map[string]func() models.SentEvidence{
		"its transaction": func() models.SentEvidence { return models.SentEvidence{TxID: "tx-" + d.order.ID} },
		"custody's id": func() models.SentEvidence {
			return models.SentEvidence{TxID: "another-" + d.order.ID, TransferID: "t-" + d.order.ID}
		},
		"what replaced it": func() models.SentEvidence { return models.SentEvidence{TxID: "another-" + d.order.ID} },
	}
	for name, of := range evidence {
		d.removed()
		require.NoError(t, d.declares(models.TransferRemoved))
		d.mark(of())
		confirmed(of().TxID)
		require.Equal(t, models.TransferConfirmed, d.transfer().Status, name)
		require.Equal(t, "0", lost(), name)
	}
	d.removed()
	require.NoError(t, d.declares(models.TransferRemoved))
	d.mark(models.SentEvidence{TxID: "by hand " + d.order.ID})
	w := d.transfer()
	d.exec(`INSERT INTO reconciled_effects (holder, key, currency, booked, told, last_at) VALUES ('bitgo', $1, 'BTC', 0, -1, clock_now())`, "transfer:"+w.SequenceID)
	var id string
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `INSERT INTO reconciliation_breaks (holder, key, currency, booked, told) VALUES ('bitgo', $1, 'BTC', 0, -1) RETURNING id::text`, "transfer:"+w.SequenceID).Scan(&id))
	_, err := d.db.ResolveBreak(t.Context(), models.BreakResolution{ID: id, Account: models.AccountTrading, Seen: "-0.00000001", Alone: plenty, By: as(d.staff)})
	require.Equal(t, "transfer_dead", models.ReasonOf(err))
	confirmed("late-" + d.order.ID)
	require.Equal(t, models.TransferRevived, d.transfer().Status)
	require.Equal(t, w.Amount.String(), lost())
	totals, err := d.db.TrialBalance(t.Context())
	require.NoError(t, err)
	require.Empty(t, models.CheckTrialBalance(totals))
}

// A notice about a dead transfer has the next statement read from before it, however old
// it is; the order's workflow is not told.
func TestANoticeOfADeadTransferIsAnsweredByTheStatement(t *testing.T) {
	d := openCashDesk(t)
	d.removed()
	require.NoError(t, d.declares(models.TransferRemoved))
	w, begun := d.transfer(), time.Now().Add(-200*24*time.Hour)
	take := func(w models.Window, lines ...models.StatementLine) {
		t.Helper()
		_, err := d.db.TakeStatement(t.Context(), models.HolderBitGo, w, lines)
		require.NoError(t, err)
	}
	line := models.StatementLine{ID: *w.TransferID, Kind: "transfer", Key: "transfer:" + w.SequenceID, At: begun, State: "removed", Network: "bitcoin", Ours: w.SequenceID, Moved: map[money.Currency]money.Units{money.BTC: {}}}
	take(models.Window{From: begun, To: time.Now(), Deep: true}, line)
	window, err := d.db.StatementWindow(t.Context(), models.HolderBitGo)
	require.NoError(t, err)
	require.True(t, window.From.After(begun.Add(24*time.Hour)), "too old to be read again by itself")
	owner, err := d.db.OwnerOfSubject(t.Context(), "bitgo", *w.TransferID)
	require.NoError(t, err)
	require.Equal(t, models.Owner{OrderID: d.order.ID, Dead: true}, owner)
	_, err = d.db.StoreWebhook(t.Context(), models.WebhookNotice{Provider: "bitgo", EventID: "e1", Type: "transfer", Subject: *w.TransferID, Owner: owner})
	require.NoError(t, err)
	_, _, err = d.db.ForgetHints(t.Context())
	require.NoError(t, err)
	wakes, err := d.db.UnheardHints(t.Context(), "bitgo", 0, 10)
	require.NoError(t, err)
	require.Empty(t, wakes)
	window, err = d.db.StatementWindow(t.Context(), models.HolderBitGo)
	require.NoError(t, err)
	require.WithinDuration(t, begun, window.From, 2*time.Second)
	take(window, line)
	var open int
	require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL`).Scan(&open))
	require.Zero(t, open)
}
