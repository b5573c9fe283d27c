package stripe

import (
	"context"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Clearing = (*Client)(nil)

// Balance gives our dollars at Stripe: what is available, and with it what is
// still on its way to that.
func (c *Client) Balance(ctx context.Context) (provider.Holding, error) {
	if c.key == "" {
		return provider.Holding{}, nil
	}
	balance, err := c.api.V1Balance.Retrieve(ctx, nil)
	if err != nil {
		return provider.Holding{}, c.readFailure("read_balance", err)
	}
	var have provider.Holding
	for _, amount := range balance.Available {
		if amount.Currency == api.CurrencyUSD {
			have.Free = have.Free.Add(money.FromInt(amount.Amount))
		}
	}
	have.Total = have.Free
	for _, amount := range balance.Pending {
		if amount.Currency == api.CurrencyUSD {
			have.Total = have.Total.Add(money.FromInt(amount.Amount))
		}
	}
	return have, nil
}
