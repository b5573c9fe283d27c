package kraken

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// KeyInfo is what an API key may do. Until is when it ends; zero is never.
type KeyInfo struct {
	Permissions []string
	Addresses   []string // it may be used from; none: from anywhere
	Until       time.Time
}

// KeyInfo reads what the key may do, which any key may ask.
func (c *Client) KeyInfo(ctx context.Context) (KeyInfo, error) {
	const operation = "GetApiKeyInfo"
	var result struct {
		Permissions []string `json:"permissions"`
		Allowlist   []string `json:"ipAllowlist"`
		Until       string   `json:"validUntil"`
	}
	if err := c.private(ctx, operation, url.Values{}, &result); err != nil {
		return KeyInfo{}, err
	}
	out := KeyInfo{Permissions: result.Permissions, Addresses: result.Allowlist}
	if seconds, err := strconv.ParseInt(result.Until, 10, 64); err == nil && seconds > 0 {
		out.Until = time.Unix(seconds, 0).UTC()
	}
	return out, nil
}

// RegisteredAddress is an address that coin may be withdrawn to.
type RegisteredAddress struct {
	Asset        money.Currency
	Key, Address string
	Verified     bool
}

// RegisteredAddresses lists the addresses that coin may be withdrawn to.
func (c *Client) RegisteredAddresses(ctx context.Context) ([]RegisteredAddress, error) {
	const operation = "WithdrawAddresses"
	var rows []struct {
		Asset    string `json:"asset"`
		Key      string `json:"key"`
		Address  string `json:"address"`
		Verified bool   `json:"verified"`
	}
	if err := c.private(ctx, operation, url.Values{}, &rows); err != nil {
		return nil, err
	}
	var found []RegisteredAddress
	for _, row := range rows {
		if asset, known := assetCodes[row.Asset]; known {
			found = append(found, RegisteredAddress{Asset: asset, Key: row.Key, Address: row.Address, Verified: row.Verified})
		}
	}
	return found, nil
}

// Lookups are read-only calls by the permission that the key needs for each,
// as Kraken's page of keys names it.
func (c *Client) Lookups() map[string]func(ctx context.Context) error {
	ask := func(method string) func(context.Context) error {
		return func(ctx context.Context) error {
			var answer any
			return c.private(ctx, method, url.Values{}, &answer)
		}
	}
	return map[string]func(context.Context) error{
		"Query Funds": ask("BalanceEx"), "Query Open Orders & Trades": ask("OpenOrders"),
		"Query Closed Orders & Trades": ask("ClosedOrders"), "Query Ledger Entries": ask("Ledgers"),
	}
}

// ServerTime is Kraken's own time.
func (c *Client) ServerTime(ctx context.Context) (time.Time, error) {
	const operation = "Time"
	var result struct {
		Seconds int64 `json:"unixtime"`
	}
	if err := c.public(ctx, operation, url.Values{}, &result); err != nil {
		return time.Time{}, err
	}
	if result.Seconds == 0 {
		return time.Time{}, c.unreadable(operation, "no time")
	}
	return time.Unix(result.Seconds, 0).UTC(), nil
}

// Denied reports whether the key was known and not given a permission.
func Denied(err error) bool {
	var refused *provider.Error
	return errors.As(err, &refused) && strings.HasPrefix(refused.Detail, "EGeneral:Permission denied")
}
