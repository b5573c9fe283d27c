package casework

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/workflows"
)

// Console is Temporal's web UI, where staff see workflows.
type Console struct {
	TemporalUIURL string // empty: staff get no link
	Namespace     string
}

// takeOnTime is how long decisions that resume blocked objects are delivered after the
// answer; the sweep delivers those that are late.
const takeOnTime = 10 * time.Second

// TakeOn delivers the decision that resumes a blocked object to its workflow.
func (c *Cases) TakeOn(ctx context.Context, p casework.Blocked) {
	var err error
	if p.Matter == "" {
		_, _, err = c.Workflows.Decide(ctx, p.ID, p.Kind, p.DecisionID, takeOnTime)
	} else {
		_, _, err = c.Workflows.DecideCase(ctx, p.Matter, p.ID, p.Kind, p.DecisionID, takeOnTime)
	}
	if err != nil {
		c.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", p.DecisionID, "error", err)
	}
}

// ShownDecision is a decision as staff see it.
func ShownDecision[D interface{ Common() casework.Decision }](row *D) TakenDecision {
	d := (*row).Common()
	return TakenDecision{ID: d.ID, Kind: d.Kind, Actor: d.ActorEmail, Reason: d.Reason, CreatedAt: d.CreatedAt, SettledAt: d.SettledAt, Outcome: d.OutcomeCode}
}

// WorkflowURL is the page of a workflow in Temporal's web UI, where there is one.
func (t *Console) WorkflowURL(workflowID string) *string {
	if t.TemporalUIURL == "" {
		return nil
	}
	link := strings.TrimRight(t.TemporalUIURL, "/") + "/namespaces/" + url.PathEscape(t.Namespace) + "/workflows/" + url.PathEscape(workflowID)
	return &link
}

// Actionable narrows a queue to what staff can act on now.
type Actionable struct {
	Actionable bool `query:"actionable" doc:"only what staff can act on now, the longest wait first"`
}

// DecisionWait is how long a call waits for a decision's execution before it answers 202.
const DecisionWait = 10 * time.Second

// Decided is the answer to a decision: 200 done, 202 still being executed.
type Decided struct {
	Status int `statuses:"200,202"`
	Body   Outcome
}

// outcomeTexts are the messages for decisions that could not be executed, by code.
var outcomeTexts = map[string]string{
	"card_declined":            "The card was declined.",
	"capture_failed":           "The card payment could not be captured.",
	"authorisation_expired":    "The hold on the card expired. Nothing was charged.",
	"already_captured":         "The card was already charged. You can only refund this order.",
	"captured_in_part":         "Stripe holds less than the price of this order, because only part of it was captured at Stripe. Nothing was booked. Refund that part at Stripe, then decline the order.",
	"insufficient_funds":       "The card does not have enough funds.",
	workflows.NotAwaited:       "The order no longer needs this. Refresh the page.",
	"price_moved":              "Buying now would cost more than the locked price allows.",
	"wallet_short":             "The wallet doesn't have enough crypto.",
	"paused":                   "This is paused. The order continues automatically when it's resumed.",
	"refund_failed":            "The card's bank didn't accept the refund.",
	"refund_pending":           "Stripe is still processing the refund. We book it when it's done.",
	"transfer_open":            "A transfer for this order may still be sent. Retry to check.",
	"transfer_other":           "This transfer is recorded for another order, voucher or move of crypto.",
	"restored_sent":            "Crypto for this order was sent after the backup that was restored. It is recorded when the order is fulfilled or marked as sent.",
	"restored_unread":          "A backup was restored, and transfers since then are still being read. Try again in a few minutes.",
	"kyc_revoked":              "The customer's identity is no longer verified.",
	"address_blocked":          "The destination address is blocked.",
	casework.AttentionRisk:     "Compliance must release this order first.",
	"decision_settled":         "This decision was already made.",
	"order_state":              "The order has changed. Refresh the page.",
	"money_changed":            "More money has arrived. Check the new price.",
	"bank_reference_used":      "This bank reference was already used.",
	"over_single_limit":        "The new price is above your limit per purchase.",
	"over_daily_limit":         "The new price is above what's left of your daily limit.",
	"over_monthly_limit":       "The new price is above what's left of your monthly limit.",
	"kyc_required":             "Please complete identity verification before making purchases.",
	"account_frozen":           "You can't buy right now. Contact support.",
	casework.AttentionCustomer: "The customer's account is frozen.",
	"custody_silent":           "The custodian doesn't answer, so nothing was changed. Propose it again later.",
	"transfer_not_removed":     "The custodian doesn't say that this transfer was removed. Refresh the page.",
	"custody_says_confirmed":   "The custodian now says that this transfer is confirmed.",
	"custody_says_broadcast":   "The custodian now says that this transfer is broadcast.",
	"custody_says_signed":      "The custodian now says that this transfer is signed.",
	"custody_says_replaced":    "The custodian now says that this transfer is replaced.",
	"own_receipt":              "You confirmed this payment, so someone else must release the crypto.",
	"payment_not_authorised":   "The card payment isn't authorized.",

	"statement_unread": "A backup was restored, so this money may have been sent back already. " +
		"Propose this again with what the bank's statement since the backup shows.",
}

// OutcomeText returns the message for a decision that could not be executed.
func OutcomeText(outcome workflows.Outcome) string {
	if text := cmp.Or(outcomeTexts[outcome.Code], stateTexts[outcome.Code]); text != "" {
		return text
	}
	if outcome.Message != "" {
		return outcome.Message
	}
	return "This could not be done. Refresh the page to see why."
}

// TakenDecision is a recorded decision about an order.
type TakenDecision struct {
	ID        string     `json:"id" format:"uuid"`
	Kind      string     `json:"kind"`
	Actor     string     `json:"actor" doc:"e-mail address of who decided"`
	Reason    string     `json:"reason"`
	CreatedAt time.Time  `json:"createdAt"`
	SettledAt *time.Time `json:"settledAt"`
	Outcome   *string    `json:"outcome" doc:"done, or a word for why it could not be done; null while it is being carried out"`
}

// Decision is a decision under execution.
type Decision struct {
	ID        string    `json:"id" format:"uuid"`
	Kind      string    `json:"kind"`
	CreatedAt time.Time `json:"createdAt"`
}

// Rejection is a decline or reject and why.
type Rejection struct {
	Reason string `json:"reason" maxLength:"500"`
}

// Reasoned is an optional reason for what staff do.
type Reasoned struct {
	Reason string `json:"reason,omitempty" maxLength:"500"`
}

// Outcome is the state of a decision: done, still working (202), or waiting for a second
// person to approve it (202).
type Outcome struct {
	DecisionID string `json:"decisionId" format:"uuid" doc:"of a proposal, or the order of an address that waits for its link, when that is what it is"`
	State      string `json:"state" enum:"done,working,proposed,mailed,offered"`
	Status     string `json:"status" doc:"the order's status now"`
	Message    string `json:"message" prose:"yes"`
}
