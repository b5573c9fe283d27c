package bitgo

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/provider"
)

// Wallets lists the wallets we have an id for, in a stable order.
func (c *Client) Wallets() []provider.Wallet {
	var ours []provider.Wallet
	for wallet, coin := range coins {
		if c.config.Wallets[coin] != "" {
			ours = append(ours, wallet)
		}
	}
	slices.SortFunc(ours, func(a, b provider.Wallet) int { return strings.Compare(coins[a], coins[b]) })
	return ours
}

// ReceiveAddress reads an address of our own wallet, so that no order can be sent to
// ourselves.
func (c *Client) ReceiveAddress(ctx context.Context, w provider.Wallet) (string, error) {
	const operation = "wallet"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return "", err
	}
	var wallet struct {
		Receive struct {
			Address string `json:"address"`
		} `json:"receiveAddress"`
	}
	if err := c.get(ctx, operation, path, &wallet); err != nil {
		return "", err
	}
	if wallet.Receive.Address == "" {
		return "", c.unreadable(operation, "a wallet without an address")
	}
	return wallet.Receive.Address, nil
}
