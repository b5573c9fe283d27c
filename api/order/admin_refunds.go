package order

import (
	"context"
	"errors"
	"net/http"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// RefundOrder is how much of an order's money is refunded, and why.
type RefundOrder struct {
	Reason string  `json:"reason" minLength:"1" maxLength:"500"`
	Amount *string `json:"amount,omitempty" maxLength:"20" doc:"US dollars; without it all that is left"`
	Coin   string  `json:"coin,omitempty" enum:"all,less" doc:"before delivery: less offers the customer less coin with the refund, which nothing is refunded before they agree to; all by default"`
	To     string  `json:"to,omitempty" enum:"card,balance" doc:"balance is for card payments whose bank refused the refund; by default where the money came from"`
}

type refundInput struct {
	rest.ObjectID
	Body RefundOrder
}

// RefundOrder refunds money. A refund of all that is left of an order that was not sent is
// that order's own end, which its workflow executes; every other one is a separate refund.
func (h *Handlers) RefundOrder(ctx context.Context, in *refundInput) (*caseworkapi.Decided, error) {
	o, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	left, err := order.Refundable(ctx, h.DB, o)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	alone := h.RefundAlone()
	wanted := order.NewRefund{OrderID: in.ID, To: in.Body.To, Reason: in.Body.Reason, ActorID: who.UserID, ActorRole: rest.ActorRole(who), RequestID: rest.RequestID(ctx), Alone: &alone, StaffAlone: h.StaffAlone()}
	if in.Body.Amount != nil {
		amount, err := money.USD.Parse(*in.Body.Amount)
		if err != nil || amount.Sign() <= 0 {
			return nil, store.Invalid("amount", "invalid_amount", "Enter the amount to refund")
		}
		wanted.Amount = &amount
	}
	if in.Body.Coin == "less" {
		return h.offerLessCoin(ctx, o, wanted)
	}
	if o.Status != order.StatusSent && (wanted.Amount == nil || wanted.Amount.Cmp(left) == 0) {
		return h.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionRefund, Reason: in.Body.Reason, Data: order.RefundWish{To: in.Body.To}}, orderRefunded)
	}
	answer, err := h.giveBack(ctx, o, wanted)
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		return h.Propose(ctx, order.NewProposal{OrderID: in.ID, Kind: order.DecisionRefund, Amount: wanted.Amount, To: in.Body.To, Reason: in.Body.Reason})
	}
	return answer, err
}

// orderRefunded is the message when all of an order's money is refunded.
const orderRefunded = "The order is being refunded."

// giveBack writes a refund and starts its workflow. The row is authoritative: when Temporal
// cannot be reached, the sweep starts it later.
func (h *Handlers) giveBack(ctx context.Context, o *order.Order, wanted order.NewRefund) (*caseworkapi.Decided, error) {
	refund, err := order.OpenRefund(ctx, h.DB, wanted)
	if err != nil {
		return nil, err
	}
	return h.runRefund(ctx, o, refund)
}

// runRefund starts the workflow of a written refund.
func (h *Handlers) runRefund(ctx context.Context, order *order.Order, refund *order.Refund) (*caseworkapi.Decided, error) {
	answer := caseworkapi.Outcome{DecisionID: *refund.DecisionID, State: "done", Status: string(order.Status), Message: money.Dollars(refund.Amount) + " has been given back."}
	if refund.DoneAt != nil {
		h.SignalOrders(ctx, []string{order.ID}) // it may have waited for this
		return &caseworkapi.Decided{Status: http.StatusOK, Body: answer}, nil
	}
	done, err := h.Workflows.RunRefund(ctx, order.ID, refund.Sequence, caseworkapi.DecisionWait)
	if err != nil {
		h.Log.WarnContext(ctx, "refund not started yet; the sweeper will", "order", order.ID, "refund", refund.Sequence, "error", err)
	}
	if err != nil || !done {
		answer.State, answer.Message = "working", "The refund is on its way to the card. The page will show when it's done."
		return &caseworkapi.Decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	return h.gaveBack(ctx, order.ID, refund.Sequence, answer)
}

func (h *Handlers) gaveBack(ctx context.Context, orderID string, sequence int, answer caseworkapi.Outcome) (*caseworkapi.Decided, error) {
	refunds, err := order.OrderRefunds(ctx, h.DB, orderID)
	if err != nil {
		return nil, err
	}
	for _, r := range refunds {
		if r.Sequence == sequence && r.Gone() {
			return nil, store.Conflict("refund_gone", "Stripe no longer has this money. It was refunded at Stripe, or the card's bank took it back. The order shows this once Stripe confirms it.")
		}
		if r.Sequence == sequence && r.Status == order.RefundFailed {
			return nil, store.Conflict("refund_failed", "The card's bank didn't accept the refund. Try again, or refund to the customer's balance.")
		}
	}
	return &caseworkapi.Decided{Status: http.StatusOK, Body: answer}, nil
}

type answerInput struct {
	rest.ObjectID
	Body AnswerDispute
}

// AnswerDispute is why staff contest or accept a dispute.
type AnswerDispute struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

// ContestDispute has our evidence submitted to the bank.
func (h *Handlers) ContestDispute(ctx context.Context, in *answerInput) (*caseworkapi.Decided, error) {
	return h.answerDispute(ctx, in, order.DecisionContest, "The evidence was sent. The bank decides.")
}

// AcceptDispute gives the dispute up.
func (h *Handlers) AcceptDispute(ctx context.Context, in *answerInput) (*caseworkapi.Decided, error) {
	return h.answerDispute(ctx, in, order.DecisionAccept, "The dispute was accepted. The customer keeps the money.")
}

func (h *Handlers) answerDispute(ctx context.Context, in *answerInput, kind, message string) (*caseworkapi.Decided, error) {
	who := rest.PrincipalOf(ctx)
	dispute, err := order.OpenAnswer(ctx, h.DB, order.NewAnswer{OrderID: in.ID, Kind: kind, ActorID: who.UserID, ActorRole: rest.ActorRole(who), Reason: in.Body.Reason, RequestID: rest.RequestID(ctx)})
	if err != nil {
		return nil, err
	}
	if err := h.Workflows.AnswerDispute(ctx, in.ID, dispute.Sequence); err != nil {
		h.Log.WarnContext(ctx, "answer not passed on yet; the sweeper will", "order", in.ID, "dispute", dispute.Sequence, "error", err)
	}
	order, err := order.ReadOrder(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: dispute.ID, State: "working", Status: string(order.Status), Message: message}}, nil
}
