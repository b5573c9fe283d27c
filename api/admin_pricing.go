package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// exampleCents is the example by which a change of pricing is shown.
const exampleCents = 100_00

func (s *Server) listMethodPricing(ctx context.Context, _ *nothing) (*body[[]MethodPricing], error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]MethodPricing, 0, len(pricing.Ordered))
	for _, m := range pricing.Ordered {
		out = append(out, methodPricing(m))
	}
	return &body[[]MethodPricing]{out}, nil
}

func methodPricing(m *pricing.PaymentMethod) MethodPricing {
	return MethodPricing{ID: m.ID, PaymentMethod: m.PaymentMethod, BaseMarginPercent: m.BaseMarginPercent.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
		MinOrderAmount: money.USD.Format(m.MinOrderAmount), MaxOrderAmount: dollars(m.MaxOrderAmount), IsEnabled: m.IsEnabled, Description: m.Description,
		IsPublic: m.IsPublic, InBuyFlow: m.InBuyFlow, Version: m.Version, UpdatedAt: m.UpdatedAt}
}

type methodChangeInput struct {
	ObjectID
	Body MethodPricingChange
}

func (c MethodPricingChange) entered() pricing.MethodPricing {
	return pricing.MethodPricing{BaseMarginPercent: c.BaseMarginPercent, ProcessingFee: c.ProcessingFee, MinOrderAmount: c.MinOrderAmount,
		MaxOrderAmount: c.MaxOrderAmount, IsEnabled: c.IsEnabled, Description: c.Description}
}

// by is who asks, for what keeps that.
func by(ctx context.Context, reason string) store.Actor {
	who := principalOf(ctx)
	return store.Actor{ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx), Reason: strings.TrimSpace(reason)}
}

func (s *Server) changeMethodPricing(ctx context.Context, in *methodChangeInput) (*body[MethodPricing], error) {
	changed, err := pricing.ChangeMethod(ctx, s.DB, in.ID, in.Body.Version, in.Body.entered(), by(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &body[MethodPricing]{methodPricing(changed)}, nil
}

// previewMethodPricing says what an order of $100 costs now, and would cost after
// a change, by the calculator of every quote. It changes nothing.
func (s *Server) previewMethodPricing(ctx context.Context, in *methodChangeInput) (*body[PricePreview], error) {
	before, after, err := pricing.TryMethod(ctx, s.DB, in.ID, in.Body.entered())
	if err != nil {
		return nil, err
	}
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	return &body[PricePreview]{PricePreview{Amount: money.USD.Format(money.FromInt(exampleCents)), For: "a verified customer without a volume discount",
		Before: example(pricing, &before), After: example(pricing, &after)}}, nil
}

func example(pricing *pricing.Pricing, m *pricing.PaymentMethod) ExamplePrice {
	usd := money.USD.Format
	base := money.FromInt(exampleCents)
	lines := pricing.PriceOf(base, m, kyc.KYCStandard, "bronze")
	out := ExamplePrice{BasePrice: usd(lines.BasePrice), PaymentMethodFee: usd(lines.PaymentMethodFee), VolumeDiscount: usd(lines.VolumeDiscount),
		Total: usd(lines.Total), MarginPercent: lines.MarginPercent.String()}
	if err := m.Takes(base); err != nil {
		text := err.Error()
		out.Refused = &text
	}
	return out
}

func (s *Server) listVolumeTiers(ctx context.Context, _ *nothing) (*body[[]VolumeTierView], error) {
	tiers, err := pricing.VolumeTiers(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	return &body[[]VolumeTierView]{mapped(tiers, func(t *pricing.VolumeTier) VolumeTierView {
		return VolumeTierView{ID: t.ID, TierName: t.TierName, MinVolume30Days: money.USD.Format(t.MinVolume30Days),
			MarginDiscountPercent: t.MarginDiscountPercent.String(), BonusRewardPercent: t.BonusRewardPercent.String(), IsActive: t.IsActive}
	})}, nil
}

// kycLevels are the levels from the least to the most.
var kycLevels = []string{kyc.KYCNone, kyc.KYCStandard, kyc.KYCEnhanced}

func (s *Server) listKYCPricing(ctx context.Context, _ *nothing) (*body[[]KYCPricingView], error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := []KYCPricingView{}
	for _, name := range kycLevels {
		k, known := pricing.KYC[name]
		if !known {
			continue
		}
		out = append(out, KYCPricingView{ID: k.ID, KYCLevel: k.KYCLevel, MarginAdjustmentPercent: k.MarginAdjustmentPercent.String(),
			MaxSingleTransaction: dollars(k.MaxSingleTransaction), MaxDailyVolume: dollars(k.MaxDailyVolume), MaxMonthlyVolume: dollars(k.MaxMonthlyVolume)})
	}
	return &body[[]KYCPricingView]{out}, nil
}

func (s *Server) getLocationPricing(ctx context.Context, _ *nothing) (*body[LocationPricing], error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := LocationPricing{Locations: []Location{}, Countries: countryCodes()}
	for _, c := range pricing.Countries {
		out.Locations = append(out.Locations, location(c))
	}
	slices.SortFunc(out.Locations, func(a, b Location) int { return strings.Compare(a.Country, b.Country) })
	return &body[LocationPricing]{out}, nil
}

func location(c *pricing.CountryPricing) Location {
	return Location{ID: c.ID, Country: c.Country, AdjustmentPercent: c.AdjustmentPercent.String(), IsBlocked: c.IsBlocked, Version: c.Version, UpdatedAt: c.UpdatedAt}
}

type newLocationInput struct{ Body NewLocation }

func (s *Server) addLocationPricing(ctx context.Context, in *newLocationInput) (*body[Location], error) {
	if !isCountry(in.Body.Country) {
		return nil, store.Invalid("country", "unknown_country", "Choose a country")
	}
	added, err := pricing.AddCountry(ctx, s.DB, pricing.CountryTerms{Country: in.Body.Country, AdjustmentPercent: in.Body.AdjustmentPercent, IsBlocked: in.Body.IsBlocked}, by(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &body[Location]{location(added)}, nil
}

type locationChangeInput struct {
	ObjectID
	Body LocationChange
}

func (s *Server) changeLocationPricing(ctx context.Context, in *locationChangeInput) (*body[Location], error) {
	changed, err := pricing.ChangeCountry(ctx, s.DB, in.ID, in.Body.Version, pricing.CountryTerms{AdjustmentPercent: in.Body.AdjustmentPercent, IsBlocked: in.Body.IsBlocked}, by(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &body[Location]{location(changed)}, nil
}

type locationRemovalInput struct {
	ObjectID
	Body LocationRemoval
}

func (s *Server) removeLocationPricing(ctx context.Context, in *locationRemovalInput) (*struct{}, error) {
	return nil, pricing.RemoveCountry(ctx, s.DB, in.ID, in.Body.Version, by(ctx, in.Body.Reason))
}

// PricingHistoryFilter is what narrows the changes.
type PricingHistoryFilter struct {
	Kind string `query:"kind" enum:"all,payment_method,country" default:"all"`
}

type pricingHistoryInput struct {
	Paging
	PricingHistoryFilter
}

// leaf is a page of a list whose length nobody asks for.
type leaf[T any] struct {
	Link string `header:"Link" doc:"the next page, rel=\"next\""`
	Body []T
}

func (s *Server) listPricingHistory(ctx context.Context, in *pricingHistoryInput) (*leaf[PricingVersion], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	rows, next, err := pricing.PricingVersions(ctx, s.DB, unlessAll(in.Kind), wanted)
	if err != nil {
		return nil, err
	}
	return &leaf[PricingVersion]{Link: linkTo(ctx, next, wanted.Limit), Body: mapped(rows, pricingVersion)}, nil
}

func pricingVersion(v *pricing.PricingVersion) PricingVersion {
	return PricingVersion{ID: v.ID, Kind: v.Kind, Name: v.Name, Version: v.Version, By: v.ActorEmail, Before: object(v.Before), After: object(v.After),
		Reason: v.Reason, CreatedAt: v.CreatedAt}
}

// object reads a JSON object of ours; none is null.
func object(raw *json.RawMessage) map[string]any {
	if raw == nil {
		return nil
	}
	var out map[string]any
	_ = json.Unmarshal(*raw, &out) // an object, by every writer
	return out
}
