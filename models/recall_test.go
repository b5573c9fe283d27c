package models_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// credited is unplaced money that two people credited to the customer.
func (d *cashFixture) credited(amount int64) *order.UnplacedMoney {
	d.Helper()
	row, err := d.found(cents(amount), d.reference())
	require.NoError(d, err)
	_, err = d.both(&correction.CreditMoney{MoneyID: row.ID, UserID: d.user})
	require.NoError(d, err)
	return row
}

func (d *cashFixture) recalls(id string, amount int64, reference string) error {
	_, err := d.both(&correction.RecallMoney{MoneyID: id, Amount: cents(amount), BankReference: reference, ReturnedOn: "2026-11-21", Code: "R03"})
	return err
}

func (d *cashFixture) reinstates(id, reference string) error {
	_, err := d.both(&correction.ReinstateReturn{ReturnID: id, BankReference: reference, ReinstatedOn: "2026-11-22"})
	return err
}

// spends takes an amount of the customer's balance.
func (d *cashFixture) spends(amount int64) {
	d.Helper()
	require.NoError(d, d.db.Tx(d.Context(), func(tx *store.DB) error {
		return ledger.TakeFromBalance(d.Context(), tx, ledger.StoredPosting{Event: "test", GroupKey: "spent:" + d.reference()}, d.user,
			ledger.Posting{From: ledger.AccountPrepaid, To: ledger.CustomerBalance(d.user), Currency: money.USD, Amount: cents(amount)})
	}))
}

// recallsOf reads the recalls of credited money.
func (d *cashFixture) recallsOf(id string) []order.Recall {
	d.Helper()
	rows, err := order.RecallsOf(d.Context(), d.db, id)
	require.NoError(d, err)
	return rows[id]
}

func (d *cashFixture) mailsOf(kind, id string) int {
	d.Helper()
	return count(d.shop, `SELECT count(*) FROM mails m JOIN matter_events e ON e.id = m.matter_event_id WHERE m.kind = '`+kind+`' AND e.matter_id = '`+id+`' AND m.user_id = '`+d.user+`'`)
}

// Credited money that its bank takes back is a claim on its customer: the balance is reduced, the rest is owed and bars
// payouts. It is booked once, and reversed if the bank reinstates the money.
func TestRecalledCreditIsClaimed(t *testing.T) {
	d, keys := openCashFixture(t), cardKeys(t, 1)
	account, err := payout.PayoutAccount{Kind: payout.AccountIBAN, Holder: "Ada Lovelace", IBAN: goodIBAN}.Check()
	require.NoError(t, err)
	for name, c := range map[string]struct{ spent, balance, owed int64 }{
		"all there": {0, 0, 0}, "part spent": {40_000, 0, 40_000}, "all spent": {100_000, 0, 100_000},
	} {
		d.customer()
		row := d.credited(100_000)
		if c.spent > 0 {
			d.spends(c.spent)
		}
		reference := d.reference()
		require.NoError(t, d.recalls(row.ID, 100_000, reference), name)
		balance, owed := d.owes()
		require.Equal(t, []int64{c.balance, c.owed}, []int64{balance, owed}, name)
		d.bankIsRight()
		recall := d.recallsOf(row.ID)[0]
		require.Equal(t, cents(c.owed), recall.Owed, name)
		require.Equal(t, 1, d.mailsOf("credit_recalled", recall.ID), name)
		if c.owed > 0 {
			_, err := payout.RequestPayout(t.Context(), d.db, keys, payout.NewPayout{UserID: d.user, Amount: cents(5000), Account: account, TwoAbove: cents(100_000)})
			require.Equal(t, "owes_money", store.ReasonOf(err), name)
		}
		require.Equal(t, "return_exceeds", store.ReasonOf(d.recalls(row.ID, 1, d.reference())), "%s: once", name)
		d.bankIsRight()

		require.NoError(t, d.reinstates(recall.ID, d.reference()), name)
		balance, owed = d.owes()
		require.Equal(t, []int64{100_000 - c.spent, 0}, []int64{balance, owed}, name)
		require.Equal(t, 1, d.mailsOf("recall_reinstated", recall.ID), name)
		require.Equal(t, "already_reinstated", store.ReasonOf(d.reinstates(recall.ID, d.reference())), name)
		d.bankIsRight()

		require.NoError(t, d.recalls(row.ID, 60_000, d.reference()), "%s: taken back again, in parts", name)
		require.NoError(t, d.recalls(row.ID, 40_000, d.reference()), name)
		balance, owed = d.owes()
		require.Equal(t, []int64{c.balance, c.owed}, []int64{balance, owed}, name)
		d.bankIsRight()
	}
}

// A recall needs two people and the bank's own facts; what does not fit is rejected, and changes nothing.
func TestRecallIsRejectedUnlessItFits(t *testing.T) {
	d := openCashFixture(t)
	d.customer()
	row := d.credited(100_000)
	open, err := d.found(cents(500), d.reference())
	require.NoError(t, err)
	act := func(change func(*correction.RecallMoney)) error {
		a := &correction.RecallMoney{MoneyID: row.ID, Amount: cents(100), BankReference: d.reference(), ReturnedOn: "2026-11-21", Code: "R03"}
		change(a)
		_, err := d.both(a)
		return err
	}
	for reason, change := range map[string]func(*correction.RecallMoney){
		"not_credited":   func(a *correction.RecallMoney) { a.MoneyID = open.ID },
		"return_exceeds": func(a *correction.RecallMoney) { a.Amount = cents(100_001) },
		"bad_amount":     func(a *correction.RecallMoney) { a.Amount = cents(0) },
		"before_receipt": func(a *correction.RecallMoney) { a.ReturnedOn = "2026-11-19" },
		"in_future":      func(a *correction.RecallMoney) { a.ReturnedOn = "2999-01-01" },
		"bad_date":       func(a *correction.RecallMoney) { a.ReturnedOn = "yesterday" },
		"bad_reference":  func(a *correction.RecallMoney) { a.BankReference = " " },
		"required":       func(a *correction.RecallMoney) { a.Code = " " },
	} {
		require.Equal(t, reason, store.ReasonOf(act(change)), reason)
	}
	require.Equal(t, store.CodeNotFound, store.CodeOf(act(func(a *correction.RecallMoney) { a.MoneyID = store.NewID() })))
	_, err = correction.ProposeMoney(t.Context(), d.db, &correction.RecallMoney{MoneyID: row.ID, Amount: cents(100), BankReference: "x", ReturnedOn: "2026-11-21", Code: "R03"}, "", as(d.user))
	require.Equal(t, "own_account", store.ReasonOf(err))
	balance, owed := d.owes()
	require.Equal(t, []int64{100_000, 0}, []int64{balance, owed})
	d.bankIsRight()

	p, err := correction.ProposeMoney(t.Context(), d.db, &correction.RecallMoney{MoneyID: row.ID, Amount: cents(100_000), BankReference: d.reference(), ReturnedOn: "2026-11-21", Code: "R03"}, "", as(d.staff))
	require.NoError(t, err)
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() { _, errs[i] = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second)) })
	}
	all.Wait()
	done := 0
	for _, err := range errs {
		if err == nil {
			done++
		}
	}
	require.Equal(t, 1, done, "however many approve")
	require.Len(t, d.recallsOf(row.ID), 1)
	require.Equal(t, "own_account", store.ReasonOf(func() error {
		_, err := correction.ProposeMoney(t.Context(), d.db, &correction.ReinstateReturn{ReturnID: p.ID, BankReference: "y", ReinstatedOn: "2026-11-22"}, "", as(d.user))
		return err
	}()))
	_, err = correction.ProposeMoney(t.Context(), d.db, &correction.ReinstateReturn{ReturnID: p.ID, BankReference: "y", ReinstatedOn: "2026-11-20"}, "", as(d.staff))
	require.Equal(t, "before_return", store.ReasonOf(err))
	d.bankIsRight()
}

// One return of the bank is booked once, whether of a receipt or of credited money.
func TestReturnReferenceIsBookedOnce(t *testing.T) {
	d := openCashFixture(t)
	d.at("over")
	receipt := d.receipts()[0]
	row := d.credited(10_000)
	require.NoError(t, d.recalls(row.ID, 2000, "Return-1"))
	require.Equal(t, "bank_reference_used", store.ReasonOf(d.recalls(row.ID, 2000, "RETURN-1")))
	_, err := d.both(&correction.BankReturn{ReceiptID: receipt.ID, Amount: cents(100), BankReference: "return-1", ReturnedOn: today(), Code: "R10"})
	require.Equal(t, "bank_reference_used", store.ReasonOf(err))
	_, err = d.both(&correction.BankReturn{ReceiptID: receipt.ID, Amount: cents(100), BankReference: "return-2", ReturnedOn: today(), Code: "R10"})
	require.NoError(t, err)
	require.Equal(t, "bank_reference_used", store.ReasonOf(d.recalls(row.ID, 2000, "Return-2")))
	returns, err := order.OrderReturns(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.NoError(t, d.reinstates(d.recallsOf(row.ID)[0].ID, "back-1"))
	require.Equal(t, "bank_reference_used", store.ReasonOf(d.reinstates(returns[0].ID, "BACK-1")))
	d.bankIsRight()
}

// What the bank takes back of a closed account comes out of what waits to be sent back, and the rest is owed.
func TestRecallOfClosedAccountTakesWhatWaits(t *testing.T) {
	d := openCashFixture(t)
	d.customer()
	row := d.credited(100_000)
	require.NoError(t, d.recalls(row.ID, 100_000, d.reference()))
	d.exec(`UPDATE users SET closed_at = clock_now() WHERE id = $1`, d.user)
	require.NoError(t, d.reinstates(d.recallsOf(row.ID)[0].ID, d.reference()))
	require.Equal(t, "-100000", d.whole(ledger.AccountClosed))
	require.NoError(t, d.recalls(row.ID, 100_000, d.reference()))
	require.Equal(t, "0", d.whole(ledger.AccountClosed))
	balance, owed := d.owes()
	require.Equal(t, []int64{0, 0}, []int64{balance, owed})
	require.True(t, order.Recalled(d.recallsOf(row.ID)).Cmp(money.FromInt(100_000)) == 0)
	d.balanced()
}

// One payment that left the bank is recorded once, whatever it is said to have paid.
func TestOutgoingReferenceIsRecordedOnce(t *testing.T) {
	d := openCashFixture(t)
	sendsBack := func(reference string) error {
		row, err := d.found(cents(1000), d.reference())
		require.NoError(t, err)
		_, err = d.both(&correction.SendBackMoney{MoneyID: row.ID, BankReference: reference, SentOn: "2026-11-21"})
		return err
	}
	require.NoError(t, sendsBack("Out-1"))
	require.Equal(t, "bank_reference_used", store.ReasonOf(sendsBack("OUT-1")))
	d.exec(`INSERT INTO payouts (id, reference, user_id, amount, status, account_kind, account_country, account_last4, sealed_account, approvals_needed, approved_by, bank_reference)
		VALUES ($1, 'PO-1', $2, 5000, 'paid', 'us', 'US', '6789', 'sealed', 1, $3, 'Out-2')`, store.NewID(), d.user, d.staff)
	require.Equal(t, "bank_reference_used", store.ReasonOf(sendsBack("out-2")))
	closed := store.NewID()
	d.exec(`INSERT INTO stranded_credits (id, user_id, amount, event, group_key, bank_reference, reason, first_by, first_at)
		VALUES ($1, $2, 100, 'bonus_credited', 'g', 'Out-3', 'why', $3, now())`, closed, d.user, d.staff)
	require.Equal(t, "bank_reference_used", store.ReasonOf(sendsBack("out-3")))
	require.NoError(t, d.db.Tx(t.Context(), func(tx *store.DB) error {
		for _, reference := range []string{"OUT-1", "OUT-2", "OUT-3"} {
			require.ErrorIs(t, ledger.FreeReference(t.Context(), tx, reference, ""), ledger.ErrReferenceUsed, reference)
		}
		return ledger.FreeReference(t.Context(), tx, "out-3", closed) // the second person confirms the same
	}))
}
