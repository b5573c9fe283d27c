package treasury

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Coverage is one of our wallets against what is promised out of it.
type Coverage struct {
	Wallet
	Threshold *Threshold // nil: it is not filled from the exchange
	// Needed is the coin of orders that are paid and vouchers that are redeemed, and
	// not reserved yet; Waiting is how many they are.
	Needed    money.Units
	Waiting   int
	Reserved  money.Units // set aside for what is being sent
	Free      money.Units // in the wallet, beside that
	InTransit money.Units // on its way from the exchange
	Exchange  money.Units // of this coin at the exchange, for whichever wallet
	Suggested money.Units // of a move, when the wallet is low
	Open      *Move       // the move that is in progress, if any
}

// After is what the wallet would have left if all that is needed was sent.
func (c *Coverage) After() money.Units { return c.Free.Sub(c.Needed) }

// Short is what is needed and neither in the wallet, on its way there, nor at the
// exchange.
func (c *Coverage) Short() money.Units {
	short := c.Needed.Sub(c.Free).Sub(c.InTransit).Sub(c.Exchange)
	if short.Sign() < 0 {
		return money.Units{}
	}
	return short
}

// Low reports whether the wallet needs filling, with what is on its way to it.
func (c *Coverage) Low() bool {
	return c.Threshold != nil && c.After().Add(c.InTransit).Cmp(c.Threshold.Low) < 0
}

// Empty reports whether a wallet has nothing and nothing is expected of it.
func (c *Coverage) Empty() bool {
	return c.Open == nil && c.Needed.IsZero() && c.Reserved.IsZero() && c.Free.IsZero() && c.InTransit.IsZero()
}

// TreasuryCoverage reads the state of every wallet, from the books and from open rows.
func TreasuryCoverage(ctx context.Context, db *store.DB, thresholds Thresholds) ([]Coverage, error) {
	limits, err := inForce(ctx, db, thresholds)
	if err != nil {
		return nil, err
	}
	wallets := OurWallets()
	accounts := []string{ledger.AccountExchange}
	for _, w := range wallets {
		accounts = append(accounts, ledger.WalletAccount(w.Network), ledger.ReservedAccount(w.Network), InTransitAccount(w.Network))
	}
	books, err := PlatformBalances(ctx, db, accounts...)
	if err != nil {
		return nil, err
	}
	needs, err := unreserved(ctx, db)
	if err != nil {
		return nil, err
	}
	var open []Move
	if err := db.ORM(ctx).Where("closed_at IS NULL").Find(&open).Error; err != nil {
		return nil, fmt.Errorf("read open moves: %w", err)
	}
	out := make([]Coverage, 0, len(wallets))
	for _, w := range wallets {
		c := Coverage{Wallet: w, Needed: needs[w].amount, Waiting: needs[w].n, Reserved: books[ledger.ReservedAccount(w.Network)][w.Asset], Free: books[ledger.WalletAccount(w.Network)][w.Asset],
			InTransit: books[InTransitAccount(w.Network)][w.Asset], Exchange: books[ledger.AccountExchange][w.Asset]}
		if threshold, filled := limits[w]; filled {
			c.Threshold = &threshold
		}
		for i := range open {
			if open[i].Wallet() == w {
				c.Open = &open[i]
			}
		}
		c.suggest()
		out = append(out, c)
	}
	return out, nil
}

// suggest says how much to move: what brings the wallet to its target, as far as
// the exchange has it, and no finer than the exchange pays out.
func (c *Coverage) suggest() {
	if !c.Low() {
		return
	}
	amount := c.Threshold.Target.Sub(c.After()).Sub(c.InTransit).Min(c.Exchange)
	if c.Suggested = c.Asset.FromDecimal(c.Asset.Decimal(amount).Truncate(moveDecimals), money.Down); c.Suggested.Sign() < 0 {
		c.Suggested = money.Units{}
	}
}

// need is coin that is owed and not reserved yet.
type need struct {
	amount money.Units
	n      int
}

// unreserved sums up the orders that are paid and the vouchers that are redeemed,
// and whose coin is not set aside yet: of what is open alone.
func unreserved(ctx context.Context, db *store.DB) (map[Wallet]need, error) {
	var rows []struct {
		Asset   money.Currency
		Network string
		Amount  money.Units
		N       int
	}
	err := db.ORM(ctx).Raw(`SELECT asset, network, sum(amount) AS amount, count(*) AS n FROM (
		SELECT asset, network, amount FROM orders WHERE status = 'payment_approved' AND closed_at IS NULL
		UNION ALL SELECT asset, network, amount FROM voucher_redemptions WHERE status = 'accepted' AND closed_at IS NULL) o GROUP BY asset, network`).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read what is paid and not reserved: %w", err)
	}
	out := map[Wallet]need{}
	for _, row := range rows {
		out[Wallet{row.Asset, row.Network}] = need{row.Amount, row.N}
	}
	return out, nil
}
