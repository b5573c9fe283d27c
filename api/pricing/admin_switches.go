package pricing

import (
	"context"
	"strings"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// ListSwitches answers GET /api/admin/switches.
func (h *Handlers) ListSwitches(ctx context.Context, _ *rest.Nothing) (*rest.Body[Switches], error) {
	out, err := h.switches(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[Switches]{Body: *out}, nil
}

// switches lists everything that can be paused, with who turned it last.
func (h *Handlers) switches(ctx context.Context) (*Switches, error) {
	prices, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	turned, err := pricing.Switches(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	out := &Switches{}
	if out.ParkedOrders, out.ParkedRedemptions, err = voucher.Parked(ctx, h.DB); err != nil {
		return nil, err
	}
	offer := h.Quoter.Offer()
	add := func(kind, name string) {
		view := KillSwitch{Kind: kind, Name: name}
		for _, t := range turned {
			if t.Kind == kind && t.Name == name {
				at := t.ChangedAt
				view.Paused, view.Reason, view.By, view.ChangedAt = t.Paused, t.Reason, t.ActorEmail, &at
			}
		}
		if view.Paused || pricing.Switched(offer, kind, name) {
			out.Switches = append(out.Switches, view)
		}
	}
	add(pricing.SwitchFulfilment, "")
	add(pricing.SwitchSignups, "")
	for _, asset := range money.Assets {
		add(pricing.SwitchAsset, string(asset))
	}
	for _, rail := range pricing.Rails {
		if _, method := prices.Methods[rail]; method {
			add(pricing.SwitchRail, rail)
		}
	}
	return out, nil
}

type switchInput struct{ Body SwitchTurn }

// TurnSwitch pauses a service, or resumes a paused one. What waits is signalled at once;
// the sweep finds what missed the signal.
func (h *Handlers) TurnSwitch(ctx context.Context, in *switchInput) (*rest.Body[Switches], error) {
	if in.Body.Paused && !pricing.Switched(h.Quoter.Offer(), in.Body.Kind, in.Body.Name) {
		return nil, store.Invalid("name", "unknown_switch", "Switch not found")
	}
	if _, err := pricing.TurnSwitch(ctx, h.DB, in.Body.Kind, in.Body.Name, in.Body.Paused, rest.By(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	if !in.Body.Paused && in.Body.Kind != pricing.SwitchSignups {
		h.signalResumed(ctx)
	}
	out, err := h.switches(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[Switches]{Body: *out}, nil
}

// signalledAtOnce is how many of each kind are signalled at once; the sweep signals the rest.
const signalledAtOnce = 100

func (h *Handlers) signalResumed(ctx context.Context) {
	h.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		orders, err := order.Resumed(ctx, h.DB, signalledAtOnce)
		for _, next := range orders {
			if err == nil {
				err = h.Workflows.Signal(ctx, next.Subject, workflows.OrderChanged, next.Reason)
			}
		}
		redemptions, late := voucher.ResumedVouchers(ctx, h.DB, signalledAtOnce)
		for _, next := range redemptions {
			if late == nil {
				late = h.Workflows.SignalCase(ctx, voucher.KindVoucher, next.Subject, next.Reason)
			}
		}
		for _, err := range []error{err, late} {
			if err != nil {
				h.Log.WarnContext(ctx, "what was parked is not told yet; the sweep will", "error", err)
			}
		}
	})
}

// GetPublicNotices lists the paused services that concern every visitor. The identity
// provider reads it before it opens an account.
func (h *Handlers) GetPublicNotices(ctx context.Context, _ *rest.Nothing) (*rest.Body[PublicNotices], error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[PublicNotices]{Body: PublicNotices{SignUps: Sentence(pricing.SignupsPaused()), Fulfilment: Sentence(pricing.FulfilmentPaused())}}, nil
}

// Sentence is the message of a refusal, or empty.
func Sentence(refusal error) *string {
	if refusal == nil {
		return nil
	}
	text := strings.TrimSpace(refusal.Error())
	return &text
}
