package models_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// surplus is the order's last surplus.
func (d *orderFixture) surplus() *order.KnownSurplus {
	d.Helper()
	rows, err := order.OrderSurpluses(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	require.NotEmpty(d, rows)
	return &rows[len(rows)-1]
}

// settles has core settle what is due of surpluses; over is whether their time is over.
func (d *orderFixture) settles(over bool) {
	d.Helper()
	if over {
		d.owner(`UPDATE surpluses SET held_until = clock_now() WHERE outcome IS NULL`)
	}
	require.NoError(d, order.SettleSurpluses(d.Context(), d.db, 10))
}

func (d *orderFixture) choosesSurplus(choice string) error {
	return order.ChooseSurplus(d.Context(), d.db, d.order.ID, d.user, choice)
}

// overpaid takes an order and pays so many cents more than it costs.
func (d *orderFixture) overpaid(more int64) {
	d.Helper()
	d.take("domestic_wire")
	require.NoError(d, d.arrives(d.order.Total.Add(cents(more)), "wire "+store.NewID()))
}

// sendsBack has two people return unplaced money to its sender.
func (d *cashFixture) sendsBack(id string) error {
	_, err := d.both(&correction.SendBackMoney{MoneyID: id, BankReference: d.reference(), SentOn: "2026-11-21"})
	return err
}

func TestAnOrderThatIsOverpaidContinuesAndHoldsTheRest(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(2000)
	o, s := d.now(), d.surplus()
	require.Equal(t, order.StatusPaymentApproved, o.Status)
	require.Nil(t, o.AttentionReason)
	require.Nil(t, o.ChoiceDueAt)
	require.Equal(t, d.order.Total, o.Total)
	require.Equal(t, d.order.UnitPrice.String(), o.UnitPrice.String())
	require.Equal(t, "2000", s.Amount.String())
	require.Nil(t, s.StaffOnly)
	require.WithinDuration(t, time.Now().Add(72*time.Hour), s.HeldUntil, time.Minute)
	require.True(t, d.balance().IsZero())
	require.Equal(t, "-2000", d.whole(ledger.AccountUnallocated))
	require.Equal(t, []string{"created", "money_received", "receipt_confirmed", "surplus_held"}, d.eventsOf())
	d.settles(false)
	require.Nil(t, d.surplus().Outcome, "its time is not over")

	d.settles(true)
	d.settles(true)
	s = d.surplus()
	require.Equal(t, order.SurplusCredited, *s.Outcome)
	require.Equal(t, "2000", d.balance().String(), "once")
	require.Equal(t, "surplus_settled", store.ReasonOf(d.choosesSurplus(order.SurplusCredit)))
	require.Equal(t, "surplus_settled", store.ReasonOf(d.choosesSurplus(order.SurplusReturn)))
	require.Equal(t, "surplus_credited", d.eventsOf()[4])
	d.bankIsRight()
}

func TestTheCustomerChoosesAboutASurplus(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(700)
	require.Equal(t, "own_order", store.ReasonOf(order.ChooseSurplus(t.Context(), d.db, d.order.ID, d.staff, order.SurplusCredit)))
	require.Equal(t, "unknown_choice", store.ReasonOf(d.choosesSurplus("")))
	d.exec(`UPDATE users SET frozen_at = clock_now() WHERE id = $1`, d.user)
	require.Equal(t, "account_frozen", store.ReasonOf(d.choosesSurplus(order.SurplusCredit)))
	d.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, d.user)
	require.NoError(t, d.choosesSurplus(order.SurplusCredit))
	require.NoError(t, d.choosesSurplus(order.SurplusCredit), "the same again")
	require.Equal(t, "surplus_chosen", store.ReasonOf(d.choosesSurplus(order.SurplusReturn)))
	d.settles(false)
	require.Equal(t, "700", d.balance().String())
	require.NoError(t, d.choosesSurplus(order.SurplusCredit), "the same again")

	d.overpaid(900)
	require.NoError(t, d.choosesSurplus(order.SurplusReturn))
	require.NoError(t, d.choosesSurplus(order.SurplusReturn), "the same again")
	require.Equal(t, "surplus_chosen", store.ReasonOf(d.choosesSurplus(order.SurplusCredit)))
	d.settles(true)
	s := d.surplus()
	require.Equal(t, order.SurplusReturned, *s.Outcome)
	require.Equal(t, "700", d.balance().String())
	require.Equal(t, "-900", d.whole(ledger.AccountUnplaced))
	d.bankIsRight()
	d.sentBackOnly(*s.UnplacedID)

	d.take("domestic_wire")
	require.NoError(t, d.arrives(d.order.Total, "exact"))
	require.Equal(t, "no_surplus", store.ReasonOf(d.choosesSurplus(order.SurplusCredit)))
	d.overpaid(100)
	d.owner(`UPDATE surpluses SET held_until = clock_now() WHERE outcome IS NULL`)
	require.Equal(t, "surplus_settled", store.ReasonOf(d.choosesSurplus(order.SurplusReturn)), "its time is over")
}

// sentBackOnly says that unplaced money is neither credited nor placed, and sends it back.
func (d *cashFixture) sentBackOnly(id string) {
	d.Helper()
	_, err := d.both(&correction.CreditMoney{MoneyID: id, UserID: d.user})
	require.Equal(d, "only_returned", store.ReasonOf(err))
	of := d.order
	d.take("domestic_wire")
	_, err = d.both(&correction.PlaceMoney{MoneyID: id, OrderID: d.order.ID})
	require.Equal(d, "only_returned", store.ReasonOf(err))
	d.order = of
	require.NoError(d, d.sendsBack(id))
	require.NotNil(d, d.surplus().SentOn)
	require.Equal(d, "surplus_returned", d.eventsOf()[len(d.eventsOf())-1])
	d.bankIsRight()
}

// What is large against the order, or above the limit of one person, only ever goes back to its sender.
func TestALargeSurplusIsNeverCredited(t *testing.T) {
	d := openCashFixture(t)
	d.take("domestic_wire")
	total := inCents(d.order.Total)
	require.Greater(t, total, int64(25000), "a fifth of it is more than 50 dollars")
	for name, c := range map[string]struct {
		more int64
		want string
	}{
		"a fifth":           {total / 5, ""},
		"more than a fifth": {total/5 + 1, order.SurplusLarge},
		"above the limit":   {100001, order.SurplusTwoAbove},
	} {
		d.overpaid(c.more)
		s := d.surplus()
		require.Equal(t, c.want, store.Text(s.StaffOnly), name)
		if c.want == "" {
			continue
		}
		require.Equal(t, order.StatusPaymentApproved, d.now().Status, name)
		require.Equal(t, order.SurplusReturned, *s.Outcome, name)
		for _, choice := range []string{order.SurplusCredit, order.SurplusReturn} {
			require.Equal(t, "surplus_returns", store.ReasonOf(d.choosesSurplus(choice)), name)
		}
		d.owner(`UPDATE surpluses SET held_until = clock_now() WHERE id = $1`, s.ID)
		require.NoError(t, order.SettleSurpluses(t.Context(), d.db, 10))
		require.True(t, d.balance().IsZero(), name)
		require.NotContains(t, d.eventsOf(), "surplus_held", name)
		d.bankIsRight()
		d.sentBackOnly(*s.UnplacedID)
	}
	d.exec(`UPDATE orders SET total = 2000 WHERE id = $1`, d.order.ID)
	d.take("domestic_wire")
	d.exec(`UPDATE orders SET total = 10000, base_price = 10000, payment_fee = 0, volume_discount = 0 WHERE id = $1`, d.order.ID)
	require.NoError(t, d.arrives(cents(15000), "fifty dollars"))
	require.Nil(t, d.surplus().StaffOnly, "up to 50 dollars it is not large, whatever the order costs")
}

// The credit rests on the statement of whoever confirmed the receipt, on its day.
func TestASurplusIsCreditedOnItsConfirmersWord(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	d, err := o.confirms(o.cashier, o.order.Total.Add(cents(3000)), 1_000_000, "alone")
	require.NoError(t, err)
	o.books(d)
	before, err := dualcontrol.AloneBy(t.Context(), o.db, o.cashier)
	require.NoError(t, err)
	o.settles(true)
	alone, err := dualcontrol.AloneBy(t.Context(), o.db, o.cashier)
	require.NoError(t, err)
	require.Equal(t, "3000", alone.Sub(before).String(), "it counts on the day of the credit")
	require.Equal(t, 1, o.count(`SELECT count(*) FROM attestations WHERE kind = 'credit' AND source_kind = 'surpluses' AND second_by IS NULL`))
	require.Equal(t, 1, o.count(`SELECT count(*) FROM attestations WHERE kind = 'receipt' AND credited_at IS NOT NULL`))
	limit, amount := alone.Add(cents(500)), cents(501)
	require.NoError(t, o.db.Tx(t.Context(), func(tx *store.DB) error {
		err := dualcontrol.CheckIntake(t.Context(), tx, dualcontrol.Intake{Kind: dualcontrol.Receipt, Actor: o.third, Customer: o.user, Amount: amount, Limit: &limit})
		require.ErrorIs(t, err, dualcontrol.ErrSecondPerson, "and for its customer")
		return nil
	}))

	o.take("domestic_wire")
	p := o.asks(o.cashier, o.order.Total.Add(cents(4000)), "by two")
	done, err := o.agrees(p, o.second)
	require.NoError(t, err)
	o.books(done.Decision)
	o.settles(true)
	require.Equal(t, 1, o.count(`SELECT count(*) FROM attestations WHERE kind = 'credit' AND source_kind = 'surpluses' AND second_by IS NOT NULL`),
		"what two people stated stays stated by two")
}

// A surplus pays what its customer owes first, as any credit.
func TestASurplusPaysADebtFirst(t *testing.T) {
	d := openCashFixture(t)
	_, err := ClawBack(t.Context(), d.db, d.user, "debt", cents(300))
	require.NoError(t, err)
	d.overpaid(1000)
	d.settles(true)
	balance, owed := d.owes()
	require.Equal(t, [2]int64{700, 0}, [2]int64{balance, owed})
	d.bankIsRight()
}

// Receipts that leave an order take what is left over first, wherever it is, and what remains of it stays what it was.
func TestReceiptsThatLeaveTakeTheSurplusFirst(t *testing.T) {
	d := openCashFixture(t)
	for name, state := range map[string]func(){
		"held":      func() { d.overpaid(1000) },
		"chosen":    func() { d.overpaid(1000); require.NoError(d, d.choosesSurplus(order.SurplusCredit)) },
		"returning": func() { d.overpaid(1000); require.NoError(d, d.choosesSurplus(order.SurplusReturn)) },
		"large":     func() { d.overpaid(200000) },
		"credited":  func() { d.overpaid(1000); d.settles(true) },
		"sent back": func() {
			d.overpaid(1000)
			require.NoError(d, d.choosesSurplus(order.SurplusReturn))
			require.NoError(d, d.sendsBack(*d.surplus().UnplacedID))
		},
	} {
		t.Run(name+", a part", func(t *testing.T) {
			d.T = t
			d.customer()
			state()
			before := d.surplus()
			require.NoError(t, d.returned(d.receipts()[0].ID, cents(400)))
			d.bankIsRight()
			s, o := d.surplus(), d.now()
			require.Equal(t, before.Outcome == nil, s.Outcome == nil)
			require.Equal(t, store.Text(before.Outcome), store.Text(s.Outcome))
			balance, owed := d.owes()
			switch name {
			case "credited":
				require.Equal(t, [2]int64{600, 0}, [2]int64{balance, owed})
			case "sent back":
				require.Equal(t, order.AttentionRefundedThere, store.Text(o.AttentionReason), "of its price, nothing else is there")
				require.Equal(t, before.Amount, s.Amount)
			default:
				require.Equal(t, before.Amount.Sub(cents(400)), s.Amount)
				require.Nil(t, o.AttentionReason, "the order is paid all the same")
				returns, err := order.OrderReturns(t.Context(), d.db, o.ID)
				require.NoError(t, err)
				_, err = d.both(&correction.ReinstateReturn{ReturnID: returns[0].ID, BankReference: d.reference(), ReinstatedOn: "2026-11-22"})
				require.NoError(t, err)
				s = d.surplus()
				require.Equal(t, before.Amount, s.Amount, "reinstated, it is as it was")
				require.Equal(t, store.Text(before.Outcome), store.Text(s.Outcome))
				require.Equal(t, [2]int64{balance, owed}, [2]int64{0, 0})
				d.bankIsRight()
			}
			d.settles(true)
			d.bankIsRight()
		})
		t.Run(name+", all of it", func(t *testing.T) {
			d.T = t
			d.customer()
			state()
			err := d.reversed(d.receipts()[0].ID)
			if name == "sent back" {
				require.Equal(t, "returned", store.ReasonOf(err), "it was there: a part of it was sent back")
				require.NoError(t, d.returned(d.receipts()[0].ID, d.receipts()[0].Amount))
				_, owed := d.owes()
				require.EqualValues(t, 1000, owed, "the bank has taken it twice")
				d.bankIsRight()
				return
			}
			require.NoError(t, err)
			require.Equal(t, order.ResolutionExpired, *d.now().Resolution)
			balance, owed := d.owes()
			require.Equal(t, [2]int64{0, 0}, [2]int64{balance, owed})
			if name != "credited" {
				require.Equal(t, order.SurplusReversed, *d.surplus().Outcome)
			}
			d.settles(true)
			require.True(t, d.balance().IsZero())
			d.bankIsRight()
			require.NoError(t, d.arrivesOn(today(), d.order.Total.Add(cents(500)), d.reference()))
			if d.now().Status == order.StatusPaymentApproved { // in time by the bank's day
				require.Equal(t, "500", d.surplus().Amount.String(), "paid again, it holds the new surplus")
			}
			d.bankIsRight()
		})
	}
}

// The surplus depends on nothing that becomes of its order.
func TestASurplusOutlivesTheOrdersRefund(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(1000)
	decision, err := d.decide(order.DecisionRefund, nil)
	require.NoError(t, err)
	_, err = order.StartRefund(t.Context(), d.db, d.order.ID, decision)
	require.NoError(t, err)
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.Equal(t, d.order.Total, d.balance())
	d.settles(true)
	require.Equal(t, d.order.Total.Add(cents(1000)), d.balance())
	d.bankIsRight()
}

// A surplus may have been sent back after the backup that is restored.
func TestBar34ARestoredSurplusGoesBackToItsSender(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(1000)
	restored, err := correction.NoteRestored(t.Context(), d.db, "an operator")
	require.NoError(t, err)
	require.EqualValues(t, 1, restored.Surpluses)
	require.Equal(t, "surplus_returns", store.ReasonOf(d.choosesSurplus(order.SurplusCredit)))
	d.settles(false)
	s := d.surplus()
	require.Equal(t, order.SurplusReturned, *s.Outcome)
	require.True(t, d.balance().IsZero())
	require.Equal(t, 1, d.count(`SELECT count(*) FROM unplaced_money WHERE restored_at IS NOT NULL AND id = $1`, *s.UnplacedID))
	require.NoError(t, d.sendsBack(*s.UnplacedID))
	d.bankIsRight()
}

// The choice, the end of the time, a reversal and a return race: the money has one end.
func TestBar18ASurplusHasOneEnd(t *testing.T) {
	d := openCashFixture(t)
	for range 5 {
		d.customer()
		d.overpaid(1000)
		d.owner(`UPDATE surpluses SET held_until = clock_now() + interval '30 milliseconds' WHERE outcome IS NULL`)
		receipt := d.receipts()[0].ID
		p, err := correction.ProposeMoney(t.Context(), d.db, &correction.BankReturn{ReceiptID: receipt, Amount: cents(1000),
			BankReference: d.reference(), ReturnedOn: "2026-11-21", Code: "R10"}, "", as(d.staff))
		require.NoError(t, err)
		errs := make([]error, 4)
		var all sync.WaitGroup
		for i, act := range []func() error{
			func() error { return d.choosesSurplus(order.SurplusCredit) }, func() error { return d.choosesSurplus(order.SurplusReturn) },
			func() error { return order.SettleSurpluses(t.Context(), d.db, 10) },
			func() error { _, err := correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second)); return err },
		} {
			all.Go(func() { errs[i] = act() })
		}
		all.Wait()
		for _, err := range errs {
			require.True(t, err == nil || store.CodeOf(err) == store.CodeConflict, "%v", errors.Join(errs...))
		}
		d.settles(true)
		balance, owed := d.owes()
		require.Equal(t, [2]int64{0, 0}, [2]int64{balance, owed}, "the bank has it back, wherever it was")
		d.bankIsRight()
	}
}

// A receipt of another order is kept whole, with its surplus that was on its way back.
func TestAReceiptIsKeptWithItsSurplus(t *testing.T) {
	d := openCashFixture(t)
	for name, over := range map[string]int64{"returning": 1000, "large": 200000} {
		d.customer()
		d.overpaid(over)
		if name == "returning" {
			require.NoError(t, d.choosesSurplus(order.SurplusReturn))
		}
		receipt := d.receipts()[0]
		_, err := d.both(&correction.ReverseReceipt{ReceiptID: receipt.ID, Kept: true})
		require.NoError(t, err, name)
		require.Equal(t, order.SurplusReversed, *d.surplus().Outcome)
		kept := d.count(`SELECT count(*) FROM unplaced_money WHERE from_order_id = $1 AND status = 'open'
			AND bank_reference = $2 AND amount = $3`, d.order.ID, receipt.BankReference, receipt.Amount)
		require.Equal(t, 1, kept, name)
		d.bankIsRight()
	}
}

// The return of a second payment, which was credited, comes off that credit and not off the surplus of the first.
func TestACreditedPaymentThatLeavesSparesTheSurplus(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(200000)
	require.NoError(t, d.arrives(cents(15000), "again"))
	require.Equal(t, "15000", d.balance().String())
	receipts := d.receipts()
	require.NoError(t, d.returned(receipts[len(receipts)-1].ID, cents(15000)))
	require.Equal(t, order.SurplusReturned, *d.surplus().Outcome)
	require.Equal(t, "200000", d.surplus().Amount.String())
	balance, owed := d.owes()
	require.Equal(t, [2]int64{0, 0}, [2]int64{balance, owed})
	d.bankIsRight()
}

// A return of the price is reinstated under the payment's own reference, under which its surplus went back.
func TestAReturnIsReinstatedUnderItsReferenceBesideASurplus(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(1000)
	require.NoError(t, d.choosesSurplus(order.SurplusReturn))
	require.NoError(t, d.sendsBack(*d.surplus().UnplacedID))
	receipt := d.receipts()[0]
	require.NoError(t, d.returned(receipt.ID, cents(500)))
	returns, err := order.OrderReturns(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	_, err = d.both(&correction.ReinstateReturn{ReturnID: returns[0].ID, BankReference: receipt.BankReference,
		ReinstatedOn: "2026-11-22"})
	require.NoError(t, err)
	d.bankIsRight()
}

// Staff take no part in sending back the surplus of their own order.
func TestNobodySendsBackTheirOwnSurplus(t *testing.T) {
	d := openCashFixture(t)
	d.overpaid(200000)
	d.exec(`UPDATE orders SET user_id = $1 WHERE id = $2`, d.staff, d.order.ID)
	require.Equal(t, "own_order", store.ReasonOf(d.sendsBack(*d.surplus().UnplacedID)))
	d.exec(`UPDATE orders SET user_id = $1 WHERE id = $2`, d.user, d.order.ID)
}
