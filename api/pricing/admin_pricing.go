package pricing

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// exampleCents is the example by which a change of pricing is shown.
const exampleCents = 100_00

// ListMethodPricing answers GET /api/admin/pricing/payment-methods.
func (h *Handlers) ListMethodPricing(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]MethodPricing], error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]MethodPricing, 0, len(pricing.Ordered))
	for _, m := range pricing.Ordered {
		out = append(out, methodPricing(m))
	}
	return &rest.Body[[]MethodPricing]{Body: out}, nil
}

func methodPricing(m *pricing.PaymentMethod) MethodPricing {
	return MethodPricing{ID: m.ID, PaymentMethod: m.PaymentMethod, BaseMarginPercent: m.BaseMarginPercent.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
		MinOrderAmount: money.USD.Format(m.MinOrderAmount), MaxOrderAmount: rest.Dollars(m.MaxOrderAmount), IsEnabled: m.IsEnabled, Description: m.Description,
		Countries: append([]string{}, m.Countries...), IsPublic: m.IsPublic, InBuyFlow: m.InBuyFlow, Version: m.Version, UpdatedAt: m.UpdatedAt}
}

type methodChangeInput struct {
	rest.ObjectID
	Body MethodPricingChange
}

func (c MethodPricingChange) entered() (pricing.MethodPricing, error) {
	for _, code := range c.Countries {
		if !isCountry(code) {
			return pricing.MethodPricing{}, store.Invalid("countries", "unknown_country", "Choose a country")
		}
	}
	return pricing.MethodPricing{BaseMarginPercent: c.BaseMarginPercent, ProcessingFee: c.ProcessingFee, MinOrderAmount: c.MinOrderAmount,
		MaxOrderAmount: c.MaxOrderAmount, IsEnabled: c.IsEnabled, Description: c.Description, Countries: c.Countries}, nil
}

// ChangeMethodPricing answers PATCH /api/admin/pricing/payment-methods/{id}.
func (h *Handlers) ChangeMethodPricing(ctx context.Context, in *methodChangeInput) (*rest.Body[MethodPricing], error) {
	entered, err := in.Body.entered()
	if err != nil {
		return nil, err
	}
	if _, _, err := pricing.TryMethod(ctx, h.DB, in.ID, entered); err != nil { // no code for what is refused
		return nil, err
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	changed, err := pricing.ChangeMethod(ctx, h.DB, in.ID, in.Body.Version, entered, rest.By(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &rest.Body[MethodPricing]{Body: methodPricing(changed)}, nil
}

// PreviewMethodPricing returns what an order of $100 costs now, and would cost after a
// change, by the calculator of every quote. It changes nothing.
func (h *Handlers) PreviewMethodPricing(ctx context.Context, in *methodChangeInput) (*rest.Body[PricePreview], error) {
	entered, err := in.Body.entered()
	if err != nil {
		return nil, err
	}
	before, after, err := pricing.TryMethod(ctx, h.DB, in.ID, entered)
	if err != nil {
		return nil, err
	}
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[PricePreview]{Body: PricePreview{Amount: money.USD.Format(money.FromInt(exampleCents)), For: "a verified customer without a volume discount",
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

// ListVolumeTiers answers GET /api/admin/pricing/volume-tiers.
func (h *Handlers) ListVolumeTiers(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]VolumeTierView], error) {
	tiers, err := pricing.VolumeTiers(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]VolumeTierView]{Body: rest.Mapped(tiers, func(t *pricing.VolumeTier) VolumeTierView {
		return VolumeTierView{ID: t.ID, TierName: t.TierName, MinVolume30Days: money.USD.Format(t.MinVolume30Days),
			MarginDiscountPercent: t.MarginDiscountPercent.String(), BonusRewardPercent: t.BonusRewardPercent.String(), IsActive: t.IsActive}
	})}, nil
}

// kycLevels are the levels from the least to the most.
var kycLevels = []string{kyc.KYCNone, kyc.KYCStandard, kyc.KYCEnhanced}

// ListKYCPricing answers GET /api/admin/pricing/kyc.
func (h *Handlers) ListKYCPricing(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]KYCPricingView], error) {
	pricing, err := h.Quoter.Pricing(ctx)
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
			MaxSingleTransaction: rest.Dollars(k.MaxSingleTransaction), MaxDailyVolume: rest.Dollars(k.MaxDailyVolume), MaxMonthlyVolume: rest.Dollars(k.MaxMonthlyVolume)})
	}
	return &rest.Body[[]KYCPricingView]{Body: out}, nil
}

// GetLocationPricing answers GET /api/admin/pricing/locations.
func (h *Handlers) GetLocationPricing(ctx context.Context, _ *rest.Nothing) (*rest.Body[LocationPricing], error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := LocationPricing{Locations: []Location{}, Countries: countryCodes()}
	for _, c := range pricing.Countries {
		out.Locations = append(out.Locations, location(c))
	}
	slices.SortFunc(out.Locations, func(a, b Location) int { return strings.Compare(a.Country, b.Country) })
	return &rest.Body[LocationPricing]{Body: out}, nil
}

func location(c *pricing.CountryPricing) Location {
	return Location{ID: c.ID, Country: c.Country, AdjustmentPercent: c.AdjustmentPercent.String(), IsBlocked: c.IsBlocked, Version: c.Version, UpdatedAt: c.UpdatedAt}
}

type newLocationInput struct{ Body NewLocation }

// AddLocationPricing answers POST /api/admin/pricing/locations.
func (h *Handlers) AddLocationPricing(ctx context.Context, in *newLocationInput) (*rest.Body[Location], error) {
	if !isCountry(in.Body.Country) {
		return nil, store.Invalid("country", "unknown_country", "Choose a country")
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	added, err := pricing.AddCountry(ctx, h.DB, pricing.CountryTerms{Country: in.Body.Country, AdjustmentPercent: in.Body.AdjustmentPercent, IsBlocked: in.Body.IsBlocked}, rest.By(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &rest.Body[Location]{Body: location(added)}, nil
}

type locationChangeInput struct {
	rest.ObjectID
	Body LocationChange
}

// ChangeLocationPricing answers PATCH /api/admin/pricing/locations/{id}.
func (h *Handlers) ChangeLocationPricing(ctx context.Context, in *locationChangeInput) (*rest.Body[Location], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	changed, err := pricing.ChangeCountry(ctx, h.DB, in.ID, in.Body.Version, pricing.CountryTerms{AdjustmentPercent: in.Body.AdjustmentPercent, IsBlocked: in.Body.IsBlocked}, rest.By(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &rest.Body[Location]{Body: location(changed)}, nil
}

type locationRemovalInput struct {
	rest.ObjectID
	Body LocationRemoval
}

// RemoveLocationPricing answers POST /api/admin/pricing/locations/{id}/remove.
func (h *Handlers) RemoveLocationPricing(ctx context.Context, in *locationRemovalInput) (*struct{}, error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	return nil, pricing.RemoveCountry(ctx, h.DB, in.ID, in.Body.Version, rest.By(ctx, in.Body.Reason))
}

// PricingHistoryFilter is what narrows the changes.
type PricingHistoryFilter struct {
	Kind string `query:"kind" enum:"all,payment_method,country" default:"all"`
}

type pricingHistoryInput struct {
	rest.Paging
	PricingHistoryFilter
}

// leaf is a page of a list without a total.
type leaf[T any] struct {
	Link string `header:"Link" doc:"the next page, rel=\"next\""`
	Body []T
}

// ListPricingHistory answers GET /api/admin/pricing/history.
func (h *Handlers) ListPricingHistory(ctx context.Context, in *pricingHistoryInput) (*leaf[PricingVersion], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	rows, next, err := pricing.PricingVersions(ctx, h.DB, rest.UnlessAll(in.Kind), wanted)
	if err != nil {
		return nil, err
	}
	return &leaf[PricingVersion]{Link: rest.LinkTo(ctx, next, wanted.Limit), Body: rest.Mapped(rows, pricingVersion)}, nil
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
