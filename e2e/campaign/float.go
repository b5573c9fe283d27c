package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/tradepost/tradepost/models/money"
)

// The float is moved: nearly all of one wallet's coin is sent to an address of our own, an order finds the wallet
// short, and the coin returns.

// shortCoin is the coin whose float is moved.
var shortCoin = struct {
	asset, network, account, coin string
	currency                      money.Currency
}{"USDT", "tron", "wallet:tron", "trx:usdt", "USDT"}

// movesFloat does that. The coin is not sold until the books have recorded the missing float.
func (c *campaign) movesFloat(ctx context.Context, seed uint64, n int) bool {
	ctx, stop := context.WithTimeout(ctx, guestTime)
	defer stop()
	if !c.sellsShortCoin(ctx, false) {
		return false
	}
	paused := c.owe(func(ctx context.Context) answer { return c.shortCoinPaused(ctx, false) })
	left, err := c.lowerFloat(ctx, seed)
	if err == nil {
		c.takeBackSoon(ctx, paused)
		l := c.guestOrder(c.customers[seed%uint64(len(c.customers))], n, "card")
		l.plan.Asset, l.plan.Network = shortCoin.asset, shortCoin.network
		l.plan.Address, l.plan.Amended = newAddress(generator(seed, 11), shortCoin.network), newAddress(generator(seed, 12), shortCoin.network)
		c.addLife(l)
		c.asides.Go(func() { _ = l.run(ctx) }) // what does not rest is led on later
		err = c.untilShort(ctx, l)
	}
	back := c.control(ctx, http.MethodPost, "/control/bitgo/deposits", map[string]string{"coin": shortCoin.coin, "amount": left.String()}, nil)
	c.takeBackSoon(ctx, paused)
	return errors.Join(err, back) == nil
}

func (c *campaign) shortCoinPaused(ctx context.Context, paused bool) answer {
	return c.staff[0].post(ctx, "/api/admin/switches", "", map[string]any{"kind": "asset", "name": shortCoin.asset, "paused": paused, "reason": "its float is moved"})
}

func (c *campaign) sellsShortCoin(ctx context.Context, sold bool) bool {
	return insist(ctx, func() answer { return c.shortCoinPaused(ctx, !sold) }).done()
}

// addLife adds an order that no plan has.
func (c *campaign) addLife(l *life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lives = append(c.lives, l)
}

// lowerFloat sends what no order has been promised to an address of our own, and waits
// until the books have it.
func (c *campaign) lowerFloat(ctx context.Context, seed uint64) (withdrawn money.Units, err error) {
	free, err := c.float(ctx)
	if err != nil {
		return withdrawn, err
	}
	withdrawn = free.Sub(money.FromInt(1_000_000))
	address := newAddress(generator(seed, 10), shortCoin.network)
	c.cluster.mu.Lock()
	c.ownAddresses = append(c.ownAddresses, address)
	c.cluster.mu.Unlock()
	err = c.sendCoin(ctx, OrderPlan{Asset: shortCoin.asset, Network: shortCoin.network, Amount: shortCoin.currency.Format(withdrawn), Address: address})
	if err != nil {
		return money.Units{}, err
	}
	return withdrawn, persist(ctx, func(ctx context.Context) error {
		left, err := c.float(ctx)
		if err == nil && left.Cmp(money.FromInt(2_000_000)) > 0 {
			err = fmt.Errorf("the books have %s there", left)
		}
		return err
	})
}

// float is what the ledger has in the wallet that no order has been promised.
func (c *campaign) float(ctx context.Context) (free money.Units, err error) {
	err = c.database.QueryRow(ctx, `SELECT coalesce(sum(CASE WHEN to_account = $1 THEN amount ELSE -amount END), 0) FROM postings
		WHERE $1 IN (from_account, to_account) AND currency = $2`, shortCoin.account, shortCoin.asset).Scan(&free)
	return free, err
}

// untilShort waits until the order has waited for coin in the wallet.
func (c *campaign) untilShort(ctx context.Context, l *life) error {
	return persist(ctx, func(ctx context.Context) error {
		if !c.exists(ctx, `SELECT FROM orders o JOIN order_events e ON e.order_id = o.id
			WHERE o.dest_address = $1 AND e.kind = 'attention' AND e.data->>'reason' = 'wallet_short'`, l.plan.Address) {
			return errors.New("the order has not found the wallet short")
		}
		return nil
	})
}

// isFloat reports whether a transaction sent float to an address of our own.
func (t *cluster) isFloat(ctx context.Context, txid string) bool {
	f := &Facts{}
	t.mu.Lock()
	own := slices.Clone(t.ownAddresses)
	t.mu.Unlock()
	return t.readCustody(ctx, f) == nil && slices.ContainsFunc(f.Transfers, func(transfer TransferFact) bool {
		return transfer.TxID == txid && slices.Contains(own, transfer.Address)
	})
}
