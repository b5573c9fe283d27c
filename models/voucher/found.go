package voucher

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// vouchersFound finds vouchers by what staff typed: a reference or an id of one,
// of its redemption or of its batch, or how an id begins; the last four digits of
// a code; or a name or an address of who redeemed. Each key is an index of its
// own, and what is found is bounded, as in foundIn.
func vouchersFound(ctx context.Context, db *store.DB, typed string) (pq.StringArray, error) {
	typed = strings.TrimSpace(typed)
	first, last := store.IDRange(typed)
	customers, err := people.CustomersNamed(ctx, db, typed)
	if err != nil {
		return nil, err
	}
	ids := pq.StringArray{}
	err = db.CustomPlans(ctx).Raw(`SELECT coalesce(array_agg(id), '{}') FROM (SELECT id FROM (
		SELECT id, created_at FROM vouchers WHERE reference = @upper
		UNION (SELECT id, created_at FROM vouchers WHERE last4 = @typed ORDER BY created_at DESC, id DESC LIMIT @most)
		UNION SELECT id, created_at FROM vouchers WHERE id BETWEEN CAST(@first AS uuid) AND CAST(@last AS uuid)
		UNION SELECT id, created_at FROM vouchers WHERE batch_id BETWEEN CAST(@first AS uuid) AND CAST(@last AS uuid)
		UNION SELECT v.id, v.created_at FROM voucher_redemptions r JOIN vouchers v ON v.id = r.voucher_id WHERE r.reference = @upper
		UNION (SELECT v.id, v.created_at FROM voucher_redemptions r JOIN vouchers v ON v.redemption_id = r.id WHERE r.user_id = ANY(CAST(@customers AS uuid[]))
		        ORDER BY r.created_at DESC, r.id DESC LIMIT @most)) f ORDER BY created_at DESC, id DESC LIMIT @most) newest`,
		map[string]any{"upper": strings.ToUpper(typed), "typed": typed, "first": first, "last": last, "customers": customers, "most": people.QueueFindsMost}).Row().Scan(&ids)
	if err != nil {
		return nil, fmt.Errorf("search vouchers: %w", err)
	}
	return ids, nil
}

// VoucherCounts are the figures of the statistics card; amounts are cents.
type VoucherCounts struct {
	ByStatus      map[VoucherStatus]int
	Values        map[VoucherStatus]money.Units
	Total         int
	RedeemedToday int
	TodayValue    money.Units
	Sent          int
	Restored      int
	Waiting       int // redemptions that wait for a person
}

// CountVouchers counts vouchers and redemptions without reading them.
func CountVouchers(ctx context.Context, db *store.DB) (VoucherCounts, error) {
	counts := VoucherCounts{ByStatus: map[VoucherStatus]int{}, Values: map[VoucherStatus]money.Units{}}
	vouchers, err := db.Tally(ctx, "vouchers", "")
	if err != nil {
		return counts, err
	}
	for _, f := range vouchers {
		counts.ByStatus[VoucherStatus(f.Facet)], counts.Values[VoucherStatus(f.Facet)] = f.N, f.Amount
		counts.Total += f.N
	}
	redemptions, err := db.Tally(ctx, "redemptions", "")
	if err != nil {
		return counts, err
	}
	for _, f := range redemptions {
		switch FromTally(f).Status {
		case RedemptionSent:
			counts.Sent += f.N
		case RedemptionRestored:
			counts.Restored += f.N
		case RedemptionAccepted, RedemptionFulfilling, RedemptionFilled:
		}
	}
	now, err := db.Now(ctx)
	if err != nil {
		return counts, err
	}
	days, err := db.Tally(ctx, "redeemed", "")
	if err != nil {
		return counts, err
	}
	for _, day := range days {
		if day.Facet == now.UTC().Format(time.DateOnly) {
			counts.RedeemedToday, counts.TodayValue = day.N, day.Amount
		}
	}
	err = db.ORM(ctx).Raw("SELECT count(*) FROM voucher_redemptions WHERE closed_at IS NULL AND attention_reason IS NOT NULL").Row().Scan(&counts.Waiting)
	if err != nil {
		return counts, fmt.Errorf("count what waits: %w", err)
	}
	return counts, nil
}

// CountVouchersFound counts by status the vouchers that match a filter without its status. Those that wait for a
// person are not counted.
func CountVouchersFound(ctx context.Context, db *store.DB, f VoucherFilter) (store.Counts[VoucherStatus], error) {
	counts := store.Counts[VoucherStatus]{ByStatus: map[VoucherStatus]int{}}
	var facets []store.Tallied
	var err error
	switch {
	case f.Query != "":
		var ids pq.StringArray
		if ids, err = vouchersFound(ctx, db, f.Query); err != nil {
			return counts, err
		}
		err = countVouchers(ctx, db, &facets, "id = ANY(CAST(? AS uuid[])) AND (batch_id = ? OR ?)", ids, nullable(f.BatchID), f.BatchID == "")
	case f.BatchID != "":
		err = countVouchers(ctx, db, &facets, "batch_id = ?", f.BatchID)
	default:
		facets, err = db.Tally(ctx, "vouchers by currency", "")
	}
	for _, t := range facets {
		status, currency, _ := strings.Cut(t.Facet, "/")
		if f.Currency == "" || string(f.Currency) == currency {
			counts.ByStatus[VoucherStatus(status)] += t.N
			counts.Total += t.N
		}
	}
	return counts, err
}

// CountWaitingVouchers counts the vouchers of a filter whose redemption waits for a person, or is reviewed by one.
func CountWaitingVouchers(ctx context.Context, db *store.DB, f VoucherFilter) (int, error) {
	return countRedemptions(ctx, db, f, "r.closed_at IS NULL AND r.attention_reason IS NOT NULL")
}

// countRedemptions counts the vouchers of a filter by a condition of the
// redemption r that counts.
func countRedemptions(ctx context.Context, db *store.DB, f VoucherFilter, condition string) (int, error) {
	query, err := f.narrow(ctx, db, db.CustomPlans(ctx).Table("voucher_redemptions r").Joins("JOIN vouchers ON vouchers.redemption_id = r.id").Where(condition))
	if err != nil {
		return 0, err
	}
	var counted int64
	if err := query.Count(&counted).Error; err != nil {
		return 0, fmt.Errorf("count what waits: %w", err)
	}
	return int(counted), nil
}

// countVouchers counts the few vouchers of a condition by status and currency.
func countVouchers(ctx context.Context, db *store.DB, facets *[]store.Tallied, condition string, args ...any) error {
	err := db.ORM(ctx).Raw("SELECT status || '/' || currency AS facet, count(*) AS n, sum(usd_value) AS amount FROM vouchers WHERE "+condition+" GROUP BY 1", args...).Scan(facets).Error
	if err != nil {
		return fmt.Errorf("count vouchers: %w", err)
	}
	return nil
}

// nullable is an id, or NULL for none.
func nullable(id string) any {
	if id == "" {
		return nil
	}
	return id
}

// StaffBatch is a batch with the actors who made, approved and voided it, and the number and the worth in cents of
// its vouchers by status.
type StaffBatch struct {
	VoucherBatch  `gorm:"embedded"`
	MakerEmail    string
	ApproverEmail *string
	AskerEmail    *string
	VoiderEmail   *string
	Counts        store.Counts[VoucherStatus] `gorm:"-"`
}

const staffBatches = `voucher_batches.*, m.email AS maker_email, a.email AS approver_email, q.email AS asker_email, e.email AS voider_email FROM voucher_batches
	JOIN users m ON m.id = voucher_batches.created_by LEFT JOIN users a ON a.id = voucher_batches.approved_by
	LEFT JOIN users q ON q.id = voucher_batches.asked_by LEFT JOIN users e ON e.id = voucher_batches.voided_by`

// VoucherBatches is one page of batches, newest first, with how many there are.
func VoucherBatches(ctx context.Context, db *store.DB, p store.Page) (rows []StaffBatch, next *store.Cursor, total int, err error) {
	sql, args := "SELECT "+staffBatches, []any{}
	if p.After != nil {
		sql, args = sql+" WHERE (voucher_batches.created_at, voucher_batches.id) < (?, ?)", append(args, p.After.At, p.After.ID)
	}
	sql += " ORDER BY voucher_batches.created_at DESC, voucher_batches.id DESC LIMIT ?"
	if err := db.CustomPlans(ctx).Raw(sql, append(args, p.Limit+1)...).Scan(&rows).Error; err != nil {
		return nil, nil, 0, fmt.Errorf("read batches: %w", err)
	}
	rows, next = store.Cut(rows, p, func(b StaffBatch) store.Cursor { return store.Cursor{At: b.CreatedAt, ID: b.ID} })
	all, err := db.Tally(ctx, "voucher batches", "")
	for _, t := range all {
		total += t.N
	}
	if err != nil {
		return nil, nil, 0, err
	}
	return rows, next, total, countBatches(ctx, db, rows)
}

// ReadStaffBatch reads one batch as staff see it.
func ReadStaffBatch(ctx context.Context, db *store.DB, id string) (*StaffBatch, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Batch")
	}
	var rows []StaffBatch
	if err := db.ORM(ctx).Raw("SELECT "+staffBatches+" WHERE voucher_batches.id = ?", id).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read batch: %w", err)
	}
	if len(rows) == 0 {
		return nil, store.NotFound("Batch")
	}
	return &rows[0], countBatches(ctx, db, rows)
}

// countBatches sums up the vouchers of batches by status, without reading them.
func countBatches(ctx context.Context, db *store.DB, batches []StaffBatch) error {
	ids := pq.StringArray{}
	for i := range batches {
		ids = append(ids, batches[i].ID)
		batches[i].Counts = store.Counts[VoucherStatus]{ByStatus: map[VoucherStatus]int{}, Sums: map[VoucherStatus]money.Units{}}
	}
	var rows []struct {
		Owner, Facet string
		N            int
		Amount       money.Units
	}
	err := db.ORM(ctx).Raw(`SELECT owner, facet, sum(n) AS n, sum(amount) AS amount FROM (
		SELECT owner, facet, n, amount FROM tallies WHERE list = 'voucher batch' AND owner = ANY(CAST(@ids AS uuid[]))
		UNION ALL SELECT owner, facet, n, amount FROM tally_changes WHERE list = 'voucher batch' AND owner = ANY(CAST(@ids AS uuid[]))) t
		GROUP BY owner, facet`, map[string]any{"ids": ids}).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("count batches: %w", err)
	}
	for _, row := range rows {
		for i := range batches {
			if batches[i].ID == row.Owner {
				c := &batches[i].Counts
				c.ByStatus[VoucherStatus(row.Facet)], c.Sums[VoucherStatus(row.Facet)] = row.N, row.Amount
				c.Total += row.N
			}
		}
	}
	return nil
}
