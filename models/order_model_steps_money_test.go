package models_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

func (w *walker) stepsOfMarket() map[string]func() error {
	return map[string]func() error{
		"price gone":    func() error { w.tradable(false); return nil },
		"price back":    func() error { w.tradable(true); return nil },
		"wallet empty":  w.emptyWallet,
		"wallet filled": w.fillWallet,
		"fill part": func() error {
			if w.at.Part { // the model has one
				return nil
			}
			return w.buying(func(n int) error { return w.fills(n, w.now().Amount.Half()) })
		},
		"fill nothing": func() error { return w.buying(func(n int) error { return w.fills(n, money.Units{}) }) },
	}
}

func (d *cashFixture) tradable(yes bool) {
	d.exec(`UPDATE markets SET tradable = $1 WHERE asset = 'BTC'`, yes)
}

// scraps are what an empty wallet holds: less than any order's coin, and enough for fees.
const scraps = 100_000

func (w *walker) emptyWallet() error {
	there, err := ledger.AccountBalance(w.Context(), w.db, ledger.WalletAccount("bitcoin"), money.BTC)
	if err != nil || there.Cmp(money.FromInt(scraps)) <= 0 {
		return err
	}
	taken := there.Sub(money.FromInt(scraps))
	w.taken = w.taken.Add(taken)
	return ledger.SeedFloat(w.Context(), w.db, store.NewID(), []ledger.Posting{{From: ledger.WalletAccount("bitcoin"), To: ledger.AccountEquity, Currency: money.BTC, Amount: taken}})
}

func (w *walker) fillWallet() error {
	back := w.taken
	if back.IsZero() {
		return nil
	}
	w.taken = money.Units{}
	return ledger.SeedFloat(w.Context(), w.db, store.NewID(), []ledger.Posting{{From: ledger.AccountEquity, To: ledger.WalletAccount("bitcoin"), Currency: money.BTC, Amount: back}})
}

// captures makes the decision to capture, and has it end otherwise than captured.
func (w *walker) captures(end func(ctx context.Context, order, decision string) error) func() error {
	return func() error {
		return w.decided(order.DecisionProcess, nil, func(decision string) error {
			if job, err := order.StartCapture(w.Context(), w.db, w.order.ID, decision); err != nil || job.Done {
				return err
			}
			return end(w.Context(), w.order.ID, decision)
		})
	}
}

// missingCoin is what of the order's coin is not bought yet.
func (w *walker) missingCoin() money.Units {
	w.Helper()
	var bought money.Units
	require.NoError(w, w.db.Pool().QueryRow(w.Context(), "SELECT coalesce(sum(filled), 0) FROM exchange_orders WHERE order_id = $1", w.order.ID).Scan(&bought))
	return w.now().Amount.Sub(bought)
}

// fills reports that the exchange executed so much of an exchange order.
func (w *walker) fills(generation int, coin money.Units) error {
	cost := money.USD.FromDecimal(money.BTC.Decimal(coin).Mul(w.now().UnitPrice), money.Up)
	fill := execution.Fill{Filled: coin, Cost: cost}
	if !coin.IsZero() {
		fill.Fee = money.FromInt(9)
	}
	return order.RecordFill(w.Context(), w.db, w.order.ID, generation, fmt.Sprintf("O%s-%d", w.order.ID, generation), fill)
}

// disputes opens a dispute, where none is open and there were less than two.
func (w *walker) disputes(amount func(left money.Units) money.Units) error {
	left, err := order.Refundable(w.Context(), w.db, w.now())
	if after, _ := w.at.apply("dispute"); err != nil || after == w.at {
		return err
	}
	quarter := amount(left)
	if whole := w.quarters(left); quarter.Cmp(left) != 0 && whole == 1 { // which is the dispute of all
		return nil
	}
	return w.opens(quarter)
}

// disputesWhole opens a dispute of all that was paid, although some of it was refunded.
func (w *walker) disputesWhole() error {
	if after, _ := w.at.apply("dispute whole"); after == w.at {
		return nil
	}
	return w.opens(w.order.Total)
}

// opens opens a dispute of an amount.
func (w *walker) opens(amount money.Units) error {
	_, err := order.RecordDispute(w.Context(), w.db, w.order.ID, order.DisputeReading{ID: "dp_" + store.NewID(),
		Status: order.DisputeOpen, Reason: "fraudulent", Amount: amount, Withdrawn: amount, Fee: money.FromInt(1500),
		DueBy: time.Now().Add(time.Hour)})
	return err
}

// fundsReinstated is that the bank pays back what it withdrew by the last dispute, which was lost.
func (w *walker) fundsReinstated() error {
	disputes, err := order.Disputes(w.Context(), w.db, w.order.ID)
	if err != nil || len(disputes) == 0 || disputes[len(disputes)-1].Status != order.DisputeLost {
		return err
	}
	last := disputes[len(disputes)-1]
	_, err = order.RecordDispute(w.Context(), w.db, w.order.ID, order.DisputeReading{ID: last.ProviderID,
		Status: order.DisputeLost, Reason: last.Reason, Amount: last.Amount, Withdrawn: last.Withdrawn,
		Reinstated: last.Withdrawn, Fee: last.Fee})
	return err
}

// questions proposes that the last receipt was of others, or was returned, all of it or a quarter.
func (w *walker) questions(kind string, part bool) error {
	live := w.live()
	if w.at.Question.Kind != "" || len(live) == 0 {
		return nil
	}
	last := live[len(live)-1]
	act := map[string]correction.MoneyAct{
		"return":   &correction.BankReturn{ReceiptID: last.ID, Amount: last.Amount, BankReference: w.reference(), ReturnedOn: today(), Code: "R10"},
		"reversal": &correction.ReverseReceipt{ReceiptID: last.ID},
	}[kind]
	switch {
	case part && w.quarters(last.Amount) == 1: // which is the return of all
		return nil
	case part:
		act.(*correction.BankReturn).Amount = money.FromInt(w.total() / int64(price))
	case kind == "move":
		act = &correction.ReverseReceipt{ReceiptID: last.ID, OrderID: w.anothers().order.ID}
	}
	_, err := correction.ProposeMoney(w.Context(), w.db, act, "", as(w.staff))
	return err
}

// questioned answers what is proposed about a receipt, if anything is.
func (w *walker) questioned(answer func(proposal string) (correction.MoneyDone, error)) error {
	open, err := correction.OpenMoneyProposal(w.Context(), w.db, w.question())
	if err != nil || open == nil {
		return err
	}
	done, err := answer(open.ID)
	if err != nil || done.Decision == nil {
		return err
	}
	to := &orderFixture{shop: w.shop, order: &order.Order{ID: done.Decision.OrderID}}
	before := to.now()
	if err := w.finish(done); err != nil {
		return err
	}
	paid := to.now()
	require.True(w, paid.Paid() || paid.MoneyWaits(), "money that was moved is with its own order: %+v, before %+v", paid, before)
	return nil
}

// anothers is an order by bank of another customer, who waits for nothing but money.
func (w *walker) anothers() *cashFixture {
	w.Helper()
	shop := *w.shop
	other := &cashFixture{orderFixture: &orderFixture{shop: &shop, staff: w.staff, cashier: w.cashier}, second: w.second}
	other.customer()
	other.tradable(true)
	require.NoError(w, w.turnSwitch(false)) // as when it was made
	other.take("domestic_wire")
	require.NoError(w, w.turnSwitch(w.at.Paused))
	return other
}

// movedHere moves what is missing here from the order of another customer, on which it
// was confirmed.
func (w *walker) movedHere() error {
	amount, err := w.amountOf(w.at.missing())
	if err != nil {
		return err
	}
	other := w.anothers()
	require.NoError(w, other.arrivesOn(today(), amount, "moved "+store.NewID()))
	p, err := correction.ProposeMoney(w.Context(), w.db, &correction.ReverseReceipt{ReceiptID: other.receipts()[0].ID, OrderID: w.order.ID}, "", as(w.cashier))
	if err != nil {
		return err
	}
	done, err := correction.ApproveMoney(w.Context(), w.db, p.ID, as(w.third))
	if err != nil {
		return err
	}
	return w.executed(done.Decision.ID, func(decision string) error {
		return order.ConfirmReceipt(w.Context(), w.db, w.order.ID, decision, surplusTerms)
	})
}

// reinstates has the bank reinstate what it reversed last.
func (w *walker) reinstates() error {
	returns, err := order.OrderReturns(w.Context(), w.db, w.order.ID)
	returns = slices.DeleteFunc(returns, func(r order.ReceiptReturn) bool { return r.Kind != order.ReturnByBank || r.ReinstatedAt != nil })
	if err != nil || len(returns) == 0 {
		return errors.Join(err, errors.New("the bank has taken nothing back"))
	}
	p, err := correction.ProposeMoney(w.Context(), w.db, &correction.ReinstateReturn{ReturnID: returns[len(returns)-1].ID, BankReference: w.reference(), ReinstatedOn: today()}, "", as(w.staff))
	if err != nil {
		return err
	}
	_, err = correction.ApproveMoney(w.Context(), w.db, p.ID, as(w.second))
	return errors.Join(err, w.fits())
}

// fits pays the order by money that is exactly its price by now, as its workflow does.
func (w *walker) fits() error {
	o, err := order.ReadOrder(w.Context(), w.db, w.order.ID)
	if err != nil || store.Text(o.AttentionReason) != order.AttentionOver {
		return err
	}
	return order.GoOn(w.Context(), w.db, w.order.ID, 100, surplusTerms)
}

// recalls reverses more than the customer has on their balance: they owe us.
func (w *walker) recalls() error {
	if w.at.Owes {
		return nil
	}
	there, _ := w.holds()
	_, err := ClawBack(w.Context(), w.db, w.user, store.NewID(), cents(there+10*w.total()))
	return err
}
