package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// RefundOrder says how much of an order's money goes back, and why.
type RefundOrder struct {
	Reason string  `json:"reason" minLength:"1" maxLength:"500"`
	Amount *string `json:"amount,omitempty" maxLength:"20" doc:"US dollars; without it all that is left"`
	To     string  `json:"to,omitempty" enum:"card,balance" doc:"balance is for card payments whose bank refused the refund; by default where the money came from"`
}

type refundInput struct {
	ObjectID
	Body RefundOrder
}

// refundOrder gives money back. All that is left of an order that is not sent is
// that order's own end, which its workflow carries out; everything else is a
// refund of its own.
func (s *Server) refundOrder(ctx context.Context, in *refundInput) (*decided, error) {
	o, err := order.ReadOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	left, err := order.Refundable(ctx, s.DB, o)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	alone := s.refundAlone()
	wanted := order.NewRefund{OrderID: in.ID, To: in.Body.To, Reason: in.Body.Reason, ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx), Alone: &alone}
	if in.Body.Amount != nil {
		amount, err := money.USD.Parse(*in.Body.Amount)
		if err != nil || amount.Sign() <= 0 {
			return nil, store.Invalid("amount", "invalid_amount", "Enter the amount to refund")
		}
		wanted.Amount = &amount
	}
	if o.Status != order.StatusSent && (wanted.Amount == nil || wanted.Amount.Cmp(left) == 0) {
		return s.decide(ctx, order.NewDecision{OrderID: in.ID, Kind: order.DecisionRefund, Reason: in.Body.Reason, Data: order.RefundWish{To: in.Body.To}}, orderRefunded)
	}
	answer, err := s.giveBack(ctx, o, wanted)
	if errors.Is(err, dualcontrol.ErrSecondPerson) {
		return s.propose(ctx, order.NewProposal{OrderID: in.ID, Kind: order.DecisionRefund, Amount: wanted.Amount, To: in.Body.To, Reason: in.Body.Reason})
	}
	return answer, err
}

// orderRefunded is said when all of an order's money goes back.
const orderRefunded = "The order is being refunded."

// giveBack writes a refund and has it carried out. The row is what counts: when
// Temporal cannot be reached, the sweeper starts it later.
func (s *Server) giveBack(ctx context.Context, o *order.Order, wanted order.NewRefund) (*decided, error) {
	refund, err := order.OpenRefund(ctx, s.DB, wanted)
	if err != nil {
		return nil, err
	}
	return s.carryRefund(ctx, o, refund)
}

// carryRefund has a refund that was written carried out.
func (s *Server) carryRefund(ctx context.Context, order *order.Order, refund *order.Refund) (*decided, error) {
	answer := Outcome{DecisionID: *refund.DecisionID, State: "done", Status: string(order.Status), Message: money.Dollars(refund.Amount) + " has been given back."}
	if refund.DoneAt != nil {
		s.tellOrders(ctx, []string{order.ID}) // it may have waited for this
		return &decided{Status: http.StatusOK, Body: answer}, nil
	}
	done, err := s.Workflows.CarryRefund(ctx, order.ID, refund.Sequence, decisionWait)
	if err != nil {
		s.Log.WarnContext(ctx, "refund not started yet; the sweeper will", "order", order.ID, "refund", refund.Sequence, "error", err)
	}
	if err != nil || !done {
		answer.State, answer.Message = "working", "The refund is on its way to the card. The page will show when it's done."
		return &decided{Status: http.StatusAccepted, Body: answer}, nil
	}
	return s.gaveBack(ctx, order.ID, refund.Sequence, answer)
}

func (s *Server) gaveBack(ctx context.Context, orderID string, sequence int, answer Outcome) (*decided, error) {
	refunds, err := order.OrderRefunds(ctx, s.DB, orderID)
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
	return &decided{Status: http.StatusOK, Body: answer}, nil
}

type answerInput struct {
	ObjectID
	Body AnswerDispute
}

// AnswerDispute is why staff contest or accept a dispute.
type AnswerDispute struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

// contestDispute has our evidence submitted to the bank.
func (s *Server) contestDispute(ctx context.Context, in *answerInput) (*decided, error) {
	return s.answerDispute(ctx, in, order.DecisionContest, "The evidence was sent. The bank decides.")
}

// acceptDispute gives the dispute up.
func (s *Server) acceptDispute(ctx context.Context, in *answerInput) (*decided, error) {
	return s.answerDispute(ctx, in, order.DecisionAccept, "The dispute was accepted. The customer keeps the money.")
}

func (s *Server) answerDispute(ctx context.Context, in *answerInput, kind, message string) (*decided, error) {
	who := principalOf(ctx)
	dispute, err := order.OpenAnswer(ctx, s.DB, order.NewAnswer{OrderID: in.ID, Kind: kind, ActorID: who.UserID, ActorRole: actorRole(who), Reason: in.Body.Reason, RequestID: requestID(ctx)})
	if err != nil {
		return nil, err
	}
	if err := s.Workflows.AnswerDispute(ctx, in.ID, dispute.Sequence); err != nil {
		s.Log.WarnContext(ctx, "answer not passed on yet; the sweeper will", "order", in.ID, "dispute", dispute.Sequence, "error", err)
	}
	order, err := order.ReadOrder(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: dispute.ID, State: "working", Status: string(order.Status), Message: message}}, nil
}
