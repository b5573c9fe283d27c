package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/customer"
)

// TiersType is the night's work on volume tiers, and TiersID its workflow id and
// the id of its schedule.
const (
	TiersType = "Tiers"
	TiersID   = "tiers"
)

var tiers *activities.Tiers

// tierSteps is how many steps one run executes before it continues with an empty history.
const tierSteps = 200

// TiersInput is where a run begins: after that customer.
type TiersInput struct {
	After string `json:"after,omitempty"`
}

// Tiers lets every customer's volume tier follow what they bought, a batch at a
// time, and tidies what was counted by the hour.
func Tiers(ctx workflow.Context, in TiersInput) error {
	for range tierSteps {
		var batch customer.TierBatch
		if err := runLocal(ctx, "Follow the volumes of the next customers", &batch, tiers.FollowTiers, in.After); err != nil {
			return err
		}
		if in.After = batch.Last; in.After == "" {
			return runLocal(ctx, "Forget what was counted by the hour, long ago", nil, tiers.ForgetFineTallies)
		}
	}
	return workflow.NewContinueAsNewError(ctx, TiersType, in)
}
