package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/payout"
)

// PayoutType is the workflow type of payouts.
const PayoutType = "Payout"

// payouts names the activities; it is never called here.
var payouts *activities.Payouts

var payoutFlow = caseFlow[payout.PayoutState]{
	kind: PayoutType, signal: CaseChanged,
	kinds: []string{payout.PayoutApprove, payout.PayoutReject, payout.PayoutCancel, payout.PayoutConfirm, payout.PayoutReturn},
	view: func(at payout.PayoutState) caseView {
		return caseView{string(at.Status), at.Summary + "\n\n" + payoutDetails(at), at.Closed, at.Wake}
	},
	awaits: func(at payout.PayoutState, kind string) bool {
		return at.Status.CanCancel() && kind == payout.PayoutCancel || slices.Contains(payout.PayoutDecisions(at.Status), kind)
	},
	decided: func(id, decisionID, code string) any {
		return activities.PayoutDecided{PayoutID: id, DecisionID: decisionID, Code: code}
	},
	load: caseStep{"Read the payout", payouts.LoadPayout}, due: caseStep{"See to what is due", payouts.LatePayout},
	timer:  "A reminder, or the end of what a bank can send back",
	refuse: payouts.RefusePayoutDecision,
	decisions: map[string]caseStep{
		payout.PayoutApprove: {"Approve: the transfer may be made, once enough people agree", payouts.ApprovePayout},
		payout.PayoutReject:  {"Reject: back to the balance", payouts.RejectPayout},
		payout.PayoutCancel:  {"Cancel, as its customer wants: back to the balance", payouts.CancelPayout},
		payout.PayoutConfirm: {"Book the transfer that was made", payouts.ConfirmPayout},
		payout.PayoutReturn:  {"Book the transfer that the bank sent back", payouts.ReturnPayout},
	},
}

func payoutDetails(at payout.PayoutState) string {
	if at.Closed && at.Status == payout.PayoutPaid {
		return "ended: paid"
	}
	return map[payout.PayoutStatus]string{
		payout.PayoutUnconfirmed: "reserved; waiting for its customer to follow the mailed link",

		payout.PayoutRequested: "reserved; waiting for approval",
		payout.PayoutApproved:  "approved; waiting for the transfer to be made",
		payout.PayoutPaid:      "paid; the bank may still send it back",
		payout.PayoutRejected:  "ended: rejected",
		payout.PayoutCancelled: "ended: cancelled by its customer",
		payout.PayoutReturned:  "ended: sent back by the bank",
	}[at.Status]
}

// Payout executes a payout from its row, whatever its status, to its end: rejected,
// cancelled, returned, or paid and beyond the time in which a bank can return it. Histories
// never contain the bank account.
func Payout(ctx workflow.Context, in CaseInput) error {
	p, err := openCase(ctx, &payoutFlow, in.ID)
	if err != nil {
		return err
	}
	return p.run(ctx, in, p.load, p.wait)
}
