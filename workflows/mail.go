package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
)

var mailer *activities.Mails

// mailTurns is how often the step runs before the workflow continues with an empty history.
const mailTurns = 200

// Mails sees to it that mails are sent: one for the whole platform, always
// running. An order's own workflow has nothing to do with it.
func Mails(ctx workflow.Context) error {
	sending := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: CoreQueue, StartToCloseTimeout: 10 * time.Minute, HeartbeatTimeout: 10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 15 * time.Second},
		Summary:     "Send mails as they come up",
	})
	for range mailTurns {
		if err := workflow.ExecuteActivity(sending, mailer.SendDue).Get(ctx, nil); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, MailsType)
}
