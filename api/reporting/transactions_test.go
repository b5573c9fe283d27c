package reporting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/execution"
)

// A transfer that can never leave is not one that is under way, whatever replaces it.
func TestATransferThatEndedIsNotUnderWay(t *testing.T) {
	for status, want := range map[string]string{
		execution.TransferRequested: "pending", execution.TransferAwaiting: "payment_processing", execution.TransferSigned: "payment_processing",
		execution.TransferBroadcast: "completed", execution.TransferConfirmed: "completed", execution.TransferRevived: "completed",
		execution.TransferRefused: "failed", execution.TransferRejected: "failed", execution.TransferFailed: "failed",
		execution.TransferRemoved: "failed", execution.TransferReplaced: "failed", execution.TransferDead: "failed",
	} {
		require.Equal(t, want, withdrawalStatus(&execution.Withdrawal{Status: status}), status)
	}
}
