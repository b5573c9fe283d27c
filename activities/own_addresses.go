package activities

import (
	"context"
	"log/slog"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// OwnAddresses puts the addresses of our own wallets on the list of those that
// no order is sent to.
type OwnAddresses struct {
	DB      *store.DB
	Wallets provider.Receiving
	Log     *slog.Logger
	// Again is the wait after a wallet that could not be read; Every the time
	// until all are read again, since a wallet may change its address.
	Again, Every time.Duration
}

// Run keeps the list until ctx ends.
func (o *OwnAddresses) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := o.Every
		for _, wallet := range o.Wallets.Wallets() {
			if err := o.list(ctx, wallet); err != nil && ctx.Err() == nil {
				o.Log.Warn("a wallet's own address is not known", "asset", wallet.Asset, "network", wallet.Network, "error", err)
				wait = o.Again
			}
		}
		pause(ctx, wait)
	}
	return nil
}

func (o *OwnAddresses) list(ctx context.Context, wallet provider.Wallet) error {
	address, err := o.Wallets.ReceiveAddress(ctx, wallet)
	if err != nil {
		return err
	}
	return order.StoreOwnAddress(ctx, o.DB, wallet.Network, address)
}
