package reconciliation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// BreakCause is what a break most likely comes from, as a code.
type BreakCause string

// The likely causes of breaks.
const (
	CauseCapturedThere    BreakCause = "captured_there"     // captured at the processor, without a signal to us
	CauseUnknownPayment   BreakCause = "unknown_payment"    // a payment without an order
	CauseNotCaptured      BreakCause = "not_captured_there" // booked as captured, and not captured
	CauseRefundedThere    BreakCause = "refunded_there"     // money was refunded that is not booked
	CauseRefundMissing    BreakCause = "refund_missing"     // booked as refunded, and not refunded
	CauseDispute          BreakCause = "dispute_moved"      // a dispute moved other amounts than are booked
	CauseBoughtTwice      BreakCause = "bought_twice"       // two orders at the exchange bear one identity of ours
	CausePurchaseLost     BreakCause = "purchase_lost"      // bought for an order that does not know of it
	CauseTradedByHand     BreakCause = "traded_by_hand"     // without an order of ours
	CausePurchaseMissing  BreakCause = "purchase_missing"   // booked as bought, and unknown to the exchange
	CauseSentUnreported   BreakCause = "sent_untold"        // a transfer of ours is on the network, and not booked
	CauseSentByHand       BreakCause = "sent_by_hand"       // coin left a wallet without an order
	CauseSentElsewhere    BreakCause = "sent_elsewhere"     // marked as sent with a transaction the custodian does not know
	CauseTransferMissing  BreakCause = "transfer_missing"   // booked as sent, and not on the network
	CauseFeeUnbooked      BreakCause = "fee_unbooked"       // the network's fee of a transfer marked as sent by hand
	CauseCoinArrived      BreakCause = "coin_arrived"       // coin came into a wallet without a transfer of ours
	CauseMovedAtExchange  BreakCause = "moved_at_exchange"  // money or coin arrived at the exchange, or left it
	CauseAdjustment       BreakCause = "adjustment"         // a line of a kind that is not ours
	CauseBookedAlone      BreakCause = "booked_alone"       // a booking that no statement contains
	CauseDifferentAmounts BreakCause = "different_amounts"  // both know of it, with other amounts
	CauseNeverSettled     BreakCause = "never_settled"      // a line of the statement that has not become final
	CauseUnread           BreakCause = "unread"             // a line of the statement that could not be read
)

// BreakCauses lists them.
var BreakCauses = []BreakCause{CauseCapturedThere, CauseUnknownPayment, CauseNotCaptured, CauseRefundedThere, CauseRefundMissing, CauseDispute, CauseBoughtTwice,
	CausePurchaseLost, CauseTradedByHand, CausePurchaseMissing, CauseSentUnreported, CauseSentByHand, CauseSentElsewhere, CauseTransferMissing, CauseFeeUnbooked,
	CauseCoinArrived, CauseMovedAtExchange, CauseAdjustment, CauseBookedAlone, CauseDifferentAmounts, CauseNeverSettled, CauseUnread}

// StaffBreak is a break as staff see it, with its subject and the actors.
type StaffBreak struct {
	Break     `gorm:"embedded"`
	LastAt    time.Time // the newest that either side says
	OrderID   *string
	Reference *string // the order's, the redemption's or the move's
	Matter    *string
	MatterID  *string
	Known     bool // a row of ours has the identity in the statement
	Twice     bool // another line of the statement bears it too
	// OppositeID is another open break that now has the same amount with the opposite sign: probably the other side of
	// one transaction. Nil without one.
	OppositeID *string
	// Network is the wallet's, of coin in custody. LineID is its newest line in the statement, by its provider's id.
	Network, LineID *string

	WantedEmail, ClosedEmail *string
	// Whose the order or the redemption is.
	CustomerID, CustomerEmail *string
}

// Cause says what the break most likely comes from.
func (b *StaffBreak) Cause() BreakCause {
	switch {
	case b.Kind() == Unread:
		return CauseUnread
	case b.Unsettled():
		return CauseNeverSettled
	case b.Told.IsZero():
		return onlyBooked(b.Kind())
	case b.Booked.IsZero():
		return b.onlyReported()
	case b.Kind() == "dispute":
		return CauseDispute
	case b.Kind() == "by_hand":
		return CauseFeeUnbooked
	}
	return CauseDifferentAmounts
}

func onlyBooked(kind string) BreakCause {
	cause, known := map[string]BreakCause{"charge": CauseNotCaptured, "refund": CauseRefundMissing, "dispute": CauseDispute, "fill": CausePurchaseMissing,
		"transfer": CauseTransferMissing, "by_hand": CauseSentElsewhere}[kind]
	if !known {
		return CauseBookedAlone
	}
	return cause
}

func (b *StaffBreak) onlyReported() BreakCause {
	mine := b.OrderID != nil || b.MatterID != nil || b.Known
	switch b.Kind() {
	case "charge":
		return pick(mine, CauseCapturedThere, CauseUnknownPayment)
	case "refund":
		return CauseRefundedThere
	case "dispute":
		return CauseDispute
	case "fill":
		return pick(b.Twice, CauseBoughtTwice, pick(mine, CausePurchaseLost, CauseTradedByHand))
	case "transfer":
		return pick(mine, CauseSentUnreported, CauseSentByHand)
	case "by_hand":
		return pick(mine, CauseFeeUnbooked, CauseSentByHand)
	case "receipt":
		return CauseCoinArrived
	case "withdraw", "deposit":
		return CauseMovedAtExchange
	}
	return CauseAdjustment
}

func pick[V any](yes bool, this, that V) V {
	if yes {
		return this
	}
	return that
}

// BreakFilter narrows a list of breaks.
type BreakFilter struct {
	Closed bool
	Holder ledger.Provider // empty for all
}

// breakRowsSQL adds to breaks what they are about: found by what the effect is
// known by, since a break that is not booked has no order of its own.
const breakRowsSQL = `SELECT b.id, b.holder, b.key, b.currency, b.created_at, b.wanted_account, b.wanted_reason, b.wanted_by, b.wanted_at, b.closed_at, b.outcome, b.account, b.reason, b.closed_by,
	CASE WHEN b.closed_at IS NULL THEN e.booked ELSE b.booked END AS booked, CASE WHEN b.closed_at IS NULL THEN e.told ELSE b.told END AS told,
	e.last_at, coalesce(e.order_id, about.order_id) AS order_id, coalesce(e.matter, CASE WHEN about.redemption_id IS NOT NULL THEN 'voucher' END) AS matter, coalesce(e.matter_id, about.redemption_id) AS matter_id,
	coalesce(o.reference, r.reference, m.reference) AS reference, u.id AS customer_id, u.email AS customer_email, about.subject IS NOT NULL AS known, coalesce(twice.there, false) AS twice, opposite.id AS opposite_id, e.network, entry.id AS line_id, w.email AS wanted_email, c.email AS closed_email
	FROM chosen b JOIN reconciled_effects e ON (e.holder, e.key, e.currency) = (b.holder, b.key, b.currency)
	LEFT JOIN LATERAL (SELECT ours FROM statement_lines l WHERE l.holder = b.holder AND l.key = b.key AND l.ours IS NOT NULL LIMIT 1) line ON true
	LEFT JOIN LATERAL (SELECT id FROM statement_lines l WHERE l.holder = b.holder AND l.key = b.key
	   ORDER BY at DESC, id LIMIT 1) entry ON true
	LEFT JOIN LATERAL (
	  SELECT 1 AS subject, order_id, CAST(NULL AS uuid) AS redemption_id FROM payments WHERE b.key LIKE 'charge:%' AND stripe_payment_intent_id = substr(b.key, 8)
	  UNION ALL SELECT 1, order_id, NULL FROM refunds WHERE b.key LIKE 'refund:%' AND provider_id = substr(b.key, 8)
	  UNION ALL SELECT 1, order_id, NULL FROM disputes WHERE b.key LIKE 'dispute:%' AND provider_id = substr(b.key, 9)
	  UNION ALL SELECT 1, order_id, redemption_id FROM exchange_orders WHERE b.key LIKE 'fill:%' AND client_id = CASE WHEN line.ours ~ '^[0-9a-f-]{36}$' THEN CAST(line.ours AS uuid) END
	  UNION ALL SELECT 1, order_id, redemption_id FROM withdrawals WHERE b.key LIKE 'transfer:%' AND sequence_id = substr(b.key, 10)
	  LIMIT 1) about ON true
	LEFT JOIN LATERAL (SELECT true AS there FROM statement_lines l WHERE b.key LIKE 'fill:%' AND l.holder = b.holder AND l.ours = line.ours AND l.key <> b.key LIMIT 1) twice ON true
	LEFT JOIN LATERAL (SELECT p.id FROM reconciled_effects pe
	    JOIN reconciliation_breaks p ON (p.holder, p.key, p.currency) = (pe.holder, pe.key, pe.currency)
	   WHERE b.closed_at IS NULL AND p.closed_at IS NULL AND e.told <> e.booked AND pe.booked <> pe.told
	     AND pe.currency = b.currency AND pe.told - pe.booked = e.booked - e.told
	   ORDER BY p.created_at, p.id LIMIT 1) opposite ON true
	LEFT JOIN orders o ON o.id = coalesce(e.order_id, about.order_id)
	LEFT JOIN voucher_redemptions r ON r.id = coalesce(e.matter_id, about.redemption_id)
	LEFT JOIN treasury_moves m ON e.matter = 'treasury_move' AND m.id = e.matter_id
	LEFT JOIN users u ON u.id = coalesce(o.user_id, r.user_id)
	LEFT JOIN users w ON w.id = b.wanted_by LEFT JOIN users c ON c.id = b.closed_by`

// Breaks lists open breaks, oldest first, or closed ones, newest first.
func Breaks(ctx context.Context, db *store.DB, f BreakFilter, page store.Page) ([]StaffBreak, *store.Cursor, error) {
	page.OldestFirst = !f.Closed
	chosen := db.ORM(ctx).Table("reconciliation_breaks").Where("closed_at IS NULL")
	if f.Closed {
		chosen = db.ORM(ctx).Table("reconciliation_breaks").Where("closed_at IS NOT NULL")
	}
	if f.Holder != "" {
		chosen = chosen.Where("holder = ?", f.Holder)
	}
	var rows []StaffBreak
	order := " ORDER BY b.created_at DESC, b.id DESC"
	if page.OldestFirst {
		order = " ORDER BY b.created_at, b.id"
	}
	if err := db.ORM(ctx).Raw("WITH chosen AS (?) "+breakRowsSQL+order, page.In(chosen, "reconciliation_breaks")).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read breaks: %w", err)
	}
	rows, next := store.Cut(rows, page, func(b StaffBreak) store.Cursor { return store.Cursor{At: b.CreatedAt, ID: b.ID} })
	return rows, next, nil
}

// OneBreak reads a break.
func OneBreak(ctx context.Context, db *store.DB, id string) (*StaffBreak, error) {
	if _, err := store.RowByID[Break](ctx, db, id, "Break"); err != nil {
		return nil, err
	}
	var row StaffBreak
	err := db.ORM(ctx).Raw("WITH chosen AS (SELECT * FROM reconciliation_breaks WHERE id = ?) "+breakRowsSQL, id).Scan(&row).Error
	if err != nil {
		return nil, fmt.Errorf("read break: %w", err)
	}
	return &row, nil
}

// ReportedLine is a line of a statement as it is shown.
type ReportedLine struct {
	ID, Kind, State string
	At              time.Time
	Currency        money.Currency
	Amount          money.Units
	Ours            *string
	TxID            *string
}

// ReconciliationStatus is how far one provider's statement was read, and what does not
// agree.
type ReconciliationStatus struct {
	Holder    ledger.Provider
	ReadTo    *time.Time // the end of what was read
	Open      int        // breaks
	OldestAt  *time.Time
	Agreed    int // breaks that time closed
	Booked    int // breaks that a person closed
	Unsettled int // lines that may still change
	// Differing are the effects before ReadTo on which the two differ, and that are no break yet. BreakAt is when the
	// first of them becomes one.
	Differing int
	BreakAt   *time.Time
}

// Reconciliation is the state of statements and books.
type Reconciliation struct {
	Now        time.Time
	ComparedAt *time.Time
	Holders    []ReconciliationStatus
}

// ReconciliationNow reads the state of statements and books.
func ReconciliationNow(ctx context.Context, db *store.DB) (*Reconciliation, error) {
	var out Reconciliation
	if err := db.Row(ctx, "SELECT clock_now(), compared_at FROM reconciliation_progress").Scan(&out.Now, &out.ComparedAt); err != nil {
		return nil, fmt.Errorf("read when was compared: %w", err)
	}
	holders, err := ledger.Providers(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, h := range holders {
		status := ReconciliationStatus{Holder: h}
		err := db.Row(ctx, `SELECT p.read_to, p.oldest, p.unsettled,
			  count(e.key), min(e.last_at) + (SELECT grace FROM reconciliation_progress)
			FROM (SELECT (SELECT read_to FROM polls WHERE name = $1) AS read_to,
			  (SELECT min(created_at) FROM reconciliation_breaks WHERE closed_at IS NULL AND holder = $2) AS oldest,
			  (SELECT count(DISTINCT id) FROM statement_lines WHERE holder = $2 AND NOT settled) AS unsettled) p
			LEFT JOIN reconciled_effects e ON e.holder = $2 AND e.booked <> e.told AND e.last_at <= p.read_to AND `+noBreakSQL+`
			GROUP BY p.read_to, p.oldest, p.unsettled`, h.StatementPoll(), string(h)).
			Scan(&status.ReadTo, &status.OldestAt, &status.Unsettled, &status.Differing, &status.BreakAt)
		if err != nil {
			return nil, fmt.Errorf("read how %s stands: %w", h, err)
		}
		out.Holders = append(out.Holders, status)
	}
	counts, err := db.TalliesOf(ctx, []string{"breaks"})
	if err != nil {
		return nil, err
	}
	for i := range out.Holders {
		out.Holders[i].count(counts["breaks"])
	}
	return &out, nil
}

func (s *ReconciliationStatus) count(counts []store.Tallied) {
	for _, t := range counts {
		holder, state, _ := strings.Cut(t.Facet, "/")
		if holder != string(s.Holder) {
			continue
		}
		switch state {
		case BreakAgreed:
			s.Agreed += t.N
		case BreakBooked:
			s.Booked += t.N
		default:
			s.Open += t.N
		}
	}
}

// Count is how many breaks a list of them has.
func (r *Reconciliation) Count(f BreakFilter) (n int) {
	for _, h := range r.Holders {
		switch {
		case f.Holder != "" && f.Holder != h.Holder:
		case f.Closed:
			n += h.Agreed + h.Booked
		default:
			n += h.Open
		}
	}
	return n
}

// Accounts are those that can bear the break's difference.
func (b *Break) Accounts() []string {
	var fit []string
	for _, account := range BreakAccounts {
		if b.mayBear(account) == nil {
			fit = append(fit, account)
		}
	}
	return fit
}

// BookedAt reads the postings at the break's provider, in its currency, of what it
// is about; of a booking that is about nothing, its group.
func BookedAt(ctx context.Context, db *store.DB, b *StaffBreak, limit int) ([]ledger.StoredPosting, error) {
	query := db.ORM(ctx).Where("currency = ? AND ? IN (holder_of(from_account), holder_of(to_account))", b.Currency, b.Holder).Order("id").Limit(limit)
	switch {
	case b.OrderID != nil:
		query = query.Where("order_id = ?", *b.OrderID)
	case b.MatterID != nil:
		query = query.Where("matter_id = ?", *b.MatterID)
	default:
		query = query.Where("group_key = ?", b.Subject())
	}
	var rows []ledger.StoredPosting
	if err := query.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the postings of a break: %w", err)
	}
	return rows, nil
}

// ReportedFor reads what a provider's statement says of an effect, in one currency.
func ReportedFor(ctx context.Context, db *store.DB, b *Break) ([]ReportedLine, error) {
	var rows []ReportedLine
	err := db.ORM(ctx).Raw("SELECT id, kind, state, at, currency, amount, ours, txid AS tx_id FROM statement_lines WHERE holder = ? AND currency = ? AND (key = ? OR id = ?) ORDER BY at, id LIMIT 100",
		b.Holder, b.Currency, b.Key, pick(b.Unsettled(), b.Subject(), "")).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the statement of an effect: %w", err)
	}
	return rows, nil
}
