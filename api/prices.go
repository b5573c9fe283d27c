package api

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// getExchangeRates maps assets to their price in US dollars. An asset without
// a price young enough to trust is missing.
func (s *Server) getExchangeRates(ctx context.Context, _ *nothing) (*body[map[string]string], error) {
	prices, _, err := s.freshPrices(ctx)
	if err != nil {
		return nil, err
	}
	return &body[map[string]string]{prices}, nil
}

func (s *Server) getPublicPrices(ctx context.Context, _ *nothing) (*body[PublicPrices], error) {
	prices, updated, err := s.freshPrices(ctx)
	if err != nil {
		return nil, err
	}
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	out := PublicPrices{LastUpdated: updated, CryptoPrices: prices, PaymentMethods: []PublicMethod{}}
	for _, m := range pricing.Ordered {
		if m.IsPublic {
			out.PaymentMethods = append(out.PaymentMethods, PublicMethod{Method: m.PaymentMethod, Description: m.Description,
				IsEnabled: m.IsEnabled, Margin: m.BaseMarginPercent.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
				MinAmount: money.USD.Format(m.MinOrderAmount), MaxAmount: dollars(m.MaxOrderAmount)})
		}
	}
	return &body[PublicPrices]{out}, nil
}

// getPriceHistory is how each asset's price went in the last day: a point every ten
// minutes while prices were read, oldest first. An asset without points is missing.
func (s *Server) getPriceHistory(ctx context.Context, _ *nothing) (*body[PriceHistory], error) {
	points, err := pricing.PricePoints(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	out := PriceHistory{Prices: map[string][]PricePoint{}}
	offer := s.Quoter.Offer()
	for _, p := range points {
		if !offer.Sells(p.Asset) {
			continue
		}
		out.Prices[string(p.Asset)] = append(out.Prices[string(p.Asset)], PricePoint{At: p.At, Price: p.Price.String()})
	}
	return &body[PriceHistory]{out}, nil
}

// freshPrices are the asks no older than may be quoted, when they were read from
// the database a moment ago, and the age of the youngest.
func (s *Server) freshPrices(ctx context.Context) (map[string]string, *time.Time, error) {
	markets, now, err := s.Quoter.Prices(ctx)
	if err != nil {
		return nil, nil, err
	}
	prices, offer := map[string]string{}, s.Quoter.Offer()
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

// dollars writes cents, or nil for no amount.
func dollars(cents *money.Units) *string {
	if cents == nil {
		return nil
	}
	text := money.USD.Format(*cents)
	return &text
}
