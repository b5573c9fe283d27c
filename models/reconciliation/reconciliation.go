package reconciliation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// StatementLine is one line of a provider's statement. Key names its effect; Moved is the change of our balance
// there, in base units, or zero.
type StatementLine struct {
	ID, Kind, Key  string
	At             time.Time
	State          string
	Settled        bool
	Network        string
	Ours           string
	TxID, Replaces string
	Moved          map[money.Currency]money.Units
	// Rest is what Moved leaves out, in parts of a base unit: exact less rounded.
	Rest map[money.Currency]decimal.Decimal
}

// statementOverlap is how long before the end of what was read the next reading
// begins: providers may show a line late.
const statementOverlap = 10 * time.Minute

// statementWindow is the most that is read in one run.
const statementWindow = 24 * time.Hour

// unsettledFor is how long a line that is not settled has each reading begin before
// it: some never settle, such as a deposit that was replaced by nothing. Older ones
// are read again once every deepReading, from at most deepestReading back.
const (
	unsettledFor   = 7 * 24 * time.Hour
	deepReading    = 24 * time.Hour
	deepestReading = 90 * 24 * time.Hour
)

// Window is a time to read a statement for. More says that there is more to read
// after it; Deep that it begins before every line that is not settled.
type Window struct {
	From, To time.Time
	More     bool
	Deep     bool
}

func deepPollOf(h ledger.Provider) string { return "unsettled " + string(h) }

// StatementWindow is the next window to read of a provider's statement: from a little before the end of the last
// reading, from the oldest unsettled line of unsettledFor, or once a day from the oldest one of deepestReading. It
// begins before a webhook about a transfer that was declared dead, however old; the first window begins with the
// ledger.
func StatementWindow(ctx context.Context, db *store.DB, h ledger.Provider) (Window, error) {
	var at struct {
		Now            time.Time
		Read           *time.Time
		Began          *time.Time
		OldestUnclosed *time.Time
		OldestDead     *time.Time
		Deep           bool
	}
	err := db.ORM(ctx).Raw(`WITH deep AS (SELECT NOT EXISTS (SELECT FROM polls WHERE name = @deep AND polled_at > clock_now() - CAST(@every AS interval)) AS due)
		SELECT clock_now() AS now, (SELECT read_to FROM polls WHERE name = @poll) AS read, deep.due AS deep,
		(SELECT min(at) FROM statement_lines WHERE holder = @holder AND NOT settled
		  AND at > clock_now() - CASE WHEN deep.due THEN CAST(@deepest AS interval) ELSE CAST(@patience AS interval) END) AS oldest_unclosed,
		(SELECT min(l.at) FROM webhook_inbox i JOIN withdrawals w ON w.status = 'dead' AND i.subject IN (w.transfer_id, w.approval_id, w.sequence_id)
		   JOIN statement_lines l ON l.holder = i.provider AND l.key = 'transfer:' || w.sequence_id
		  WHERE i.provider = @holder AND i.handled_at IS NULL) AS oldest_dead,
		(SELECT at FROM postings ORDER BY id LIMIT 1) AS began FROM deep`,
		map[string]any{"poll": h.StatementPoll(), "deep": deepPollOf(h), "holder": h, "every": store.Seconds(deepReading), "deepest": store.Seconds(deepestReading), "patience": store.Seconds(unsettledFor)}).Scan(&at).Error
	if err != nil {
		return Window{}, fmt.Errorf("read how far statements were read: %w", err)
	}
	from := at.Now
	switch {
	case at.Read != nil:
		from = *at.Read
	case at.Began != nil:
		from = *at.Began
	}
	w := Window{From: from.Add(-statementOverlap), To: at.Now}
	if end := from.Add(statementWindow); end.Before(w.To) {
		w.To, w.More = end, true
	}
	for _, from := range []*time.Time{at.OldestUnclosed, at.OldestDead} {
		if from != nil && from.Before(w.From) {
			w.From = from.Add(-time.Second)
		}
	}
	w.Deep = at.Deep
	return w, nil
}

// effectOf is a line's effect as it is compared: one that is named by a transaction is named as money.TransactionKey
// names it, since a wallet's statement and the exchange write the same transaction in different ways. effectKeySQL does
// the same to what is booked.
func effectOf(key string) string {
	kind, id, _ := strings.Cut(key, ":")
	if kind == "receipt" || kind == "by_hand" {
		return kind + ":" + money.TransactionKey(id)
	}
	return key
}

// TakeStatement stores what a provider said of a window. Its own charges, and its payouts to our bank, are booked in
// the same transaction; known lines are updated, and a repeated reading changes nothing.
func TakeStatement(ctx context.Context, db *store.DB, h ledger.Provider, w Window, lines []StatementLine) (news int, err error) {
	for i := range lines {
		lines[i].Key = effectOf(lines[i].Key)
	}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, h.StatementPoll()); err != nil {
			return err
		}
		news = 0
		for part := range slices.Chunk(lines, 500) {
			changed, err := storeLines(ctx, tx, h, part)
			if err != nil {
				return err
			}
			news += len(changed)
			if err := bookLines(ctx, tx, h, changed); err != nil {
				return err
			}
			if err := bookRests(ctx, tx, h, changed); err != nil {
				return err
			}
			if err := recordEffects(ctx, tx, h, changed); err != nil {
				return err
			}
		}
		if err := followReplacements(ctx, tx, h); err != nil {
			return err
		}
		if w.Deep {
			if err := tx.ReadTo(ctx, deepPollOf(h), w.To); err != nil {
				return err
			}
		}
		if err := correction.AnswerDeadNotices(ctx, tx, h, w.To); err != nil {
			return err
		}
		return tx.ReadTo(ctx, h.StatementPoll(), w.To)
	})
	return news, err
}

// changedLine is a line that is new, or says something new.
type changedLine struct {
	ID, Kind, Key string
	Currency      money.Currency
	Amount        money.Units
	Fresh         bool
	More          decimal.Decimal // by how much its rest has grown
}

// stillSettled is whether a line that is read again is settled. One that a person has
// ended stays so while its provider says the same of it.
const stillSettled = "(excluded.settled OR l.settled AND l.state = excluded.state)"

// storeLines writes lines, a row a currency, and gives the rows that are news. A list
// paged by offset repeats a line when a newer one arrives between two pages: the last
// reading of it counts.
func storeLines(ctx context.Context, db *store.DB, h ledger.Provider, lines []StatementLine) ([]changedLine, error) {
	type row struct {
		line     string
		currency money.Currency
	}
	last := map[row]int{}
	for i, l := range lines {
		for currency := range l.Moved {
			last[row{l.ID, currency}] = i
		}
	}
	var places []string
	var values []any
	for i, l := range lines {
		for _, currency := range slices.Sorted(maps.Keys(l.Moved)) {
			if last[row{l.ID, currency}] != i {
				continue
			}
			places = append(places, "(?, ?, ?, CAST(? AS numeric), ?, ?, CAST(? AS timestamptz), ?, CAST(? AS boolean), ?, ?, ?, ?, CAST(? AS numeric))")
			values = append(values, h, l.ID, currency, l.Moved[currency], l.Kind, l.Key, l.At, l.State, l.Settled, none(l.Network), none(l.Ours), none(l.TxID), none(l.Replaces), l.Rest[currency].String())
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	var changed []changedLine
	// What is read beside what is written is as it was before.
	err := db.ORM(ctx).Raw(`WITH told AS (INSERT INTO statement_lines AS l (holder, id, currency, amount, kind, key, at, state, settled, network, ours, txid, replaces, rest)
		VALUES `+strings.Join(places, ", ")+`
		ON CONFLICT (holder, id, currency) DO UPDATE SET amount = excluded.amount, kind = excluded.kind,
		  key = CASE WHEN l.replaces IS NULL THEN excluded.key ELSE l.key END,
		  state = excluded.state, settled = `+stillSettled+`, txid = excluded.txid, replaces = excluded.replaces, rest = excluded.rest, read_at = clock_now()
		WHERE (l.amount, l.state, l.settled, l.txid, l.rest) IS DISTINCT FROM (excluded.amount, excluded.state, `+stillSettled+`, excluded.txid, excluded.rest)
		RETURNING id, kind, key, currency, amount, rest, xmax = 0 AS fresh)
		SELECT told.*, told.rest - coalesce(before.rest, 0) AS more FROM told
		  LEFT JOIN statement_lines before ON before.holder = ? AND before.id = told.id AND before.currency = told.currency`, append(values, h)...).Scan(&changed).Error
	if err != nil {
		return nil, fmt.Errorf("store a statement: %w", err)
	}
	return changed, nil
}

// none is nil for an empty text.
func none(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// bookedAtOnce are the lines that the ledger learns of from the statement: the provider's own charges, and its
// payouts to our bank.
var bookedAtOnce = map[string]struct{ event, account string }{
	"fee":    {"provider_fee", ledger.AccountProviderFee},
	"payout": {"paid_out", ledger.AccountBank},
}

func bookLines(ctx context.Context, db *store.DB, h ledger.Provider, lines []changedLine) error {
	for _, l := range lines {
		rule, ours := bookedAtOnce[l.Kind]
		if !ours || !l.Fresh {
			continue
		}
		about := ledger.StoredPosting{Event: rule.event, GroupKey: "statement:" + string(h) + ":" + l.ID}
		if err := ledger.PostAbout(ctx, db, about, ledger.MovedPostings(h.Account(""), rule.account, l.Currency, l.Amount)); err != nil {
			return err
		}
	}
	return nil
}

// recordEffects sums up what statements report of the effects of lines.
func recordEffects(ctx context.Context, db *store.DB, h ledger.Provider, lines []changedLine) error {
	keys := pq.StringArray{}
	for _, l := range lines {
		keys = append(keys, l.Key)
	}
	return sumReported(ctx, db, h, keys)
}

func sumReported(ctx context.Context, db *store.DB, h ledger.Provider, keys pq.StringArray) error {
	if len(keys) == 0 {
		return nil
	}
	err := db.ORM(ctx).Exec(`WITH sums AS (
		  SELECT key, currency, sum(amount) AS told, max(network) AS network, max(at) AS last_at FROM statement_lines WHERE holder = @holder AND key = ANY(@keys) GROUP BY key, currency
		  UNION ALL SELECT key, currency, 0, NULL, last_at FROM reconciled_effects e WHERE holder = @holder AND key = ANY(@keys)
		    AND NOT EXISTS (SELECT FROM statement_lines l WHERE l.holder = e.holder AND l.key = e.key AND l.currency = e.currency))
		INSERT INTO reconciled_effects AS e (holder, key, currency, told, network, last_at) SELECT @holder, key, currency, told, network, last_at FROM sums
		ON CONFLICT (holder, key, currency) DO UPDATE SET told = excluded.told, network = coalesce(e.network, excluded.network), last_at = greatest(e.last_at, excluded.last_at)`,
		map[string]any{"holder": h, "keys": keys}).Error
	if err != nil {
		return fmt.Errorf("sum up a statement: %w", err)
	}
	return nil
}

// mostReplacements bounds how often the fee of one transfer is raised.
const mostReplacements = 20

// replacedSQL finds the lines of transactions that replaced another's, and the effect of that one: the two are one
// transfer of ours.
const replacedSQL = `SELECT n.id, n.currency, n.key AS old, o.key FROM statement_lines n JOIN statement_lines o ON o.holder = n.holder AND o.txid = n.replaces AND o.currency = n.currency
	WHERE n.holder = @holder AND n.replaces IS NOT NULL AND n.key <> o.key`

func followReplacements(ctx context.Context, db *store.DB, h ledger.Provider) error {
	for range mostReplacements {
		changed, err := rename(ctx, db, h, replacedSQL)
		if err != nil || !changed {
			return err
		}
	}
	return nil
}

// movesSQL finds withdrawals at the exchange that are moves of ours: a move is booked before the exchange gives it a
// reference, so its key is its own id.
const movesSQL = `SELECT l.id, l.currency, l.key AS old, 'move:' || m.id AS key FROM reconciled_effects e
	JOIN treasury_moves m ON m.exchange_ref = substr(e.key, 10) JOIN statement_lines l ON l.holder = e.holder AND l.key = e.key
	WHERE e.holder = @holder AND e.key LIKE 'withdraw:%' AND e.booked <> e.told`

// rename gives lines another effect, as a query finds them (id, currency, old, key), and sums both up again.
func rename(ctx context.Context, db *store.DB, h ledger.Provider, late string) (changed bool, err error) {
	var keys pq.StringArray
	err = db.ORM(ctx).Raw(`WITH late AS (`+late+`),
		moved AS (UPDATE statement_lines n SET key = late.key FROM late WHERE n.holder = @holder AND n.id = late.id AND n.currency = late.currency RETURNING n.id)
		SELECT coalesce(array_agg(DISTINCT k), '{}') FROM late, unnest(ARRAY[old, key]) k WHERE (SELECT count(*) FROM moved) >= 0`,
		map[string]any{"holder": h}).Row().Scan(&keys)
	if err != nil {
		return false, fmt.Errorf("name the effects of a statement: %w", err)
	}
	return len(keys) > 0, sumReported(ctx, db, h, keys)
}
