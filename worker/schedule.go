package worker

import (
	"context"
	"errors"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/temporalx"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/workflows"
)

// Timing is activities.Timing as a group of the configuration.
type Timing struct {
	activities.Timing `embed:""`
}

// CardTiming is activities.CardTiming as a group of the configuration.
type CardTiming struct {
	activities.CardTiming `embed:""`
}

// KYCTiming is how long an identity counts as known, as settings.
type KYCTiming struct {
	activities.KYCTiming `embed:""`
}

// Check implements config.Group.
func (t *KYCTiming) Check(config.Mode) error { return t.Wrong() }

// Check implements config.Group.
func (t *CardTiming) Check(config.Mode) error { return t.Wrong() }

// PayoutTiming is activities.PayoutTiming as a group of the configuration.
type PayoutTiming struct {
	activities.PayoutTiming `embed:""`
}

// Check implements config.Group.
func (t *PayoutTiming) Check(config.Mode) error { return t.Wrong() }

// Check implements config.Group.
func (t *Timing) Check(config.Mode) error { return t.Wrong() }

// scheduleCheck is the interval between checks that the schedules exist: Temporal may have
// lost its data.
const scheduleCheck = time.Minute

// Rhythm is how often what is scheduled runs.
type Rhythm struct{ Sweep, Reconcile, Treasury time.Duration }

// KeepSchedule ensures that the schedules exist and that mails are sent, until ctx ends:
// also after Temporal lost its data.
func (p *Process) KeepSchedule(ctx context.Context, every Rhythm) error {
	for {
		err := errors.Join(scheduleEvery(ctx, p.Client, sweeping, every.Sweep), scheduleEvery(ctx, p.Client, reconciling, every.Reconcile),
			scheduleEvery(ctx, p.Client, counting, every.Treasury), scheduleTiers(ctx, p.Client), startMails(ctx, p.Client))
		if err != nil && ctx.Err() == nil {
			p.Log.Warn("not everything is scheduled, or no mails are sent", "error", err)
		}
		if !pause(ctx, scheduleCheck) {
			return nil
		}
	}
}

// startMails starts the workflow that sends mails unless it runs.
func startMails(ctx context.Context, c *temporalx.Client) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: workflows.MailsID, TaskQueue: workflows.CoreQueue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            "Send mails as they come up"}, workflows.MailsType)
	return err
}

// recurring is a workflow that runs again and again, one run at a time.
type recurring struct {
	id, kind, summary string
	longest           time.Duration
}

var (
	sweeping    = recurring{workflows.SweepID, workflows.SweepType, "See to what fell between two chairs", 10 * time.Minute}
	reconciling = recurring{workflows.ReconciliationID, workflows.ReconciliationType, "Compare providers' statements with the ledger", time.Hour}
	counting    = recurring{workflows.TreasuryID, workflows.TreasuryType, "Read what the providers hold", 10 * time.Minute}
)

// scheduleEvery schedules a workflow, or changes how often it runs.
func scheduleEvery(ctx context.Context, c *temporalx.Client, what recurring, every time.Duration) error {
	spec := client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}}
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: what.id, Spec: spec, Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: time.Minute, TriggerImmediately: true,
		Action: &client.ScheduleWorkflowAction{ID: what.id, Workflow: what.kind, TaskQueue: workflows.CoreQueue,
			WorkflowExecutionTimeout: what.longest, StaticSummary: what.summary},
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	return c.ScheduleClient().GetHandle(ctx, what.id).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			have := in.Description.Schedule.Spec
			if have != nil && len(have.Intervals) == 1 && have.Intervals[0].Every == every {
				return nil, temporal.ErrSkipScheduleUpdate
			}
			in.Description.Schedule.Spec = &spec
			return &client.ScheduleUpdate{Schedule: &in.Description.Schedule}, nil
		},
	})
}

// tiersAt is when volume tiers follow the volumes: every night, soon after a day
// (UTC) has ended.
var tiersAt = client.ScheduleSpec{Calendars: []client.ScheduleCalendarSpec{{Hour: []client.ScheduleRange{{Start: 0}}, Minute: []client.ScheduleRange{{Start: 10}}}}}

func scheduleTiers(ctx context.Context, c *temporalx.Client) error {
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: workflows.TiersID, Spec: tiersAt, Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: 24 * time.Hour, TriggerImmediately: true,
		Action: &client.ScheduleWorkflowAction{ID: workflows.TiersID, Workflow: workflows.TiersType, TaskQueue: workflows.CoreQueue, Args: []any{workflows.TiersInput{}},
			WorkflowExecutionTimeout: 6 * time.Hour, StaticSummary: "Let volume tiers follow the volumes"},
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return nil
	}
	return err
}

// Deliveries hands decisions to workflows for the sweep.
type Deliveries struct{ Client *temporalx.Client }

// deliveryTime is how long the sweep waits for a workflow to accept a decision.
const deliveryTime = 5 * time.Second

// Deliver implements activities.Deliverer. A decision that is still being executed after
// deliveryTime was accepted; a workflow that answers has resolved it.
func (d Deliveries) Deliver(ctx context.Context, orderID, kind, decisionID string) error {
	_, decided, err := d.Client.Decide(ctx, orderID, kind, decisionID, deliveryTime)
	if decided {
		return activities.ErrNotAwaited
	}
	return err
}

// ReceiptDeliveries hands decisions that are booked beside their order's workflow to their
// own for the sweep.
type ReceiptDeliveries struct{ Client *temporalx.Client }

// Deliver implements activities.Deliverer.
func (d ReceiptDeliveries) Deliver(ctx context.Context, orderID, _, decisionID string) error {
	_, decided, err := d.Client.BookReceipt(ctx, orderID, decisionID, deliveryTime)
	if decided {
		return activities.ErrNotAwaited
	}
	return err
}

// CardDeliveries hands decisions about gift cards to their workflows for the
// sweep.
type CardDeliveries struct{ Client *temporalx.Client }

// Deliver implements activities.Deliverer.
func (d CardDeliveries) Deliver(ctx context.Context, cardID, kind, decisionID string) error {
	_, decided, err := d.Client.DecideGiftCard(ctx, cardID, kind, decisionID, deliveryTime)
	if decided {
		return activities.ErrNotAwaited
	}
	return err
}

// CaseDeliveries hands decisions about cases to their workflows for the
// sweep.
type CaseDeliveries struct{ Client *temporalx.Client }

// DeliverCaseDecision implements activities.CaseDeliverer.
func (d CaseDeliveries) DeliverCaseDecision(ctx context.Context, caseKind casework.Kind, id, kind, decisionID string) error {
	_, decided, err := d.Client.DecideCase(ctx, caseKind, id, kind, decisionID, deliveryTime)
	if decided {
		return activities.ErrNotAwaited
	}
	return err
}
