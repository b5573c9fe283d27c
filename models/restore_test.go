package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// After a backup was restored, what was open is searched for since it was made before it is sent; what is made
// afterwards is sent as usual. The rest of the way: e2e/restore_test.go.
func TestBar34WhatIsOpenAfterARestoreIsLookedUpFirst(t *testing.T) {
	s := openShop(t)
	made := func() *order.Order {
		quote, err := s.quoter.Quote(t.Context(), s.input("0.01"))
		require.NoError(t, err)
		order, err := s.order(t.Context(), quote)
		require.NoError(t, err)
		return order
	}
	before := made()
	for _, open := range []int64{1, 0} { // twice is once
		marked, err := correction.NoteRestored(t.Context(), s.db, "command:somebody")
		require.NoError(t, err)
		require.Equal(t, correction.Restored{Orders: open}, marked)
	}
	first, err := order.StartCheckout(t.Context(), s.db, before.ID, false)
	require.NoError(t, err)
	require.True(t, first.SentBefore, "its page may have been made after the backup")
	require.Equal(t, 1, first.Generation)
	require.WithinDuration(t, before.CreatedAt, first.StartedAt, time.Millisecond)
	next, err := order.StartCheckout(t.Context(), s.db, before.ID, true)
	require.NoError(t, err)
	require.False(t, next.SentBefore)
	require.Equal(t, 2, next.Generation)
	fresh, err := order.StartCheckout(t.Context(), s.db, made().ID, false)
	require.NoError(t, err)
	require.False(t, fresh.SentBefore)
}

// An approved move may have been sent after the backup, and the exchange stores no idempotency key to find it by: it
// ends, and nothing was booked for it.
func TestBar34AMoveThatWasApprovedBeforeARestoreIsNotSent(t *testing.T) {
	v := openVault(t)
	m := v.approved(500_000_000)
	_, err := correction.NoteRestored(t.Context(), v.db, "command:somebody")
	require.NoError(t, err)
	require.True(t, v.start(m).Done)
	require.Equal(t, "restored", *v.expectState(m, treasury.MoveFailed).Problem)
	v.holds(2_000_000_000, 0, 1_000_000_000)
	require.False(t, v.start(v.approved(500_000_000)).Done, "proposed anew")
}

// A refund of an order that was made before a restore is searched for before it is sent, by either workflow and
// whether or not its order has ended: the row of the one sent after the backup may be missing, and its number be used
// again.
func TestRefundsOfOrdersBeforeARestoreAreLookedUpFirst(t *testing.T) {
	for name, restored := range map[string]bool{"restored": true, "not restored": false} {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			d.pay()
			open, err := d.part(5_000) // its row is in the backup, unsent
			require.NoError(t, err)
			if restored {
				_, err = correction.NoteRestored(t.Context(), d.db, "command:somebody")
				require.NoError(t, err)
				d.custodyReports()
			}
			starts := func(sequence int) order.RefundJob {
				t.Helper()
				job, err := order.StartGiveBack(t.Context(), d.db, d.order.ID, sequence)
				require.NoError(t, err)
				return job
			}
			require.Equal(t, restored, starts(open.Sequence).SentBefore)
			require.True(t, starts(open.Sequence).SentBefore, "begun before")
			require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, open.Sequence, "re_1", order.RefundSucceeded, ""))
			again, err := d.part(7_000) // its number may be that of one the backup does not know
			require.NoError(t, err)
			require.Equal(t, restored, starts(again.Sequence).SentBefore)
			require.NoError(t, order.RecordRefund(t.Context(), d.db, d.order.ID, again.Sequence, "re_2", order.RefundSucceeded, ""))
			decision, err := d.decide(order.DecisionRefund, nil)
			require.NoError(t, err)
			job, err := order.StartRefund(t.Context(), d.db, d.order.ID, decision)
			require.NoError(t, err)
			require.Equal(t, restored, job.SentBefore, "all that is left")
		})
	}
}

// custodyReports has custody's statement read to its end, with transfers of coin that
// confirmed.
func (d *orderFixture) custodyReports(sequenceIDs ...string) {
	d.Helper()
	var lines []reconciliation.StatementLine
	for _, id := range sequenceIDs {
		lines = append(lines, reconciliation.StatementLine{ID: "t-" + id, Kind: "transfer", Key: "transfer:" + id, At: time.Now(), State: execution.TransferConfirmed, Settled: true,
			Network: "bitcoin", Ours: id, TxID: "tx-" + id, Moved: map[money.Currency]money.Units{money.BTC: d.order.Amount.Add(money.FromInt(150)).Neg()}})
	}
	window, err := reconciliation.StatementWindow(d.Context(), d.db, ledger.ProviderBitGo)
	require.NoError(d, err)
	_, err = reconciliation.TakeStatement(d.Context(), d.db, ledger.ProviderBitGo, window, lines)
	require.NoError(d, err)
}

// A restored order may get another price than the one that the backup lost: its transfer
// is found under its identity, with the amount of the lost one. The order, its transfer
// and the books have the amount that left the wallet.
func TestATransferThatABackupLostIsBookedAsItWasSent(t *testing.T) {
	for name, more := range map[string]int64{"more coin": 700, "less coin": -700} {
		t.Run(name, func(t *testing.T) {
			d := openCashFixture(t)
			d.pay()
			d.do("fulfill", "buy", "start transfer")
			ordered, sent := d.now().Amount, d.now().Amount.Add(money.FromInt(more))
			for _, status := range []string{execution.TransferSigned, execution.TransferBroadcast, execution.TransferConfirmed} {
				_, err := order.RecordTransfer(t.Context(), d.db, d.order.ID, 1, execution.TransferReading{ID: "t", TxID: "tx", Status: status,
					Amount: sent, Fee: money.FromInt(150), FeeCurrency: money.BTC}, time.Now())
				require.NoError(t, err)
			}
			o, w := d.now(), d.transfer()
			require.Equal(t, order.StatusSent, o.Status)
			require.Equal(t, []string{sent.String(), sent.String()}, []string{o.Amount.String(), w.Amount.String()})
			require.Equal(t, sent.Add(money.FromInt(150)).Neg().String(), d.coinOf(ledger.WalletAccount("bitcoin"), money.BTC))
			for _, account := range []string{ledger.ReservedAccount("bitcoin"), ledger.AccountConversion} {
				require.Equal(t, "0", d.coinOf(account, money.BTC), account)
			}
			require.Equal(t, sent.Sub(ordered).String(), d.coinOf(ledger.AccountTrading, money.BTC), "the difference to what was bought is stock's")
			d.balanced()
		})
	}
}

// A payout may have been paid at the bank in the time that a restored backup lost. Its amount neither leaves nor
// returns to the balance before a member of staff has stated what the bank's statement since the backup shows.
func TestBar34RestoredPayoutNeedsTheStatement(t *testing.T) {
	p := openTill(t)
	p.earn(90_000)
	paid := p.transferred(10_000)
	var ids [4]string
	for i := range ids {
		row, err := p.ask(10_000)
		require.NoError(t, err)
		ids[i] = row.ID
	}
	approved, found, requested, canceled := ids[0], ids[1], ids[2], ids[3]
	for _, id := range []string{approved, found} {
		require.NoError(t, p.decide(id, payout.PayoutApprove, 0))
	}
	row, err := p.askByMail(10_000, "Ada Lovelace")
	require.NoError(t, err)
	unconfirmed := row.ID
	reject := casework.NewCaseDecision{Kind: payout.PayoutReject, ActorID: p.staff[0], ActorRole: "finance", Reason: "no"}
	open, err := payout.OpenPayoutDecision(t.Context(), p.db, requested, reject)
	require.NoError(t, err)
	for _, marked := range []int64{5, 0} {
		restored, err := correction.NoteRestored(t.Context(), p.as("operator"), "command:somebody")
		require.NoError(t, err)
		require.Equal(t, correction.Restored{Payouts: marked}, restored)
	}
	require.Nil(t, p.payout(paid).RestoredAt)

	// None of them leaves or returns: neither by a decision of the backup, nor by a deadline.
	require.Equal(t, "statement_unread", store.ReasonOf(p.reveals(approved, " ")))
	require.Equal(t, "statement_unread", store.ReasonOf(payout.RejectPayout(t.Context(), p.db, requested, open.ID)))
	require.NoError(t, casework.CaseDecisions.Resolve(t.Context(), p.db, open.ID, "statement_unread"))
	require.Equal(t, "statement_unread", store.ReasonOf(p.decide(requested, payout.PayoutReject, 0)))
	require.Equal(t, "statement_unread", store.ReasonOf(p.decide(canceled, payout.PayoutCancel, -1)))
	require.False(t, p.payout(canceled).CanCancel())
	p.passes(2 * casework.LinkTTL)
	require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), unconfirmed, payoutWaits))
	require.Equal(t, payout.PayoutUnconfirmed, p.payout(unconfirmed).Status)
	require.Nil(t, p.payout(unconfirmed).WakeAt, "nothing is due")
	require.EqualValues(t, 50_000, p.reserved())
	require.NotContains(t, p.timeline(approved), "statement_read")

	// What the statement shows is stated once, with who stated it.
	require.NoError(t, p.reveals(approved, "statement of November 29: no transfer"))
	require.Equal(t, []string{"requested", "approved", "statement_read", "revealed"}, p.timeline(approved))
	var stated string
	err = p.db.Pool().QueryRow(t.Context(), `SELECT reason FROM audit_log
		WHERE action = 'payout.statement_read' AND object_id = $1 AND actor_id = $2`, approved, p.staff[1]).Scan(&stated)
	require.NoError(t, err)
	require.Equal(t, "statement of November 29: no transfer", stated)
	require.NoError(t, p.reveals(approved, ""))
	require.NoError(t, p.decide(approved, payout.PayoutConfirm, 1))
	require.NoError(t, p.decide(found, payout.PayoutConfirm, 1), "its transfer is on the statement, under its reference")
	require.Nil(t, p.payout(found).RestoredAt)
	reject.Data = payout.BankStatement{Statement: "no transfer"}
	open, err = payout.OpenPayoutDecision(t.Context(), p.as("api"), requested, reject)
	require.NoError(t, err)
	require.NoError(t, payout.RejectPayout(t.Context(), p.as("core"), requested, open.ID))
	require.NoError(t, p.reveals(canceled, "no transfer"))
	require.NoError(t, p.decide(canceled, payout.PayoutCancel, -1))
	require.NoError(t, p.reveals(unconfirmed, "no transfer"))
	require.NotNil(t, p.payout(unconfirmed).WakeAt, "the sweep finds it")
	require.NoError(t, payout.LatePayout(t.Context(), p.as("core"), unconfirmed, payoutWaits))
	require.Equal(t, payout.PayoutCancelled, p.payout(unconfirmed).Status)
	require.Zero(t, p.reserved())

	row, err = p.ask(10_000)
	require.NoError(t, err)
	require.NoError(t, p.reveals(row.ID, ""), "requested since")
	restored, err := correction.NoteRestored(t.Context(), p.db, "command:somebody")
	require.NoError(t, err)
	require.Equal(t, correction.Restored{Payouts: 1}, restored, "another backup, another statement")
}

// A restored payout that the bank did make is booked whatever is known of its customer now, also one that its customer
// had confirmed since the backup: an approval states what the statement shows, and the reference confirms it. No other
// transfer is made by that, and its amount is not released meanwhile.
func TestBar34RestoredPayoutThatWasPaidIsBooked(t *testing.T) {
	stops := map[string]func(p *till){
		"account_frozen": func(p *till) { p.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, p.user) },
		"owes_money": func(p *till) {
			_, err := ClawBack(t.Context(), p.db, p.user, store.NewID(), money.FromInt(90_000))
			require.NoError(t, err)
		},
	}
	for reason, stop := range stops {
		t.Run(reason, func(t *testing.T) {
			p := openTill(t)
			p.earn(90_000)
			requested, err := p.ask(10_000)
			require.NoError(t, err)
			unconfirmed, err := p.askByMail(10_000, "Ada Lovelace")
			require.NoError(t, err)
			_, err = correction.NoteRestored(t.Context(), p.as("operator"), "command:somebody")
			require.NoError(t, err)
			stop(p)
			approve := func(id, statement string) error {
				in := casework.NewCaseDecision{Kind: payout.PayoutApprove, ActorID: p.staff[0], ActorRole: "finance"}
				in.Data = payout.BankStatement{Statement: statement}
				d, err := payout.OpenPayoutDecision(t.Context(), p.as("api"), id, in)
				if err != nil {
					return err
				}
				return payout.ApprovePayout(t.Context(), p.as("core"), id, d.ID, payoutWaits)
			}
			require.Equal(t, []string{payout.PayoutApprove}, p.payout(unconfirmed.ID).Decisions())
			require.Equal(t, reason, store.ReasonOf(approve(requested.ID, " ")))
			require.Equal(t, "statement_unread", store.ReasonOf(approve(unconfirmed.ID, " ")))
			for _, id := range []string{requested.ID, unconfirmed.ID} {
				require.NoError(t, approve(id, "statement of November 29: paid under bank "+id))
				require.Equal(t, payout.PayoutApproved, p.payout(id).Status)
				require.Equal(t, reason, store.ReasonOf(p.reveals(id, "no transfer")), "it is not transferred once more")
				require.Equal(t, "statement_unread", store.ReasonOf(p.decide(id, payout.PayoutReject, 0)))
				require.Contains(t, p.timeline(id), "statement_read")
				require.NoError(t, p.decide(id, payout.PayoutConfirm, 1))
				require.Nil(t, p.payout(id).RestoredAt)
			}
			require.Zero(t, p.reserved())
		})
	}
}

// Money without an owner may have been sent back in the time that a restored backup lost: it is neither credited nor
// confirmed on an order before a member of staff has stated what the bank's statement shows.
func TestBar34RestoredMoneyNeedsTheStatement(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	var ids [4]string
	for i := range ids {
		row, err := d.found(cents(1000), d.reference())
		require.NoError(t, err)
		ids[i] = row.ID
	}
	earlier := &correction.PlaceMoney{MoneyID: ids[3], OrderID: d.order.ID}
	p, err := correction.ProposeMoney(t.Context(), d.db, earlier, "", as(d.staff))
	require.NoError(t, err)
	placing, err := correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.NoError(t, err)
	restored, err := correction.NoteRestored(t.Context(), d.as("operator"), "command:somebody")
	require.NoError(t, err)
	require.EqualValues(t, 4, restored.Unplaced)

	credit := &correction.CreditMoney{MoneyID: ids[0], UserID: d.user}
	place := &correction.PlaceMoney{MoneyID: ids[1], OrderID: d.order.ID}
	for _, act := range []correction.MoneyAct{credit, place} {
		_, err := correction.ProposeMoney(t.Context(), d.db, act, "", as(d.staff))
		require.Equal(t, "statement_unread", store.ReasonOf(err))
	}
	err = order.ConfirmReceipt(t.Context(), d.db, d.order.ID, placing.Decision.ID, surplusTerms)
	require.Equal(t, "statement_unread", store.ReasonOf(err))
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, placing.Decision.ID, "statement_unread"))
	_, err = d.both(&correction.SendBackMoney{MoneyID: ids[2], BankReference: d.reference(), SentOn: "2026-11-21"})
	require.NoError(t, err, "the reference is on the statement")
	credit.Statement, place.Statement = "statement of November 29: not sent back", "not sent back"
	for _, act := range []correction.MoneyAct{credit, place} {
		_, err := d.both(act)
		require.NoError(t, err)
	}
	d.bankIsRight()
}

// A credit of a closed account may have been sent back in the time that a restored backup lost. It is not taken back
// as if it were here, and the next transfer needs the bank's statement.
func TestBar34RestoredCreditNeedsTheStatement(t *testing.T) {
	d := openCashFixture(t)
	row := d.closedRow()
	for _, marked := range []int64{1, 0} {
		restored, err := correction.NoteRestored(t.Context(), d.as("operator"), "command:somebody")
		require.NoError(t, err)
		require.Equal(t, correction.Restored{Credits: marked}, restored)
	}
	require.NoError(t, d.returned(d.receipts()[0].ID, cents(700)))
	_, owed := d.owes()
	require.EqualValues(t, 700, owed)
	require.Equal(t, d.order.Total, d.row(row.ID).Left())
	require.Equal(t, "statement_unread", store.ReasonOf(d.paysBack(d.staff, row.ID, "B-1", 100_000_000)))
	_, err := correction.PayBackStranded(t.Context(), d.as("api"), correction.PayBack{ID: row.ID, Reference: "B-1",
		Statement: "sent on November 28", TwoAbove: money.FromInt(100_000_000), By: as(d.staff)})
	require.NoError(t, err)
	require.Nil(t, d.row(row.ID).RestoredAt)
	require.Equal(t, "0", d.closedOwes())
	d.balanced()
}

// A restored credit that the bank's statement does not show as sent is here: what its customer owes is taken out of it
// before the rest is sent back. A first approval of its return is withdrawn by that.
func TestBar34RestoredCreditThatWasNotSentPaysTheDebt(t *testing.T) {
	for name, twoAbove := range map[string]int64{"one person": 100_000_000, "first of two": 0} {
		t.Run(name, func(t *testing.T) {
			d := openCashFixture(t)
			row := d.closedRow()
			if twoAbove == 0 {
				require.NoError(t, d.paysBack(d.staff, row.ID, "B-0", twoAbove))
				require.NotNil(t, d.row(row.ID).FirstBy)
			}
			_, err := correction.NoteRestored(t.Context(), d.as("operator"), "command:somebody")
			require.NoError(t, err)
			require.NoError(t, d.returned(d.receipts()[0].ID, cents(700)))
			says := func(who string) error {
				_, err := correction.PayBackStranded(t.Context(), d.as("api"), correction.PayBack{ID: row.ID,
					Statement: "statement of November 29: not sent", TwoAbove: money.FromInt(twoAbove), By: as(who)})
				return err
			}
			require.Equal(t, "own_account", store.ReasonOf(says(d.user)))
			require.NotNil(t, d.row(row.ID).RestoredAt)
			require.NoError(t, says(d.second))
			after := d.row(row.ID)
			require.Nil(t, after.RestoredAt)
			require.Nil(t, after.FirstBy)
			require.Nil(t, after.BankReference)
			require.Nil(t, after.PaidAt)
			require.Equal(t, "700", after.Taken.String())
			_, owed := d.owes()
			require.Zero(t, owed)
			require.Equal(t, "required", store.ReasonOf(says(d.second)), "it is no longer marked")
			var said string
			require.NoError(t, d.db.Pool().QueryRow(t.Context(), `SELECT after->>'statement' FROM audit_log
				WHERE action = 'closed_account.not_sent' AND object_id = $1`, row.ID).Scan(&said))
			require.Equal(t, "statement of November 29: not sent", said)
			require.NoError(t, d.paysBack(d.staff, row.ID, "B-1", 100_000_000))
			require.Equal(t, "0", d.closedOwes())
			d.balanced()
		})
	}
}

// Coin may have left for an order in the time that a restored backup lost: its money is not refunded before custody's
// statement shows that it has not, nor while it shows that it has. Fulfilling the order finds that transfer.
func TestMoneyOfARestoredOrderStaysUntilItsCoinIsKnown(t *testing.T) {
	ends := map[string]func(d *orderFixture) error{
		"refund": func(d *orderFixture) error { _, err := d.decide(order.DecisionRefund, order.RefundWish{}); return err },
		"part":   func(d *orderFixture) error { _, err := d.part(100); return err },
		"open decision": func(d *orderFixture) error {
			var id string
			if err := d.db.Pool().QueryRow(t.Context(), "SELECT id FROM decisions WHERE order_id = $1 AND settled_at IS NULL", d.order.ID).Scan(&id); err != nil {
				return err
			}
			_, err := order.StartRefund(t.Context(), d.db, d.order.ID, id)
			return err
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			d := openOrderFixture(t)
			for _, sent := range []bool{true, false} {
				d.pay()
				if name == "open decision" {
					_, err := d.decide(order.DecisionRefund, order.RefundWish{})
					require.NoError(t, err)
				}
				d.custodyReports()
				_, err := correction.NoteRestored(t.Context(), d.db, "command:somebody")
				require.NoError(t, err)
				require.Equal(t, "restored_unread", store.ReasonOf(end(d)))
				if !sent {
					d.custodyReports()
					require.NoError(t, end(d))
					continue
				}
				d.custodyReports("ord-" + d.order.ID + "-send-1")
				require.Equal(t, "restored_sent", store.ReasonOf(end(d)))
			}
		})
	}
	d := openOrderFixture(t)
	d.pay()
	_, err := correction.NoteRestored(t.Context(), d.db, "command:somebody")
	require.NoError(t, err)
	d.custodyReports("ord-" + d.order.ID + "-send-1")
	d.do("fulfill", "buy")
	job, err := order.StartTransfer(t.Context(), d.db, d.order.ID, wideCaps)
	require.NoError(t, err)
	require.True(t, job.SentBefore, "it is looked for")
}

// Coin left in the time that a backup lost, and all of the money was refunded at the processor while more was being
// bought: such an order neither sends nor refunds anything, so it ends, and the coin is booked as lost.
func TestARestoredOrderWithoutMoneyEndsAlsoWhereItsCoinLeft(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	_, err := correction.NoteRestored(t.Context(), d.db, "command:somebody")
	require.NoError(t, err)
	d.do("fulfill")
	_, err = order.StartBuy(t.Context(), d.db, d.order.ID, 100, time.Minute)
	require.NoError(t, err)
	d.custodyReports("ord-" + d.order.ID + "-send-1")
	require.NoError(t, order.RecordElsewhere(t.Context(), d.db, d.order.ID, order.CardRefundReading{ID: "re_all", Status: order.RefundSucceeded, Amount: d.order.Total}))
	require.Nil(t, d.now().ClosedAt)
	d.do("buy")
	require.NotNil(t, d.now().ClosedAt)
	require.NoError(t, correction.BookRevived(t.Context(), d.db))
	require.Equal(t, d.order.Amount.String(), d.coinOf(ledger.AccountLosses, money.BTC))
	d.balanced()
}

// Where the money was reversed by a bank all the same, coin that a restored backup lost is booked as a loss, once.
func TestCoinThatABackupLostIsBookedBesideWhatEnded(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	_, err := correction.NoteRestored(t.Context(), d.db, "command:somebody")
	require.NoError(t, err)
	_, err = order.RecordDispute(t.Context(), d.db, d.order.ID, order.DisputeReading{ID: "dp_1", Status: order.DisputeLost, Reason: "fraudulent", Amount: d.order.Total, Withdrawn: d.order.Total})
	require.NoError(t, err)
	require.NotNil(t, d.now().ClosedAt)
	lost := func() string { return d.coinOf(ledger.AccountLosses, money.BTC) }
	require.NoError(t, correction.BookRevived(t.Context(), d.db))
	require.Equal(t, "0", lost())
	d.custodyReports("ord-" + d.order.ID + "-send-1")
	for range 2 {
		require.NoError(t, correction.BookRevived(t.Context(), d.db))
		require.Equal(t, d.order.Amount.String(), lost())
	}
	rows, err := execution.OrderWithdrawals(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, execution.TransferRevived, rows[0].Status)
	require.Equal(t, "150", rows[0].Fee.String())
	require.EventuallyWithT(t, func(c *assert.CollectT) { // postings are read up to the oldest transaction of the server
		_, err := reconciliation.Reconcile(t.Context(), d.db, 0)
		require.NoError(c, err)
		var apart int
		require.NoError(c, d.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM reconciled_effects WHERE holder = 'bitgo' AND booked <> told").Scan(&apart))
		require.Zero(c, apart)
	}, time.Minute, 50*time.Millisecond)
	d.balanced()
}

// A dispute whose row a backup lost is over for the workflow that followed it.
func TestADisputeThatABackupLostEndsItsWorkflow(t *testing.T) {
	d := openOrderFixture(t)
	d.pay()
	lost, err := order.ReadDisputeState(t.Context(), d.db, d.order.ID, 1)
	require.NoError(t, err)
	require.False(t, lost.Open)
}

// An unpaid order is not canceled either before the state of its coin is known: a payment that the backup lost may
// have sent it.
func TestARestoredOrderIsCancelledOnceItsCoinIsKnown(t *testing.T) {
	d := openOrderFixture(t)
	d.take("domestic_wire")
	_, err := correction.NoteRestored(t.Context(), d.db, "command:somebody")
	require.NoError(t, err)
	_, err = d.decide(order.DecisionCancel, nil)
	require.Equal(t, "restored_unread", store.ReasonOf(err))
	d.custodyReports()
	_, err = d.decide(order.DecisionCancel, nil)
	require.NoError(t, err)
}
