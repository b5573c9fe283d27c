package models_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/dualcontrol/guardtest"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// confirms has a member of staff confirm cents for the order, with the limit of one person.
func (o *office) confirms(who string, amount money.Units, limit int64, reference string) (*order.Decision, error) {
	most := money.FromInt(limit)
	return order.OpenDecision(o.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionConfirmReceipt, ActorID: who, ActorRole: "finance", Alone: &most,
		Data: order.Receipt{Amount: amount, ReceivedOn: "2026-11-20", BankReference: reference}})
}

// books executes a receipt's decision, as the order's workflow does.
func (o *office) books(d *order.Decision) {
	o.Helper()
	if d.SettledAt == nil {
		require.NoError(o, order.ConfirmReceipt(o.Context(), o.db, o.order.ID, d.ID, surplusTerms))
	}
}

// asks has a member of staff propose a receipt.
func (o *office) asks(who string, amount money.Units, reference string) *order.Proposal {
	o.Helper()
	p, err := order.Propose(o.Context(), o.db, order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionConfirmReceipt, ActorID: who, ActorRole: "finance",
		Data: order.Receipt{Amount: amount, ReceivedOn: "2026-11-20", BankReference: reference}})
	require.NoError(o, err)
	return p
}

// agrees is another person's approval of a proposal of any kind.
func (o *office) agrees(p *order.Proposal, who string) (order.Carried, error) {
	return order.ApproveProposal(o.Context(), o.db, order.ProposalAnswer{OrderID: p.OrderID, ID: p.ID, Kinds: []string{p.Kind}, ActorID: who, ActorRole: "admin"})
}

// alias is another account whose address reaches the same mailbox.
func (o *office) alias(email string) string {
	o.Helper()
	id := store.NewID()
	o.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', $2, $2)`, id, email)
	return id
}

func (o *office) fulfils(who string) error {
	_, err := order.OpenDecision(o.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionFulfill, ActorID: who, ActorRole: "admin"})
	return err
}

// What single persons let in for a customer in a day counts together, over all of
// their orders: split into many, it is as much.
func TestBar46ReceiptsOfACustomerAndDayCountTogether(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	first := o.order.Total
	cents, _ := first.Int64()
	limit := cents + cents/2
	d, err := o.confirms(o.cashier, first, limit, "A")
	require.NoError(t, err)
	o.books(d)
	require.Equal(t, order.StatusPaymentApproved, o.now().Status)

	_, err = o.confirms(o.second, first, limit, "surplus") // the same order, paid already
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson, "a surplus is money by one person's word, too")
	o.take("domestic_wire")
	_, err = o.confirms(o.third, first, limit, "B")
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson, "another order, another person, the same customer and day")
	require.Equal(t, 1, o.count(`SELECT count(*) FROM receipts`))
	p := o.asks(o.cashier, first, "B")
	require.Empty(t, p.Reason, "the bank line is the evidence")
	_, err = o.confirms(o.third, money.FromInt(1), limit, "C")
	require.Equal(t, "proposal_open", store.ReasonOf(err))
	for who, want := range map[string]string{o.cashier: "own_proposal", o.alias("T+again@Example.com"): "own_proposal", o.user: "own_order"} {
		_, err = o.agrees(p, who)
		require.Equal(t, want, store.ReasonOf(err))
	}
	require.Equal(t, 1, o.count(`SELECT count(*) FROM receipts`), "nothing is booked by one person")
	made, err := o.agrees(p, o.second)
	require.NoError(t, err)
	o.books(made.Decision)
	require.Equal(t, order.StatusPaymentApproved, o.now().Status)

	o.take("domestic_wire")
	d, err = o.confirms(o.cashier, money.FromInt(cents/2), limit, "short")
	require.NoError(t, err, "what two people let in is not one person's word")
	o.books(d)
	_, err = o.confirms(o.cashier, money.FromInt(1), limit, "a cent above")
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson)
	o.exec(`UPDATE decisions SET created_at = created_at - interval '25 hours'`)
	guardtest.Age(t.Context(), t, o.dbs.Owner, "25 hours")
	_, err = o.confirms(o.cashier, money.FromInt(1), limit, "of another day")
	require.NoError(t, err)
	o.balanced()
}

// Two orders of one customer at once: the customer's lock makes them count.
func TestBar46ReceiptsAtOnceCountEachOther(t *testing.T) {
	o := openOffice(t)
	orders := []*order.Order{}
	for range 4 {
		o.take("domestic_wire")
		orders = append(orders, o.order)
	}
	cents, _ := o.order.Total.Int64()
	outcomes := make([]error, len(orders))
	var wg sync.WaitGroup
	most := money.FromInt(cents)
	for i, placed := range orders {
		wg.Go(func() {
			_, outcomes[i] = order.OpenDecision(o.Context(), o.db, order.NewDecision{OrderID: placed.ID, Kind: order.DecisionConfirmReceipt, ActorID: o.cashier, ActorRole: "finance", Alone: &most,
				Data: order.Receipt{Amount: placed.Total, ReceivedOn: "2026-11-20", BankReference: fmt.Sprint("R", i)}})
		})
	}
	wg.Wait()
	taken := 0
	for _, err := range outcomes {
		if err == nil {
			taken++
			continue
		}
		require.ErrorIs(t, err, dualcontrol.ErrSecondPerson)
	}
	require.Equal(t, 1, taken)
}

// Money that was proposed in time is kept when the order has ended meanwhile: its customer has a choice.
func TestBar46AProposedReceiptOutlivesItsOrder(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	p := o.asks(o.cashier, o.order.Total, "A")
	o.expires()
	made, err := o.agrees(p, o.second)
	require.NoError(t, err)
	o.books(made.Decision)
	require.Equal(t, order.AttentionLate, *o.now().AttentionReason)
	o.balanced()
}

func TestBar46AReceiptIsAtMostWhatOnePaymentMayBe(t *testing.T) {
	o := openOffice(t)
	o.take("zelle")
	for _, dollars := range []string{"999999999999999", "10000000.01"} {
		amount, err := money.USD.Parse(dollars)
		require.NoError(t, err)
		_, err = o.confirms(o.cashier, amount, 1<<60, "A")
		require.Equal(t, "above_maximum", store.ReasonOf(err), dollars)
		_, err = order.Propose(t.Context(), o.db, order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionConfirmReceipt, ActorID: o.cashier, Reason: "x",
			Data: order.Receipt{Amount: amount, ReceivedOn: "2026-11-20", BankReference: "A"}})
		require.Equal(t, "above_maximum", store.ReasonOf(err), "nor is it proposed")
	}
	o.exec(`UPDATE payment_methods SET max_order_amount = 10000 WHERE payment_method = 'zelle'`)
	_, err := o.confirms(o.cashier, o.order.Total.Add(money.FromInt(1)), 1<<60, "A")
	require.Equal(t, "above_maximum", store.ReasonOf(err))
	_, err = o.confirms(o.cashier, o.order.Total, 1<<60, "A")
	require.NoError(t, err, "an order's own price always fits")
}

// Who vouched for the money moves no coin for it, under whatever account. The step checks again, whatever wrote the
// decision.
func TestBar46WhoConfirmedAReceiptDoesNotMoveItsCoin(t *testing.T) {
	o := openOffice(t)
	o.take("domestic_wire")
	p := o.asks(o.cashier, o.order.Total, "A")
	made, err := o.agrees(p, o.second)
	require.NoError(t, err)
	o.books(made.Decision)
	same := o.alias("Second+2@example.com")
	for _, who := range []string{o.cashier, o.second, same} {
		require.Equal(t, "own_receipt", store.ReasonOf(o.fulfils(who)))
		forged := store.NewID()
		o.exec(`INSERT INTO decisions (id, order_id, kind, actor_id) VALUES ($1, $2, 'fulfill', $3)`, forged, o.order.ID, who)
		require.Equal(t, "own_receipt", store.ReasonOf(order.Reserve(t.Context(), o.db, o.order.ID, forged, 100)))
		require.NoError(t, order.RefuseDecision(t.Context(), o.db, forged, "own_receipt"))
	}
	require.Equal(t, order.StatusPaymentApproved, o.now().Status)
	o.do("fulfill", "buy", "fail send")
	for _, kind := range []string{order.DecisionRetry, order.DecisionMarkSent} {
		_, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: kind, ActorID: o.cashier, Reason: "x", Data: order.SentEvidence{TxID: "abc"}})
		require.Equal(t, "own_receipt", store.ReasonOf(err), kind)
	}
	_, err = order.Propose(t.Context(), o.db, order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionAmendAddress, ActorID: o.cashier, Reason: "x", Data: elsewhere})
	require.Equal(t, "own_receipt", store.ReasonOf(err))
	moved, err := order.Propose(t.Context(), o.db, order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionAmendAddress, ActorID: o.staff, Reason: "x", Data: elsewhere})
	require.NoError(t, err)
	_, err = o.agrees(moved, o.second)
	require.Equal(t, "own_receipt", store.ReasonOf(err))
	_, err = o.agrees(moved, o.third)
	require.NoError(t, err)
	o.balanced()
}

// Orders of a customer that single persons mark as sent in a day count together, since no second person checks
// whether coin ever left.
func TestBar46OrdersMarkedAsSentCountByCustomerAndDay(t *testing.T) {
	o := openOffice(t)
	failed := func() {
		t.Helper()
		o.pay()
		o.do("fulfill", "buy", "fail send")
	}
	failed()
	cents, _ := o.order.Total.Int64()
	limit := money.FromInt(cents + cents/2)
	evidence := func() order.SentEvidence { return order.SentEvidence{TxID: "by hand " + o.order.ID} }
	marks := func(who string) error {
		d, err := order.OpenDecision(t.Context(), o.db, order.NewDecision{OrderID: o.order.ID, Kind: order.DecisionMarkSent, ActorID: who, ActorRole: "admin", Reason: "by hand", Data: evidence(), Alone: &limit})
		if err == nil {
			err = order.MarkSent(t.Context(), o.db, o.order.ID, d.ID)
		}
		return err
	}
	require.NoError(t, marks(o.staff))
	failed()
	for _, who := range []string{o.staff, o.second} {
		require.ErrorIs(t, marks(who), dualcontrol.ErrSecondPerson, "another order, whoever it is, the same customer and day")
	}
	p, err := order.Propose(t.Context(), o.db, order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionMarkSent, Data: evidence(), ActorID: o.staff, ActorRole: "admin", Reason: "by hand"})
	require.NoError(t, err)
	made, err := o.agrees(p, o.second)
	require.NoError(t, err)
	require.NoError(t, order.MarkSent(t.Context(), o.db, o.order.ID, made.Decision.ID))
	failed()
	limit = money.FromInt(2 * cents)
	require.NoError(t, marks(o.third), "what two people called sent is not one person's word")
	failed()
	require.ErrorIs(t, marks(o.third), dualcontrol.ErrSecondPerson)
	o.exec(`UPDATE decisions SET created_at = created_at - interval '25 hours' WHERE kind = 'mark_sent'`)
	guardtest.Age(t.Context(), t, o.dbs.Owner, "25 hours")
	require.NoError(t, marks(o.third), "of another day")
	o.balanced()
}

// elsewhere is where an order's coin is sent instead.
var elsewhere = order.AmendedAddress{Address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", AddressKey: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}

// The coin's address is changed by two people, whatever the order is worth; its customer always gets a mail, and the
// risk rules are checked again for the new address.
func TestBar46ADestinationIsChangedByTwo(t *testing.T) {
	o := openOffice(t)
	o.pay()
	o.do("fulfill", "buy", "fail send")
	_, err := o.decide(order.DecisionAmendAddress, elsewhere)
	require.ErrorIs(t, err, dualcontrol.ErrSecondPerson, "even where nobody gives a limit")
	in := order.NewProposal{OrderID: o.order.ID, Kind: order.DecisionAmendAddress, ActorID: o.staff, Reason: "the customer asks", Data: elsewhere}
	o.list("sdn", elsewhere.Address)
	_, err = order.Propose(t.Context(), o.db, in)
	require.Equal(t, "blocked_address", store.ReasonOf(err))
	o.exec(`DELETE FROM blocked_addresses`)
	p, err := order.Propose(t.Context(), o.db, in)
	require.NoError(t, err)
	require.Equal(t, elsewhere.Address, p.NewAddress())
	_, err = o.agrees(p, o.alias("S+1@example.com"))
	require.Equal(t, "own_proposal", store.ReasonOf(err))
	o.list("sdn", elsewhere.Address)
	_, err = o.agrees(p, o.second)
	require.Equal(t, "blocked_address", store.ReasonOf(err), "listed since it was proposed")
	o.exec(`DELETE FROM blocked_addresses`)

	other := o.alias("other@example.com")
	o.exec(`UPDATE risk_rules SET enabled = true, most = 1, score = 100 WHERE code IN ('shared_address', 'threshold')`)
	kept := o.order
	o.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, other)
	o.take("card")
	o.exec(`UPDATE orders SET user_id = $2, dest_address = $3 WHERE id = $1`, o.order.ID, other, elsewhere.Address)
	o.order = kept
	made, err := o.agrees(p, o.second)
	require.NoError(t, err)
	require.NoError(t, order.AmendAddress(t.Context(), o.db, o.order.ID, made.Decision.ID))
	now := o.now()
	require.Equal(t, elsewhere.Address, now.DestAddress)
	require.True(t, now.UnderReview)
	require.Contains(t, []string(now.RiskReasons), risk.RiskSharedAddress)
	o.do("start transfer")
	require.Equal(t, casework.AttentionRisk, *o.now().AttentionReason, "nothing is sent before somebody has released it")
	require.Equal(t, 1, o.count(`SELECT count(*) FROM mails WHERE kind = 'address_amended' AND user_id = $1`, o.user))
	require.Empty(t, TopicOf("address_amended"), "no setting switches it off")
}

// Above the limit, counted per customer and day, an order held by risk is released by two people, never by who
// vouched for its money.
func TestBar46AReleaseAboveTheLimitTakesTwoPeople(t *testing.T) {
	o := openOffice(t)
	o.list("sdn", address)
	reviewed := func() string {
		o.take("domestic_wire")
		require.NoError(t, o.arrives(o.order.Total, "R-"+o.order.ID))
		return o.openReview()
	}
	by := func(who string) store.Actor {
		return store.Actor{ActorID: who, ActorRole: "compliance", Reason: "a namesake"}
	}
	review := reviewed()
	cents, _ := o.order.Total.Int64()
	limit := money.FromInt(cents)
	_, err := customer.ReleaseReview(t.Context(), o.db, review, by(o.cashier), limit)
	require.Equal(t, "own_receipt", store.ReasonOf(err))
	done, err := customer.ReleaseReview(t.Context(), o.db, review, by(o.staff), limit)
	require.NoError(t, err)
	require.False(t, done.Waits)

	review = reviewed()
	done, err = customer.ReleaseReview(t.Context(), o.db, review, by(o.staff), limit)
	require.NoError(t, err)
	require.True(t, done.Waits, "together they are above what one person releases")
	require.True(t, o.now().UnderReview)
	for _, who := range []string{o.staff, o.alias("s+x@example.com")} {
		_, err = customer.ReleaseReview(t.Context(), o.db, review, by(who), limit)
		require.Equal(t, "second_person", store.ReasonOf(err))
	}
	require.True(t, o.now().UnderReview)
	unseen := by(o.second)
	_, err = customer.ReleaseReview(t.Context(), o.db, review, unseen, limit)
	require.Equal(t, "proposal_changed", store.ReasonOf(err), "the second person saw no first release")
	seen := unseen
	seen.Seen = versionOf(t.Context(), o.db, risk.KindRelease, review)
	done, err = customer.ReleaseReview(t.Context(), o.db, review, seen, limit)
	require.NoError(t, err)
	require.False(t, done.Waits)
	require.False(t, o.now().UnderReview)
	require.Equal(t, 1, o.count(`SELECT count(*) FROM audit_log WHERE action = 'risk.release_asked' AND actor_id = $1`, o.staff))
}

// A gift card's credit counts with the customer's receipts; the second person finds
// the same value on it.
func TestBar46AGiftCardAboveTheLimitTakesTwoPeople(t *testing.T) {
	c := openCounter(t)
	second := store.NewID()
	c.exec(`INSERT INTO users (id, issuer, subject, email) VALUES ($1, 'test', 'second', 'second@example.com'), (gen_random_uuid(), 'test', 'alias', 'S+x@example.com')`, second)
	var alias string
	require.NoError(t, c.db.Pool().QueryRow(t.Context(), `SELECT id FROM users WHERE subject = 'alias'`).Scan(&alias))
	limit := money.FromInt(100_00)
	approve := func(card *giftcard.GiftCard, who string, cents int64) (*giftcard.CardDecision, error) {
		value := money.FromInt(cents)
		c.reveal(card.ID, who)
		in := giftcard.NewCardDecision{CardID: card.ID, Kind: giftcard.CardApprove, ActorID: who, ActorRole: "compliance", Amount: &value, Alone: &limit}
		in.Seen = versionOf(t.Context(), c.db, giftcard.KindApproval, card.ID)
		return giftcard.OpenCardDecision(t.Context(), c.db, in)
	}
	begun := func(code string) *giftcard.GiftCard {
		card := c.submit(regularForm(code, "100"))
		_, err := giftcard.BeginGiftCard(t.Context(), c.db, card.ID, cardWaits)
		require.NoError(t, err)
		return card
	}
	small, large := begun("AAAA-BBBB-CCCC-1"), begun("AAAA-BBBB-CCCC-2")
	d, err := approve(small, c.staff, 100_00) // pays $80
	require.NoError(t, err)
	_, err = giftcard.ApproveGiftCard(t.Context(), c.db, small.ID, d.ID, cardWaits)
	require.NoError(t, err)
	d, err = approve(large, c.staff, 50_00)
	require.NoError(t, err)
	require.Nil(t, d, "together they are above what one person credits")
	for _, who := range []string{c.staff, alias} {
		_, err = approve(large, who, 50_00)
		require.Equal(t, "second_person", store.ReasonOf(err))
	}
	d, err = approve(large, second, 60_00)
	require.NoError(t, err)
	require.Nil(t, d, "another value has been approved by one")
	d, err = approve(large, c.staff, 60_00)
	require.NoError(t, err)
	require.Equal(t, second, *d.FirstBy)
	state, err := giftcard.ApproveGiftCard(t.Context(), c.db, large.ID, d.ID, cardWaits)
	require.NoError(t, err)
	require.Equal(t, giftcard.CardOffered, state.Status, "it was found to be worth less")
}
