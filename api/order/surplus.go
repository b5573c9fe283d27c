package order

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// OrderSurplus is what arrived for an order beyond its price.
type OrderSurplus struct {
	Amount    string     `json:"amount" doc:"US dollars"`
	Status    string     `json:"status" enum:"held,crediting,credited,returning,returned,reversed"`
	HeldUntil time.Time  `json:"heldUntil" doc:"when it is credited unless its customer chooses before"`
	Choices   []string   `json:"choices" doc:"what its customer can choose now: credit, return"`
	At        time.Time  `json:"at"`
	SettledAt *time.Time `json:"settledAt"`
}

// AdminSurplus is a surplus as staff see it.
type AdminSurplus struct {
	OrderSurplus
	Reason     *string `json:"reason" doc:"why it can only go back to its sender: two_above, large, other_payer or restored; null if it is credited"`
	UnplacedID *string `json:"unplacedId" doc:"the bank payment that returns it"`
}

// SurplusChoice is what the customer wants to become of a surplus.
type SurplusChoice struct {
	Choice string `json:"choice" enum:"credit,return" doc:"to the balance, or back to the sender"`
}

type chooseSurplusInput struct {
	rest.ObjectID
	Body SurplusChoice
}

// ChooseSurplus answers POST /api/orders/{id}/surplus.
func (h *Handlers) ChooseSurplus(ctx context.Context, in *chooseSurplusInput) (*rest.Body[OrderDetail], error) {
	who := rest.PrincipalOf(ctx)
	if _, err := order.OrderOf(ctx, h.DB, who.UserID, in.ID); err != nil {
		return nil, err
	}
	if err := order.ChooseSurplus(ctx, h.DB, in.ID, who.UserID, in.Body.Choice); err != nil {
		return nil, err
	}
	return h.GetOrder(ctx, &in.ObjectID)
}

func (h *Handlers) surpluses(ctx context.Context, o *order.Order, frozen bool) ([]AdminSurplus, error) {
	rows, err := order.OrderSurpluses(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]AdminSurplus, len(rows))
	for i := range rows {
		s := &rows[i]
		view := OrderSurplus{Amount: money.USD.Format(s.Amount), Status: surplusStatus(s), HeldUntil: s.HeldUntil, Choices: []string{},
			At: s.CreatedAt, SettledAt: s.SettledAt}
		if s.Choosable(now) && !frozen {
			view.Choices = []string{order.SurplusCredit, order.SurplusReturn}
		}
		views[i] = AdminSurplus{OrderSurplus: view, Reason: s.StaffOnly, UnplacedID: s.UnplacedID}
	}
	return views, nil
}

func (h *Handlers) orderSurpluses(ctx context.Context, o *order.Order, frozen bool) ([]OrderSurplus, error) {
	rows, err := h.surpluses(ctx, o, frozen)
	return rest.Mapped(rows, func(s *AdminSurplus) OrderSurplus { return s.OrderSurplus }), err
}

// surplusStatus is where a surplus is.
func surplusStatus(s *order.KnownSurplus) string {
	switch {
	case s.Outcome == nil && s.StaffOnly != nil, s.Outcome != nil && *s.Outcome == order.SurplusReturned && s.SentOn == nil:
		return "returning"
	case s.Outcome != nil:
		return *s.Outcome
	case s.Chosen != nil:
		return "crediting"
	}
	return "held"
}
