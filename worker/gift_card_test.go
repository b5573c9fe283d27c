package worker

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/temporalproto"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

var quickCards = activities.CardTiming{Review: 336 * time.Hour, Remind: 24 * time.Hour, Realise: 168 * time.Hour}

const canaryCode = "CANARY99887766"

// cardKeys seal what is printed on the cards of these tests.
func (h *testCluster) cardKeys() *secret.Keys {
	h.Helper()
	keys, err := secret.NewKeys(bytes.Repeat([]byte{9, 1}, secret.KeySize/2))
	require.NoError(h, err)
	return keys
}

// sell writes a card down; start says whether its workflow is started with it.
func (h *testCluster) sell(code string, start bool) *giftcard.GiftCard {
	h.Helper()
	offer, err := giftcard.CardForm{Brand: "amazon", Value: "100", Type: giftcard.CardRegular, CardSecrets: giftcard.CardSecrets{Code: code, PIN: "CANARYPIN"}}.Check(time.Now())
	require.NoError(h, err)
	card, err := giftcard.SubmitGiftCard(h.Context(), h.db, h.cardKeys(), giftcard.NewGiftCard{UserID: h.customer, Offer: offer})
	require.NoError(h, err)
	if start {
		require.NoError(h, h.client.StartGiftCard(h.Context(), card))
	}
	return card
}

func (h *testCluster) cardIs(id string, status giftcard.CardStatus) (card *giftcard.GiftCard) {
	h.Helper()
	h.until("gift card "+string(status), func() bool {
		var err error
		card, err = giftcard.ReadGiftCard(h.Context(), h.db, id)
		require.NoError(h, err)
		return card.Status == status
	})
	return card
}

// reveal shows the card to its reviewer.
func (h *testCluster) reveal(id string) {
	h.Helper()
	_, _, err := giftcard.RevealGiftCard(h.Context(), h.db, h.cardKeys(), id, store.Actor{ActorID: h.staff, ActorRole: "admin"})
	require.NoError(h, err)
}

// openCard writes a decision without signalling its workflow.
func (h *testCluster) openCard(id, kind string, cents int64) *giftcard.CardDecision {
	h.Helper()
	in := giftcard.NewCardDecision{CardID: id, Kind: kind, ActorID: h.staff, ActorRole: "admin", Reason: "because " + id}
	switch {
	case giftcard.OfCustomer(kind):
		in.ActorID, in.ActorRole = h.customer, ""
	case kind != giftcard.CardReject:
		amount := money.FromInt(cents)
		in.Amount = &amount
	}
	if kind == giftcard.CardApprove {
		h.reveal(id)
	}
	decision, err := giftcard.OpenCardDecision(h.Context(), h.db, in)
	require.NoError(h, err)
	return decision
}

func (h *testCluster) decideCard(id, kind string, cents int64) workflows.Outcome {
	h.Helper()
	decision := h.openCard(id, kind, cents)
	outcome, decided, err := h.client.DecideGiftCard(h.Context(), id, kind, decision.ID, 40*time.Second)
	require.NoError(h, err)
	require.True(h, decided)
	return outcome
}

// ended waits for the workflow's end and checks that its history contains nothing of the
// card, and no regular activity.
func (h *testCluster) ended(id string) {
	h.Helper()
	require.NoError(h, h.client.GetWorkflow(h.Context(), workflows.GiftCardID(id), "").Get(h.Context(), nil))
	reader := h.client.GetWorkflowHistory(h.Context(), workflows.GiftCardID(id), "", true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	events := 0
	for reader.HasNext() {
		event, err := reader.Next()
		require.NoError(h, err)
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(event)
		require.NoError(h, err)
		require.NotContains(h, string(raw), "CANARY")
		require.NotEqual(h, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, event.EventType)
		events++
	}
	require.LessOrEqual(h, events, 60)
}

func TestGiftCardIsApprovedPaidAndRealised(t *testing.T) {
	h := open(t)
	card := h.sell(canaryCode, true)
	h.cardIs(card.ID, giftcard.CardInReview)
	require.Equal(t, workflows.Done, h.decideCard(card.ID, giftcard.CardApprove, 9000).Code)
	h.cardIs(card.ID, giftcard.CardOffered)
	require.True(t, h.balance().IsZero(), "less than its customer entered: they are asked")
	require.Equal(t, workflows.Done, h.decideCard(card.ID, giftcard.CardAccept, 0).Code)
	require.Equal(t, "7150", h.balance().String())
	require.Equal(t, workflows.Done, h.decideCard(card.ID, giftcard.CardRealise, 8500).Code)
	done := h.cardIs(card.ID, giftcard.CardRealised)
	require.Nil(t, done.SealedCode)
	h.ended(card.ID)
	h.books()
	h.record(workflows.GiftCardID(card.ID), "gift-card-realised")

	again := h.sell(canaryCode, true)
	h.cardIs(again.ID, giftcard.CardInReview)
	amount := money.FromInt(9000)
	h.reveal(again.ID)
	_, err := giftcard.OpenCardDecision(t.Context(), h.db, giftcard.NewCardDecision{CardID: again.ID, Kind: giftcard.CardApprove, ActorID: h.staff, Amount: &amount})
	require.Equal(t, "duplicate", store.ReasonOf(err))
	require.Equal(t, workflows.Done, h.decideCard(again.ID, giftcard.CardReject, 0).Code)
	h.ended(again.ID)

	frozen := h.sell(canaryCode+"F", true)
	h.cardIs(frozen.ID, giftcard.CardInReview)
	decision := h.openCard(frozen.ID, giftcard.CardApprove, 9000)
	h.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, h.customer)
	outcome, _, err := h.client.DecideGiftCard(t.Context(), frozen.ID, giftcard.CardApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.Equal(t, "account_frozen", outcome.Code, "what changed since the decision counts")
	require.Equal(t, workflows.Done, h.decideCard(frozen.ID, giftcard.CardReject, 0).Code)
	h.ended(frozen.ID)
	h.record(workflows.GiftCardID(frozen.ID), "gift-card-refused")
	h.books()
	h.record(workflows.GiftCardID(again.ID), "gift-card-rejected")
}

// claims books a claim of all that was paid for a card.
func (h *testCluster) claims(id string) {
	h.Helper()
	card, err := giftcard.ReadGiftCard(h.Context(), h.db, id)
	require.NoError(h, err)
	require.NoError(h, h.db.Tx(h.Context(), func(tx *store.DB) error {
		return giftcard.ClaimCard(h.Context(), tx, giftcard.NewCardClaim{CardID: id, Amount: *card.Paid, Reason: "it was used", By: store.Actor{ActorID: h.staff}})
	}))
}

// A claim closes a card that has no proceeds yet. Its workflow ends, whether it is signaled or the sweep finds it.
func TestGiftCardWorkflowEndsWithItsClaim(t *testing.T) {
	h := open(t)
	for _, signaled := range []bool{true, false} {
		card := h.sell(canaryCode+map[bool]string{true: "S", false: "N"}[signaled], true)
		h.cardIs(card.ID, giftcard.CardInReview)
		require.Equal(t, workflows.Done, h.decideCard(card.ID, giftcard.CardApprove, 10000).Code)
		h.claims(card.ID)
		if signaled {
			require.NoError(t, h.client.SignalGiftCard(t.Context(), card.ID, "claimed"))
		} else {
			h.sweep()
		}
		h.ended(card.ID)
		require.Equal(t, giftcard.CardRealised, h.cardIs(card.ID, giftcard.CardRealised).Status)
	}
	h.books()
}

// No workflow was started or signalled: the sweep finds the card, delivers the decision,
// and a card that changed meanwhile refuses it.
func TestBar26SweepStartsGiftCardsAndDeliversTheirDecisions(t *testing.T) {
	h := open(t)
	card := h.sell(canaryCode, false)
	h.sweep()
	h.cardIs(card.ID, giftcard.CardInReview)
	decision := h.openCard(card.ID, giftcard.CardApprove, 10000)
	h.record(h.sweep(), "sweep-gift-card-decision")
	h.cardIs(card.ID, giftcard.CardApproved)
	outcome, decided, err := h.client.DecideGiftCard(t.Context(), card.ID, giftcard.CardApprove, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.True(t, outcome.OK(), "the same decision again attaches to the first: %+v", outcome)
	require.Equal(t, "8000", h.balance().String())

	// The workflow dies with Temporal's data: the next decision starts it from the row.
	require.NoError(t, h.client.TerminateWorkflow(t.Context(), workflows.GiftCardID(card.ID), "", "the test"))
	require.True(t, h.decideCard(card.ID, giftcard.CardRealise, 0).OK(), "a card can turn out to be worth nothing")
	h.ended(card.ID)
	h.books()
}

func TestGiftCardThatIsNotDecidedExpiresAfterReminders(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'compliance', 'test')`, h.staff)
	card := h.sell(canaryCode, true)
	h.cardIs(card.ID, giftcard.CardInReview)
	h.advance(25 * time.Hour)
	h.sweep()
	h.until("a reminder", func() bool {
		now, err := giftcard.ReadGiftCard(t.Context(), h.db, card.ID)
		require.NoError(t, err)
		return now.Reminders == 1
	})
	h.advance(336 * time.Hour)
	h.sweep()
	done := h.cardIs(card.ID, giftcard.CardExpired)
	require.NotNil(t, done.SecretsDestroyedAt)
	h.ended(card.ID)
	require.True(t, h.balance().IsZero())
	h.record(workflows.GiftCardID(card.ID), "gift-card-expired")
}

// A counter-offer that is declined, rejected by a reviewer, or not answered within 72 hours, ends the card. The timer
// is its workflow's: nobody signals it.
func TestGiftCardOfferIsDeclined(t *testing.T) {
	h := open(t)
	declined, late, spent := h.sell(canaryCode+"D", true), h.sell(canaryCode+"L", true), h.sell(canaryCode+"S", true)
	for _, card := range []*giftcard.GiftCard{declined, late, spent} {
		h.cardIs(card.ID, giftcard.CardInReview)
		require.Equal(t, workflows.Done, h.decideCard(card.ID, giftcard.CardApprove, 6000).Code)
	}
	require.Equal(t, workflows.Done, h.decideCard(declined.ID, giftcard.CardDecline, 0).Code)
	require.Equal(t, workflows.Done, h.decideCard(spent.ID, giftcard.CardReject, 0).Code)
	require.Nil(t, h.cardIs(spent.ID, giftcard.CardRejected).SealedCode)
	h.ended(spent.ID)
	h.advance(73 * time.Hour)
	h.sweep()
	for _, card := range []*giftcard.GiftCard{declined, late} {
		require.Nil(t, h.cardIs(card.ID, giftcard.CardDeclined).SealedCode)
		h.ended(card.ID)
	}
	require.True(t, h.balance().IsZero())
	h.books()
	h.record(workflows.GiftCardID(declined.ID), "gift-card-offer-declined")
	h.record(workflows.GiftCardID(late.ID), "gift-card-offer-ended")
}

// Each mail about gift cards arrives, once, for whom it is meant, and holds
// nothing of the card.
func TestBar35GiftCardMailsArriveOnceAndHoldNoSecret(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, h.staff)
	paid, late, refused := h.sell(canaryCode, true), h.sell(canaryCode+"L", true), h.sell(canaryCode+"R", true)
	for _, card := range []*giftcard.GiftCard{paid, late, refused} {
		h.cardIs(card.ID, giftcard.CardInReview)
	}
	require.Equal(t, workflows.Done, h.decideCard(paid.ID, giftcard.CardApprove, 10000).Code)
	require.Equal(t, workflows.Done, h.decideCard(refused.ID, giftcard.CardReject, 0).Code)
	used := h.sell(canaryCode+"U", true)
	h.cardIs(used.ID, giftcard.CardInReview)
	require.Equal(t, workflows.Done, h.decideCard(used.ID, giftcard.CardApprove, 10000).Code)
	h.claims(used.ID)
	less := h.sell(canaryCode+"O", true)
	h.cardIs(less.ID, giftcard.CardInReview)
	require.Equal(t, workflows.Done, h.decideCard(less.ID, giftcard.CardApprove, 6000).Code)
	require.Equal(t, workflows.Done, h.decideCard(less.ID, giftcard.CardDecline, 0).Code)
	require.NoError(t, h.db.Tx(t.Context(), func(tx *store.DB) error {
		_, err := giftcard.ReverseClaim(t.Context(), tx, giftcard.NewCardClaim{CardID: used.ID, Reason: "the buyer paid", By: store.Actor{ActorID: h.staff}})
		return err
	}))
	h.advance(200 * time.Hour)
	h.sweep()
	h.until("reminders", func() bool {
		var n int
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM gift_card_events WHERE kind IN ('review_late', 'realisation_late')`).Scan(&n))
		return n == 2
	})
	h.advance(150 * time.Hour)
	h.sweep()
	h.cardIs(late.ID, giftcard.CardExpired)
	h.deliverMails()
	kinds := mailtemplate.Kinds("en")
	var lines []string
	for _, m := range giftcard.CardMailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
		lines = append(lines, m.Kind)
	}
	var sent []string
	rows, err := h.db.Pool().Query(t.Context(), `SELECT DISTINCT kind FROM mails WHERE gift_card_id IS NOT NULL AND sent_at IS NOT NULL`)
	require.NoError(t, err)
	for rows.Next() {
		var kind string
		require.NoError(t, rows.Scan(&kind))
		sent = append(sent, kind)
	}
	require.NoError(t, rows.Err())
	require.ElementsMatch(t, lines, sent)
	for _, to := range []string{"customer@example.com", "staff@example.com"} {
		for _, mail := range h.mails(to) {
			require.Equal(t, 1, mail.Deliveries)
			require.NotContains(t, mail.Text+mail.HTML+mail.Subject, "CANARY")
			require.Contains(t, mail.Text, "gift card GC-")
		}
	}
}
