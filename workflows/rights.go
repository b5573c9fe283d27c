package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/privacy"
)

// rights names the activities; it is never called here.
var rights *activities.Rights

// DataExport makes the copy of their data that a customer requested, keeps it as long as
// promised, and erases it. Histories never contain the data.
func DataExport(ctx workflow.Context, in CaseInput) error {
	changed := false
	onSignal(ctx, CaseChanged, func(WebhookSignal) { changed = true })
	for {
		var at privacy.ExportState
		if err := runLocal(ctx, "Look where the export stands", &at, rights.LoadExport, in.ID); err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, "data export: "+at.Status)
		var err error
		switch {
		case at.Closed:
			return nil
		case at.Status == privacy.ExportRequested:
			err = workflow.ExecuteActivity(filing(ctx, "Collect, seal and keep the data"), rights.MakeExport, in.ID).Get(ctx, nil)
		case at.Wake <= 0:
			err = workflow.ExecuteActivity(filing(ctx, "Erase the file"), rights.EraseExport, in.ID).Get(ctx, nil)
		default:
			err = untilChanged(ctx, at.Wake, "The file expires", &changed)
		}
		if err != nil {
			return err
		}
	}
}

// AccountClosure closes an account when its owner has had time to think better
// of it, unless they did.
func AccountClosure(ctx workflow.Context, in CaseInput) error {
	changed := false
	onSignal(ctx, CaseChanged, func(WebhookSignal) { changed = true })
	for {
		var at privacy.ClosureState
		if err := runLocal(ctx, "Look where the closure stands", &at, rights.LoadClosure, in.ID); err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, "account closure: "+at.Status)
		var err error
		switch {
		case at.Closed:
			return nil
		case at.Status == privacy.ClosureClosing:
			err = workflow.ExecuteActivity(filing(ctx, "Erase the account at the identity provider"), rights.EraseAtIssuer, in.ID).Get(ctx, nil)
		case at.Wake <= 0:
			err = runLocal(ctx, "Close the account, and erase what need not be kept", nil, rights.CloseAccount, in.ID)
		default:
			err = untilChanged(ctx, at.Wake, "The account is closed", &changed)
		}
		if err != nil {
			return err
		}
	}
}

// untilChanged waits for a deadline, or for the signal that the case changed.
func untilChanged(ctx workflow.Context, next time.Duration, summary string, changed *bool) error {
	_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: next, TimerOptions: workflow.TimerOptions{Summary: summary}}, func() bool { return *changed })
	*changed = false
	return err
}

// filing are the options of a step that writes or erases objects in storage: it is tried
// until it succeeds. Heartbeats detect a dead worker long before the step's timeout.
func filing(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: CoreQueue, StartToCloseTimeout: 5 * time.Minute, HeartbeatTimeout: 15 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 5 * time.Minute},
		Summary:     summary,
	})
}
