package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
)

// Chores executes the recurring work beside orders. It needs Postgres alone, so that it
// runs, and alerts are sent, while Temporal is down or the sweep does not run. Each chore
// has its own loop, transactions and budget: one that fails or hangs delays no other.
type Chores struct {
	DB *store.DB
	// Every is the interval between two runs, and Budget the longest duration of one run of
	// a chore; the next run continues with what is left.
	Every, Budget time.Duration
	// Alerts are how long problems may last before staff are alerted, and Webhook reports
	// whether alerts also call a webhook.
	Alerts  reporting.AlertLimits
	Webhook bool
	Kept    Kept
	// Sealing is what the audit log is sealed with.
	Sealing audit.Sealing
	// Mails are sent from here while the workflow that sends them does not; nil where
	// there are none.
	Mails *Mails
	// Silent is how long that workflow may be silent before; a minute unless set.
	Silent time.Duration
	Log    *slog.Logger

	began time.Time
}

// choreBudget is the default budget of one run. A batch, which is what a crash can lose,
// uses a small part of it.
const choreBudget = 30 * time.Second

// choreRest is how long after its start a process raises no alert for overdue chores: each
// of them has the time to run once.
const choreRest = time.Minute

// batch is a part of a chore, a transaction of its own: how many rows it processed, and
// whether there is more.
type batch func(ctx context.Context) (done int64, more bool, err error)

// whole is a chore of one batch.
func whole(do func(ctx context.Context) error) batch {
	return func(ctx context.Context) (int64, bool, error) { return 0, false, do(ctx) }
}

func limited(do func(ctx context.Context, limit int) error) batch {
	return whole(func(ctx context.Context) error { return do(ctx, sweepBatch) })
}

func (a *Chores) all() map[string]batch {
	return map[string]batch{
		chore.ChoreAlerts: whole(a.watch), chore.ChoreTallies: a.DB.FoldTallies, chore.ChoreRollUp: func(ctx context.Context) (int64, bool, error) { return ledger.RollUp(ctx, a.DB) },
		chore.ChoreAuditSeal: whole(func(ctx context.Context) error { return audit.SealAudit(ctx, a.DB, a.Sealing) }), chore.ChoreWebhooks: func(ctx context.Context) (int64, bool, error) { return webhook.DeleteSignals(ctx, a.DB) },
		chore.ChoreTickets: limited(func(ctx context.Context, limit int) error { return support.CloseSilentTickets(ctx, a.DB, limit) }), chore.ChoreErasure: limited(func(ctx context.Context, limit int) error { return privacy.EraseClosedAccounts(ctx, a.DB, limit) }), chore.ChoreVouchers: limited(func(ctx context.Context, limit int) error { return voucher.ExpireVouchers(ctx, a.DB, limit) }),
		chore.ChoreAddresses: limited(func(ctx context.Context, limit int) error {
			return errors.Join(order.ExpireHeldAddresses(ctx, a.DB, limit), order.ExpireCoinOffers(ctx, a.DB, limit),
				casework.ForgetLinks(ctx, a.DB, limit))
		}),
		chore.ChoreSurpluses: limited(func(ctx context.Context, limit int) error { return order.SettleSurpluses(ctx, a.DB, limit) }),
		chore.ChorePruning:   a.prune,
	}
}

// Run executes the chores until ctx ends.
func (a *Chores) Run(ctx context.Context) error {
	a.began = time.Now()
	if a.Budget == 0 {
		a.Budget = choreBudget
	}
	var loops sync.WaitGroup
	for name, do := range a.all() {
		loops.Go(func() { a.repeat(ctx, name, do) })
	}
	if a.Mails != nil {
		loops.Go(func() { a.sendMails(ctx) })
	}
	loops.Wait()
	return nil
}

func (a *Chores) repeat(ctx context.Context, name string, do batch) {
	ticker := time.NewTicker(a.Every)
	defer ticker.Stop()
	for {
		if err := a.run(ctx, name, do); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "a chore failed", "chore", name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// run executes one chore, batch by batch, until nothing is left or its budget is used up.
// Committed batches stay, whatever fails later.
func (a *Chores) run(ctx context.Context, name string, do batch) error {
	mine, err := chore.BeginChore(ctx, a.DB, name, a.Every/2, 2*a.Budget)
	if err != nil || !mine {
		return err
	}
	over, cancel := context.WithTimeout(ctx, a.Budget)
	defer cancel()
	var progress int64
	for more := true; more && over.Err() == nil && err == nil; {
		var done int64
		done, more, err = do(over)
		progress += done
	}
	if over.Err() != nil { // its time is over; the next run continues from its progress
		err = nil
		if progress == 0 {
			err = over.Err()
		}
	}
	if noted := chore.EndChore(context.WithoutCancel(ctx), a.DB, name, progress, err); noted != nil {
		return noted
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Kept is how long rows are kept that nothing needs any more; zero keeps them for good.
type Kept struct {
	Webhooks, Mails, Histories time.Duration
}

// prune deletes a batch of each table's rows that are older than they are kept.
func (a *Chores) prune(ctx context.Context) (done int64, more bool, err error) {
	for _, each := range []struct {
		rows store.Pruned
		kept time.Duration
	}{{webhook.Pruned, a.Kept.Webhooks}, {casework.MailOutbox.Pruned(), a.Kept.Mails}, {casework.CallOutbox.Pruned(), a.Kept.Mails}, {order.PrunedHistories, a.Kept.Histories}} {
		gone, left, err := a.DB.Prune(ctx, each.rows, each.kept)
		if err != nil {
			return done, false, err
		}
		done, more = done+gone, more || left
	}
	return done, more, nil
}

func (a *Chores) watch(ctx context.Context) error {
	limits := a.Alerts
	if time.Since(a.began) < choreRest {
		limits.Chores = 0
	}
	return errors.Join(reporting.WatchAlerts(ctx, a.DB, limits, a.Webhook), reporting.MailApprovals(ctx, a.DB))
}

const mailsSilent = time.Minute

var errMailsAway = errors.New("the mail server cannot be reached")

// sendMails sends what is due, and makes the calls, while the workflow does not. Each
// mail is claimed by one sender, so both may send side by side.
func (a *Chores) sendMails(ctx context.Context) {
	ticker := time.NewTicker(a.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		mine, err := chore.BeginChore(ctx, a.DB, chore.ChoreMails, cmp.Or(a.Silent, mailsSilent), mailLease)
		if err == nil && mine {
			var sent int
			if sent, err = a.Mails.pass(ctx); err == nil && a.Mails.away.Load() {
				err = errMailsAway
			}
			err = errors.Join(err, chore.EndChore(context.WithoutCancel(ctx), a.DB, chore.ChoreMails, int64(sent), err))
		}
		if err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "mails are not sent", "error", err)
		}
	}
}
