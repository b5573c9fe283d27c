package models_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// cashFixture is an order fixture with a second member of staff.
type cashFixture struct {
	*orderFixture
	second string
	n      int
}

func openCashFixture(t *testing.T) *cashFixture {
	d := &cashFixture{orderFixture: openOrderFixture(t), second: store.NewID()}
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'second', 's2@example.com', true)`, d.second)
	return d
}

func as(id string) store.Actor {
	return store.Actor{ActorID: id, ActorRole: "finance", Reason: "as the bank says"}
}

// both has one person propose an act and the other approve it, and says that the
// second approval is refused.
func (d *cashFixture) both(act correction.MoneyAct) (correction.MoneyDone, error) {
	d.Helper()
	p, err := correction.ProposeMoney(d.Context(), d.db, act, "", as(d.staff))
	if err != nil {
		return correction.MoneyDone{}, err
	}
	_, err = correction.ApproveMoney(d.Context(), d.db, p.ID, as(d.staff))
	require.Equal(d, "own_proposal", store.ReasonOf(err))
	done, err := correction.ApproveMoney(d.Context(), d.db, p.ID, as(d.second))
	if err != nil {
		require.NoError(d, d.reject(p.ID))
		return done, err
	}
	_, err = correction.ApproveMoney(d.Context(), d.db, p.ID, as(d.second))
	require.Equal(d, "proposal_decided", store.ReasonOf(err), "killed and repeated: once")
	return done, d.finish(done)
}

func (d *cashFixture) reject(id string) error {
	_, err := correction.RejectMoney(d.Context(), d.db, id, as(d.staff))
	return err
}

// finish delivers the decision that an act has left, as the API and the order's
// workflow do.
func (d *cashFixture) finish(done correction.MoneyDone) error {
	if done.Decision == nil || done.Decision.SettledAt != nil {
		return nil
	}
	return order.ConfirmReceipt(d.Context(), d.db, done.Decision.OrderID, done.Decision.ID, surplusTerms)
}

func (d *cashFixture) reference() string {
	d.n++
	return fmt.Sprintf("REF-%d", d.n)
}

func (d *cashFixture) receipts() []order.StoredReceipt {
	d.Helper()
	rows, err := order.OrderReceipts(d.Context(), d.db, d.order.ID)
	require.NoError(d, err)
	return rows
}

func (d *cashFixture) returned(receipt string, amount money.Units) error {
	_, err := d.both(&correction.BankReturn{ReceiptID: receipt, Amount: amount, BankReference: d.reference(), ReturnedOn: "2026-11-21", Code: "R10"})
	return err
}

func (d *cashFixture) reversed(receipt string) error {
	_, err := d.both(&correction.ReverseReceipt{ReceiptID: receipt})
	return err
}

// bankIsRight compares the bank's account with what the bank must hold, computed from the rows alone, and checks the
// rest of the books.
func (d *cashFixture) bankIsRight() {
	d.Helper()
	var held string
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT ((SELECT coalesce(sum(amount), 0) FROM receipts WHERE reversed_at IS NULL)
		- (SELECT coalesce(sum(amount), 0) FROM receipt_returns WHERE kind = 'return' AND reinstated_at IS NULL)
		+ (SELECT coalesce(sum(amount), 0) FROM unplaced_money u WHERE status IN ('open', 'credited')
		     AND NOT EXISTS (SELECT FROM surpluses s WHERE s.unplaced_id = u.id))
		- (SELECT coalesce(sum(u.amount), 0) FROM unplaced_money u JOIN surpluses s ON s.unplaced_id = u.id WHERE u.status = 'sent_back')
		- (SELECT coalesce(sum(amount), 0) FROM recalls WHERE reinstated_at IS NULL))::text`).Scan(&held))
	require.Equal(d, held, d.whole(ledger.AccountBank))
	var unplaced string
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT (-coalesce(sum(amount), 0))::text FROM unplaced_money WHERE status = 'open'`).Scan(&unplaced))
	require.Equal(d, unplaced, d.whole(ledger.AccountUnplaced))
	d.balanced()
}

// stages are the states of an order when its money is returned.
var stages = []string{"short", "over", "late", "paid", "fulfilling", "filled", "sending", "sent", "spent", "refunded"}

// whole is the balance of a platform account in dollars, in cents.
func (d *cashFixture) whole(account string) string {
	d.Helper()
	sum, err := ledger.AccountBalance(d.Context(), d.db, account, money.USD)
	require.NoError(d, err)
	return sum.String()
}

// customer makes a new customer.
func (d *cashFixture) customer() {
	d.Helper()
	d.user = store.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email, email_verified, volume_tier) VALUES ($1::uuid, 'test', $1::text, 'c@example.com', true, 'gold')`, d.user)
	d.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, d.user)
	require.NoError(d, ledger.OpenCustomerAccounts(d.Context(), d.db, d.user))
}

// at brings an order by wire, of a new customer, to a stage. Its receipt is its last.
func (d *cashFixture) at(stage string) {
	d.Helper()
	d.customer()
	d.take("domestic_wire")
	amount := d.order.Total
	switch stage {
	case "short":
		amount = amount.Sub(cents(1000))
	case "over":
		amount = amount.Add(cents(1000))
	case "late":
		d.expires()
	}
	require.NoError(d, d.arrives(amount, d.reference()))
	switch stage {
	case "fulfilling":
		d.do("fulfill")
	case "filled":
		d.do("fulfill", "buy")
	case "sending":
		d.do("fulfill", "buy", "start transfer")
	case "sent", "spent":
		d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
	case "refunded":
		d.do("refund")
	}
	have := d.balance()
	switch {
	case stage == "sent":
		require.NoError(d, d.moved("gift"+d.reference(), 1_000_000))
	case stage == "spent" && have.Sign() > 0:
		there, _ := have.Int64()
		require.NoError(d, d.moved("gone"+d.reference(), -there))
	}
}

func (d *cashFixture) owes() (balance, owed int64) {
	d.Helper()
	return d.holds()
}

// In every state of an order, its receipt can be reversed: the bank's account is right, the order is in its state
// without the money, and the bank's reference can be used for the right order.
func TestAReceiptIsReversedWhereverItsOrderStands(t *testing.T) {
	d := openCashFixture(t)
	for _, stage := range stages {
		d.at(stage)
		before := d.now()
		receipt := d.receipts()[0]
		have, _ := d.owes()
		require.NoError(t, d.reversed(receipt.ID), stage)
		d.bankIsRight()
		o := d.now()
		left, owed := d.owes()
		switch stage {
		case "short":
			require.Equal(t, order.StatusPending, o.Status, stage)
			require.Nil(t, o.AttentionReason, stage)
		case "over", "late", "paid":
			require.Equal(t, order.ResolutionExpired, *o.Resolution, stage)
			require.Nil(t, o.PaidAt, stage)
			require.NotNil(t, o.ClosedAt, stage)
		case "fulfilling", "filled":
			require.Equal(t, order.ResolutionRefunded, *o.Resolution, stage)
			reserved, err := ledger.AccountBalance(t.Context(), d.db, ledger.ReservedAccount("bitcoin"), money.BTC)
			require.NoError(t, err)
			require.True(t, reserved.IsZero(), "no coin is promised to it")
		case "sending": // its coin may be on the way: it stops
			require.Equal(t, order.AttentionRefundedThere, *o.AttentionReason)
			may, err := order.MaySend(t.Context(), d.db, o.ID)
			require.NoError(t, err)
			require.False(t, may)
			d.do("broadcast")
			_, owed = d.owes()
			bonus := order.Bonus(d.now(), money.Units{})
			require.Equal(t, inCents(before.Total.Sub(bonus)), owed, "the coin went all the same: the customer owes for it")
		case "sent":
			require.Equal(t, inCents(before.Total), have-left)
			require.Zero(t, owed)
		case "spent":
			require.Equal(t, inCents(before.Total), owed)
		case "refunded":
			require.Equal(t, inCents(before.Total), have-left)
		}
		require.Equal(t, "already_reversed", store.ReasonOf(d.reversed(receipt.ID)))
		d.take("domestic_wire")
		require.NoError(t, d.arrives(d.order.Total, receipt.BankReference), "the right order")
		require.Equal(t, order.StatusPaymentApproved, d.now().Status)
		d.bankIsRight()
	}
}

// An order that was paid by a receipt of others accepts its own money later, as any closed order does, and is sent
// once.
func TestAnUnpaidOrderIsPaidAgain(t *testing.T) {
	d := openCashFixture(t)
	d.at("paid")
	require.NoError(t, d.reversed(d.receipts()[0].ID))
	for _, reference := range []string{"own", "own again"} {
		require.NoError(t, d.arrives(d.order.Total, reference))
		require.NoError(t, d.requotes())
		require.Equal(t, order.StatusPaymentApproved, d.now().Status)
		d.bankIsRight()
		if reference == "own" {
			rows := d.receipts()
			require.NoError(t, d.reversed(rows[len(rows)-1].ID))
		}
	}
	d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.bankIsRight()
}

// Its own exact money in time by the bank's day pays such an order as agreed, each
// time that the money of others left it.
func TestAnUnpaidOrderTakesItsMoneyInTime(t *testing.T) {
	d := openCashFixture(t)
	d.at("paid")
	for _, reference := range []string{"own", "own again"} {
		rows := d.receipts()
		require.NoError(t, d.reversed(rows[len(rows)-1].ID))
		require.NotNil(t, d.now().ClosedAt)
		require.NoError(t, d.arrivesOn(today(), d.order.Total, reference))
		require.Equal(t, order.StatusPaymentApproved, d.now().Status)
		require.Nil(t, d.now().AttentionReason)
		d.bankIsRight()
	}
	d.do("fulfill", "buy", "start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.bankIsRight()
}

// What else came for an order that is not paid any more waits for its customer.
func TestTheRestOfAnUnpaidOrderWaits(t *testing.T) {
	d := openCashFixture(t)
	d.take("domestic_wire")
	require.NoError(t, d.arrives(d.order.Total.Sub(cents(5000)), "A"))
	require.NoError(t, d.arrives(cents(5000), "B"))
	require.Equal(t, order.StatusPaymentApproved, d.now().Status)
	require.NoError(t, d.reversed(d.receipts()[0].ID))
	require.Equal(t, order.AttentionLate, *d.now().AttentionReason)
	d.bankIsRight()
	require.NoError(t, order.OfferChoice(t.Context(), d.db, d.order.ID, patience))
	require.NoError(t, d.reverse())
	require.Equal(t, "5000", d.balance().String())
	d.bankIsRight()
}

// Moved, the same money is a receipt of the right order, by the ordinary path.
func TestAReceiptIsMovedToTheRightOrder(t *testing.T) {
	d := openCashFixture(t)
	for _, stage := range stages {
		d.at("short")
		right := d.order
		d.at(stage)
		wrong, receipt := d.now(), d.receipts()[0]
		_, err := d.both(&correction.ReverseReceipt{ReceiptID: receipt.ID, OrderID: wrong.ID})
		require.Equal(t, "same_order", store.ReasonOf(err))
		_, err = d.both(&correction.ReverseReceipt{ReceiptID: receipt.ID, OrderID: right.ID})
		require.NoError(t, err, stage)
		rows, err := order.OrderReceipts(t.Context(), d.db, right.ID)
		require.NoError(t, err)
		require.Equal(t, receipt.BankReference, rows[len(rows)-1].BankReference)
		d.bankIsRight()
	}
}

// In every state of an order, its bank can reverse its money, a part and then the rest, and reinstate it.
func TestTheBankTakesMoneyBackWhereverItsOrderStands(t *testing.T) {
	d := openCashFixture(t)
	for _, stage := range stages {
		for _, whole := range []bool{true, false} {
			d.at(stage)
			before, receipt := d.now(), d.receipts()[0]
			balance, _ := d.owes()
			amount := receipt.Amount
			if !whole {
				amount = cents(700)
				require.Equal(t, "return_exceeds", store.ReasonOf(d.returned(receipt.ID, receipt.Amount.Add(cents(1)))))
			}
			require.NoError(t, d.returned(receipt.ID, amount), stage)
			d.bankIsRight()
			o := d.now()
			left, owed := d.owes()
			switch {
			case stage == "sent" || stage == "spent" || stage == "refunded":
				require.Equal(t, inCents(amount), balance-left+owed, stage)
				require.Equal(t, before.Status, o.Status)
			case stage == "fulfilling" && whole || stage == "paid" && whole || stage == "filled" && whole || stage == "over" && whole:
				require.Equal(t, order.ResolutionRefunded, *o.Resolution, stage)
			case stage == "over": // its surplus covers it
				require.Nil(t, o.AttentionReason)
			case before.Paid():
				require.Equal(t, order.AttentionRefundedThere, *o.AttentionReason, stage)
				may, err := order.MaySend(t.Context(), d.db, o.ID)
				require.NoError(t, err)
				require.False(t, may, stage)
			}
			require.Equal(t, "returned", store.ReasonOf(d.reversed(receipt.ID)))
			rows, err := order.OrderReturns(t.Context(), d.db, o.ID)
			require.NoError(t, err)
			_, err = d.both(&correction.ReinstateReturn{ReturnID: rows[0].ID, BankReference: d.reference(), ReinstatedOn: "2026-11-22"})
			require.NoError(t, err, stage)
			d.bankIsRight()
			_, owed = d.owes()
			require.Zero(t, owed, stage)
			_, err = d.both(&correction.ReinstateReturn{ReturnID: rows[0].ID, BankReference: d.reference(), ReinstatedOn: "2026-11-22"})
			require.Equal(t, "already_reinstated", store.ReasonOf(err))
		}
	}
}

// The same reference of the bank books one return, and one of two people who
// approve at once does.
func TestAReturnIsBookedOnce(t *testing.T) {
	d := openCashFixture(t)
	d.at("sent")
	receipt := d.receipts()[0]
	act := func(reference string) *correction.BankReturn {
		return &correction.BankReturn{ReceiptID: receipt.ID, Amount: cents(100), BankReference: reference, ReturnedOn: "2026-11-21", Code: "R01"}
	}
	third := store.NewID()
	d.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', 'third', 's3@example.com')`, third)
	for round := range 5 {
		p, err := correction.ProposeMoney(t.Context(), d.db, act(fmt.Sprintf("Ret-%d", round)), "", as(d.staff))
		require.NoError(t, err)
		_, err = correction.ProposeMoney(t.Context(), d.db, act("another"), "", as(d.second))
		require.Equal(t, "proposal_open", store.ReasonOf(err), "one at a time")
		errs := make([]error, 6)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = correction.ApproveMoney(t.Context(), d.db, p.ID, as([]string{d.second, third}[i%2]))
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				require.Equal(t, "proposal_decided", store.ReasonOf(err))
			}
		}
		require.Equal(t, 1, won)
		_, err = correction.ProposeMoney(t.Context(), d.db, act(fmt.Sprintf("ret-%d", round)), "", as(d.staff))
		require.Equal(t, "bank_reference_used", store.ReasonOf(err))
		d.bankIsRight()
	}
}

// While a proposal that an order's money is not its own is open, its coin waits.
func TestAProposalStopsTheCoin(t *testing.T) {
	d := openCashFixture(t)
	d.at("filled")
	p, err := correction.ProposeMoney(t.Context(), d.db, &correction.ReverseReceipt{ReceiptID: d.receipts()[0].ID}, "", as(d.staff))
	require.NoError(t, err)
	may, err := order.MaySend(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.False(t, may)
	require.NoError(t, d.reject(p.ID))
	d.do("retry", "start transfer", "broadcast", "confirm")
	require.Equal(t, order.StatusSent, d.now().Status)
	d.bankIsRight()
}

// Custody does not send coin for money of others, whatever staff decide: the order waits
// for what to do about it, and its customer has theirs back.
func TestCoinIsNotSentForMoneyOfOthers(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	require.NoError(t, d.arrives(cents(1000), d.reference()))
	d.do("fulfill", "buy")
	require.NoError(t, d.reversed(d.receipts()[1].ID))
	d.do("retry", "start transfer")
	require.Equal(t, order.AttentionRefundedThere, *d.now().AttentionReason)
	d.do("refund")
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	d.bankIsRight()
}

// A transfer that dies after the customer bore a return: they have back what they
// paid, and the order owes them no coin for it.
func TestAReturnAndATransferThatDies(t *testing.T) {
	d := openCashFixture(t)
	d.at("paid")
	d.do("fulfill", "buy", "start transfer", "broadcast")
	require.NoError(t, d.returned(d.receipts()[0].ID, d.order.Total))
	_, owed := d.owes()
	require.Positive(t, owed)
	d.do("die")
	_, owed = d.owes()
	require.Zero(t, owed)
	require.Equal(t, order.StatusFailed, d.now().Status)
	d.bankIsRight()
	d.do("refund")
	after, _ := d.owes()
	require.Zero(t, after, "all of it is with their bank")
	require.Equal(t, order.ResolutionRefunded, *d.now().Resolution)
	require.Equal(t, "0.00", d.balanceOf(ledger.AccountPrepaid))
	d.bankIsRight()
}

// Whatever is done to orders by wire, in whatever order: refused or booked, the
// books balance and the bank's account is what the bank has.
func TestAnySequenceOfReceiptsAndReturnsKeepsTheBooksRight(t *testing.T) {
	d := openCashFixture(t)
	names := []string{"arrives", "arrives exactly", "keep", "requote", "back", "expire", "reverse", "reverse", "move", "return", "return part", "reinstate",
		"fulfill", "buy", "buy part", "start transfer", "broadcast", "confirm", "die", "reject", "retry", "refund", "refund part", "mark sent",
		"choose credit", "choose return", "settle", "send back"}
	rapid.Check(t, func(r *rapid.T) {
		d.take("domestic_wire")
		other := d.order
		d.take("domestic_wire")
		did := map[string]bool{}
		for range rapid.IntRange(4, 22).Draw(r, "steps") {
			name := rapid.SampledFrom(names).Draw(r, "step")
			if next := map[order.OrderStatus]string{order.StatusPending: "arrives exactly", order.StatusPaymentApproved: "fulfill", order.StatusFulfilling: "buy",
				order.StatusFilled: "broadcast", order.StatusSent: "confirm", order.StatusFailed: "retry"}; rapid.Bool().Draw(r, "good") {
				name = next[d.now().Status]
			}
			err := d.step(name, other, func(n int) int { return rapid.IntRange(1, n-1).Draw(r, "share") })
			if err != nil && store.CodeOf(err) != store.CodeConflict && store.CodeOf(err) != store.CodeInvalid {
				r.Fatalf("%s of an order that is %s: %v", name, d.now().Status, err)
			}
			if store.ReasonOf(err) == "already_posted" {
				r.Fatalf("%s of an order that is %s: its effect is taken for an earlier one", name, d.now().Status)
			}
			did[name] = did[name] || err == nil
			r.Logf("%s → %s (%v)", name, d.now().Status, err)
			d.bankIsRight()
		}
		if d.now().ClosedAt != nil {
			d.settles(true)
			d.emptied(r)
		}
	})
}

func (d *cashFixture) step(name string, other *order.Order, draw func(n int) int) error {
	rows := d.receipts()
	last := store.NewID()
	if len(rows) > 0 {
		last = rows[draw(len(rows)+1)-1].ID
	}
	switch name {
	case "arrives":
		return d.arrivesOn(d.someDay(draw), d.order.Total.Add(cents(int64(draw(400)-200)*100)), d.reference())
	case "arrives exactly":
		return d.arrivesOn(d.someDay(draw), d.now().Total, d.reference())
	case "keep":
		return d.keeps()
	case "choose credit", "choose return":
		return d.choosesSurplus(strings.TrimPrefix(name, "choose "))
	case "settle":
		d.settles(true)
		return nil
	case "send back":
		var open string
		err := d.db.Row(d.Context(), `SELECT coalesce((SELECT id::text FROM unplaced_money WHERE from_order_id = $1 AND status = 'open' LIMIT 1), '')`,
			d.order.ID).Scan(&open)
		if err != nil || open == "" {
			return err
		}
		return refusedOr(d.sendsBack(open))
	case "requote":
		return d.requotes()
	case "back":
		return d.reverse()
	case "expire":
		d.exec(`UPDATE orders SET payment_due_at = clock_now() WHERE id = $1`, d.order.ID)
		return order.EndUnpaid(d.Context(), d.db, d.order.ID, order.Unpaid{How: order.ResolutionExpired})
	case "reverse":
		return refusedOr(d.reversed(last))
	case "move":
		_, err := d.both(&correction.ReverseReceipt{ReceiptID: last, OrderID: other.ID})
		return refusedOr(err)
	case "return":
		if len(rows) == 0 {
			return nil
		}
		return refusedOr(d.returned(rows[0].ID, rows[0].Amount))
	case "return part":
		return refusedOr(d.returned(last, cents(int64(draw(30_000)))))
	case "reinstate":
		returns, err := order.OrderReturns(d.Context(), d.db, d.order.ID)
		if err != nil || len(returns) == 0 {
			return err
		}
		_, err = d.both(&correction.ReinstateReturn{ReturnID: returns[draw(len(returns)+1)-1].ID, BankReference: d.reference(), ReinstatedOn: "2026-11-22"})
		return err
	case "broadcast":
		return firstOf(d.actions(draw)["start transfer"](), d.actions(draw)["broadcast"]())
	}
	return d.actions(draw)[name]()
}

// someDay is one on which the bank may have received money: long ago, or in time.
func (d *cashFixture) someDay(draw func(n int) int) string {
	return []string{"2026-11-20", today()}[draw(3)-1]
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// refusedOr accepts a missing row as a refusal.
func refusedOr(err error) error {
	if store.CodeOf(err) == store.CodeNotFound {
		return nil
	}
	return err
}

func inCents(u money.Units) int64 {
	n, _ := u.Int64()
	return n
}

// today is the bank's day of money that comes now.
func today() string { return time.Now().UTC().Format(time.DateOnly) }

// No member of staff takes money off their own order, or credits it to themselves, under another account whose
// address reaches the same mailbox.
func TestNoOneMovesTheirOwnMoneyUnderAnotherAccount(t *testing.T) {
	d := openCashFixture(t)
	d.at("paid")
	d.exec(`UPDATE users SET email = 'S2+shop@example.com' WHERE id = $1`, d.user)
	receipt := d.receipts()[0]
	for reason, act := range map[string]correction.MoneyAct{
		"own_order":   &correction.ReverseReceipt{ReceiptID: receipt.ID},
		"own_order ":  &correction.BankReturn{ReceiptID: receipt.ID, Amount: cents(1), BankReference: d.reference(), ReturnedOn: today(), Code: "R10"},
		"own_account": &correction.Journal{Lines: []correction.JournalLine{{From: ledger.CustomerBalance(d.user), To: "goodwill", Currency: money.USD, Amount: cents(100)}}},
	} {
		document, err := correction.AddMoneyDocument(t.Context(), d.db, correction.MoneyDocument{FileKey: "scan" + reason, ContentType: "image/png", Size: 10, AddedBy: d.staff})
		require.NoError(t, err)
		paper := ""
		if reason == "own_account" {
			paper = document.ID
		}
		_, err = correction.ProposeMoney(t.Context(), d.db, act, paper, as(d.second))
		require.Equal(t, strings.TrimSpace(reason), store.ReasonOf(err))
		p, err := correction.ProposeMoney(t.Context(), d.db, act, paper, as(d.staff))
		require.NoError(t, err, "somebody else proposes it")
		_, err = correction.ApproveMoney(t.Context(), d.db, p.ID, as(d.second))
		require.Equal(t, strings.TrimSpace(reason), store.ReasonOf(err))
		require.NoError(t, d.reject(p.ID))
	}
	d.bankIsRight()
}
