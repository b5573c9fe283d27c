package treasury

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Thresholds give the limits of the wallets as they are at a moment.
type Thresholds interface {
	InForce(ctx context.Context, db *store.DB) (TreasuryLimits, error)
}

// InForce gives fixed limits as they are.
func (l TreasuryLimits) InForce(context.Context, *store.DB) (TreasuryLimits, error) { return l, nil }

// inForce are the limits that thresholds give; none without any.
func inForce(ctx context.Context, db *store.DB, thresholds Thresholds) (TreasuryLimits, error) {
	if thresholds == nil {
		return nil, nil
	}
	return thresholds.InForce(ctx, db)
}

// Proportion are limits in percent of the float that the company has deposited, of each offered asset's wallet on its
// usual network. A wallet that something is set for has that.
type Proportion struct {
	Set         TreasuryLimits
	Offer       money.Offer
	Low, Target int64 // percent; a target of zero fills no wallet
}

// InForce implements Thresholds.
func (p Proportion) InForce(ctx context.Context, db *store.DB) (TreasuryLimits, error) {
	float, err := BookedFloat(ctx, db)
	if err != nil {
		return nil, err
	}
	limits := TreasuryLimits{}
	for _, asset := range p.Offer.Coins() {
		if p.Target > 0 {
			w := Wallet{asset, p.Offer.NetworksOf(asset)[0]}
			booked := float[ledger.WalletAccount(w.Network)][asset]
			limits[w] = Threshold{Low: PercentOf(asset, booked, p.Low), Target: PercentOf(asset, booked, p.Target)}
		}
	}
	maps.Copy(limits, p.Set)
	return limits, nil
}

// PercentOf is so many percent of an amount, rounded down.
func PercentOf(currency money.Currency, amount money.Units, percent int64) money.Units {
	return currency.FromDecimal(currency.Decimal(amount).Mul(decimal.New(percent, -2)), money.Down)
}

// BookedFloat is what the company has deposited into its wallets and to the exchange and not withdrawn again, by
// account.
func BookedFloat(ctx context.Context, db *store.DB) (map[string]map[money.Currency]money.Units, error) {
	var rows []struct {
		Account  string
		Currency money.Currency
		Amount   money.Units
	}
	err := db.ORM(ctx).Raw(`SELECT account, currency, sum(amount) AS amount FROM (
		  SELECT to_account AS account, currency, amount FROM postings WHERE from_account = @equity
		  UNION ALL SELECT from_account, currency, -amount FROM postings WHERE to_account = @equity) f
		GROUP BY account, currency`, map[string]any{"equity": ledger.AccountEquity}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the float: %w", err)
	}
	out := map[string]map[money.Currency]money.Units{}
	for _, row := range rows {
		if row.Account != ledger.AccountExchange && !strings.HasPrefix(row.Account, ledger.WalletAccount("")) {
			continue
		}
		if out[row.Account] == nil {
			out[row.Account] = map[money.Currency]money.Units{}
		}
		out[row.Account][row.Currency] = row.Amount
	}
	return out, nil
}
