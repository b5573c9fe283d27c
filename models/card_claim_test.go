package models_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// claims is a shop whose customers sell gift cards and withdraw their balance, with three of staff.
type claims struct {
	*cashFixture
	cards *counter
}

func openClaims(t *testing.T) *claims {
	d := openCashFixture(t)
	c := &counter{shop: d.shop, keys: cardKeys(t, 1), staff: d.staff, seen: map[string]string{}}
	return &claims{cashFixture: d, cards: c}
}

// paid is a card of $100.00, for which $80.00 were credited.
func (c *claims) paid(code string) *giftcard.GiftCard {
	c.Helper()
	card := c.cards.review(regularForm(code, "100"))
	require.NoError(c, c.cards.decideAndExecute(card.ID, giftcard.CardApprove, 10_000, ""))
	return c.cards.card(card.ID)
}

// spend takes dollars from the customer's balance, as an order does.
func (c *claims) spend(amount int64) {
	c.Helper()
	err := c.db.Tx(c.Context(), func(tx *store.DB) error {
		about := ledger.StoredPosting{Event: "test", GroupKey: "spent:" + store.NewID()}
		return ledger.TakeFromBalance(c.Context(), tx, about, c.user,
			ledger.Posting{From: ledger.AccountEquity, To: ledger.CustomerBalance(c.user), Currency: money.USD, Amount: cents(amount)})
	})
	require.NoError(c, err)
}

// approves has a person approve a proposal.
func (c *claims) approves(id, who string) error {
	_, err := correction.ApproveMoney(c.Context(), c.db, id, as(who))
	return err
}

func (c *claims) books(account string) int64 {
	c.Helper()
	sum, err := ledger.AccountBalance(c.Context(), c.db, account, money.USD)
	require.NoError(c, err)
	return inCents(sum)
}

// What is known of a card is the most that its proceeds can be.
func TestProceedsAreAtMostTheApprovedValue(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "90"))
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardApprove, 9_000, ""))
	for _, amount := range []int64{9_001, 10_000_000} {
		_, err := c.decide(card.ID, giftcard.CardRealise, amount, "sale 1")
		var refused *store.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, [2]string{"amount", "above_value"}, [2]string{refused.Field, refused.Reason})
	}
	require.Equal(t, giftcard.CardApproved, c.card(card.ID).Status)
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardRealise, 9_000, "sale 1"))
	c.balanced()
}

// sold is a card of which 9,000 cents of proceeds came in under a reference.
func (c *claims) sold(reference string) *giftcard.GiftCard {
	c.Helper()
	card := c.paid(store.NewID()[24:])
	require.NoError(c, c.cards.decideAndExecute(card.ID, giftcard.CardRealise, 9_000, reference))
	return card
}

// takesBack claims a card whose buyer takes back all of its proceeds.
func (c *claims) takesBack(card, reference string) error {
	_, err := c.both(&correction.ClaimCard{CardID: card, Amount: cents(100), TakenBack: cents(9_000),
		BankReference: reference, Said: "used"})
	return err
}

// paysAgain reverses a claim of a card whose buyer pays a dollar again.
func (c *claims) paysAgain(card, reference string) error {
	_, err := c.both(&correction.ReverseCardClaim{CardID: card, Returned: cents(100), BankReference: reference,
		Said: "paid"})
	return err
}

// returnedAs books that the bank takes back a cent of a receipt, under a reference.
func (c *claims) returnedAs(receipt, reference string) error {
	_, err := c.both(&correction.BankReturn{ReceiptID: receipt, Amount: cents(1), BankReference: reference,
		ReturnedOn: "2026-11-21", Code: "R10"})
	return err
}

// returnOf is the last return of a receipt.
func (c *claims) returnOf(receipt string) (id string) {
	c.Helper()
	require.NoError(c, c.db.Pool().QueryRow(c.Context(),
		`SELECT id FROM receipt_returns WHERE receipt_id = $1 ORDER BY created_at DESC LIMIT 1`, receipt).Scan(&id))
	return id
}

// Proceeds of zero moved no money, so no bank reference names them.
func TestZeroProceedsNeedNoReference(t *testing.T) {
	c := openCounter(t)
	for i, reference := range []string{"", "", "sale 1"} {
		card := c.review(regularForm(fmt.Sprintf("ABCD123%d", i), "100"))
		require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardApprove, 10_000, ""))
		_, err := c.decide(card.ID, giftcard.CardRealise, 1, "")
		require.Equal(t, "required", store.ReasonOf(err))
		require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardRealise, 0, reference))
		card = c.card(card.ID)
		require.Equal(t, giftcard.CardRealised, card.Status)
		if reference == "" {
			require.Nil(t, card.RealisedReference)
		} else {
			require.Equal(t, reference, *card.RealisedReference)
		}
	}
	c.balanced()
}

// A bank reference counts once for the money that arrives, and once for the money that leaves.
func TestABankReferenceCountsOnce(t *testing.T) {
	c := openClaims(t)
	c.at("short")
	c.exec(`UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE id = $1`, c.user)
	staff := [2]string{c.staff, c.second}
	till := &till{shop: c.shop, keys: cardKeys(t, 1), staff: staff}
	receipt := c.receipts()[0].ID
	closed := store.NewID()
	c.exec(`INSERT INTO users (id, issuer, subject, email, email_verified)
		VALUES ($1::uuid, 'test', $1::text, 'closed@example.com', true)`, closed)
	arrives := map[string]func(reference string) error{
		"receipt":  func(reference string) error { return c.arrives(cents(1), reference) },
		"unplaced": func(reference string) error { _, err := c.found(cents(100), reference); return err },
		"return reinstated": func(reference string) error {
			require.NoError(t, c.returned(receipt, cents(1)))
			return c.reinstates(c.returnOf(receipt), reference)
		},
		"recall reinstated": func(reference string) error {
			money := c.credited(100)
			require.NoError(t, c.recalls(money.ID, 100, c.reference()))
			return c.reinstates(c.recallsOf(money.ID)[0].ID, reference)
		},
		"proceeds": func(reference string) error {
			return c.cards.decideAndExecute(c.paid(store.NewID()[24:]).ID, giftcard.CardRealise, 100, reference)
		},
		"paid again": func(reference string) error {
			card := c.sold(c.reference())
			require.NoError(t, c.takesBack(card.ID, c.reference()))
			return c.paysAgain(card.ID, reference)
		},
	}
	leaves := map[string]func(reference string) error{
		"sent back": func(reference string) error {
			row, err := c.found(cents(100), c.reference())
			require.NoError(t, err)
			_, err = c.both(&correction.SendBackMoney{MoneyID: row.ID, BankReference: reference, SentOn: "2026-11-21"})
			return err
		},
		"closed credit paid back": func(reference string) error {
			id := store.NewID()
			c.exec(`INSERT INTO stranded_credits (id, user_id, amount, event, group_key)
				VALUES ($1::uuid, $2, 100, 'bonus_credited', $1::text)`, id, closed)
			return c.paysBack(c.staff, id, reference, 100_000)
		},
		"payout": func(reference string) error {
			till.earn(1_000)
			row, err := till.ask(1_000)
			require.NoError(t, err)
			require.NoError(t, till.decide(row.ID, payout.PayoutApprove, 1))
			decision, err := payout.OpenPayoutDecision(t.Context(), c.db, row.ID, casework.NewCaseDecision{Kind: payout.PayoutConfirm, ActorID: staff[1], ActorRole: "finance",
				Data: payout.PayoutReference{Reference: reference}})
			if err != nil {
				require.NoError(t, till.decide(row.ID, payout.PayoutConfirm, 1))
				return err
			}
			return payout.ConfirmPayout(t.Context(), c.db, row.ID, decision.ID, payoutWaits)
		},
		"taken back": func(reference string) error { return c.takesBack(c.sold(c.reference()).ID, reference) },
		"returned": func(reference string) error {
			return c.returnedAs(receipt, reference)
		},
		"recalled": func(reference string) error { return c.recalls(c.credited(100).ID, 100, reference) },
	}
	for way, uses := range map[string]map[string]func(string) error{"in": arrives, "out": leaves} {
		for name, use := range uses {
			reference := c.reference()
			require.NoError(t, use(reference), "%s: %s", way, name)
			for again, use := range uses {
				err := use(strings.ToLower(reference))
				require.Equal(t, "bank_reference_used", store.ReasonOf(err), "%s after %s", again, name)
			}
			require.Contains(t, c.bankLines(), reference, "%s: %s is a line of the bank's account", way, name)
		}
	}
}

// bankLines are the references on the bank's account. Each of its postings has one.
func (c *claims) bankLines() (references []string) {
	c.Helper()
	filter := &ledger.PostingFilter{Account: ledger.AccountBank}
	require.NoError(c, ledger.EachPosting(c.Context(), c.db, filter, func(p *ledger.StoredPosting) error {
		require.NotNil(c, p.Bank, "%s %s", p.Event, p.GroupKey)
		references = append(references, p.Bank.Reference)
		return nil
	}))
	return references
}

// A receipt that was entered by mistake and is taken back leaves two lines with one reference and day.
func TestAReceiptTakenBackKeepsItsReference(t *testing.T) {
	c := openClaims(t)
	c.at("short")
	receipt := c.receipts()[0]
	_, err := c.both(&correction.ReverseReceipt{ReceiptID: receipt.ID})
	require.NoError(t, err)
	require.Equal(t, []string{receipt.BankReference, receipt.BankReference}, c.bankLines())
}

// What uses a bank reference locks it before its customer: a use that waits for the reference keeps nothing else of the
// customer waiting, so that no two uses wait for each other.
func TestReferenceIsLockedBeforeCustomer(t *testing.T) {
	c := openClaims(t)
	c.at("short")
	receipt := c.receipts()[0].ID
	require.NoError(t, c.returned(receipt, cents(1)))
	recalled, back, open := c.credited(100), c.credited(100), c.credited(100)
	require.NoError(t, c.recalls(recalled.ID, 100, c.reference()))
	require.NoError(t, c.recalls(back.ID, 100, c.reference()))
	card, claimed := c.sold(c.reference()), c.sold(c.reference())
	require.NoError(t, c.takesBack(claimed.ID, c.reference()))
	acts := map[string]correction.MoneyAct{
		"returned": &correction.BankReturn{ReceiptID: receipt, Amount: cents(1), BankReference: "r",
			ReturnedOn: "2026-11-21", Code: "R10"},
		"return reinstated": &correction.ReinstateReturn{ReturnID: c.returnOf(receipt), BankReference: "r",
			ReinstatedOn: "2026-11-22"},
		"recalled": &correction.RecallMoney{MoneyID: open.ID, Amount: cents(100), BankReference: "r",
			ReturnedOn: "2026-11-21", Code: "R03"},
		"recall reinstated": &correction.ReinstateReturn{ReturnID: c.recallsOf(back.ID)[0].ID, BankReference: "r",
			ReinstatedOn: "2026-11-22"},
		"taken back": &correction.ClaimCard{CardID: card.ID, Amount: cents(100), TakenBack: cents(9_000),
			BankReference: "r", Said: "used"},
		"paid again": &correction.ReverseCardClaim{CardID: claimed.ID, Returned: cents(100), BankReference: "r",
			Said: "paid"},
	}
	for name, act := range acts {
		proposed := make(chan error, 1)
		require.NoError(t, c.db.Tx(t.Context(), func(tx *store.DB) error {
			for _, way := range []ledger.Direction{ledger.MoneyIn, ledger.MoneyOut} {
				if err := ledger.FreeReference(t.Context(), tx, way, "r"); err != nil {
					return err
				}
			}
			go func() {
				_, err := correction.ProposeMoney(t.Context(), c.db, act, "", as(c.staff)) // which rehearses it
				proposed <- err
			}()
			require.Eventually(t, func() bool {
				var waits bool
				err := c.db.Pool().QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
					WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
				return err == nil && waits
			}, 30*time.Second, 5*time.Millisecond, name)
			var free bool
			err := tx.Row(t.Context(), "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))",
				"customer:"+c.user).Scan(&free)
			require.True(t, free, "%s holds the customer while it waits for the reference", name)
			return err
		}))
		require.NoError(t, <-proposed, name)
	}
}

// Banks repeat the reference of a payment on its return, and on what they pay again after that.
func TestAReturnRepeatsItsReference(t *testing.T) {
	c := openClaims(t)
	c.at("short")
	receipt := c.receipts()[0]
	sent, err := c.found(cents(100), "SENT-1")
	require.NoError(t, err)
	_, err = c.both(&correction.SendBackMoney{MoneyID: sent.ID, BankReference: "sent-1", SentOn: "2026-11-21"})
	require.NoError(t, err, "the money that is sent back")
	till := &till{shop: c.shop, keys: cardKeys(t, 1), staff: [2]string{c.staff, c.second}}
	c.exec(`UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE id = $1`, c.user)
	till.earn(1_000)
	row, err := till.ask(1_000)
	require.NoError(t, err)
	require.NoError(t, till.decide(row.ID, payout.PayoutApprove, 1))
	require.NoError(t, till.decide(row.ID, payout.PayoutConfirm, 1))
	_, err = c.found(cents(1_000), "bank "+row.ID)
	require.NoError(t, err, "a payout that the bank sends back")

	require.NoError(t, c.returnedAs(receipt.ID, receipt.BankReference), "a receipt that the bank takes back")
	require.NoError(t, c.reinstates(c.returnOf(receipt.ID), receipt.BankReference), "and reinstates")
	require.NoError(t, c.returned(receipt.ID, cents(1)))
	err = c.reinstates(c.returnOf(receipt.ID), receipt.BankReference)
	require.Equal(t, "bank_reference_used", store.ReasonOf(err), "once")

	money := c.credited(100)
	require.NoError(t, c.recalls(money.ID, 100, money.BankReference), "credited money that the bank takes back")
	require.NoError(t, c.reinstates(c.recallsOf(money.ID)[0].ID, money.BankReference), "and reinstates")

	card := c.sold("SALE-1")
	require.NoError(t, c.takesBack(card.ID, "sale-1"), "proceeds that the buyer takes back")
	require.Equal(t, "bank_reference_used", store.ReasonOf(c.paysAgain(card.ID, money.BankReference)), "of other money")
	require.NoError(t, c.paysAgain(card.ID, "sale-1"), "and pays again")
}

// A receipt that the bank took back and reinstated under its own reference can be moved to another order.
func TestAReinstatedReceiptIsMoved(t *testing.T) {
	d := openCashFixture(t)
	d.at("short")
	other, receipt := d.now(), d.receipts()[0]
	require.NoError(t, d.returned(receipt.ID, cents(1)))
	returns, err := order.OrderReturns(t.Context(), d.db, d.order.ID)
	require.NoError(t, err)
	require.NoError(t, d.reinstates(returns[0].ID, receipt.BankReference))
	d.take("domestic_wire")
	_, err = d.both(&correction.ReverseReceipt{ReceiptID: receipt.ID, OrderID: d.order.ID})
	require.NoError(t, err)
	require.NotEqual(t, other.ID, d.order.ID)
	require.Equal(t, receipt.BankReference, d.receipts()[0].BankReference)
	d.bankIsRight()
}

// Two decisions on the same reference at once: one is booked.
func TestProceedsOfOneReferenceAtOnceAreBookedOnce(t *testing.T) {
	c := openClaims(t)
	ids := []string{c.paid("CODE0001").ID, c.paid("CODE0002").ID}
	var open []string
	for _, id := range ids { // neither is booked yet, so both are allowed
		decision, err := c.cards.decide(id, giftcard.CardRealise, 100, "sale 7")
		require.NoError(t, err)
		open = append(open, decision)
	}
	var all sync.WaitGroup
	reasons := make([]string, len(ids))
	for i := range ids {
		all.Go(func() {
			_, err := giftcard.RealiseGiftCard(t.Context(), c.db, ids[i], open[i])
			reasons[i] = store.ReasonOf(err)
		})
	}
	all.Wait()
	require.ElementsMatch(t, []string{"", "bank_reference_used"}, reasons)
	c.cards.balanced()
}

// A card that is found used after it was paid is a claim on its customer, whatever the card's and the balance's state.
func TestUsedCardIsClaimedFromItsCustomer(t *testing.T) {
	for name, test := range map[string]struct {
		proceeds, takenBack, spent, claimed int64
		balance, owed                       int64
	}{
		"nothing came in, nothing spent":       {proceeds: -1, claimed: 8_000},
		"nothing came in, all spent":           {proceeds: -1, spent: 8_000, claimed: 8_000, owed: 8_000},
		"nothing came in, a part spent":        {proceeds: -1, spent: 5_000, claimed: 8_000, owed: 5_000},
		"a part came in":                       {proceeds: 3_000, spent: 8_000, claimed: 5_000, owed: 5_000},
		"the buyer took it back":               {proceeds: 9_500, takenBack: 9_500, spent: 1_000, claimed: 8_000, owed: 1_000},
		"the buyer took a part back":           {proceeds: 9_000, takenBack: 4_000, claimed: 3_000, balance: 5_000},
		"less is claimed than is lost":         {proceeds: 0, claimed: 1, balance: 7_999},
		"the buyer took it back, a part spent": {proceeds: 8_000, takenBack: 8_000, spent: 8_000, claimed: 2_000, owed: 2_000},
	} {
		t.Run(name, func(t *testing.T) {
			c := openClaims(t)
			card := c.paid("ABCD1234")
			bank := c.books(ledger.AccountBank)
			if test.proceeds >= 0 {
				require.NoError(t, c.cards.decideAndExecute(card.ID, giftcard.CardRealise, test.proceeds, "sale 1"))
			}
			if test.spent > 0 {
				c.spend(test.spent)
			}
			claim := &correction.ClaimCard{CardID: card.ID, Amount: cents(test.claimed), TakenBack: cents(test.takenBack), Said: "The buyer found the card used"}
			if test.takenBack > 0 {
				claim.BankReference = c.reference()
			}
			proposal, err := correction.ProposeMoney(t.Context(), c.db, claim, "", as(c.staff))
			require.NoError(t, err)
			balance, owed := c.holds()
			require.Equal(t, [2]int64{8_000 - test.spent, 0}, [2]int64{balance, owed}, "one person books nothing")
			require.Equal(t, "own_proposal", store.ReasonOf(c.approves(proposal.ID, c.staff)))
			require.NoError(t, c.approves(proposal.ID, c.second))
			balance, owed = c.holds()
			require.Equal(t, [2]int64{test.balance, test.owed}, [2]int64{balance, owed})
			require.Equal(t, max(test.proceeds, 0)-test.takenBack, c.books(ledger.AccountBank)-bank)
			require.Zero(t, c.books(ledger.AccountGiftCards))
			card = c.cards.card(card.ID)
			require.Equal(t, giftcard.CardRealised, card.Status)
			require.NotNil(t, card.ClosedAt)
			require.NotNil(t, card.SecretsDestroyedAt)
			c.cards.balanced()
			for _, again := range []int64{1, test.claimed} {
				_, err = c.both(&correction.ClaimCard{CardID: card.ID, Amount: cents(again), Said: "again"})
				require.Equal(t, "already_claimed", store.ReasonOf(err))
			}
			require.Equal(t, 1, c.cards.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_claimed' AND user_id = $1 AND gift_card_id = $2`, c.user, card.ID))
			require.Equal(t, 1, c.cards.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'claimed' AND NOT internal AND card_id = $1`, card.ID))
		})
	}
}

// What is not lost, or not known, is not claimed, and nothing changes.
func TestClaimIsAtMostTheLoss(t *testing.T) {
	c := openClaims(t)
	card, waits := c.paid("ABCD1234"), c.cards.review(regularForm("WAIT1234", "100"))
	refused := func(reason string, act correction.MoneyAct) {
		t.Helper()
		_, err := c.both(act)
		require.Equal(t, reason, store.ReasonOf(err))
		balance, owed := c.holds()
		require.Equal(t, [2]int64{8_000, 0}, [2]int64{balance, owed})
	}
	refused("card_state", &correction.ClaimCard{CardID: waits.ID, Amount: cents(1), Said: "used"})
	refused("above_loss", &correction.ClaimCard{CardID: card.ID, Amount: cents(8_001), Said: "used"})
	refused("above_loss", &correction.ClaimCard{CardID: card.ID, Said: "used"})
	refused("required", &correction.ClaimCard{CardID: card.ID, Amount: cents(1)})
	refused("above_proceeds", &correction.ClaimCard{CardID: card.ID, Amount: cents(1), TakenBack: cents(1), BankReference: "x", Said: "used"})
	refused("without_amount", &correction.ClaimCard{CardID: card.ID, Amount: cents(1), BankReference: "x", Said: "used"})
	refused("not_claimed", &correction.ReverseCardClaim{CardID: card.ID, Said: "why"})
	decision, err := c.cards.decide(card.ID, giftcard.CardRealise, 9_000, "sale 1")
	require.NoError(t, err)
	refused("decision_open", &correction.ClaimCard{CardID: card.ID, Amount: cents(1), Said: "used"})
	_, err = giftcard.RealiseGiftCard(t.Context(), c.db, card.ID, decision)
	require.NoError(t, err)
	refused("no_loss", &correction.ClaimCard{CardID: card.ID, Amount: cents(1), Said: "used"})
	refused("required", &correction.ClaimCard{CardID: card.ID, Amount: cents(8_000), TakenBack: cents(9_000), Said: "used"})
	sent, err := c.found(cents(100), c.reference())
	require.NoError(t, err)
	_, err = c.both(&correction.SendBackMoney{MoneyID: sent.ID, BankReference: "SENT 1", SentOn: "2026-11-21"})
	require.NoError(t, err)
	refused("bank_reference_used", &correction.ClaimCard{CardID: card.ID, Amount: cents(8_000), TakenBack: cents(9_000),
		BankReference: "sent 1", Said: "used"})
	_, err = correction.ProposeMoney(t.Context(), c.db, &correction.ClaimCard{CardID: card.ID, Amount: cents(1), Said: "used"}, "", as(c.user))
	require.Equal(t, "own_card", store.ReasonOf(err), "not on one's own card")
}

// A payout that was requested before the claim waits until the debt is paid.
func TestPayoutsWaitForAClaim(t *testing.T) {
	c := openClaims(t)
	c.exec(`UPDATE users SET first_name = 'Ada', last_name = 'Lovelace' WHERE id = $1`, c.user)
	till := &till{shop: c.shop, keys: cardKeys(t, 1), staff: [2]string{c.staff, c.second}}
	card := c.paid("ABCD1234")
	row, err := till.ask(8_000)
	require.NoError(t, err)
	_, err = c.both(&correction.ClaimCard{CardID: card.ID, Amount: cents(8_000), Said: "used"})
	require.NoError(t, err)
	_, owed := c.holds()
	require.EqualValues(t, 8_000, owed)
	require.Equal(t, "owes_money", store.ReasonOf(till.decide(row.ID, payout.PayoutApprove, 1)))
	_, err = till.ask(100)
	require.Equal(t, "owes_money", store.ReasonOf(err))
	require.NoError(t, till.decide(row.ID, payout.PayoutReject, 1))
	balance, owed := c.holds()
	require.Equal(t, [2]int64{0, 0}, [2]int64{balance, owed}, "what was reserved pays the debt")
	c.cards.balanced()
}

// A claim is reversed once, by two people, and credits what it took.
func TestClaimIsReversedOnce(t *testing.T) {
	c := openClaims(t)
	card := c.paid("ABCD1234")
	require.NoError(t, c.cards.decideAndExecute(card.ID, giftcard.CardRealise, 9_500, "sale 1"))
	c.spend(3_000)
	_, err := c.both(&correction.ClaimCard{CardID: card.ID, Amount: cents(8_000), TakenBack: cents(9_500), BankReference: "B-1", Said: "used"})
	require.NoError(t, err)
	reversal := func(again int64, reference string) correction.MoneyAct {
		return &correction.ReverseCardClaim{CardID: card.ID, Returned: cents(again), BankReference: reference, Said: "The buyer paid after all"}
	}
	_, err = c.found(cents(1), "U-1")
	require.NoError(t, err)
	for reason, act := range map[string]correction.MoneyAct{
		"above_proceeds": reversal(10_001, "B-2"), "required": reversal(1, ""), "bank_reference_used": reversal(1, "u-1"),
	} {
		_, err := c.both(act)
		require.Equal(t, reason, store.ReasonOf(err))
	}
	bank := c.books(ledger.AccountBank)
	_, err = c.both(reversal(9_500, "B-2"))
	require.NoError(t, err)
	balance, owed := c.holds()
	require.Equal(t, [2]int64{5_000, 0}, [2]int64{balance, owed}, "the debt is paid first")
	require.EqualValues(t, 9_500, c.books(ledger.AccountBank)-bank)
	require.EqualValues(t, -1_500, c.books(ledger.AccountTrading), "income is negative: as if nothing had been claimed")
	_, err = c.both(reversal(0, ""))
	require.Equal(t, "claim_reversed", store.ReasonOf(err))
	_, err = c.both(&correction.ClaimCard{CardID: card.ID, Amount: cents(1), Said: "again"})
	require.Equal(t, "already_claimed", store.ReasonOf(err))
	require.Equal(t, 1, c.cards.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_claim_reversed' AND user_id = $1`, c.user))
	require.Equal(t, 1, c.cards.count(`SELECT count(*) FROM attestations WHERE kind = 'credit' AND subject_id = $1 AND by_id = $2 AND second_by = $3`, card.ID, c.staff, c.second))
	c.cards.balanced()
}

// A buyer who pays after all pays at most the approved value, together with the proceeds that they did not take back.
func TestClaimedCardIsPaidUpToItsValue(t *testing.T) {
	for name, test := range map[string]struct{ proceeds, takenBack, most int64 }{
		"nothing had come in":                  {proceeds: -1, most: 10_000},
		"a part had come in":                   {proceeds: 3_000, most: 7_000},
		"all was taken back":                   {proceeds: 9_500, takenBack: 9_500, most: 10_000},
		"a part was taken back":                {proceeds: 9_000, takenBack: 4_000, most: 5_000},
		"a part had come in and was withdrawn": {proceeds: 3_000, takenBack: 3_000, most: 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			c := openClaims(t)
			card := c.paid("ABCD1234")
			start := c.books(ledger.AccountBank)
			if test.proceeds >= 0 {
				require.NoError(t, c.cards.decideAndExecute(card.ID, giftcard.CardRealise, test.proceeds, "sale 1"))
			}
			claim := &correction.ClaimCard{CardID: card.ID, Amount: cents(100), TakenBack: cents(test.takenBack), Said: "used"}
			if test.takenBack > 0 {
				claim.BankReference = "B-1"
			}
			_, err := c.both(claim)
			require.NoError(t, err)
			reversal := func(amount int64) error {
				_, err := c.both(&correction.ReverseCardClaim{CardID: card.ID, Returned: cents(amount), BankReference: "B-2", Said: "paid"})
				return err
			}
			require.Equal(t, "above_proceeds", store.ReasonOf(reversal(test.most+1)))
			require.NoError(t, reversal(test.most))
			require.EqualValues(t, 10_000, c.books(ledger.AccountBank)-start, "the approved value came in")
			balance, owed := c.holds()
			require.Equal(t, [2]int64{8_000, 0}, [2]int64{balance, owed})
			c.cards.balanced()
		})
	}
}

// Of claims of one card at once, one is booked.
func TestBar18ClaimsAtOnceAreOne(t *testing.T) {
	c := openClaims(t)
	card := c.paid("ABCD1234")
	claim := func() error {
		return c.db.Tx(t.Context(), func(tx *store.DB) error {
			return giftcard.ClaimCard(t.Context(), tx, giftcard.NewCardClaim{CardID: card.ID, Amount: cents(8_000), Reason: "used", By: as(c.second)})
		})
	}
	var all sync.WaitGroup
	reasons := make([]string, 6)
	for i := range reasons {
		all.Go(func() { reasons[i] = store.ReasonOf(claim()) })
	}
	all.Wait()
	booked := 0
	for _, reason := range reasons {
		if reason == "" {
			booked++
			continue
		}
		require.Equal(t, "already_claimed", reason)
	}
	require.Equal(t, 1, booked)
	balance, owed := c.holds()
	require.Equal(t, [2]int64{0, 0}, [2]int64{balance, owed})
	c.cards.balanced()
}

// The workflow of a card that a claim closed reads its row again, even if nobody signaled it.
func TestClaimedCardIsFoundBySweep(t *testing.T) {
	c := openClaims(t)
	card := c.paid("ABCD1234")
	_, err := c.both(&correction.ClaimCard{CardID: card.ID, Amount: cents(8_000), Said: "used"})
	require.NoError(t, err)
	late, err := giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Equal(t, []store.Signal{{Subject: card.ID, Reason: "claimed"}}, late)
	state, err := giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
	require.NoError(t, err)
	require.True(t, state.Closed)
	c.cards.advance(2 * time.Hour)
	late, err = giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Empty(t, late)
}
