package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// Deliverer hands a decision to the workflow of its order, or gift card,
// starting that when it does not run. It returns once the workflow has accepted the decision, or
// ErrNotAwaited when the workflow does not wait for it.
type Deliverer interface {
	Deliver(ctx context.Context, objectID, kind, decisionID string) error
}

// ErrNotAwaited is a decision that its workflow does not wait for: it refuses the decision,
// or has answered it. A row that is open nonetheless comes from a backup older than the
// answer.
var ErrNotAwaited = errors.New("the workflow does not wait for this decision")

// Historian reads an order's history in Temporal.
type Historian interface {
	// Runs lists every run of every workflow about an order, without histories.
	Runs(ctx context.Context, orderID string) ([]order.History, error)
	// Fetch reads the history of a run into it.
	Fetch(ctx context.Context, run *order.History) error
}

// Sweep finds what was lost on its way: orders without a workflow, decisions that were
// not delivered, webhooks that were not handled, deadlines that passed unnoticed.
type Sweep struct {
	DB     *store.DB
	Decide Deliverer
	// Receive hands decisions that are booked beside their order's workflow to their own.
	Receive Deliverer
	// DecideCard hands decisions about gift cards to their workflows.
	DecideCard Deliverer
	// DecideCase hands decisions about cases to their workflows.
	DecideMatter CaseDeliverer
	Past         Historian
	// Grace is the age from which the sweep finds unfinished rows; Revive how often an open
	// order's workflow is checked for being there.
	Grace, Revive time.Duration
	// MoneyPoll is the interval between reads of refunds and disputes at the card
	// processor; zero is never.
	MoneyPoll time.Duration
	// LapseWarning is how long before a card's hold ends staff are warned.
	LapseWarning time.Duration
}

// sweepBatch bounds the rows of one sweep; the next one follows soon.
const sweepBatch = 100

// Found is what a sweep found. It holds ids, states and the orders' sentences, nothing
// personal.
type Found struct {
	Strays    []FoundOrder    `json:"strays,omitempty"`
	Payments  []PendingSignal `json:"payments,omitempty"`
	Transfers []PendingSignal `json:"transfers,omitempty"`
	Reviews   []PendingSignal `json:"reviews,omitempty"`
	Resumed   []PendingSignal `json:"resumed,omitempty"` // orders that waited for a switch, or whose rows come from a backup
	Decisions int             `json:"decisions,omitempty"`
	Ended     int             `json:"ended,omitempty"` // orders whose histories are to be kept

	Refunds   []PartRef       `json:"refunds,omitempty"`
	Disputes  []PartRef       `json:"disputes,omitempty"`
	Answers   []PartRef       `json:"answers,omitempty"` // disputes whose answer was not delivered
	Money     []PendingSignal `json:"money,omitempty"`   // orders whose payment changed after its capture
	PollMoney bool            `json:"pollMoney,omitempty"`

	Cards         []FoundCard `json:"cards,omitempty"`
	LateCards     []FoundCard `json:"lateCards,omitempty"`
	CardDecisions int         `json:"cardDecisions,omitempty"`

	Matters         []OrphanCase `json:"matters,omitempty"`
	MatterDecisions int          `json:"matterDecisions,omitempty"`
	// RevivedVouchers are redemptions that a dead transfer has sent.
	RevivedVouchers []PendingSignal `json:"revivedVouchers,omitempty"`

	Moves []FoundMove `json:"moves,omitempty"`
}

// FoundMove is a move of coin whose workflow is to be started, or signalled.
type FoundMove struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
}

// FoundOrder is an order to start a workflow for.
type FoundOrder struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Status  string `json:"status"`
	Asset   string `json:"asset"`
	Rail    string `json:"rail"`

	Reference string `json:"reference,omitempty"`
}

// PendingSignal is an object whose workflow is to be signalled.
type PendingSignal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Find reads all of it. A query that fails does not affect the others, whose rows are
// marked as swept already: the rows found are returned, and the error is the chore's.
func (a *Sweep) Find(ctx context.Context) (Found, error) {
	looking, cancel := inTime(ctx)
	defer cancel()
	found, err := a.find(looking)
	return found, chore.EndChore(ctx, a.DB, chore.ChoreSweep, 0, err)
}

// inTime leaves a part of a step's time to return what it found.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, bound := ctx.Deadline()
	if !bound {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/4))
}

// collect appends the rows of a query in the form workflows receive, or returns its error.
func collect[T, F any](to *[]F, convert func(T) F, rows []T, err error) error {
	if err != nil {
		return err
	}
	for _, row := range rows {
		*to = append(*to, convert(row))
	}
	return nil
}

// many counts what a query found.
func many[T any](to *int, rows []T, err error) error {
	*to = len(rows)
	return err
}

func (a *Sweep) find(ctx context.Context) (found Found, err error) {
	orphans, err := order.Orphans(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	for _, s := range orphans {
		if s.Restored {
			found.Resumed = append(found.Resumed, PendingSignal{ID: s.ID, Reason: "restored"})
		}
	}
	err = errors.Join(collect(&found.Strays, foundOrder, orphans, err), a.findPendingSignals(ctx, &found), a.findMoney(ctx, &found), a.findCards(ctx, &found), a.findOrphanCases(ctx, &found))
	late, failed := order.Decisions.Undelivered(ctx, a.DB, a.Grace, 10*a.Grace, sweepBatch)
	err = errors.Join(err, many(&found.Decisions, late, failed))
	ended, failed := order.DueHistories(ctx, a.DB, a.Grace, sweepBatch)
	return found, errors.Join(err, many(&found.Ended, ended, failed))
}

func foundOrder(s order.Orphan) FoundOrder {
	return FoundOrder{ID: s.ID, Summary: s.Sentence(), Status: string(s.Status), Asset: string(s.Asset), Rail: s.PaymentMethod, Reference: s.Reference}
}

func foundPart(p order.Part) PartRef { return PartRef(p) }

func pendingSignal(w store.Signal) PendingSignal {
	return PendingSignal{ID: w.Subject, Reason: w.Reason}
}

// findMoney reads refunds, disputes and answers that may have no workflow.
func (a *Sweep) findMoney(ctx context.Context, found *Found) error {
	refunds, failed := order.OrphanRefunds(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err := collect(&found.Refunds, foundPart, refunds, failed)
	disputes, failed := order.OrphanDisputes(ctx, a.DB, a.Grace, a.Revive, sweepBatch)
	err = errors.Join(err, collect(&found.Disputes, foundPart, disputes, failed))
	answers, failed := order.UndeliveredDisputeResponses(ctx, a.DB, a.Grace, sweepBatch)
	err = errors.Join(err, collect(&found.Answers, foundPart, answers, failed))
	if a.MoneyPoll > 0 {
		found.PollMoney, failed = a.DB.DuePoll(ctx, MoneyPoll, a.MoneyPoll)
		err = errors.Join(err, failed)
	}
	return err
}

func (a *Sweep) findPendingSignals(ctx context.Context, found *Found) (err error) {
	for _, source := range []struct {
		to   *[]PendingSignal
		find func() ([]store.Signal, error)
	}{
		{&found.Payments, func() ([]store.Signal, error) { return order.Overdue(ctx, a.DB, a.Grace, sweepBatch) }},
		{&found.Payments, func() ([]store.Signal, error) { return order.PaidByLink(ctx, a.DB, a.Grace, sweepBatch) }},
		{&found.Payments, func() ([]store.Signal, error) { return order.Unwarned(ctx, a.DB, a.LapseWarning, sweepBatch) }},
		{&found.Payments, func() ([]store.Signal, error) {
			return webhook.UnhandledSignals(ctx, a.DB, ledger.Payments, a.Grace, sweepBatch)
		}},
		{&found.Money, func() ([]store.Signal, error) { return order.UnhandledMoneyWebhooks(ctx, a.DB, a.Grace, sweepBatch) }},
		{&found.Transfers, func() ([]store.Signal, error) {
			return webhook.UnhandledSignals(ctx, a.DB, ledger.Custody, a.Grace, sweepBatch)
		}},
		{&found.Resumed, func() ([]store.Signal, error) { return order.Resumed(ctx, a.DB, sweepBatch) }},
		{&found.Resumed, func() ([]store.Signal, error) { return order.Returned(ctx, a.DB, sweepBatch) }},
		{&found.Resumed, func() ([]store.Signal, error) { return correction.Revived(ctx, a.DB, sweepBatch) }},
		{&found.Reviews, func() ([]store.Signal, error) { return kyc.StaleReviews(ctx, a.DB, a.Revive, a.Grace, sweepBatch) }},
	} {
		due, failed := source.find()
		err = errors.Join(err, collect(source.to, pendingSignal, due, failed))
	}
	return err
}

// Deliver resends decisions about orders that no workflow has accepted.
func (a *Sweep) Deliver(ctx context.Context) (int, error) {
	return resend(ctx, a, order.Decisions, func(ctx context.Context, d order.Decision) error {
		beside, err := order.BookedBeside(ctx, a.DB, &d)
		if err != nil {
			return err
		}
		to := a.Decide
		if beside {
			to = a.Receive
		}
		return to.Deliver(ctx, d.OrderID, d.Kind, d.ID)
	}, func(ctx context.Context, d order.Decision) error {
		return order.RefuseDecision(ctx, a.DB, d.ID, "not_awaited")
	})
}

// Keeping is bounded, so that what is urgent is never long in coming.
const (
	keepTime  = 5 * time.Second
	keepAgain = 10 * time.Minute // after a check of an order whose workflow still runs
)

// Keep stores the histories of orders that have ended: Temporal deletes them after its
// retention. It returns how many orders it checked.
func (a *Sweep) Keep(ctx context.Context) (int, error) {
	due, err := order.DueHistories(ctx, a.DB, a.Grace, sweepBatch)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	for n, o := range due {
		if time.Since(began) > keepTime {
			return n, nil
		}
		runs, err := a.endedRuns(ctx, o.OrderID)
		if err == nil {
			err = order.KeepHistories(ctx, a.DB, o, runs, keepAgain)
		}
		if err != nil {
			return n, err
		}
	}
	return len(due), nil
}

// endedRuns lists an order's runs, with the histories of those that have ended
// and are not kept yet.
func (a *Sweep) endedRuns(ctx context.Context, orderID string) ([]order.History, error) {
	runs, err := a.Past.Runs(ctx, orderID)
	if err != nil {
		return nil, err
	}
	kept, err := order.KeptHistories(ctx, a.DB, orderID)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		known := slices.ContainsFunc(kept, func(h order.History) bool { return h.RunID == runs[i].RunID })
		if runs[i].ClosedAt == nil || known {
			continue
		}
		if err := a.Past.Fetch(ctx, &runs[i]); err != nil {
			return nil, err
		}
	}
	return runs, nil
}
