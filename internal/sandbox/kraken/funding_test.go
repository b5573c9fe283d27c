package kraken

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// payouts is WithdrawStatus, newest first.
func (e *exchange) payouts() []any {
	e.t.Helper()
	a := e.call("WithdrawStatus", "asset", "XBT")
	require.Empty(e.t, a.Error)
	return a.List
}

// TestWithdrawalFates: a payout can be hidden, be held until it is called back,
// or come back by itself; the coin is where its status says.
func TestWithdrawalFates(t *testing.T) {
	e := newExchange(t)
	e.control("addresses", "asset", "XBT", "key", "float", "address", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
	balance := func() string { return e.call("Balance").Result["XXBT"].(string) }
	opening := balance()
	pay := func(codes ...string) string {
		t.Helper()
		for _, code := range codes {
			_, err := e.world.Faults.Arm(sandbox.Fault{Provider: "kraken", Operation: "Withdraw", Match: "float", Code: code})
			require.NoError(t, err)
		}
		a := e.call("Withdraw", "asset", "XBT", "key", "float", "amount", "0.5")
		require.Empty(t, a.Error)
		return a.Result["refid"].(string)
	}
	state := func() (status, prop any) {
		row := e.payouts()[0].(map[string]any)
		return row["status"], row["status-prop"]
	}

	pay("withdrawal_failed", "lag:5")
	require.Empty(t, e.payouts(), "hidden at first")
	require.NotEqual(t, opening, balance())
	require.NoError(t, e.world.Clock.Advance(5*time.Second))
	status, _ := state()
	require.Equal(t, "Pending", status)
	require.NoError(t, e.world.Clock.Advance(5*time.Second))
	status, prop := state()
	require.Equal(t, []any{"Failure", "return"}, []any{status, prop})
	require.Equal(t, opening, balance())

	held := pay("withdrawal_held")
	require.NoError(t, e.world.Clock.Advance(time.Hour))
	status, prop = state()
	require.Equal(t, []any{"Pending", "onhold"}, []any{status, prop})
	require.Empty(t, e.call("WithdrawCancel", "asset", "XBT", "refid", held).Error)
	status, prop = state()
	require.Equal(t, []any{"Failure", "canceled"}, []any{status, prop})
	require.Equal(t, opening, balance())

	pay()
	require.NoError(t, e.world.Clock.Advance(time.Hour))
	status, _ = state()
	require.Equal(t, "Success", status)
	require.NotContains(t, e.payouts()[0], "_fate")
}
