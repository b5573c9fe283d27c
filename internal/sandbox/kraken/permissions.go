package kraken

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// What a key can be given.
const (
	mayQueryFunds  = "query-funds"
	mayWithdraw    = "withdraw-funds"
	mayQueryOpen   = "query-open-trades"
	mayQueryClosed = "query-closed-trades"
	mayTrade       = "modify-trades"
	mayClose       = "close-trades"
	mayQueryLedger = "query-ledger"
)

// firstPermissions are what the product's key has.
var firstPermissions = []string{mayQueryFunds, mayWithdraw, mayQueryOpen, mayQueryClosed, mayTrade, mayClose, mayQueryLedger}

// needs are the permissions of which a method requires one; a method that is not named
// requires none.
var needs = map[string][]string{
	"Balance": {mayQueryFunds}, "BalanceEx": {mayQueryFunds}, "TradeBalance": {mayQueryFunds},
	"AddOrder": {mayTrade}, "AddOrderBatch": {mayTrade}, "CancelOrder": {mayTrade, mayClose}, "CancelAll": {mayTrade, mayClose}, "CancelOrderBatch": {mayTrade, mayClose},
	"QueryOrders": {mayQueryOpen, mayQueryClosed}, "OpenOrders": {mayQueryOpen}, "ClosedOrders": {mayQueryClosed},
	"TradesHistory": {mayQueryClosed}, "QueryTrades": {mayQueryClosed}, "Ledgers": {mayQueryLedger}, "QueryLedgers": {mayQueryLedger},
	"WithdrawInfo": {mayQueryFunds, mayWithdraw}, "Withdraw": {mayWithdraw}, "WithdrawStatus": {mayQueryFunds, mayWithdraw},
	"WithdrawCancel": {mayWithdraw}, "WithdrawAddresses": {mayWithdraw}, "WithdrawMethods": {mayWithdraw},
}

func (now settings) permissions() []string {
	if len(now.Permissions) == 0 {
		return firstPermissions
	}
	return now.Permissions
}

// permits reports whether the key may call a method.
func (now settings) permits(method string) bool {
	wanted := needs[method]
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(one string) bool { return slices.Contains(now.permissions(), one) })
}

// keyAge is how long ago the keys were made.
const keyAge = 24 * time.Hour

// keyInfo is GetApiKeyInfo: what the key may do. Any key may ask.
func (s *Simulator) keyInfo(c *call) (any, error) {
	made := strconv.FormatInt(c.now.Add(-keyAge).Unix(), 10)
	return map[string]any{"apiKeyName": "tradepost", "apiKey": c.who.Key, "nonce": c.fields["nonce"], "nonceWindow": 0,
		"permissions": c.set.permissions(), "iban": "AA00 SAND BOX0 0000", "validUntil": "0", "queryFrom": "0", "queryTo": "0",
		"createdTime": made, "modifiedTime": made, "ipAllowlist": append([]string{}, c.set.Allowlist...), "lastUsed": strconv.FormatInt(c.now.Unix(), 10)}, nil
}

func (s *Simulator) controlPermissions(tx *sandbox.Tx, param func(string) string) (string, error) {
	return "The keys' permissions are changed.", s.change(tx, func(set *settings) {
		set.Permissions, set.Allowlist = strings.Fields(param("permissions")), strings.Fields(param("allowlist"))
	})
}
