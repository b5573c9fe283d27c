package reporting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/referral"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/voucher"
)

// Activity is one of the newest acts of customers. Amount is cents where there is one; Asset and Coins are set for
// what pays coin.
type Activity struct {
	ID        string
	Kind      string // order, gift_card, voucher, payout, kyc or sign_up
	Reference string
	At        time.Time
	Status    string // the kind's own status
	Amount    *money.Units
	Asset     *money.Currency
	Coins     *money.Units
	Label     string // the brand of a gift card
	UserID    string
	Email     string
	FirstName string
	LastName  string
}

// CustomerName is its customer's display name for staff.
func (a *Activity) CustomerName() string {
	return (&people.User{Email: a.Email, FirstName: a.FirstName, LastName: a.LastName}).Name()
}

// RecentActivity lists the newest, each kind by the index of its times.
func RecentActivity(ctx context.Context, db *store.DB, limit int) ([]Activity, error) {
	var rows []Activity
	err := db.ORM(ctx).Raw(`
		SELECT newest.*, users.email, users.first_name, users.last_name FROM (SELECT * FROM (
		  (SELECT id, user_id, 'order' AS kind, reference, created_at AS at, CASE WHEN resolution IS NULL THEN status ELSE resolution END AS status, total AS amount, asset, amount AS coins, '' AS label
		     FROM orders ORDER BY created_at DESC, id DESC LIMIT @limit)
		  UNION ALL (SELECT id, user_id, 'gift_card', reference, created_at, status, value, NULL, NULL, brand_label FROM gift_cards ORDER BY created_at DESC, id DESC LIMIT @limit)
		  UNION ALL (SELECT id, user_id, 'voucher', reference, created_at, status, CASE currency WHEN 'USD' THEN value ELSE base_price END, asset, amount, '' FROM voucher_redemptions ORDER BY created_at DESC, id DESC LIMIT @limit)
		  UNION ALL (SELECT id, user_id, 'payout', reference, created_at, status, amount, NULL, NULL, '' FROM payouts ORDER BY created_at DESC, id DESC LIMIT @limit)
		  UNION ALL (SELECT id, user_id, 'kyc', '', created_at, standing, NULL, NULL, NULL, '' FROM kyc_records ORDER BY created_at DESC, id DESC LIMIT @limit)
		  UNION ALL (SELECT id, id, 'sign_up', '', created_at, 'completed', NULL, NULL, NULL, '' FROM users WHERE closed_at IS NULL ORDER BY created_at DESC, id DESC LIMIT @limit)
		) each_kind ORDER BY at DESC, id DESC LIMIT @limit) newest JOIN users ON users.id = newest.user_id ORDER BY newest.at DESC, newest.id DESC`, map[string]any{"limit": limit}).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read recent activity: %w", err)
	}
	return rows, nil
}

// WaitingQueue is a queue that people work off: how many wait, and since when
// the oldest does.
type WaitingQueue struct {
	Name   string
	Count  int
	Oldest *time.Time
}

// waitingQueue is a queue: the tally that counts it, the query of its oldest row, and its page and roles.
type waitingQueue struct {
	Name, list string
	counts     func(t store.Tallied) bool
	oldest     string
	label      string // in an alert
	page       string // from the site's root
	roles      []string
	// exact counts what no tally does; nil where counts says it all.
	exact func(ctx context.Context, db *store.DB) (int, error)
}

// queueBreaks is the queue of breaks, of which there is an alert of its own.
const queueBreaks = "breaks"

// Queues are what people work off.
var Queues = []waitingQueue{
	{"payments", "payments", func(t store.Tallied) bool { return strings.HasSuffix(t.Facet, "/pending") }, "created_at FROM payments WHERE " + order.ActionablePayment,
		"Payments to decide", "/admin/payments", store.Cashiers, func(ctx context.Context, db *store.DB) (int, error) {
			return order.CountActionablePayments(ctx, db, "")
		}},
	{"orders", "orders", func(t store.Tallied) bool { return order.FromTally(t).Status == order.StatusPaymentApproved }, "created_at FROM orders WHERE status = 'payment_approved'",
		"Paid orders to fulfill", "/admin/orders?status=payment_approved", store.Cashiers, nil},
	{"attention", "orders", func(t store.Tallied) bool { return order.FromTally(t).AttentionReason != nil }, "created_at FROM orders WHERE attention_reason IS NOT NULL",
		"Orders that need a decision", "/admin/orders?attention=true", store.Cashiers, nil},
	{"failed", "orders", func(t store.Tallied) bool { o := order.FromTally(t); return o.FailedOpen() }, "created_at FROM orders WHERE " + order.FailedOrder,
		"Failed orders to retry", "/admin/orders?status=failed&notEnded=true", store.Cashiers, nil},
	{"proposals", "proposals", func(t store.Tallied) bool { return t.Facet == string(casework.ProposalOpen) }, "created_at FROM order_proposals WHERE status = 'open'",
		"Proposals to approve", "/admin/orders?proposed=true", store.Cashiers, nil},
	{"risk", "risk_reviews", func(t store.Tallied) bool { return t.Facet == "open" }, "created_at FROM risk_reviews WHERE closed_at IS NULL",
		"Compliance reviews", "/admin/risk", kyc.KycReviewers, nil},
	{"gift_cards", "gift_cards", func(t store.Tallied) bool { return t.Facet == string(giftcard.CardInReview) }, "created_at FROM gift_cards WHERE status = 'in_review'",
		"Gift cards to review", "/admin/gift-cards?status=in_review", giftcard.CardReviewers, nil},
	{"kyc", "kyc", func(t store.Tallied) bool { return t.Facet == "on_hold" }, "created_at FROM kyc_records WHERE standing = 'on_hold'",
		"Verifications on hold", "/admin/kyc?standing=on_hold", kyc.KycReviewers, nil},
	{"payouts", "payouts", func(t store.Tallied) bool { return t.Facet == "requested" }, "created_at FROM payouts WHERE status = 'requested'",
		"Payouts to approve", "/admin/payouts?status=requested", store.Cashiers, nil},
	{"transfers", "payouts", func(t store.Tallied) bool { return t.Facet == "approved" }, "created_at FROM payouts WHERE status = 'approved'",
		"Payouts to transfer", "/admin/payouts?status=approved", store.Cashiers, nil},
	{"treasury", "treasury_moves", func(t store.Tallied) bool {
		return strings.HasSuffix(t.Facet, "/proposed") || strings.HasSuffix(t.Facet, "/unknown") || strings.HasSuffix(t.Facet, "/differs")
	}, "created_at FROM treasury_moves WHERE status IN ('proposed', 'unknown', 'differs')",
		"Treasury moves to decide", "/admin/treasury", store.Cashiers, nil},
	{"vouchers", "vouchers", func(t store.Tallied) bool { return t.Facet == string(voucher.VoucherAwaiting) }, voucher.OldestActionableVoucher,
		"Vouchers to decide", "/admin/vouchers", voucher.VoucherKeepers, func(ctx context.Context, db *store.DB) (int, error) {
			return voucher.CountActionableVouchers(ctx, db, voucher.VoucherFilter{})
		}},
	{"rewards", "earned", func(t store.Tallied) bool { return t.Facet == string(referral.RewardHeld) }, "created_at FROM rewards WHERE status = 'held' AND order_id IS NOT NULL",
		"Held rewards", "/admin/referrals?status=held", referral.RewardReviewers, nil},
	{queueBreaks, "breaks", func(t store.Tallied) bool { return strings.HasSuffix(t.Facet, "/open") }, "created_at FROM reconciliation_breaks WHERE closed_at IS NULL",
		"Breaks to resolve", "/admin/reconciliation", store.Cashiers, nil},
	{"unplaced", "unplaced_money", func(t store.Tallied) bool { return t.Facet == string(order.UnplacedOpen) }, "created_at FROM unplaced_money WHERE status = 'open'",
		"Unmatched money", "/admin/money", store.Cashiers, nil},
	{"money_proposals", "money_proposals", func(t store.Tallied) bool { return t.Facet == string(casework.ProposalOpen) }, "created_at FROM money_proposals WHERE status = 'open'",
		"Money proposals to approve", "/admin/money", store.Cashiers, nil},
	{"closed_credits", "stranded_credits", func(t store.Tallied) bool { return t.Facet == string(correction.StrandedOpen) }, "created_at FROM stranded_credits WHERE " + ledger.StrandedOpen,
		"Money of closed accounts", "/admin/closed-credits", store.Cashiers, nil},
	{"tickets", "tickets", func(t store.Tallied) bool { return t.Facet == "open" }, "turn_at AS created_at FROM tickets WHERE status = 'open'",
		"Open tickets", "/admin/support?status=open", support.TicketAnswerers, nil},
	{"recoveries", "", func(store.Tallied) bool { return false }, "created_at FROM two_factor_recoveries WHERE " + account.ActionableRecovery,
		"Two-factor resets to decide", "/admin/security", account.Lifters, account.CountActionableRecoveries},
	{"team", "role_proposals", func(t store.Tallied) bool { return t.Facet == string(casework.ProposalOpen) }, "created_at FROM role_proposals WHERE status = 'open'",
		"Role changes to approve", "/admin/team", []string{team.RoleAdmin}, nil},
}

// queueNamed is a queue by its name. One that is listed no more, of an older
// release's alert, is an admin's.
func queueNamed(name string) *waitingQueue {
	for i := range Queues {
		if Queues[i].Name == name {
			return &Queues[i]
		}
	}
	return &waitingQueue{Name: name, label: name, page: "/admin", roles: []string{"admin"}}
}

// tally is how many wait in the queue.
func (q *waitingQueue) tally(counts map[string][]store.Tallied) (n int) {
	for _, t := range counts[q.list] {
		if q.counts(t) {
			n += t.N
		}
	}
	return n
}

// WaitingQueues lists the queues that are not empty, the one with the longest wait first.
func WaitingQueues(ctx context.Context, db *store.DB) ([]WaitingQueue, error) {
	lists, queries := pq.StringArray{}, []string{}
	for _, q := range Queues {
		lists = append(lists, q.list)
		queries = append(queries, fmt.Sprintf("(SELECT '%s' AS name, %s ORDER BY created_at, id LIMIT 1)", q.Name, q.oldest))
	}
	var oldest []struct {
		Name      string
		CreatedAt time.Time
	}
	if err := db.ORM(ctx).Raw("SELECT * FROM (" + strings.Join(queries, " UNION ALL ") + ") o ORDER BY created_at").Scan(&oldest).Error; err != nil {
		return nil, fmt.Errorf("read the oldest of each queue: %w", err)
	}
	counts, err := db.TalliesOf(ctx, lists)
	if err != nil {
		return nil, err
	}
	var waiting []WaitingQueue
	for _, o := range oldest {
		q := queueNamed(o.Name)
		n := q.tally(counts)
		if q.exact != nil {
			if n, err = q.exact(ctx, db); err != nil {
				return nil, err
			}
		}
		waiting = append(waiting, WaitingQueue{Name: o.Name, Count: n, Oldest: &o.CreatedAt})
	}
	return waiting, nil
}

// ProviderAnswer is when a provider last answered the process that holds its
// key, which is named by its task queue, and when it last did not.
type ProviderAnswer struct {
	Queue                string
	AnsweredAt, FailedAt *time.Time
}

// NoteProvider keeps that a provider answered, or did not, so long ago.
func NoteProvider(ctx context.Context, db *store.DB, queue string, answered bool, ago time.Duration) error {
	column := "failed_at"
	if answered {
		column = "answered_at"
	}
	err := db.ORM(ctx).Exec(`INSERT INTO provider_answers (queue, `+column+`) VALUES (?, clock_now() - CAST(? AS interval))
		ON CONFLICT (queue) DO UPDATE SET `+column+` = greatest(provider_answers.`+column+`, excluded.`+column+`)`, queue, store.Seconds(ago)).Error
	if err != nil {
		return fmt.Errorf("note a provider's answer: %w", err)
	}
	return nil
}

// ProviderAnswers reads them by task queue, and the database's time.
func ProviderAnswers(ctx context.Context, db *store.DB) (map[string]ProviderAnswer, time.Time, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	var rows []ProviderAnswer
	if err := db.ORM(ctx).Find(&rows).Error; err != nil {
		return nil, time.Time{}, fmt.Errorf("read when providers answered: %w", err)
	}
	answers := map[string]ProviderAnswer{}
	for _, row := range rows {
		answers[row.Queue] = row
	}
	return answers, now, nil
}
