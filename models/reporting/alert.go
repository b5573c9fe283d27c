package reporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// AlertKind is what has been wrong for longer than it may.
type AlertKind string

// The kinds of alerts, and what the subject of each is.
const (
	AlertPrices   AlertKind = "stale_prices"    // an asset
	AlertProvider AlertKind = "provider_silent" // the task queue of the worker that holds the provider's key
	AlertQueue    AlertKind = "ageing_queue"    // a queue that people work off, as WaitingQueues names it
	AlertOrders   AlertKind = "stuck_orders"    // an order status; other statuses with the prefix of their kind
	AlertBreaks   AlertKind = "breaks"          // the holder whose statement and the ledger do not agree
	AlertTreasury AlertKind = "low_treasury"    // a wallet: BTC on bitcoin, or the dollars at the exchange

	AlertChores     AlertKind = "overdue_chore"    // a chore, as ChoreNames names it
	AlertStatements AlertKind = "statement_unread" // the holder whose statement is not read, or cardMoney
	AlertBooks      AlertKind = "wrong_books"      // an account on its wrong side, or a currency that does not sum to zero
	AlertWebhooks   AlertKind = "webhook_backlog"  // the provider whose webhooks are not acted on
	AlertMails      AlertKind = "mails_given_up"   // mails, or alert_calls
	AlertRevived    AlertKind = "transfer_revived" // orders or vouchers: whose transfers were declared dead
	AlertApprovers  AlertKind = "no_approver"      // a kind of approval of which nobody may be the second person
)

// AlertKinds lists them.
var AlertKinds = []AlertKind{AlertPrices, AlertProvider, AlertQueue, AlertOrders, AlertBreaks, AlertTreasury, AlertChores, AlertStatements, AlertBooks, AlertWebhooks, AlertMails, AlertRevived, AlertApprovers}

// AlertLimits are how long conditions may last before an alert opens. A limit of zero opens none.
type AlertLimits struct {
	Prices   time.Duration // since a price was read
	Provider time.Duration // since a provider that is being read last answered
	Queue    time.Duration // since a record waits for staff
	Orders   time.Duration // since an order that needs no person has moved
	Breaks   time.Duration // since a statement and the ledger were found not to agree
	// Treasury is when a wallet is low; without any there is no alert for it.
	Treasury treasury.Thresholds
	// Dollars is when the dollars at the exchange are low, in cents; unless it is set, DollarsPercent of what the
	// company deposited there.
	Dollars        *money.Units
	DollarsPercent int64
	// Offer is what is sold: of what is not, no price has to be read.
	Offer money.Offer

	Chores     time.Duration // since a chore last succeeded
	Statements time.Duration // since a statement was read up to
	Books      time.Duration // how long ago books are judged that are out of order
	Webhooks   time.Duration // since a webhook was received without effect
	Mails      time.Duration // how long mails that were given up are reported
	Approvers  time.Duration // since something waits that nobody may approve
	Revived    time.Duration // how long transfers are reported that confirmed although declared dead
}

// Alert is a problem that staff are notified of, open until it is over.
type Alert struct {
	ID       string
	Kind     AlertKind
	Subject  string
	Count    int       // of what waits or is stuck; one where nothing is counted
	About    *string   // the one thing that raised it, where it is one alone and has a page
	Since    time.Time // since when it has been so
	OpenedAt time.Time
	GoneAt   *time.Time // since when it is not so any more, while it is not closed yet
	ClosedAt *time.Time
	// AcknowledgedBy has seen to it since AcknowledgedAt; both are nil while nobody has said so.
	AcknowledgedAt   *time.Time
	AcknowledgedBy   *string
	AcknowledgedNote string
}

// AlertMailings are the mails of an alert, by its state.
var AlertMailings = []string{"alert_opened", "alert_closed"}

// alertRest is how long a problem has to be gone before its alert closes, so that a flapping one stays open.
const alertRest = 15 * time.Minute

// providerRoles say what a provider does, by the task queue of the worker that has its
// credentials.
var providerRoles = map[string]string{"payments": "card processor", "exchange": "exchange", "custody": "custodian", "core": "identity provider"}

// Text says in one sentence what is wrong.
func (a *Alert) Text() string {
	since := a.Since.UTC().Format("2 January, 15:04 UTC")
	switch a.Kind {
	case AlertPrices:
		return fmt.Sprintf("The last price of %s is from %s. We don't quote it until there is a new one.", a.Subject, since)
	case AlertProvider:
		return fmt.Sprintf("The %s has not answered since %s.", providerRoles[a.Subject], since)
	case AlertQueue:
		return fmt.Sprintf("%s: %d waiting, the oldest since %s.", queueNamed(a.Subject).label, a.Count, since)
	case AlertBreaks:
		return fmt.Sprintf("The ledger and the %s statement don't agree: %d open, the oldest since %s.", ledger.Provider(a.Subject).Name(), a.Count, since)
	case AlertChores:
		return fmt.Sprintf("The job %s hasn't succeeded since %s.", strings.ReplaceAll(a.Subject, "_", " "), since)
	case AlertStatements:
		if a.Subject == cardMoney {
			return fmt.Sprintf("The refunds and disputes at Stripe were last read completely on %s.", since)
		}
		return fmt.Sprintf("The last complete %s statement is from %s.", ledger.Provider(a.Subject).Name(), since)
	case AlertBooks:
		return fmt.Sprintf("The ledger has an error since %s: %s.", since, a.Subject)
	case AlertWebhooks:
		return fmt.Sprintf("Unprocessed webhooks from %s: %d, the oldest since %s.", a.Subject, a.Count, since)
	case AlertMails:
		return fmt.Sprintf("%d %s could not be delivered and were given up, the first on %s.", a.Count, strings.ReplaceAll(a.Subject, "_", " "), since)
	case AlertRevived:
		return fmt.Sprintf("Transfers that were declared dead and confirmed nonetheless, of %s: %d, the first on %s.", a.Subject, a.Count, since)
	case AlertApprovers:
		return fmt.Sprintf("Nobody may approve %d %s, the first since %s. The page Approvals shows which rule bars whom.", a.Count, a.approvals().Label, since)
	case AlertTreasury:
		if a.Subject == exchangeDollars {
			return fmt.Sprintf("The dollar balance at the exchange has been low since %s. Buying stops when it runs out.", since)
		}
		return fmt.Sprintf("The %s wallet has been low, or below what customers paid for, since %s. Incoming transfers don't cover it.", a.Subject, since)
	default:
		if status, move := strings.CutPrefix(a.Subject, stuckMove); move {
			return fmt.Sprintf("Treasury moves that are %s: %d are stuck, the oldest since %s.", status, a.Count, since)
		}
		for _, what := range []struct{ prefix, about string }{{stuckDecision, "an order"}, {stuckCard, "a gift card"}} {
			if kind, decision := strings.CutPrefix(a.Subject, what.prefix); decision {
				return fmt.Sprintf("Decisions to %s %s that are not completed: %d, the oldest since %s.", strings.ReplaceAll(kind, "_", " "), what.about, a.Count, since)
			}
		}
		if rules, kind := a.caseRow(); rules != nil {
			return fmt.Sprintf("Decisions to %s a %s that are not completed: %d, the oldest since %s.", strings.ReplaceAll(kind, "_", " "), rules.Label, a.Count, since)
		}
		if status, refund := strings.CutPrefix(a.Subject, stuckRefund); refund {
			return fmt.Sprintf("Refunds that are %s: %d have not arrived, the oldest since %s.", status, a.Count, since)
		}
		if a.Subject == unreadPayouts {
			return fmt.Sprintf("Unconfirmed payouts of a restored backup: %d wait for the bank's statement, the oldest since %s.", a.Count, since)
		}
		if kind, payout := strings.CutPrefix(a.Subject, stuckPayout); payout {
			return fmt.Sprintf("Decisions to %s a payout that are not completed: %d, the oldest since %s.", kind, a.Count, since)
		}
		if status, voucher := strings.CutPrefix(a.Subject, stuckVoucher); voucher {
			return fmt.Sprintf("Redeemed vouchers that are %s and need no review: %d are stuck, the oldest since %s.", status, a.Count, since)
		}
		return fmt.Sprintf("Orders that are %s and need no action: %d are stuck, the oldest since %s.", strings.ReplaceAll(a.Subject, "_", " "), a.Count, since)
	}
}

// caseRow is what the decisions are about that an alert of their kind counts; nil of
// another alert.
func (a *Alert) caseRow() (rules *casework.CaseRules, kind string) {
	name, is := strings.CutPrefix(a.Subject, stuckCase)
	if !is || a.Kind != AlertOrders {
		return nil, ""
	}
	for _, rules := range casework.Kinds() {
		if kind, found := strings.CutPrefix(name, string(rules.Matter)+"_"); found {
			return rules, kind
		}
	}
	return nil, ""
}

// approvals are the rules of the approvals that the alert counts. A kind of an older release has its name alone.
func (a *Alert) approvals() *casework.ApprovalRules {
	for _, rules := range casework.ApprovalKinds() {
		if string(rules.Kind) == a.Subject {
			return rules
		}
	}
	return &casework.ApprovalRules{Label: strings.ReplaceAll(a.Subject, "_", " ")}
}

// Page is where staff review it, from the site's root.
func (a *Alert) Page() string {
	switch a.Kind {
	case AlertQueue:
		return queueNamed(a.Subject).page
	case AlertOrders:
		if strings.HasPrefix(a.Subject, stuckVoucher) {
			return "/admin/vouchers"
		}
		if strings.HasPrefix(a.Subject, stuckMove) {
			return "/admin/treasury"
		}
		if strings.HasPrefix(a.Subject, stuckPayout) {
			return "/admin/payouts"
		}
		if strings.HasPrefix(a.Subject, stuckCard) {
			return "/admin/gift-cards"
		}
		if rules, _ := a.caseRow(); rules != nil {
			page, _, _ := strings.Cut(rules.StaffPage, "/{id}")
			page, _, _ = strings.Cut(page, "?")
			return cmp.Or(page, "/admin")
		}
		if strings.HasPrefix(a.Subject, stuckDecision) || strings.HasPrefix(a.Subject, stuckRefund) {
			return "/admin/orders"
		}
		return "/admin/orders?status=" + a.Subject
	case AlertBreaks:
		if a.About != nil {
			return "/admin/reconciliation/" + *a.About
		}
		return "/admin/reconciliation?holder=" + a.Subject
	case AlertTreasury:
		return "/admin/treasury"
	case AlertApprovers:
		return "/admin/approvals"
	case AlertStatements:
		if a.Subject == cardMoney {
			return "/admin/reconciliation?holder=stripe"
		}
		return "/admin/reconciliation?holder=" + a.Subject
	case AlertBooks:
		return "/admin/ledger"
	case AlertRevived:
		if a.About != nil {
			return "/admin/orders/" + *a.About
		}
		return "/admin/reconciliation"
	}
	return "/admin"
}

// roles are those who can act on it.
func (a *Alert) roles() []string {
	switch a.Kind {
	case AlertQueue:
		return queueNamed(a.Subject).roles
	case AlertOrders:
		if a.Subject == unreadPayouts {
			return store.Cashiers
		}
	case AlertApprovers:
		return slices.Compact(slices.Sorted(slices.Values(append([]string{"admin"}, a.approvals().Roles...))))
	case AlertTreasury, AlertBreaks, AlertStatements, AlertBooks, AlertRevived:
		return store.Cashiers
	}
	return []string{"admin"}
}

// WatchAlerts opens an alert for every problem that has lasted too long, and closes those that are over; staff who
// can act are notified by mail, and by the webhook where there is one. It runs outside the transactions of orders,
// and one failed check does not stop the others.
func WatchAlerts(ctx context.Context, db *store.DB, limits AlertLimits, webhook bool) error {
	found, unknown, failed := problems(ctx, db, limits)
	open, err := OpenAlerts(ctx, db)
	if err != nil || len(found) == 0 && len(open) == 0 {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, db.Tx(ctx, func(tx *store.DB) error {
		alone, err := tx.TryKey(ctx, "watch alerts")
		if err != nil || !alone {
			return err
		}
		if open, err = OpenAlerts(ctx, tx); err != nil { // as they are now, under the lock
			return err
		}
		for i := range found {
			if err := openAlert(ctx, tx, &found[i], webhook); err != nil {
				return fmt.Errorf("open an alert: %w", err)
			}
		}
		for i := range open {
			if slices.ContainsFunc(found, open[i].same) || slices.Contains(unknown, open[i].Kind) {
				continue
			}
			if err := closeAlert(ctx, tx, &open[i], webhook); err != nil {
				return fmt.Errorf("close an alert: %w", err)
			}
		}
		return nil
	}))
}

func (a *Alert) same(b Alert) bool { return a.Kind == b.Kind && a.Subject == b.Subject }

// openAlert opens an alert, or brings the one that is open up to date.
func openAlert(ctx context.Context, db *store.DB, a *Alert, webhook bool) error {
	orm := db.ORM(ctx)
	known := orm.Exec(`UPDATE alerts SET count = ?, about = CAST(? AS uuid), since = least(since, ?), gone_at = NULL WHERE kind = ? AND subject = ? AND closed_at IS NULL`,
		a.Count, a.About, a.Since, a.Kind, a.Subject)
	if known.Error != nil || known.RowsAffected > 0 {
		return known.Error
	}
	made := orm.Raw(`INSERT INTO alerts (kind, subject, count, about, since) VALUES (?, ?, ?, CAST(? AS uuid), ?) ON CONFLICT DO NOTHING RETURNING id`,
		a.Kind, a.Subject, a.Count, a.About, a.Since).Scan(&a.ID)
	if made.Error != nil || made.RowsAffected == 0 {
		return made.Error
	}
	return notifyAlert(ctx, db, a, "opened", webhook)
}

// closeAlert records that a problem is gone, and closes its alert once that has lasted.
func closeAlert(ctx context.Context, db *store.DB, a *Alert, webhook bool) error {
	done := db.ORM(ctx).Exec(`UPDATE alerts SET gone_at = coalesce(gone_at, clock_now()),
		closed_at = CASE WHEN gone_at < clock_now() - CAST(? AS interval) THEN clock_now() END WHERE id = ? AND closed_at IS NULL`, store.Seconds(alertRest), a.ID)
	if done.Error != nil || a.GoneAt == nil {
		return done.Error
	}
	var over bool
	if err := db.ORM(ctx).Raw(`SELECT closed_at IS NOT NULL FROM alerts WHERE id = ?`, a.ID).Row().Scan(&over); err != nil || !over {
		return err
	}
	return notifyAlert(ctx, db, a, "closed", webhook)
}

// notifyAlert writes the mails and the call.
func notifyAlert(ctx context.Context, db *store.DB, a *Alert, state string, webhook bool) error {
	if err := casework.MailAlert(ctx, db, a.ID, "alert_"+state, a.roles()); err != nil || !webhook {
		return err
	}
	return casework.CallAlert(ctx, db, a.ID, state)
}

// OpenAlerts lists what is wrong now, the oldest first.
func OpenAlerts(ctx context.Context, db *store.DB) ([]Alert, error) {
	var rows []Alert
	if err := db.ORM(ctx).Where("closed_at IS NULL").Order("since, id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read open alerts: %w", err)
	}
	return rows, nil
}

// AlertCall is the webhook's next message about an alert.
type AlertCall struct {
	Alert     `gorm:"embedded"`
	CallID    string
	State     string // opened or closed
	CreatedAt time.Time
	Attempts  int
	QueuedFor float64 // seconds
}

// ClaimAlertCall claims the call that has been due the longest, for as long as lease, or nil when none is.
func ClaimAlertCall(ctx context.Context, db *store.DB, lease time.Duration) (*AlertCall, error) {
	var call AlertCall
	result := db.ORM(ctx).Raw(`
		WITH claimed AS (`+casework.CallOutbox.Claim("")+`)
		SELECT a.*, c.id AS call_id, c.state, c.created_at, c.attempts, extract(epoch FROM clock_now() - c.created_at) AS queued_for
		  FROM claimed c JOIN alerts a ON a.id = c.alert_id`, map[string]any{"lease": store.Seconds(lease)}).Scan(&call)
	if result.Error != nil {
		return nil, fmt.Errorf("claim a call: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil
	}
	return &call, nil
}

// AlertCallSent records that the receiver accepted a call.
func AlertCallSent(ctx context.Context, db *store.DB, id string) error {
	return casework.CallOutbox.Sent(ctx, db, id)
}

// AlertCallFailed records why a call was not accepted, as a code, and when it is made again; a wait of zero gives it
// up.
func AlertCallFailed(ctx context.Context, db *store.DB, id, code string, wait time.Duration) error {
	return casework.CallOutbox.Failed(ctx, db, id, code, wait)
}

// overdueChores are those that have not succeeded for longer than limit.
func overdueChores(ctx context.Context, db *store.DB, limit time.Duration) ([]Alert, error) {
	chores, err := chore.Chores(ctx, db)
	var found []Alert
	for i := range chores {
		if chores[i].Age > limit.Seconds() {
			found = append(found, Alert{Kind: AlertChores, Subject: chores[i].Name, Count: 1, Since: chores[i].Since()})
		}
	}
	return found, err
}

// AlertWithoutCore opens an alert when no process checks for problems any more. It runs in a process that does not check;
// the next check closes the alert.
func AlertWithoutCore(ctx context.Context, db *store.DB, limit time.Duration) (overdue bool, err error) {
	found, err := overdueChores(ctx, db, limit)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(found, func(a Alert) bool { return a.Subject == chore.ChoreAlerts })
	if at < 0 {
		return false, nil
	}
	return true, db.Tx(ctx, func(tx *store.DB) error { return openAlert(ctx, tx, &found[at], false) })
}
