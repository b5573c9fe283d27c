package kraken

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// TestDeposits: coin that arrives at an address of the account is its balance, with a
// ledger line and a row of DepositStatus; at any other address it is credited to no
// account.
func TestDeposits(t *testing.T) {
	e := newExchange(t)
	found := e.call("DepositMethods", "asset", "XBT")
	require.Empty(t, found.Error)
	name := found.List[0].(map[string]any)["method"].(string)
	where := e.call("DepositAddresses", "asset", "XBT", "method", name)
	require.Empty(t, where.Error)
	address := where.List[0].(map[string]any)["address"].(string)
	require.Equal(t, errFundingMethod, e.call("DepositAddresses", "asset", "XBT", "method", "Pigeon").problem())
	require.Equal(t, errFundingAsset, e.call("DepositMethods", "asset", "NOPE").problem())
	require.Empty(t, e.call("DepositMethods", "asset", "ZUSD").List)

	deliver := func(asset, network, address, amount string) {
		t.Helper()
		require.NoError(t, e.world.Store.Update(func(tx *sandbox.Tx) error {
			return e.world.Chain.Deliver(tx, sandbox.Coin{Asset: asset, Network: network, Address: address, Amount: decimal.RequireFromString(amount), TxID: "ab", At: time.Now()})
		}))
	}
	deliver("BTC", "bitcoin", address, "0.25")
	deliver("BTC", "bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "7")
	deliver("ETH", "ethereum", address, "7")
	ether := e.call("DepositAddresses", "asset", "ETH", "method", "Ether").List[0].(map[string]any)["address"].(string)
	deliver("USDC", "ethereum", strings.ToLower(ether), "5")
	require.Len(t, e.call("DepositStatus", "asset", "USDC").List, 1, "an address may be written without its checksum")
	require.Equal(t, "100.2500000000", e.call("Balance").Result["XXBT"])
	require.Len(t, e.call("Ledgers", "type", "deposit").Result["ledger"], 2)
	rows := e.call("DepositStatus", "asset", "XBT").List
	require.Len(t, rows, 1)
	row := rows[0].(map[string]any)
	require.Equal(t, []any{"0.25", address, "Success", "ab"}, []any{row["amount"], row["info"], row["status"], row["txid"]})
	require.Empty(t, e.call("DepositStatus", "asset", "ETH").List)
}
