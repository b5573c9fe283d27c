package models_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

// offered is a card of $100.00 for which a reviewer found $60.00: we offer $46.00.
func (c *counter) offered(code string) *giftcard.GiftCard {
	c.Helper()
	card := c.review(regularForm(code, "100"))
	require.NoError(c, c.decideAndExecute(card.ID, giftcard.CardApprove, 6_000, ""))
	card = c.card(card.ID)
	require.Equal(c, giftcard.CardOffered, card.Status)
	return card
}

// A counter-offer is never above what the customer was offered, and the value that they entered is paid at once.
func TestACounterOfferIsBelowTheOffer(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("ABCD1234", "100"))
	_, err := c.decide(card.ID, giftcard.CardApprove, 10_001, "")
	require.Equal(t, "above_claim", store.ReasonOf(err))
	require.Equal(t, giftcard.CardInReview, c.card(card.ID).Status)
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardApprove, 10_000, ""))
	require.Equal(t, giftcard.CardApproved, c.card(card.ID).Status)
	require.Equal(t, "80.00", c.owed())
	require.Zero(t, c.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'offered'`))
	least := c.review(regularForm("WXYZ9876", "100"))
	require.NoError(t, c.decideAndExecute(least.ID, giftcard.CardApprove, 9_999, ""))
	require.Equal(t, giftcard.CardOffered, c.card(least.ID).Status, "one cent less is a counter-offer")
}

// A card that is worth less than its customer entered is a counter-offer: nothing is credited before they accept it.
func TestALesserValueIsACounterOffer(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	require.Equal(t, "0.00", c.owed())
	require.Nil(t, card.Paid)
	require.NotNil(t, card.SealedCode)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_offered' AND user_id = $1`, c.user))
	for _, kind := range []string{giftcard.CardApprove, giftcard.CardRealise} {
		_, err := c.decide(card.ID, kind, 6_000, "why")
		require.Equal(t, "card_state", store.ReasonOf(err), "it waits for its customer")
	}
	for _, kind := range []string{giftcard.CardAccept, giftcard.CardDecline} {
		answer := giftcard.NewCardDecision{CardID: card.ID, Kind: kind, ActorID: c.staff}
		_, err := giftcard.OpenCardDecision(t.Context(), c.db, answer)
		require.Equal(t, store.CodeNotFound, store.CodeOf(err), "nobody answers for them")
	}
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardAccept, 0, ""))
	require.Equal(t, "46.00", c.owed())
	card = c.card(card.ID)
	require.Equal(t, giftcard.CardApproved, card.Status)
	require.Nil(t, card.OfferUntil)
	for _, kind := range []string{giftcard.CardAccept, giftcard.CardDecline} {
		require.Equal(t, "card_state", store.ReasonOf(c.decideAndExecute(card.ID, kind, 0, "")))
	}
	require.Equal(t, "46.00", c.owed())
	c.balanced()
}

// What is printed on the card is destroyed when the offer is declined, and what staff stated has no effect any more.
func TestADeclinedOfferDestroysTheCard(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardDecline, 0, ""))
	card = c.card(card.ID)
	require.Equal(t, giftcard.CardDeclined, card.Status)
	require.Nil(t, card.SealedCode)
	require.Nil(t, card.SealedPIN)
	require.NotNil(t, card.ClosedAt)
	require.Equal(t, "0.00", c.owed())
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_declined' AND user_id = $1`, c.user))
	require.Zero(t, c.count(`SELECT count(*) FROM attestations WHERE subject_id = $1 AND withdrawn_at IS NULL`, card.ID))
	require.Equal(t, "card_state", store.ReasonOf(c.decideAndExecute(card.ID, giftcard.CardAccept, 0, "")))
	again := c.review(regularForm("ABCD1234", "60"))
	require.NoError(t, c.decideAndExecute(again.ID, giftcard.CardApprove, 6_000, ""), "the card can be sold again")
	require.Equal(t, "46.00", c.owed())
	c.balanced()
}

// A reviewer can end an open offer with a reason: nothing is credited, what is printed on the card is destroyed, and
// what staff stated about its value has no effect any more.
func TestRejectedOfferDestroysTheCard(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	_, err := c.decide(card.ID, giftcard.CardReject, 0, " ")
	require.Equal(t, store.CodeInvalid, store.CodeOf(err), "the customer reads the reason")
	own := giftcard.NewCardDecision{CardID: card.ID, Kind: giftcard.CardReject, ActorID: c.user, Reason: "why"}
	_, err = giftcard.OpenCardDecision(t.Context(), c.db, own)
	require.Equal(t, "own_card", store.ReasonOf(err))
	decision, err := c.decide(card.ID, giftcard.CardReject, 0, "Its balance was spent")
	require.NoError(t, err)
	_, err = c.decide(card.ID, giftcard.CardAccept, 0, "")
	require.ErrorContains(t, err, "A decision on this card is in progress")
	for range 2 {
		state, err := giftcard.RejectGiftCard(t.Context(), c.db, card.ID, decision)
		require.NoError(t, err, "the step runs again after its answer was lost")
		require.Equal(t, giftcard.CardState{Status: giftcard.CardRejected, Summary: state.Summary, Closed: true}, state)
	}
	card = c.card(card.ID)
	require.Equal(t, "Its balance was spent", *card.RejectReason)
	require.Nil(t, card.OfferUntil)
	require.Nil(t, card.Paid)
	require.Nil(t, card.SealedCode)
	require.Nil(t, card.SealedPIN)
	require.NotNil(t, card.ClosedAt)
	require.Equal(t, "0.00", c.owed())
	require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'rejected' AND card_id = $1`, card.ID))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'gift_card_rejected' AND user_id = $1`, c.user))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM attestations WHERE subject_id = $1`, card.ID))
	require.Zero(t, c.count(`SELECT count(*) FROM attestations WHERE subject_id = $1 AND withdrawn_at IS NULL`, card.ID))
	for _, kind := range []string{giftcard.CardAccept, giftcard.CardDecline, giftcard.CardReject} {
		require.Equal(t, "card_state", store.ReasonOf(c.decideAndExecute(card.ID, kind, 0, "why")))
	}
	require.Equal(t, "0.00", c.owed())
	c.balanced()
}

// Without an answer within 72 hours the offer is declined.
func TestAnUnansweredOfferIsDeclined(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	state, err := giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
	require.NoError(t, err)
	require.Equal(t, giftcard.CardOffered, state.Status, "nothing before its time")
	require.InDelta(t, (72 * time.Hour).Seconds(), state.Wake.Seconds(), 600)
	c.advance(71 * time.Hour)
	late, err := giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Empty(t, late)
	c.advance(2 * time.Hour)
	late, err = giftcard.LateCards(t.Context(), c.db, time.Second, 10)
	require.NoError(t, err)
	require.Len(t, late, 1)
	require.Equal(t, "offer_ended", store.ReasonOf(c.decideAndExecute(card.ID, giftcard.CardAccept, 0, "")))
	state, err = giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
	require.NoError(t, err)
	require.Equal(t, giftcard.CardState{Status: giftcard.CardDeclined, Summary: state.Summary, Closed: true}, state)
	require.NotNil(t, c.card(card.ID).SecretsDestroyedAt)
	_, err = giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
	require.NoError(t, err, "once")
	require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_card_events WHERE kind = 'declined' AND card_id = $1`, card.ID))
}

// A customer has at most 25 cards open, and those with an open offer count.
func TestOfferedCardsCountAsOpen(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	for i := range 24 {
		c.submit(regularForm(fmt.Sprintf("OPEN%06d", i), "50"))
	}
	offer, err := regularForm("ONEMORE123", "50").Check(time.Now())
	require.NoError(t, err)
	_, err = giftcard.SubmitGiftCard(t.Context(), c.db, c.keys, giftcard.NewGiftCard{UserID: c.user, Offer: offer})
	require.Equal(t, "too_many_cards", store.ReasonOf(err))
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardDecline, 0, ""))
	c.submit(regularForm("ONEMORE123", "50"))
}

// An answer that was accepted in time counts, even if it is executed after the deadline; the timer waits for it.
func TestAnAnswerInTimeCounts(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	decision, err := c.decide(card.ID, giftcard.CardAccept, 0, "")
	require.NoError(t, err)
	c.advance(73 * time.Hour)
	state, err := giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
	require.NoError(t, err)
	require.Equal(t, giftcard.CardOffered, state.Status)
	_, err = giftcard.AcceptGiftCard(t.Context(), c.db, card.ID, decision, cardWaits)
	require.NoError(t, err)
	_, err = giftcard.AcceptGiftCard(t.Context(), c.db, card.ID, decision, cardWaits)
	require.NoError(t, err, "a step that is run again finds its effect")
	require.Equal(t, "46.00", c.owed())
}

// A frozen customer is paid nothing, and can decline.
func TestAFrozenCustomerAcceptsNoOffer(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	c.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, c.user)
	require.Equal(t, "account_frozen", store.ReasonOf(c.decideAndExecute(card.ID, giftcard.CardAccept, 0, "")))
	require.Equal(t, "0.00", c.owed())
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardDecline, 0, ""))
}

// Of the customer's answers and a reviewer's rejections at once, one counts.
func TestBar18OneAnswerToAnOfferCounts(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	var all sync.WaitGroup
	errs := make([]error, 9)
	for i := range errs {
		all.Go(func() {
			kinds := []string{giftcard.CardAccept, giftcard.CardDecline, giftcard.CardReject}
			_, errs[i] = c.decide(card.ID, kinds[i%3], 0, "why")
		})
	}
	all.Wait()
	taken := 0
	for _, err := range errs {
		if err == nil {
			taken++
			continue
		}
		require.Equal(t, "decision_open", store.ReasonOf(err))
	}
	require.Equal(t, 1, taken)
}

// The same card is not approved elsewhere while an offer for it is open.
func TestAnOfferHoldsItsCard(t *testing.T) {
	c := openCounter(t)
	c.offered("ABCD1234")
	second := c.review(regularForm("ABCD1234", "60"))
	_, err := c.decide(second.ID, giftcard.CardApprove, 6_000, "")
	require.Equal(t, "duplicate", store.ReasonOf(err))
}

// A decision about the offer and the end of its time are executed at once, each several times: the card is paid once
// and neither declined nor rejected, or the offer ends once and nothing is paid.
func TestBar18AnOfferEndsOnce(t *testing.T) {
	for _, answer := range []string{"", giftcard.CardAccept, giftcard.CardDecline, giftcard.CardReject} {
		t.Run("answered "+answer, func(t *testing.T) {
			c := openCounter(t)
			card := c.offered("ABCD1234")
			decision := ""
			if answer != "" {
				var err error
				decision, err = c.decide(card.ID, answer, 0, "why")
				require.NoError(t, err)
			}
			c.advance(73 * time.Hour)
			var all sync.WaitGroup
			errs := make([]error, 9)
			for i := range errs {
				all.Go(func() {
					switch {
					case i%3 == 0:
						_, errs[i] = giftcard.LateGiftCard(t.Context(), c.db, card.ID, cardWaits)
					case answer == giftcard.CardAccept:
						_, errs[i] = giftcard.AcceptGiftCard(t.Context(), c.db, card.ID, decision, cardWaits)
					case answer == giftcard.CardDecline:
						_, errs[i] = giftcard.DeclineGiftCard(t.Context(), c.db, card.ID, decision)
					case answer == giftcard.CardReject:
						_, errs[i] = giftcard.RejectGiftCard(t.Context(), c.db, card.ID, decision)
					default:
						_, err := c.decide(card.ID, giftcard.CardAccept, 0, "")
						require.Contains(c, []string{"offer_ended", "card_state"}, store.ReasonOf(err))
					}
				})
			}
			all.Wait()
			for _, err := range errs {
				require.NoError(t, err)
			}
			ended, owed := giftcard.CardDeclined, "0.00"
			switch answer {
			case giftcard.CardAccept:
				ended, owed = giftcard.CardApproved, "46.00"
			case giftcard.CardReject:
				ended = giftcard.CardRejected
			}
			card = c.card(card.ID)
			require.Equal(t, ended, card.Status)
			require.Equal(t, owed, c.owed())
			require.Equal(t, ended != giftcard.CardApproved, card.SecretsDestroyedAt != nil)
			require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_card_events
				WHERE card_id = $1 AND kind IN ('approved', 'declined', 'rejected')`, card.ID))
			c.balanced()
		})
	}
}

// The bar of who stated a value alone begins when it is credited, not when it is offered.
func TestTheBarOfAnOfferBeginsWhenItIsAccepted(t *testing.T) {
	c := openCounter(t)
	card := c.offered("ABCD1234")
	c.advance(71 * time.Hour)
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardAccept, 0, ""))
	release := func() error {
		return c.db.Tx(t.Context(), func(tx *store.DB) error {
			return dualcontrol.CheckRelease(t.Context(), tx, dualcontrol.Release{Action: dualcontrol.ApprovePayout,
				Actors: []string{c.staff}, Customer: c.user, Balance: true})
		})
	}
	require.ErrorIs(t, release(), dualcontrol.ErrOwnCredit)
	c.advance(29 * 24 * time.Hour)
	require.ErrorIs(t, release(), dualcontrol.ErrOwnCredit, "31 days after the statement and 29 after the credit")
	c.advance(2 * 24 * time.Hour)
	require.NoError(t, release())
}
