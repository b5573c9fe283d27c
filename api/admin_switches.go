package api

import (
	"context"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

func (s *Server) listSwitches(ctx context.Context, _ *nothing) (*body[Switches], error) {
	out, err := s.switches(ctx)
	if err != nil {
		return nil, err
	}
	return &body[Switches]{*out}, nil
}

// switches lists everything that can be paused, with who turned it last.
func (s *Server) switches(ctx context.Context) (*Switches, error) {
	prices, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	turned, err := pricing.Switches(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	out := &Switches{}
	if out.ParkedOrders, out.ParkedRedemptions, err = voucher.Parked(ctx, s.DB); err != nil {
		return nil, err
	}
	offer := s.Quoter.Offer()
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

// turnSwitch pauses something that is offered, or resumes what is paused. What waits is told at once; what
// does not hear it, the sweep finds.
func (s *Server) turnSwitch(ctx context.Context, in *switchInput) (*body[Switches], error) {
	if in.Body.Paused && !pricing.Switched(s.Quoter.Offer(), in.Body.Kind, in.Body.Name) {
		return nil, store.Invalid("name", "unknown_switch", "Switch not found")
	}
	if _, err := pricing.TurnSwitch(ctx, s.DB, in.Body.Kind, in.Body.Name, in.Body.Paused, by(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	if !in.Body.Paused && in.Body.Kind != pricing.SwitchSignups {
		s.signalResumed(ctx)
	}
	out, err := s.switches(ctx)
	if err != nil {
		return nil, err
	}
	return &body[Switches]{*out}, nil
}

// wokenAtOnce is how many of each kind are told at once; the sweep tells the
// rest.
const wokenAtOnce = 100

func (s *Server) signalResumed(ctx context.Context) {
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		orders, err := order.Resumed(ctx, s.DB, wokenAtOnce)
		for _, next := range orders {
			if err == nil {
				err = s.Workflows.Signal(ctx, next.Subject, workflows.OrderChanged, next.Reason)
			}
		}
		redemptions, late := voucher.ResumedVouchers(ctx, s.DB, wokenAtOnce)
		for _, next := range redemptions {
			if late == nil {
				late = s.Workflows.SignalCase(ctx, voucher.KindVoucher, next.Subject, next.Reason)
			}
		}
		for _, err := range []error{err, late} {
			if err != nil {
				s.Log.WarnContext(ctx, "what was parked is not told yet; the sweep will", "error", err)
			}
		}
	})
}

// getPublicNotices says what is paused that concerns everybody. The identity
// provider asks before it opens an account.
func (s *Server) getPublicNotices(ctx context.Context, _ *nothing) (*body[PublicNotices], error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	return &body[PublicNotices]{PublicNotices{SignUps: sentence(pricing.SignupsPaused()), Fulfilment: sentence(pricing.FulfilmentPaused())}}, nil
}

// sentence is what a refusal tells people, or nothing.
func sentence(refusal error) *string {
	if refusal == nil {
		return nil
	}
	text := strings.TrimSpace(refusal.Error())
	return &text
}
