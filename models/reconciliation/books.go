package reconciliation

import (
	"context"
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/store"
)

// reconcileBatch is how many postings one step of the walk reads.
const reconcileBatch = 50_000

// BooksCompared is what one step of a comparison did.
type BooksCompared struct {
	More           bool // there is more of the ledger to walk before anything is compared
	Opened, Closed int  // breaks
}

// Reconcile reads what was booked since the last run, and compares: effects on which book and statement differ for
// longer than grace become breaks, and breaks that agree again are closed. A difference counts from the end of the
// provider's last read statement, so that an unreadable one makes no breaks.
func Reconcile(ctx context.Context, db *store.DB, grace time.Duration) (BooksCompared, error) {
	var done BooksCompared
	newest, settled, err := db.Settled(ctx, "postings")
	if err != nil || !settled {
		return BooksCompared{More: err == nil}, err
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		var through int64
		if err := tx.ORM(ctx).Raw("SELECT through_id FROM reconciliation_progress FOR UPDATE").Row().Scan(&through); err != nil {
			return fmt.Errorf("read how far the ledger was walked: %w", err)
		}
		to := min(max(newest, through), through+reconcileBatch)
		if err := takeBooked(ctx, tx, through, to); err != nil {
			return err
		}
		if _, err := rename(ctx, tx, ledger.ProviderKraken, movesSQL); err != nil {
			return err
		}
		if done = (BooksCompared{More: to < newest}); !done.More {
			if done, err = compareEffects(ctx, tx, grace); err != nil {
				return err
			}
		}
		err := tx.ORM(ctx).Exec(`UPDATE reconciliation_progress SET through_id = ?, grace = CAST(? AS interval),
			compared_at = CASE WHEN CAST(? AS boolean) THEN compared_at ELSE clock_now() END`,
			to, store.Seconds(grace), done.More).Error
		if err != nil {
			return fmt.Errorf("note how far the ledger was walked: %w", err)
		}
		return nil
	})
	return done, err
}

// compareEffects closes the breaks that are over, and opens those that are new.
func compareEffects(ctx context.Context, db *store.DB, grace time.Duration) (done BooksCompared, err error) {
	for _, step := range []func(context.Context) (int, error){func(ctx context.Context) (int, error) { return closeAgreed(ctx, db) }, func(ctx context.Context) (int, error) { return closeSettled(ctx, db) }} {
		n, err := step(ctx)
		if err != nil {
			return done, err
		}
		done.Closed += n
	}
	if done.Opened, err = openBreaks(ctx, db, grace); err != nil {
		return done, err
	}
	n, err := openUnsettled(ctx, db)
	done.Opened += n
	return done, err
}

// effectKeySQL names the effect that a group of postings at a provider is about, as the adapters do
// (provider.LineKind): the provider's id of it, from the row that stores it. Other postings are effects of their own,
// which no statement contains: they become a break that says so.
const effectKeySQL = `coalesce(CASE
	WHEN n.group_key LIKE 'statement:%' THEN (SELECT key FROM statement_lines l WHERE l.holder = n.holder AND l.id = substring(n.group_key FROM '^statement:[^:]+:(.*)$') LIMIT 1)
	WHEN n.group_key LIKE 'break:%' THEN (SELECT key FROM reconciliation_breaks b WHERE b.id = CAST(substring(n.group_key FROM '^break:(.*)$') AS uuid))
	WHEN n.event = 'rounded' THEN 'rounding:' || n.currency
	WHEN n.event = 'captured' THEN 'charge:' || (SELECT stripe_payment_intent_id FROM payments p WHERE p.order_id = n.order_id)
	WHEN n.group_key ~ ':refund:[0-9]+' THEN 'refund:' || (SELECT provider_id FROM refunds r WHERE r.order_id = n.order_id AND r.sequence = CAST(substring(n.group_key FROM ':refund:([0-9]+)') AS int))
	WHEN n.group_key ~ ':dispute:[0-9]+' THEN 'dispute:' || (SELECT provider_id FROM disputes d WHERE d.order_id = n.order_id AND d.sequence = CAST(substring(n.group_key FROM ':dispute:([0-9]+)') AS int))
	WHEN n.group_key ~ ':fill:[0-9]+' THEN 'fill:' || coalesce(
	  (SELECT exchange_id FROM exchange_orders e WHERE e.order_id = n.order_id AND e.generation = CAST(substring(n.group_key FROM ':fill:([0-9]+)') AS int)),
	  (SELECT exchange_id FROM exchange_orders e WHERE e.redemption_id = n.matter_id AND e.generation = CAST(substring(n.group_key FROM ':fill:([0-9]+)') AS int)))
	WHEN n.matter = 'treasury_move' THEN (SELECT CASE n.holder WHEN 'kraken' THEN 'move:' || m.id ELSE 'receipt:' || regexp_replace(lower(m.txid), '^0x', '') END FROM treasury_moves m WHERE m.id = n.matter_id)
	WHEN n.group_key LIKE '%:sent:marked%' THEN 'by_hand:' || (SELECT regexp_replace(lower(txid), '^0x', '') FROM orders o WHERE o.id = n.order_id)
	WHEN n.group_key ~ ':sent:[0-9]+' THEN 'transfer:' || coalesce(
	  (SELECT sequence_id FROM withdrawals w WHERE w.order_id = n.order_id AND w.generation = CAST(substring(n.group_key FROM ':sent:([0-9]+)') AS int)),
	  (SELECT sequence_id FROM withdrawals w WHERE w.redemption_id = n.matter_id AND w.generation = CAST(substring(n.group_key FROM ':sent:([0-9]+)') AS int)))
	END, 'booking:' || n.group_key)`

// takeBooked adds the postings of a range to the effects they are about. What
// moves between accounts of one provider changes nothing there, and what the
// company brought in at the start (float_seeded) is no effect of a statement.
func takeBooked(ctx context.Context, db *store.DB, after, through int64) error {
	err := db.ORM(ctx).Exec(`WITH moved AS (SELECT * FROM postings WHERE id > @after AND id <= @through AND event <> 'float_seeded'),
		sides AS (
		  SELECT m.*, holder_of(to_account) AS holder, to_account AS account, amount AS change FROM moved m
		  UNION ALL SELECT m.*, holder_of(from_account), from_account, -amount FROM moved m),
		n AS (
		  SELECT holder, group_key, event, currency, order_id, matter, matter_id, sum(change) AS change, max(at) AS at, max(substring(account FROM ':(.*)$')) AS network
		    FROM sides WHERE holder IS NOT NULL GROUP BY holder, group_key, event, currency, order_id, matter, matter_id HAVING sum(change) <> 0),
		keyed AS (SELECT n.*, `+effectKeySQL+` AS key FROM n)
		INSERT INTO reconciled_effects AS e (holder, key, currency, booked, network, last_at, order_id, matter, matter_id)
		SELECT holder, key, currency, sum(change), max(network), max(at), CAST(max(CAST(order_id AS text)) AS uuid), max(matter), CAST(max(CAST(matter_id AS text)) AS uuid) FROM keyed GROUP BY holder, key, currency
		ON CONFLICT (holder, key, currency) DO UPDATE SET booked = e.booked + excluded.booked, network = coalesce(e.network, excluded.network), last_at = greatest(e.last_at, excluded.last_at),
		  order_id = coalesce(e.order_id, excluded.order_id), matter = coalesce(e.matter, excluded.matter), matter_id = coalesce(e.matter_id, excluded.matter_id)`,
		map[string]any{"after": after, "through": through}).Error
	if err != nil {
		return fmt.Errorf("take up what was booked: %w", err)
	}
	return nil
}

// closeAgreed closes the breaks on which the two sides agree by now.
func closeAgreed(ctx context.Context, db *store.DB) (int, error) {
	done := db.ORM(ctx).Exec(`UPDATE reconciliation_breaks b SET closed_at = clock_now(), outcome = 'agreed', booked = e.booked, told = e.told,
		  wanted_account = NULL, wanted_reason = NULL, wanted_by = NULL, wanted_at = NULL
		FROM reconciled_effects e WHERE b.closed_at IS NULL AND (e.holder, e.key, e.currency) = (b.holder, b.key, b.currency) AND e.booked = e.told AND NOT ` + unsettledBreaks)
	if done.Error != nil {
		return 0, fmt.Errorf("close breaks: %w", done.Error)
	}
	return int(done.RowsAffected), nil
}

// breakRest is how long a booked break is not checked again: its posting is read by the next walk of the ledger.
const breakRest = "interval '10 minutes'"

// noBreakSQL is whether a differing effect e has no break: neither an open one nor one that was just booked. Breaks are
// counted per effect, not anti-joined, so that the many old breaks are not read.
const noBreakSQL = `(SELECT count(*) FROM reconciliation_breaks b
		      WHERE (b.holder, b.key, b.currency) = (e.holder, e.key, e.currency)
		        AND (b.closed_at IS NULL OR b.outcome = 'booked' AND b.closed_at > clock_now() - ` + breakRest + `)) = 0`

// openBreaks opens a break for each effect that has differed for too long. The provider is derived from the poll's
// name, so that the index of differing effects is used.
func openBreaks(ctx context.Context, db *store.DB, grace time.Duration) (int, error) {
	opened := db.ORM(ctx).Exec(`INSERT INTO reconciliation_breaks (holder, key, currency, booked, told)
		SELECT e.holder, e.key, e.currency, e.booked, e.told FROM polls p JOIN reconciled_effects e ON e.holder = split_part(p.name, ' ', 2)
		 WHERE p.name LIKE 'statement %' AND e.booked <> e.told AND e.last_at < p.read_to - CAST(? AS interval)
		   AND `+noBreakSQL+`
		ON CONFLICT DO NOTHING`, store.Seconds(grace))
	if opened.Error != nil {
		return 0, fmt.Errorf("open breaks: %w", opened.Error)
	}
	return int(opened.RowsAffected), nil
}
