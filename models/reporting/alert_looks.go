package reporting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// problems are the conditions that have lasted longer than allowed, each read by its own indexed query. Of the kinds
// in unknown the query failed: their alerts stay open.
func problems(ctx context.Context, db *store.DB, limits AlertLimits) (found []Alert, unknown []AlertKind, failed error) {
	now, err := db.Now(ctx)
	if err != nil {
		return nil, AlertKinds, err
	}
	take := func(kind AlertKind, more []Alert, err error) {
		if err != nil {
			unknown, failed = append(unknown, kind), errors.Join(failed, fmt.Errorf("look for %s: %w", kind, err))
			return
		}
		found = append(found, more...)
	}
	for _, check := range []struct {
		kind  AlertKind
		limit time.Duration
		find  func(context.Context, time.Time) ([]Alert, error)
	}{
		{AlertPrices, limits.Prices, func(ctx context.Context, then time.Time) ([]Alert, error) {
			return stalePrices(ctx, db, then, limits.Offer)
		}}, {AlertProvider, limits.Provider, func(ctx context.Context, then time.Time) ([]Alert, error) { return silentProviders(ctx, db, then) }}, {AlertQueue, limits.Queue, func(ctx context.Context, then time.Time) ([]Alert, error) { return ageingQueues(ctx, db, then) }},
		{AlertOrders, limits.Orders, func(ctx context.Context, then time.Time) ([]Alert, error) { return stuckOrders(ctx, db, then) }}, {AlertBreaks, limits.Breaks, func(ctx context.Context, then time.Time) ([]Alert, error) { return openBreaksOf(ctx, db, then) }}, {AlertStatements, limits.Statements, func(ctx context.Context, then time.Time) ([]Alert, error) { return unreadStatements(ctx, db, then) }},
		{AlertBooks, limits.Books, func(ctx context.Context, then time.Time) ([]Alert, error) { return wrongBooks(ctx, db, then) }}, {AlertWebhooks, limits.Webhooks, func(ctx context.Context, then time.Time) ([]Alert, error) { return webhookBacklog(ctx, db, then) }}, {AlertMails, limits.Mails, func(ctx context.Context, then time.Time) ([]Alert, error) { return mailsGivenUp(ctx, db, then) }},
		{AlertApprovers, limits.Approvers, func(ctx context.Context, then time.Time) ([]Alert, error) { return unapprovable(ctx, db, then) }},
		{AlertRevived, limits.Revived, func(ctx context.Context, then time.Time) ([]Alert, error) { return revivedTransfers(ctx, db, then) }},
	} {
		if check.limit > 0 {
			more, err := check.find(ctx, now.Add(-check.limit))
			take(check.kind, more, err)
		}
	}
	if limits.Chores > 0 {
		more, err := overdueChores(ctx, db, limits.Chores)
		take(AlertChores, more, err)
	}
	low, err := lowWallets(ctx, db, now, limits.Treasury)
	dollars, wrong := lowDollars(ctx, db, now, limits)
	take(AlertTreasury, append(low, dollars...), errors.Join(err, wrong))
	return found, unknown, failed
}

// exchangeDollars is the subject of an alert about our dollars at the exchange.
const exchangeDollars = "USD at Kraken"

// lowDollars is whether the exchange holds fewer dollars of ours than it must.
func lowDollars(ctx context.Context, db *store.DB, now time.Time, limits AlertLimits) ([]Alert, error) {
	least, err := leastDollars(ctx, db, limits)
	if err != nil || least.Sign() <= 0 {
		return nil, err
	}
	books, err := treasury.PlatformBalances(ctx, db, ledger.AccountExchange)
	if err != nil || books[ledger.AccountExchange][money.USD].Cmp(least) >= 0 {
		return nil, err
	}
	return []Alert{{Kind: AlertTreasury, Subject: exchangeDollars, Count: 1, Since: now}}, nil
}

// leastDollars is what the exchange must hold of ours, in cents.
func leastDollars(ctx context.Context, db *store.DB, limits AlertLimits) (money.Units, error) {
	if limits.Dollars != nil {
		return *limits.Dollars, nil
	}
	if limits.DollarsPercent == 0 {
		return money.Units{}, nil
	}
	float, err := treasury.BookedFloat(ctx, db)
	return treasury.PercentOf(money.USD, float[ledger.AccountExchange][money.USD], limits.DollarsPercent), err
}

// cardMoney is the subject of the alert about the lists of refunds and disputes at the card processor. It is also the
// name of their poll (activities.MoneyPoll).
const cardMoney = "stripe_money"

// unreadStatements are the holders whose statement was last read up to a moment before then, or was last requested
// before; or never, although chores ran before then. The lists of refunds and disputes are read like a statement.
func unreadStatements(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT subject, 1 AS count, since FROM (
		SELECT n.subject, coalesce(least(p.read_to, p.polled_at), (SELECT min(created_at) FROM chores)) AS since
		  FROM (SELECT name AS subject, @statement || name AS poll FROM providers UNION ALL SELECT @money, @money) n
		  LEFT JOIN polls p ON p.name = n.poll) s
		WHERE since < @then ORDER BY subject`,
		map[string]any{"statement": ledger.Provider("").StatementPoll(), "money": cardMoney, "then": then}).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read how far statements were read: %w", err)
	}
	return ofKind(AlertStatements, found), nil
}

func ofKind(kind AlertKind, found []Alert) []Alert {
	for i := range found {
		found[i].Kind = kind
	}
	return found
}

// wrongBooks are protected accounts that stood on their wrong side then and do now,
// and currencies that do not sum to zero. It reads the last snapshot and what was
// booked since, never the whole ledger.
func wrongBooks(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	past, err := ledger.Statement(ctx, db, then)
	if err != nil {
		return nil, err
	}
	totals, err := ledger.Statement(ctx, db, now)
	if err != nil {
		return nil, err
	}
	before := ledger.CheckTrialBalance(past)
	found, err := forgedPayments(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, what := range ledger.CheckTrialBalance(totals) {
		subject, _, _ := strings.Cut(what, " by ")
		subject, _, _ = strings.Cut(subject, ": ")
		if slices.ContainsFunc(before, func(was string) bool { return strings.HasPrefix(was, subject) }) {
			found = append(found, Alert{Kind: AlertBooks, Subject: subject, Count: 1, Since: then})
		}
	}
	return found, nil
}

// forgedPayments are payments that no worker booked: an alert at once, since custody sends nothing for them.
func forgedPayments(ctx context.Context, db *store.DB) ([]Alert, error) {
	found := Alert{Kind: AlertBooks, Subject: "payments booked by the API"}
	if err := db.Row(ctx, order.PaidByTheAPI).Scan(&found.Count, &found.Since); err != nil {
		return nil, fmt.Errorf("find payments that the API booked: %w", err)
	}
	if found.Count == 0 {
		return nil, nil
	}
	return []Alert{found}, nil
}

// webhookBacklog are the providers with webhooks about open orders and redemptions that were received before then
// without effect.
func webhookBacklog(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT provider AS subject, count(*) AS count, min(received_at) AS since FROM webhook_inbox
		WHERE handled_at IS NULL AND received_at < ? AND num_nonnulls(order_id, redemption_id) > 0 GROUP BY provider ORDER BY provider`, then).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find webhooks that wait: %w", err)
	}
	return ofKind(AlertWebhooks, found), nil
}

// mailsGivenUp are the mails and calls that were given up since then. Withdrawn mails are excluded.
func mailsGivenUp(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT 'mails' AS subject, count(*) AS count, min(given_up_at) AS since FROM mails WHERE given_up_at > @then AND last_error IS DISTINCT FROM @replaced HAVING count(*) > 0
		UNION ALL SELECT 'alert_calls', count(*), min(given_up_at) FROM alert_calls WHERE given_up_at > @then HAVING count(*) > 0`, map[string]any{"then": then, "replaced": casework.MailReplaced}).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find mails that were given up: %w", err)
	}
	return ofKind(AlertMails, found), nil
}

// revivedTransfers are those that were declared dead and confirmed nonetheless: booked
// since then, or not yet.
func revivedTransfers(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT CASE WHEN order_id IS NULL THEN 'vouchers' ELSE 'orders' END AS subject, count(*) AS count, min(at) AS since,
		  CASE WHEN count(DISTINCT order_id) = 1 THEN CAST(min(CAST(order_id AS text)) AS uuid) END AS about FROM (
		  SELECT w.order_id, w.revived_at AS at FROM withdrawals w WHERE w.revived_at > ?
		  UNION ALL SELECT w.order_id, l.read_at FROM `+correction.ConfirmedDead+`) r GROUP BY 1 ORDER BY 1`, then).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find transfers that are dead no more: %w", err)
	}
	return ofKind(AlertRevived, found), nil
}

// lowWallets are the wallets below their threshold, or that do not cover what is
// paid for, with what is on its way to them.
func lowWallets(ctx context.Context, db *store.DB, now time.Time, limits treasury.Thresholds) ([]Alert, error) {
	if limits == nil {
		return nil, nil
	}
	coverage, err := treasury.TreasuryCoverage(ctx, db, limits)
	if err != nil {
		return nil, err
	}
	var found []Alert
	for i := range coverage {
		if c := &coverage[i]; c.Low() || c.After().Add(c.InTransit).Sign() < 0 {
			found = append(found, Alert{Kind: AlertTreasury, Subject: c.Wallet.String(), Count: max(1, c.Waiting), Since: now})
		}
	}
	return found, nil
}

// stalePrices are the assets whose price was read before then. One that was
// never read is a new installation's.
func stalePrices(ctx context.Context, db *store.DB, then time.Time, offer money.Offer) ([]Alert, error) {
	markets, err := pricing.Markets(ctx, db)
	if err != nil {
		return nil, err
	}
	var found []Alert
	for _, asset := range offer.Coins() {
		if m := markets[asset]; m != nil && m.PricedAt != nil && m.PricedAt.Before(then) {
			found = append(found, Alert{Kind: AlertPrices, Subject: string(asset), Count: 1, Since: *m.PricedAt})
		}
	}
	return found, nil
}

// silentProviders are those that were read and did not answer since then.
func silentProviders(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	answers, _, err := ProviderAnswers(ctx, db)
	if err != nil {
		return nil, err
	}
	var found []Alert
	for queue := range providerRoles {
		a := answers[queue]
		if a.FailedAt != nil && a.AnsweredAt != nil && a.FailedAt.After(*a.AnsweredAt) && a.AnsweredAt.Before(then) {
			found = append(found, Alert{Kind: AlertProvider, Subject: queue, Count: 1, Since: *a.AnsweredAt})
		}
	}
	return found, nil
}

// ageingQueues are the queues with an entry that has waited since before then.
func ageingQueues(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	waiting, err := WaitingQueues(ctx, db)
	if err != nil {
		return nil, err
	}
	var found []Alert
	for _, q := range waiting {
		if q.Oldest.Before(then) && q.Name != queueBreaks { // breaks have an alert of their own
			found = append(found, Alert{Kind: AlertQueue, Subject: q.Name, Count: q.Count, Since: *q.Oldest})
		}
	}
	return found, nil
}

// What the subject of an alert begins with that is not about the status of orders:
// redemptions of vouchers, moves of coin, refunds of ours, and decisions, about payouts,
// orders, gift cards and other cases.
const (
	stuckVoucher  = "voucher_"
	stuckMove     = "move_"
	stuckRefund   = "refund_"
	stuckPayout   = "payout_"
	stuckDecision = "decision_"
	stuckCard     = "card_"
	stuckCase     = "matter_"
)

// unreadPayouts is the subject of the alert about unconfirmed payouts of a restored backup: no deadline ends one before
// staff have read the bank's statement.
const unreadPayouts = stuckPayout + "unconfirmed"

// stuckAtMost bounds how many orders of a state are counted.
const stuckAtMost = 1_000

// stuckOrders are orders, redemptions and moves that should progress automatically and have not since then, however
// often a step was tried; decisions that were not executed; and refunds of ours that have not ended. A refund in
// progress at Stripe has a day more, and so has its decision. What needs review is in a queue instead.
func stuckOrders(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT status AS subject, count(*) AS count, min(moved_at) AS since FROM (
		(SELECT status, moved_at FROM orders WHERE closed_at IS NULL AND status IN ('fulfilling', 'filled') AND attention_reason IS NULL AND moved_at < @then LIMIT @most)
		UNION ALL (SELECT @voucher || status, moved_at FROM voucher_redemptions WHERE closed_at IS NULL AND attention_reason IS NULL AND moved_at < @then LIMIT @most)
		UNION ALL (SELECT @move || status, moved_at FROM treasury_moves WHERE status IN ('approved', 'sending', 'sent') AND moved_at < @then LIMIT @most)
		UNION ALL (SELECT CASE matter WHEN 'payout' THEN @payout ELSE @matter || matter || '_' END || kind, created_at FROM matter_decisions WHERE settled_at IS NULL AND created_at < @then LIMIT @most)
		UNION ALL (SELECT @unread, restored_at FROM payouts WHERE status = 'unconfirmed' AND restored_at < @then LIMIT @most)
		UNION ALL (SELECT @card || kind, created_at FROM gift_card_decisions WHERE settled_at IS NULL AND created_at < @then LIMIT @most)
		UNION ALL (SELECT @decision || kind, created_at FROM decisions d WHERE settled_at IS NULL AND created_at < @then
			AND NOT EXISTS (SELECT FROM refunds r WHERE r.order_id = d.order_id AND r.decision_id = d.id AND r.done_at IS NULL) LIMIT @most)
		UNION ALL (SELECT @refund || status, created_at FROM refunds WHERE done_at IS NULL AND origin = 'ours'
			AND created_at < CAST(@then AS timestamptz) - CASE status WHEN 'pending' THEN interval '1 day' ELSE interval '0' END LIMIT @most)) o
		GROUP BY status ORDER BY status`, map[string]any{"then": then, "most": stuckAtMost, "voucher": stuckVoucher, "move": stuckMove, "payout": stuckPayout, "unread": unreadPayouts,
		"matter": stuckCase, "card": stuckCard, "decision": stuckDecision, "refund": stuckRefund}).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find orders that stand still: %w", err)
	}
	for i := range found {
		found[i].Kind = AlertOrders
	}
	return found, nil
}

// openBreaksOf are the holders on whose statement the ledger has not agreed since
// before then.
func openBreaksOf(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	var found []Alert
	err := db.ORM(ctx).Raw(`SELECT holder AS subject, count(*) AS count, min(created_at) AS since, CASE WHEN count(*) = 1 THEN max(CAST(id AS text)) END AS about FROM reconciliation_breaks
		WHERE closed_at IS NULL AND created_at < ? GROUP BY holder ORDER BY holder`, then).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find open breaks: %w", err)
	}
	for i := range found {
		found[i].Kind = AlertBreaks
	}
	return found, nil
}
