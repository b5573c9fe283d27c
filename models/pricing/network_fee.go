package pricing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// networkFee is what sending a coin on a network costs, in base units of the coin that pays it.
type networkFee struct {
	Asset    money.Currency
	Network  string
	Currency money.Currency
	Fee      money.Units
}

// feeLifetime is how long a process may use network fees it has read: they are of past transfers.
const feeLifetime = time.Minute

// readNetworkFees reads the median fee of the last transfers within 30 days of each coin on each network. A network
// without a fee of its own, or without transfers, has none.
func readNetworkFees(ctx context.Context, db *store.DB) ([]networkFee, error) {
	var rows []networkFee
	err := db.ORM(ctx).Raw(`
		SELECT m.asset, n.network, last.currency, percentile_disc(0.5) WITHIN GROUP (ORDER BY last.fee) AS fee
		  FROM markets m CROSS JOIN unnest(string_to_array(?, ' ')) AS n (network)
		  CROSS JOIN LATERAL (SELECT coalesce(w.fee_currency, w.asset) AS currency, w.fee FROM withdrawals w
		    WHERE w.asset = m.asset AND w.network = n.network AND w.fee > 0
		      AND w.created_at > clock_now() - interval '30 days' ORDER BY w.created_at DESC LIMIT 20) last
		 GROUP BY m.asset, n.network, last.currency`, strings.Join(money.Networks, " ")).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read network fees: %w", err)
	}
	return rows, nil
}

// setNetworkFees gives each market what sending its coin costs: the largest over its networks, in cents at the last
// price of the coin that pays it, rounded up.
func setNetworkFees(markets map[money.Currency]*Market, fees []networkFee) {
	for _, f := range fees {
		market, payer := markets[f.Asset], markets[f.Currency]
		if market == nil || payer == nil || !payer.Ask.IsPositive() {
			continue
		}
		cost := money.USD.FromDecimal(f.Currency.Decimal(f.Fee).Mul(payer.Ask), money.Up)
		if cost.Cmp(market.NetworkFee) > 0 {
			market.NetworkFee = cost
		}
	}
}

// LeastFromBalance is the least base price that the balance pays of this coin, in cents: what the exchange's smallest
// order and the network fee need.
func (m *Market) LeastFromBalance() money.Units {
	return money.USD.FromDecimal(m.Smallest().Mul(m.Ask), money.Down).Add(m.NetworkFee)
}

// Least is the least base price that the method takes of a coin, in cents. The balance has a small minimum of its own,
// and takes nothing that the exchange and the network do not.
func (m *PaymentMethod) Least(market *Market) money.Units {
	least := market.LeastFromBalance()
	if m.PaymentMethod == MethodBalance && least.Cmp(m.MinOrderAmount) > 0 {
		return least
	}
	return m.MinOrderAmount
}

// accepts returns why the method does not take a base price of a coin, or nil.
func (m *PaymentMethod) accepts(market *Market, base money.Units) error {
	if least := m.Least(market); base.Cmp(least) < 0 {
		return store.Invalid("amountAsset", "below_minimum", fmt.Sprintf("The minimum purchase is %s", money.Dollars(least)))
	}
	return m.CheckAmount(base)
}

// MarketWithFee reads the market of an asset, with what sending the coin costs.
func MarketWithFee(ctx context.Context, db *store.DB, asset money.Currency) (*Market, error) {
	markets, err := Markets(ctx, db)
	if err != nil {
		return nil, err
	}
	fees, err := readNetworkFees(ctx, db)
	if err != nil {
		return nil, err
	}
	setNetworkFees(markets, fees)
	if markets[asset] == nil {
		return nil, fmt.Errorf("there is no market of %s", asset)
	}
	return markets[asset], nil
}
