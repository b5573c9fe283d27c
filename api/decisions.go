package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// decisionWait is how long a call waits for a decision to be carried out
// before it answers 202.
const decisionWait = 10 * time.Second

// decided is the answer to a decision: 200 done, 202 still being carried out.
type decided struct {
	Status int `statuses:"200,202"`
	Body   Outcome
}

// outcomeTexts say why a decision could not be carried out, by its code.
var outcomeTexts = map[string]string{
	"card_declined":            "The card was declined.",
	"capture_failed":           "The card payment could not be captured.",
	"authorisation_expired":    "The hold on the card expired. Nothing was charged.",
	"already_captured":         "The card was already charged. You can only refund this order.",
	"captured_in_part":         "Stripe holds less than the price of this order, because part of it was captured or refunded at Stripe. Nothing was booked. Refund the rest at Stripe, then decline the order.",
	"insufficient_funds":       "The card does not have enough funds.",
	workflows.NotAwaited:       "The order no longer needs this. Refresh the page.",
	"price_moved":              "Buying now would cost more than the locked price allows.",
	"wallet_short":             "The wallet doesn't have enough crypto.",
	"paused":                   "This is paused. The order continues automatically when it's resumed.",
	"refund_failed":            "The card's bank didn't accept the refund.",
	"refund_pending":           "Stripe is still processing the refund. We book it when it's done.",
	"transfer_open":            "A transfer for this order may still be sent. Retry to check.",
	"restored_sent":            "Crypto for this order was sent after the backup that was restored. It is recorded when the order is fulfilled or marked as sent.",
	"restored_unread":          "A backup was restored, and transfers since then are still being read. Try again in a few minutes.",
	"kyc_revoked":              "The customer's identity is no longer verified.",
	"address_blocked":          "The destination address is blocked.",
	casework.AttentionRisk:     "Compliance must release this order first.",
	"decision_settled":         "This decision was already made.",
	"order_state":              "The order has changed. Refresh the page.",
	"money_changed":            "More money has arrived. Check the new price.",
	"bank_reference_used":      "This bank reference was already used to confirm a payment.",
	"over_single_limit":        "The new price is above your limit per purchase.",
	"over_daily_limit":         "The new price is above what's left of your daily limit.",
	"over_monthly_limit":       "The new price is above what's left of your monthly limit.",
	"kyc_required":             "Please complete identity verification before making purchases.",
	"account_frozen":           "You can't buy right now. Contact support.",
	casework.AttentionCustomer: "The customer's account is frozen.",
	"custody_silent":           "BitGo doesn't answer, so nothing was changed. Propose it again later.",
	"transfer_not_removed":     "BitGo doesn't say that this transfer was removed. Refresh the page.",
	"custody_says_confirmed":   "BitGo now says that this transfer is confirmed.",
	"custody_says_broadcast":   "BitGo now says that this transfer is broadcast.",
	"custody_says_signed":      "BitGo now says that this transfer is signed.",
	"custody_says_replaced":    "BitGo now says that this transfer is replaced.",
	"own_receipt":              "You confirmed this payment, so someone else must release the crypto.",
	"payment_not_authorised":   "The card payment isn't authorised.",
}

// decide writes a decision down, has the workflow carry it out, and waits for
// a while. The row is what counts: when Temporal cannot be reached, the sweeper
// delivers it later. What needs a second person is proposed instead.
func (s *Server) decide(ctx context.Context, in order.NewDecision, done string) (*decided, error) {
	who := principalOf(ctx)
	in.ActorID, in.ActorRole, in.RequestID = who.UserID, actorRole(who), requestID(ctx)
	alone := s.aloneOf(in.Kind)
	in.Alone = &alone
	decision, err := order.OpenDecision(ctx, s.DB, in)
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		wish, _ := in.Data.(order.RefundWish)
		return s.propose(ctx, order.NewProposal{OrderID: in.OrderID, Kind: in.Kind, To: wish.To, Data: in.Data, Reason: in.Reason})
	}
	if err != nil {
		return nil, err
	}
	return s.carryDecision(ctx, decision, done)
}

// bookedByTheRow are decisions that are carried out once their row is settled, also where
// the order then needs review: the answer says what was booked.
var bookedByTheRow = []string{order.DecisionKeepOrder, order.DecisionRequote, order.DecisionTransferDead}

// carryDecision has a decision that was written carried out by the order's
// workflow.
func (s *Server) carryDecision(ctx context.Context, decision *order.Decision, done string) (*decided, error) {
	if decision.SettledAt != nil {
		return s.bookedAtOnce(ctx, decision, done)
	}
	answer := Outcome{DecisionID: decision.ID, State: "working", Message: "This is taking longer than usual. The page will show when it is done."}
	outcome, settled, err := s.Workflows.Decide(ctx, decision.OrderID, decision.Kind, decision.ID, decisionWait)
	if err != nil {
		s.Log.WarnContext(ctx, "decision not delivered yet; the sweeper will", "decision", decision.ID, "error", err)
	}
	if err != nil || !settled {
		return &decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	if !outcome.OK() && slices.Contains(bookedByTheRow, decision.Kind) {
		if booked, err := order.DecisionDone(ctx, s.DB, decision.ID); err != nil || booked {
			answer.State, answer.Status, answer.Message = "done", outcome.Status, done
			return &decided{Status: http.StatusOK, Body: answer}, err
		}
	}
	if !outcome.OK() {
		return nil, store.Conflict(outcome.Code, outcomeText(outcome))
	}
	answer.State, answer.Status, answer.Message = "done", outcome.Status, done
	return &decided{Status: http.StatusOK, Body: answer}, nil
}

// bookedAtOnce answers a decision that was carried out as it was written: money
// came that the order did not wait for. When it re-opened the order, its workflow
// is started again; what fails here the sweeper starts.
func (s *Server) bookedAtOnce(ctx context.Context, decision *order.Decision, done string) (*decided, error) {
	order, err := order.ReadOrder(ctx, s.DB, decision.OrderID)
	if err != nil {
		return nil, err
	}
	if order.WorkflowStartedAt == nil {
		s.startOrder(ctx, order)
	}
	return &decided{Status: http.StatusOK, Body: Outcome{DecisionID: decision.ID, State: "done", Status: string(order.Status), Message: done}}, nil
}

func outcomeText(outcome workflows.Outcome) string {
	if text := cmp.Or(outcomeTexts[outcome.Code], standTexts[outcome.Code]); text != "" {
		return text
	}
	if outcome.Message != "" {
		return outcome.Message
	}
	return "This could not be done. Refresh the page to see why."
}

// actorRole is the strongest role somebody acts in, for the audit log.
func actorRole(who *account.Principal) string {
	for _, role := range []string{"admin", "finance", "compliance", "support"} {
		if slices.Contains(who.Roles, role) {
			return role
		}
	}
	return roleCustomer
}
