package reporting

import (
	"context"
	"fmt"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/treasury"
)

// Vital is one figure of the business for external monitoring: its labels are constants of ours, without personal
// data or ids.
type Vital struct {
	Name, Help string
	Labels     map[string]string
	Value      float64
}

type vitals []Vital

func (v *vitals) add(name, help string, value float64, labels ...string) {
	one := Vital{Name: name, Help: help, Value: value, Labels: map[string]string{}}
	for i := 0; i+1 < len(labels); i += 2 {
		one.Labels[labels[i]] = labels[i+1]
	}
	*v = append(*v, one)
}

// Vitals reads the present figures, from tallies and indexes of open rows.
func Vitals(ctx context.Context, db *store.DB, limits AlertLimits) ([]Vital, error) {
	var v vitals
	for _, read := range []func(context.Context, *store.DB, AlertLimits) error{v.orders, v.queues, v.alerts, v.ages, v.statements, v.float, v.books, v.webhooks, v.histories, v.replication} {
		if err := read(ctx, db, limits); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *vitals) orders(ctx context.Context, db *store.DB, _ AlertLimits) error {
	var rows []struct {
		Status, Rail string
		N, Oldest    float64
	}
	err := db.ORM(ctx).Raw(`SELECT status, payment_method AS rail, count(*) AS n, extract(epoch FROM clock_now() - min(moved_at)) AS oldest
		FROM orders WHERE closed_at IS NULL GROUP BY 1, 2`).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("count open orders: %w", err)
	}
	for _, r := range rows {
		v.add("orders_open", "Open orders by status and rail.", r.N, "status", r.Status, "rail", r.Rail)
		v.add("orders_oldest_seconds", "Time since the order moved that has stood longest, by status and rail.", r.Oldest, "status", r.Status, "rail", r.Rail)
	}
	return nil
}

func (v *vitals) queues(ctx context.Context, db *store.DB, _ AlertLimits) error {
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	waiting, err := WaitingQueues(ctx, db)
	if err != nil {
		return err
	}
	count, oldest := map[string]int{}, map[string]float64{}
	for _, q := range waiting {
		count[q.Name], oldest[q.Name] = q.Count, now.Sub(*q.Oldest).Seconds()
	}
	for _, q := range Queues {
		v.add("queue_waiting", "How many wait in a queue that people work off.", float64(count[q.Name]), "queue", q.Name)
		v.add("queue_oldest_seconds", "How long the first of a queue has waited.", oldest[q.Name], "queue", q.Name)
	}
	return nil
}

func (v *vitals) alerts(ctx context.Context, db *store.DB, _ AlertLimits) error {
	open, err := OpenAlerts(ctx, db)
	if err != nil {
		return err
	}
	count := map[AlertKind]int{}
	for _, a := range open {
		count[a.Kind]++
	}
	for _, kind := range AlertKinds {
		v.add("alerts_open", "Alerts that are open, by kind.", float64(count[kind]), "kind", string(kind))
	}
	return nil
}

// ages are how old prices are, and for how long providers have not answered.
func (v *vitals) ages(ctx context.Context, db *store.DB, limits AlertLimits) error {
	markets, err := pricing.Markets(ctx, db)
	if err != nil {
		return err
	}
	answers, now, err := ProviderAnswers(ctx, db)
	if err != nil {
		return err
	}
	for _, asset := range limits.Offer.Coins() {
		if m := markets[asset]; m != nil && m.PricedAt != nil {
			v.add("price_age_seconds", "Time since a price was read.", now.Sub(*m.PricedAt).Seconds(), "asset", string(asset))
		}
	}
	for queue := range providerRoles {
		silent := 0.0
		if a := answers[queue]; a.FailedAt != nil && a.AnsweredAt != nil && a.FailedAt.After(*a.AnsweredAt) {
			silent = now.Sub(*a.AnsweredAt).Seconds()
		}
		v.add("provider_silent_seconds", "Time since a provider answered that was asked since; 0 while it answers.", silent, "worker", queue)
	}
	return nil
}

func (v *vitals) statements(ctx context.Context, db *store.DB, _ AlertLimits) error {
	holders, err := ledger.Providers(ctx, db)
	if err != nil {
		return err
	}
	for _, holder := range holders {
		var ages []float64
		err := db.ORM(ctx).Raw(`SELECT extract(epoch FROM clock_now() - least(read_to, polled_at)) FROM polls WHERE name = ?`, holder.StatementPoll()).Scan(&ages).Error
		if err != nil {
			return fmt.Errorf("read the age of a statement: %w", err)
		}
		for _, age := range ages {
			v.add("statement_age_seconds", "Time up to which a provider's statement was not read.", age, "holder", string(holder))
		}
	}
	return nil
}

// float is our own coin and dollars at the providers, in whole units.
func (v *vitals) float(ctx context.Context, db *store.DB, limits AlertLimits) error {
	coverage, err := treasury.TreasuryCoverage(ctx, db, limits.Treasury)
	if err != nil {
		return err
	}
	for i := range coverage {
		c := &coverage[i]
		for part, amount := range map[string]money.Units{"free": c.Free, "reserved": c.Reserved, "needed": c.Needed, "in_transit": c.InTransit} {
			v.add("wallet_coins", "Coin of a wallet: free, reserved for what is being sent, needed for what is paid, on its way.", c.Asset.Decimal(amount).InexactFloat64(),
				"asset", string(c.Asset), "network", c.Network, "part", part)
		}
	}
	books, err := treasury.PlatformBalances(ctx, db, ledger.AccountExchange)
	if err != nil {
		return err
	}
	v.add("exchange_dollars", "Our dollars at the exchange.", money.USD.Decimal(books[ledger.AccountExchange][money.USD]).InexactFloat64())
	return nil
}

func (v *vitals) books(ctx context.Context, db *store.DB, _ AlertLimits) error {
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	totals, err := ledger.Statement(ctx, db, now)
	if err != nil {
		return err
	}
	v.add("ledger_faults", "Accounts on their wrong side, and currencies that do not sum to zero.", float64(len(ledger.CheckTrialBalance(totals))))
	return nil
}

func (v *vitals) webhooks(ctx context.Context, db *store.DB, _ AlertLimits) error {
	var rows []struct {
		Provider  string
		N, Oldest float64
	}
	err := db.ORM(ctx).Raw(`SELECT provider, count(*) AS n, extract(epoch FROM clock_now() - min(received_at)) AS oldest FROM webhook_inbox
		WHERE handled_at IS NULL AND num_nonnulls(order_id, redemption_id) > 0 GROUP BY provider`).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("count webhooks that wait: %w", err)
	}
	waiting, oldest := map[string]float64{}, map[string]float64{}
	senders, err := ledger.Providers(ctx, db)
	if err != nil {
		return err
	}
	for _, sender := range senders {
		waiting[string(sender)] = 0 // a gauge that is zero is there
	}
	for _, r := range rows {
		waiting[r.Provider], oldest[r.Provider] = r.N, r.Oldest
	}
	for provider, n := range waiting {
		v.add("webhooks_waiting", "Webhooks about open orders that are not acted on.", n, "provider", provider)
		v.add("webhook_oldest_seconds", "Time since the first of them came.", oldest[provider], "provider", provider)
	}
	return nil
}

// histories is how long closed orders wait for their histories to be kept, which Temporal forgets after its retention.
func (v *vitals) histories(ctx context.Context, db *store.DB, _ AlertLimits) error {
	var oldest float64
	if err := db.Row(ctx, `SELECT coalesce(extract(epoch FROM clock_now() - min(due_at)), 0) FROM histories_due`).Scan(&oldest); err != nil {
		return fmt.Errorf("read since when histories are due: %w", err)
	}
	v.add("histories_due_seconds", "How long the first closed order has waited for its histories to be kept.", max(0, oldest))
	return nil
}

// replication is what Postgres keeps for its replicas, backup among them.
func (v *vitals) replication(ctx context.Context, db *store.DB, _ AlertLimits) error {
	var behind float64
	err := db.Row(ctx, `SELECT coalesce(max(CASE WHEN wal_status = 'lost' THEN 'Infinity' ELSE CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) AS float8) END), 0)
		FROM pg_replication_slots`).Scan(&behind)
	if err != nil {
		return fmt.Errorf("read replication slots: %w", err)
	}
	v.add("replication_behind_bytes", "What the replication slot that is furthest behind has yet to receive; infinite where it is not there any more.", behind)
	return nil
}
