package models_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
)

// found books money that matches no order.
func (d *cashFixture) found(amount money.Units, reference string) (*order.UnplacedMoney, error) {
	return correction.OpenUnplaced(d.Context(), d.db, correction.NewUnplaced{Amount: amount, BankReference: reference, ReceivedOn: "2026-11-20", Rail: "domestic_wire", Sender: "A. N. OTHER"}, as(d.staff))
}

// Money that matches no order leaves by one of three ways, once.
func TestUnplacedMoneyHasThreeWaysOut(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	ways := map[string]func(id string) correction.MoneyAct{
		"place":  func(id string) correction.MoneyAct { return &correction.PlaceMoney{MoneyID: id, OrderID: d.order.ID} },
		"credit": func(id string) correction.MoneyAct { return &correction.CreditMoney{MoneyID: id, UserID: d.user} },
		"send back": func(id string) correction.MoneyAct {
			return &correction.SendBackMoney{MoneyID: id, BankReference: d.reference(), SentOn: "2026-11-21"}
		},
	}
	for name, way := range ways {
		reference := d.reference()
		row, err := d.found(cents(1000), reference)
		require.NoError(t, err)
		d.bankIsRight()
		for _, copied := range []string{
			" " + reference + " ", "\u200e" + reference + "\u202c\n", strings.ReplaceAll(reference, "-", "\u2011"),
		} {
			_, err = d.found(cents(1), copied)
			require.Equal(t, "bank_reference_used", store.ReasonOf(err), "%s: %+q", name, copied)
			err = d.arrives(cents(1), copied)
			require.Equal(t, "bank_reference_used", store.ReasonOf(err), "nor as a receipt: %+q", copied)
		}
		before, _ := d.holds()
		_, err = d.both(way(row.ID))
		require.NoError(t, err, name)
		d.bankIsRight()
		after, _ := d.holds()
		switch name {
		case "place":
			require.Equal(t, order.StatusPaymentApproved, d.now().Status)
			require.Equal(t, reference, d.receipts()[1].BankReference)
			for _, person := range []string{d.staff, d.second} {
				_, err := order.OpenDecision(t.Context(), d.db, order.NewDecision{OrderID: d.order.ID, Kind: order.DecisionFulfill, ActorID: person, ActorRole: "admin"})
				require.Equal(t, "own_receipt", store.ReasonOf(err), "who placed the money sends no coin for it")
			}
		case "credit":
			require.EqualValues(t, 1000, after-before)
		}
		for again := range ways {
			_, err = d.both(ways[again](row.ID))
			require.Equal(t, "unplaced_closed", store.ReasonOf(err), again)
		}
		_, err = d.found(cents(1), reference)
		require.Equal(t, "bank_reference_used", store.ReasonOf(err), "the money did come")
	}
	_, err := d.both(&correction.CreditMoney{MoneyID: store.NewID(), UserID: d.user})
	require.Equal(t, store.CodeNotFound, store.CodeOf(err))
}

// Staff name an order as they copy its reference.
func TestAnOrderIsNamedAsItIsCopied(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	copied := strings.ReplaceAll(strings.ToLower(d.order.Reference), "-", "\u2011")
	id := d.order.ID
	for _, name := range []string{d.order.Reference, copied, " " + copied + "\u200b", id, "\ufeff" + id} {
		found, err := correction.OrderNamed(t.Context(), d.db, "order", name)
		require.NoError(t, err, "%+q", name)
		require.Equal(t, id, found)
	}
	_, err := correction.OrderNamed(t.Context(), d.db, "order", d.order.Reference+"X")
	require.Equal(t, "unknown_order", store.ReasonOf(err))
}

// Of concurrent claims on the same money one succeeds. While an order's workflow has yet to accept it, no other claim
// does; refused there, it is open again.
func TestUnplacedMoneyIsBookedOnce(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	for range 5 {
		row, err := d.found(cents(700), d.reference())
		require.NoError(t, err)
		p, err := correction.ProposeMoney(t.Context(), d.db, &correction.CreditMoney{MoneyID: row.ID, UserID: d.user}, "", as(d.staff))
		require.NoError(t, err)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { _, errs[i] = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second)) })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			}
		}
		require.Equal(t, 1, won)
		d.bankIsRight()
	}
	row, err := d.found(cents(1000), d.reference())
	require.NoError(t, err)
	p, err := correction.ProposeMoney(t.Context(), d.db, &correction.PlaceMoney{MoneyID: row.ID, OrderID: d.order.ID}, "", as(d.staff))
	require.NoError(t, err)
	done, err := correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.NoError(t, err)
	_, err = d.both(&correction.CreditMoney{MoneyID: row.ID, UserID: d.user})
	require.Equal(t, "being_placed", store.ReasonOf(err))
	d.bankIsRight()
	require.NoError(t, order.RefuseDecision(t.Context(), d.db, done.Decision.ID, "not_awaited"))
	_, err = d.both(&correction.CreditMoney{MoneyID: row.ID, UserID: d.user})
	require.NoError(t, err)
	d.bankIsRight()
}

// The proposer needs the role at approval: a proposal of a demoted member is not approved.
func TestAMoneyProposalEndsWithItsProposersRole(t *testing.T) {
	d := openCashFixture(t)
	d.at("paid")
	admin := store.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', 'root', 'root@example.com')`, admin)
	d.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'finance', 'test'), ($2, 'finance', 'test'), ($3, 'admin', 'test')`, d.staff, d.second, admin)
	p, err := correction.ProposeMoney(t.Context(), d.db, &correction.ReverseReceipt{ReceiptID: d.receipts()[0].ID}, "", as(d.staff))
	require.NoError(t, err)
	_, err = team.TakeRoles(t.Context(), d.db, account.StaffAction{CustomerID: d.staff, ActorID: admin, ActorRole: "admin", Reason: "left us"}, []string{"finance"})
	require.NoError(t, err)
	_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.Equal(t, "proposal_decided", store.ReasonOf(err))
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
	d.bankIsRight()
}

// A manual journal books what it says with a document and by two people, and
// refuses what would leave anything below zero.
func TestAJournalIsBookedByTwoAndKeepsEverySide(t *testing.T) {
	d := openCashFixture(t)
	d.at("sent")
	document, err := correction.AddMoneyDocument(t.Context(), d.db, correction.MoneyDocument{FileKey: "scan", ContentType: "image/png", Size: 10, AddedBy: d.staff})
	require.NoError(t, err)
	line := func(from, to string, cents int64) correction.JournalLine {
		return correction.JournalLine{From: from, To: to, Currency: money.USD, Amount: money.FromInt(cents)}
	}
	propose := func(lines ...correction.JournalLine) (*correction.MoneyProposal, error) {
		return correction.ProposeMoney(t.Context(), d.db, &correction.Journal{Lines: lines}, document.ID, as(d.staff))
	}
	balance := ledger.CustomerBalance(d.user)
	_, err = correction.ProposeMoney(t.Context(), d.db, &correction.Journal{Lines: []correction.JournalLine{line("equity", "goodwill", 1)}}, "", as(d.staff))
	require.Equal(t, "required", store.ReasonOf(err), "no document")
	have, _ := d.holds()
	for reason, lines := range map[string][]correction.JournalLine{
		"bad_lines": {}, "bad_amount": {line("equity", "goodwill", 0)}, "same_account": {line("equity", "equity", 1)},
		"unknown_account":      {line("equity", "nowhere", 1)},
		"insufficient_balance": {line("goodwill", balance, have+1)},
		"wrong_side":           {line("exchange", "equity", 1<<40)},
		"unknown_customer":     {line("goodwill", ledger.CustomerBalance(store.NewID()), 1)},
		"own_account":          {line(ledger.CustomerBalance(d.staff), "goodwill", 1)},
		"bad_currency":         {{From: "equity", To: "goodwill", Currency: "EUR", Amount: cents(1)}},
		"dollars_only":         {{From: "equity", To: "bank_clearing", Currency: money.BTC, Amount: cents(1)}},
	} {
		_, err := propose(lines...)
		require.Equal(t, reason, store.ReasonOf(err))
	}
	for _, account := range []string{ledger.AccountUnplaced, ledger.CustomerReserved(d.user), ledger.CustomerReceivable(d.user), "customer:x:balance",
		ledger.AccountClosed, ledger.AccountPrepaid, ledger.AccountVouchers, ledger.AccountGiftCards, ledger.ReservedAccount("bitcoin")} {
		for _, one := range []correction.JournalLine{line(account, "goodwill", 1), line("goodwill", account, 1)} {
			_, err := propose(one)
			require.Contains(t, []string{"unknown_account", "unknown_customer"}, store.ReasonOf(err), account)
		}
	}
	sent := d.order // money that waits for an order stays where it is; what a break booked beside it can be moved
	d.take("domestic_wire")
	require.NoError(t, d.arrives(cents(10_000), "short"))
	_, err = propose(line("goodwill", ledger.AccountUnallocated, 1))
	require.Equal(t, "wrong_side", store.ReasonOf(err))
	d.exec(`INSERT INTO postings (group_key, line, event, from_account, to_account, currency, amount) VALUES ('break:1', 1, 'break_booked', 'unallocated_receipts', 'stripe_clearing', 'USD', 700)`)
	_, err = propose(line(balance, ledger.AccountUnallocated, 701))
	require.Equal(t, "wrong_side", store.ReasonOf(err))
	q, err := propose(line(balance, ledger.AccountUnallocated, 700))
	require.NoError(t, err)
	require.NoError(t, d.reject(q.ID))
	d.order = sent
	p, err := propose(line(ledger.AccountEquity, ledger.AccountExchange, 5000), line("goodwill", balance, 300), line(balance, "promotions", 100))
	require.NoError(t, err)
	require.Equal(t, "0", d.whole("goodwill"), "a proposal books nothing")
	_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.staff))
	require.Equal(t, "own_proposal", store.ReasonOf(err))
	_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.NoError(t, err)
	_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.Equal(t, "proposal_decided", store.ReasonOf(err))
	after, _ := d.holds()
	require.Equal(t, have-200, after)
	d.balanced()

	p, err = propose(line("goodwill", balance, after))
	require.NoError(t, err)
	require.NoError(t, d.moved("spent meanwhile", -after))
	_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
	require.Equal(t, "insufficient_balance", store.ReasonOf(err), "looked at anew")
	d.balanced()
}
