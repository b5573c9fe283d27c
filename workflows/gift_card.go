package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/giftcard"
)

// Update names: the decisions about a gift card. The argument is a Decision and the answer
// an Outcome, as with orders.
const (
	ApproveCard = giftcard.CardApprove
	RejectCard  = giftcard.CardReject
	RealiseCard = giftcard.CardRealise
	AcceptCard  = giftcard.CardAccept
	DeclineCard = giftcard.CardDecline
)

// CardInput starts a gift card's workflow.
type CardInput struct {
	CardID string `json:"cardId"`
}

// giftCards names the activities; it is never called here.
var giftCards *activities.GiftCards

var giftCardFlow = caseFlow[giftcard.CardState]{
	kind: GiftCardType, signal: CardChanged, kinds: giftcard.CardDecisionKinds,
	view: func(at giftcard.CardState) caseView {
		return caseView{string(at.Status), at.Summary + "\n\n" + cardDetails[at.Status], at.Closed, at.Wake}
	},
	awaits: func(at giftcard.CardState, kind string) bool {
		return at.Status == giftcard.CardReceived || slices.Contains(giftcard.CardDecisions(at.Status), kind)
	},
	decided: func(id, decisionID, code string) any {
		return activities.CardDecided{CardID: id, DecisionID: decisionID, Code: code}
	},
	load: caseStep{"Read the gift card", giftCards.LoadCard}, due: caseStep{"See to what is due", giftCards.LateCard}, timer: "A reminder, or a deadline",
	refuse: giftCards.RefuseCardDecision,
	decisions: map[string]caseStep{
		ApproveCard: {"Approve: credit what the card pays, or offer less", giftCards.ApproveCard},
		AcceptCard:  {"Accept: credit what was offered", giftCards.AcceptCard},
		DeclineCard: {"Decline: destroy what was printed on the card", giftCards.DeclineCard},
		RejectCard:  {"Reject: destroy what was printed on the card", giftCards.RejectCard},
		RealiseCard: {"Realise: book what the value brought in", giftCards.RealiseCard},
	},
}

var cardDetails = map[giftcard.CardStatus]string{
	giftcard.CardReceived: "received; not yet compared with earlier submissions",
	giftcard.CardInReview: "waiting for a reviewer to approve or reject",
	giftcard.CardOffered:  "waiting for its customer to accept or decline our counter-offer; a reviewer can reject it",
	giftcard.CardDeclined: "ended: its customer declined what was offered, or did not answer",
	giftcard.CardApproved: "paid; waiting for finance to record what its value brought in",
	giftcard.CardRealised: "ended: realised",
	giftcard.CardRejected: "ended: rejected",
	giftcard.CardExpired:  "ended: not decided in time",
}

// GiftCard executes a card from its row, whatever its status, to its end: realised,
// rejected, or expired because no decision was made in time. Histories never contain what
// is printed on it.
func GiftCard(ctx workflow.Context, in CardInput) error {
	c, err := openCase(ctx, &giftCardFlow, in.CardID)
	if err != nil {
		return err
	}
	return c.run(ctx, in, c.load, func(ctx workflow.Context) error {
		if c.at.Status == giftcard.CardReceived { // only where the workflow began before reading a card put it in review
			return c.row(ctx, "Look whether the card was sent before", giftCards.ReviewCard, c.id)
		}
		return c.wait(ctx)
	})
}
