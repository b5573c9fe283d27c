package workflows

import (
	"maps"
	"slices"

	"go.temporal.io/sdk/workflow"
)

// Registry is a worker, or a replayer.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// all are the workflows by their types.
var all = map[string]any{OrderType: Order, KYCType: KYC, SweepType: Sweep, MailsType: Mails,
	RefundType: GiveBack, DisputeType: Dispute, PaymentType: Payment, MoneyPollType: MoneyPoll, ReceiptType: Receipt, GiftCardType: GiftCard,
	DataExportType: DataExport, AccountClosureType: AccountClosure, RecoveryType: TwoFactorRecovery,
	PayoutType: Payout, VoucherType: Voucher,
	ReferralType:       Referral,
	TiersType:          Tiers,
	ReconciliationType: Reconciliation,
	TreasuryType:       Treasury, TreasuryMoveType: TreasuryMove}

// Register registers every workflow under its type: for the worker that executes them, and
// for the replay of their histories.
func Register(r Registry) {
	for name, run := range all {
		r.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: name, VersioningBehavior: behavior(name)})
	}
}

// pinned are the types whose runs end on the version of the workers that they began on. A
// schedule starts them with a limit of their duration and they start no workflow, so that
// none outlasts a version that was stopped too early.
var pinned = []string{ReconciliationType, TreasuryType, TiersType}

// behavior has every other type follow the current version: it may be open for months.
func behavior(name string) workflow.VersioningBehavior {
	if slices.Contains(pinned, name) {
		return workflow.VersioningBehaviorPinned
	}
	return workflow.VersioningBehaviorAutoUpgrade
}

// Types lists the types of all workflows.
func Types() []string { return slices.Sorted(maps.Keys(all)) }

// AboutOrder lists the ids, or their beginnings, of the workflows about an
// order: its own, and those of its refunds, disputes and receipts.
func AboutOrder(orderID string) []string {
	ids := make([]string, 0, 5)
	for _, prefix := range []string{orderPrefix, refundPrefix, disputePrefix, paymentPrefix, receiptPrefix} {
		ids = append(ids, prefix+orderID)
	}
	return ids
}
