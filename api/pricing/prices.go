package pricing

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// GetExchangeRates maps assets to their price in US dollars. An asset without
// a price young enough to trust is missing.
func (h *Handlers) GetExchangeRates(ctx context.Context, _ *rest.Nothing) (*rest.Body[map[string]string], error) {
	prices, _, err := h.freshPrices(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[map[string]string]{Body: prices}, nil
}

// GetPublicPrices answers GET /api/public/prices.
func (h *Handlers) GetPublicPrices(ctx context.Context, _ *rest.Nothing) (*rest.Body[PublicPrices], error) {
	prices, updated, err := h.freshPrices(ctx)
	if err != nil {
		return nil, err
	}
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := PublicPrices{LastUpdated: updated, CryptoPrices: prices, PaymentMethods: []PublicMethod{}}
	for _, m := range pricing.Ordered {
		if m.IsPublic {
			out.PaymentMethods = append(out.PaymentMethods, PublicMethod{Method: m.PaymentMethod, Description: m.Description,
				IsEnabled: m.IsEnabled, Margin: m.BaseMarginPercent.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
				MinAmount: money.USD.Format(m.MinOrderAmount), MaxAmount: rest.Dollars(m.MaxOrderAmount)})
		}
	}
	return &rest.Body[PublicPrices]{Body: out}, nil
}

// GetPriceHistory is the history of each asset's price in the last day: a point every ten
// minutes while prices were read, oldest first. An asset without points is missing.
func (h *Handlers) GetPriceHistory(ctx context.Context, _ *rest.Nothing) (*rest.Body[PriceHistory], error) {
	points, err := pricing.PricePoints(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	out := PriceHistory{Prices: map[string][]PricePoint{}}
	offer := h.Quoter.Offer()
	for _, p := range points {
		if !offer.Sells(p.Asset) {
			continue
		}
		out.Prices[string(p.Asset)] = append(out.Prices[string(p.Asset)], PricePoint{At: p.At, Price: p.Price.String()})
	}
	return &rest.Body[PriceHistory]{Body: out}, nil
}

// freshPrices are the asks that are fresh enough to be quoted, when they were read from the
// database a moment ago, and the age of the youngest.
func (h *Handlers) freshPrices(ctx context.Context) (map[string]string, *time.Time, error) {
	markets, now, err := h.Quoter.Prices(ctx)
	if err != nil {
		return nil, nil, err
	}
	prices, offer := map[string]string{}, h.Quoter.Offer()
	var updated *time.Time
	for asset, m := range markets {
		if !offer.Sells(asset) || m.PricedAt == nil || now.Sub(*m.PricedAt) > pricing.PriceMaxAge || !m.Ask.IsPositive() {
			continue
		}
		prices[string(asset)] = m.Ask.String()
		if updated == nil || m.PricedAt.After(*updated) {
			updated = m.PricedAt
		}
	}
	return prices, updated, nil
}
