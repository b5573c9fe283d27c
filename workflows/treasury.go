package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/treasury"
)

// TreasuryType is the workflow type that reads what providers hold, and TreasuryID its
// workflow id and the id of its schedule; TreasuryMoveType executes one move.
const (
	TreasuryType     = "Treasury"
	TreasuryID       = "treasury"
	TreasuryMoveType = "TreasuryMove"
)

// TreasuryMoveID is the workflow id of a move.
func TreasuryMoveID(id string) string { return "treasury-move/" + id }

// These name the activities; they are never called here.
var (
	treasuryRun *activities.Treasury
	clearing    *activities.TreasuryClearing
	vault       *activities.TreasuryExchange
	wallets     *activities.TreasuryCustody
)

// Treasury reads what each provider holds, each by the worker that has its key, and then
// proposes moves to the wallets that are low. A provider that does not answer keeps its
// last reading, whose age is shown.
func Treasury(ctx workflow.Context) error {
	var timing activities.Timing
	if err := runLocal(ctx, "Read the waits and budgets", &timing, rows.LoadTiming); err != nil {
		return err
	}
	var readings []workflow.Future
	for _, reading := range []struct {
		queue, summary string
		step           any
	}{
		{PaymentsQueue, "Read what the card processor holds", clearing.ReadClearing},
		{ExchangeQueue, "Read what the exchange holds", vault.ReadExchange},
		{CustodyQueue, "Read what the wallets hold", wallets.ReadWallets},
	} {
		readings = append(readings, workflow.ExecuteActivity(outside(ctx, timing, reading.queue, timing.CallTimeout, reading.summary), reading.step))
	}
	for _, reading := range readings {
		if err := reading.Get(ctx, nil); err != nil {
			workflow.GetLogger(ctx).Info("a provider could not be read", "code", failureOf(err).code)
		}
	}
	return runLocal(ctx, "Propose moves to the wallets that are low", nil, treasuryRun.ProposeMoves)
}

// move is one run, with its state of the row.
type move struct {
	id        string
	at        treasury.MoveState
	timing    activities.Timing
	signalled bool
}

// TreasuryMove executes an approved move from its row, whatever its status, to its end:
// arrived, or back at the exchange. While the outcome of a withdrawal is unknown it waits
// for staff, and looks it up regularly.
func TreasuryMove(ctx workflow.Context, in CaseInput) error {
	m := &move{id: in.ID}
	onSignal(ctx, CaseChanged, func(WebhookSignal) { m.signalled = true })
	if err := runLocal(ctx, "Read the waits and budgets", &m.timing, rows.LoadTiming); err != nil {
		return err
	}
	if err := m.row(ctx, "Read the move", treasuryRun.LoadMove); err != nil {
		return err
	}
	for !m.at.Closed && m.at.Status != treasury.MoveProposed {
		going, err := m.step(ctx)
		if err != nil || !going {
			return err
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, TreasuryMoveType, in)
		}
	}
	return nil
}

// step executes the next step; going is false when it did not succeed within its budget,
// and the sweep is to restart it later.
func (m *move) step(ctx workflow.Context) (going bool, err error) {
	var options workflow.Context
	var do any
	switch {
	case m.at.Status == treasury.MoveSent && m.at.Settled:
		options, do = repeating(ctx, m.timing, m.timing.FollowFirst, CustodyQueue, "Look for the coin in the wallet"), wallets.ReceiveMove
	case m.at.Status == treasury.MoveSent:
		options, do = repeating(ctx, m.timing, m.timing.FollowFirst, ExchangeQueue, "Look at the withdrawal"), vault.FollowMove
	case m.at.Status == treasury.MoveDiffers:
		if err := m.wait(ctx); err != nil {
			return false, err
		}
		return true, m.row(ctx, "Read what a person decided", treasuryRun.LoadMove)
	case m.at.Status == treasury.MoveUnknown:
		if err := m.wait(ctx); err != nil {
			return false, err
		}
		options, do = searching(ctx, m.timing, ExchangeQueue, m.timing.SendBudget, "Look for the withdrawal again"), vault.SendMove
	default:
		options, do = searching(ctx, m.timing, ExchangeQueue, m.timing.SendBudget, "Have the exchange withdraw the coin, once"), vault.SendMove
	}
	err = workflow.ExecuteActivity(options, do, m.id).Get(ctx, &m.at)
	if err == nil {
		m.show(ctx)
		return true, nil
	}
	if temporal.IsCanceledError(err) {
		return false, err
	}
	workflow.GetLogger(ctx).Info("the move does not go on", "code", failureOf(err).code)
	return false, m.row(ctx, "Ask a person where nobody knows what became of it", treasuryRun.StuckMove)
}

// wait waits for a decision, or for the time of the next lookup.
func (m *move) wait(ctx workflow.Context) error {
	again := m.at.Wake
	if again == 0 {
		again = m.timing.RetryMost
	}
	return untilChanged(ctx, again, "Look for the withdrawal again", &m.signalled)
}

// row runs a step that only touches the move's row.
func (m *move) row(ctx workflow.Context, summary string, step any) error {
	if err := runLocal(ctx, summary, &m.at, step, m.id); err != nil {
		return err
	}
	m.show(ctx)
	return nil
}

// show shows operators the move's state.
func (m *move) show(ctx workflow.Context) {
	doing := map[treasury.MoveStatus]string{
		treasury.MoveProposed:  "waits for approval",
		treasury.MoveApproved:  "approved; about to be sent",
		treasury.MoveSending:   "being sent",
		treasury.MoveUnknown:   "nobody knows what became of the withdrawal; waiting for a person",
		treasury.MoveSent:      "the exchange is sending it",
		treasury.MoveDiffers:   "another amount than was asked for; waiting for a person",
		treasury.MoveArrived:   "ended: arrived in the wallet",
		treasury.MoveRejected:  "ended: rejected",
		treasury.MoveWithdrawn: "ended: withdrawn",
		treasury.MoveFailed:    "ended: the coin is at the exchange",
	}[m.at.Status]
	if m.at.Status == treasury.MoveSent && m.at.Settled {
		doing = "sent; on its way to the wallet"
	}
	workflow.SetCurrentDetails(ctx, m.at.Summary+"\n\n"+doing)
}
