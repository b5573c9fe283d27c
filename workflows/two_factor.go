package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/account"
)

// RecoveryType is the workflow type of a second factor's recovery; its id is CaseID's.
const RecoveryType = "two_factor_recovery"

// twoFactor names the activities; it is never called here.
var twoFactor *activities.TwoFactor

var recoveryFlow = caseFlow[account.RecoveryState]{
	kind: RecoveryType, signal: CaseChanged, kinds: account.RecoveryDecisions,
	view: func(at account.RecoveryState) caseView {
		return caseView{at.Status, "A lost second factor, " + at.Reference + "\n\n" + recoveryDetails[at.Status], at.Closed, at.Wake}
	},
	awaits: func(at account.RecoveryState, kind string) bool {
		return slices.Contains(account.RecoveryAwaits(at.Status), kind)
	},
	decided: func(id, decisionID, code string) any {
		return activities.CaseDecided{ID: id, DecisionID: decisionID, Code: code}
	},
	load: caseStep{"Read the recovery", twoFactor.LoadRecovery}, due: caseStep{"See to what is due", twoFactor.LateRecovery},
	timer:  "The end of the delay, or of its time",
	refuse: twoFactor.RefuseRecoveryDecision,
	decisions: map[string]caseStep{
		account.RecoveryVouch:   {"Note that an admin has made sure who asks", twoFactor.DecideRecovery},
		account.RecoveryApprove: {"Lift the second factor and end every session", twoFactor.DecideRecovery},
		account.RecoveryRefuse:  {"Refuse to lift the second factor", twoFactor.DecideRecovery},
		account.RecoveryCancel:  {"Stop: the account's user does not want it lifted", twoFactor.DecideRecovery},
	},
}

var recoveryDetails = map[string]string{
	account.RecoveryAsked:     "waiting for an admin to make sure who asks",
	account.RecoveryVouched:   "vouched for; another admin approves once the delay is over",
	account.RecoveryDone:      "ended: the factor was lifted",
	account.RecoveryCancelled: "ended: the account's user stopped it",
	account.RecoveryRefused:   "ended: refused",
	account.RecoveryExpired:   "ended: not approved in time",
}

// TwoFactorRecovery executes the removal of a lost second factor from its row, whatever its
// status, to its end: through a delay in which it can be stopped, and the approvals of two
// admins.
func TwoFactorRecovery(ctx workflow.Context, in CaseInput) error {
	r, err := openCase(ctx, &recoveryFlow, in.ID)
	if err != nil {
		return err
	}
	return r.run(ctx, in, r.load, r.wait)
}
