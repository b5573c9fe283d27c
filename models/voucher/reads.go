package voucher

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

// FromTally is one row of the redemptions' tally, by column.
func FromTally(t store.Tallied) Redemption {
	status, asset, _ := strings.Cut(t.Facet, "/")
	return Redemption{Status: RedemptionStatus(status), Asset: money.Currency(asset)}
}

// VoucherState is a redemption as its workflow reads it: states and amounts, nothing personal.
type VoucherState struct {
	Summary    string           `json:"summary"`
	Status     RedemptionStatus `json:"status"`
	Attention  string           `json:"attention,omitempty"`
	Waits      bool             `json:"waits,omitempty"`      // is stopped until a person decides
	Decisions  []string         `json:"decisions,omitempty"`  // what can be decided then
	TransferOn bool             `json:"transferOn,omitempty"` // custody has the transfer
	Closed     bool             `json:"closed,omitempty"`
	Paused     bool             `json:"paused,omitempty"` // it waits for a switch to be turned back
	GoesOn     bool             `json:"goesOn,omitempty"` // which it is
}

// ReadVoucherState reads the state of a redemption.
func ReadVoucherState(ctx context.Context, db *store.DB, id string) (VoucherState, error) {
	r, err := ReadRedemption(ctx, db, id)
	if err != nil {
		return VoucherState{}, err
	}
	return voucherState(ctx, db, r)
}

// voucherState reads beyond the row only what its status needs.
func voucherState(ctx context.Context, db *store.DB, r *Redemption) (state VoucherState, err error) {
	state = VoucherState{Summary: r.Sentence(), Status: r.Status, Attention: store.Text(r.AttentionReason), Waits: r.Waits(), Decisions: VoucherDecisions(r),
		Closed: r.ClosedAt != nil, Paused: store.Text(r.AttentionReason) == casework.AttentionPaused}
	if !state.Closed && (r.Status == RedemptionFilled || r.Status == RedemptionSent) {
		err = db.Row(ctx, `SELECT EXISTS (SELECT FROM withdrawals WHERE redemption_id = $1 AND (transfer_id IS NOT NULL OR approval_id IS NOT NULL)
			AND status IN ('awaiting_approval', 'signed', 'broadcast', 'confirmed', 'removed', 'replaced'))`, r.ID).Scan(&state.TransferOn)
	}
	if state.Paused && err == nil {
		state.GoesOn, err = pricing.Is(ctx, db, "voucher_redemptions r", pricing.GoesOnRedemption, r.ID)
	}
	if err != nil {
		return VoucherState{}, fmt.Errorf("read where the redemption stands: %w", err)
	}
	return state, nil
}

// Redemptions is one page of a customer's redemptions, newest first.
func Redemptions(ctx context.Context, db *store.DB, userID string, p store.Page) ([]Redemption, *store.Cursor, error) {
	var rows []Redemption
	query := db.ORM(ctx).Model(&Redemption{}).Where("voucher_redemptions.user_id = ?", userID)
	if err := p.In(query, "voucher_redemptions").Find(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read redemptions: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r Redemption) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// CountRedemptions counts all of a customer's redemptions.
func CountRedemptions(ctx context.Context, db *store.DB, userID string) (int, error) {
	facets, err := db.Tally(ctx, "redemptions", userID)
	total := 0
	for _, f := range facets {
		total += f.N
	}
	return total, err
}

const staffVoucher = "vouchers.*, m.email AS maker_email, a.email AS approver_email, u.email AS redeemer_email, d.id AS decision_id, d.kind AS decision_kind, d.created_at AS decision_at"

// StaffVoucher is a voucher with its maker, and its redemption that counts.
type StaffVoucher struct {
	Voucher       `gorm:"embedded"`
	MakerEmail    string
	ApproverEmail *string
	RedeemerEmail *string
	DecisionID    *string
	DecisionKind  *string
	DecisionAt    *time.Time
	Since         time.Time   // its sort key in the list
	Redemption    *Redemption `gorm:"-"`
	// TransferRemoved is whether custody last called its transfer removed.
	TransferRemoved bool `gorm:"-"`
}

// WaitsSince is since when staff can act on a voucher; nil when they cannot.
func (v *StaffVoucher) WaitsSince() *time.Time {
	switch r := v.Redemption; {
	case v.Status == VoucherAwaiting:
		return &v.CreatedAt
	case r != nil && r.ClosedAt == nil && r.Waits():
		return r.AttentionSince
	}
	return nil
}

// VoucherFilter narrows the list of vouchers. Empty fields do not narrow.
type VoucherFilter struct {
	Status  VoucherStatus
	Waiting bool // only those whose redemption waits for a person
	// Actionable is only what staff can act on now, the longest wait first.
	Actionable bool
	Currency   money.Currency
	Query      string // what vouchersFound understands
	BatchID    string
}

// narrow applies all but what a redemption waits for to a query over vouchers.
func (f VoucherFilter) narrow(ctx context.Context, db *store.DB, query *gorm.DB) (*gorm.DB, error) {
	if f.Status != "" {
		query = query.Where("vouchers.status = ?", f.Status)
	}
	if f.Currency != "" {
		query = query.Where("vouchers.currency = ?", f.Currency)
	}
	if f.BatchID != "" {
		query = query.Where("vouchers.batch_id = ?", f.BatchID)
	}
	if f.Query != "" {
		ids, err := vouchersFound(ctx, db, f.Query)
		if err != nil {
			return nil, err
		}
		query = query.Where("vouchers.id = ANY(CAST(? AS uuid[]))", ids)
	}
	return query, nil
}

// Vouchers is one page of vouchers, newest first; of what staff can act on, the
// longest wait first.
func Vouchers(ctx context.Context, db *store.DB, f VoucherFilter, p store.Page) ([]StaffVoucher, *store.Cursor, error) {
	query := db.CustomPlans(ctx).Table("vouchers").
		Joins("JOIN users m ON m.id = vouchers.created_by").Joins("LEFT JOIN users a ON a.id = vouchers.approved_by").
		Joins("LEFT JOIN voucher_redemptions r ON r.id = vouchers.redemption_id").Joins("LEFT JOIN users u ON u.id = r.user_id").
		Joins("LEFT JOIN matter_decisions d ON d.matter = ? AND d.matter_id = r.id AND d.settled_at IS NULL", KindVoucher)
	if f.Waiting {
		query = query.Where("vouchers.redemption_id IS NOT NULL AND r.closed_at IS NULL AND r.attention_reason IS NOT NULL")
	}
	query, err := f.page(ctx, db, query, p)
	if err != nil {
		return nil, nil, err
	}
	var rows []StaffVoucher
	if err := query.Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read vouchers: %w", err)
	}
	rows, next := store.Cut(rows, p, func(v StaffVoucher) store.Cursor { return store.Cursor{At: v.Since, ID: v.ID} })
	return rows, next, attachRedemptions(ctx, db, rows)
}

// page narrows a query over vouchers to a page, with each row's sort key as since.
func (f VoucherFilter) page(ctx context.Context, db *store.DB, query *gorm.DB, p store.Page) (*gorm.DB, error) {
	if f.Actionable {
		return f.walkActionable(ctx, db, query.Select(staffVoucher+", w.since"), p)
	}
	query, err := f.narrow(ctx, db, query.Select(staffVoucher+", vouchers.created_at AS since"))
	if err != nil {
		return nil, err
	}
	return p.In(query, "vouchers"), nil
}

// attachRedemptions reads the redemptions that count of a page of vouchers.
func attachRedemptions(ctx context.Context, db *store.DB, rows []StaffVoucher) error {
	ids := []string{}
	for i := range rows {
		if rows[i].RedemptionID != nil {
			ids = append(ids, *rows[i].RedemptionID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var redemptions []Redemption
	if err := db.ORM(ctx).Where("id IN ?", ids).Find(&redemptions).Error; err != nil {
		return fmt.Errorf("read redemptions: %w", err)
	}
	var removed []string
	if err := db.ORM(ctx).Model(&execution.Withdrawal{}).Where("redemption_id IN ? AND status = ?", ids, execution.TransferRemoved).Pluck("redemption_id", &removed).Error; err != nil {
		return fmt.Errorf("read removed transfers: %w", err)
	}
	byID := map[string]*Redemption{}
	for i := range redemptions {
		byID[redemptions[i].ID] = &redemptions[i]
	}
	for i := range rows {
		id := store.Text(rows[i].RedemptionID)
		rows[i].Redemption, rows[i].TransferRemoved = byID[id], slices.Contains(removed, id)
	}
	return nil
}

// EachVoucher calls fn with every voucher that can be handed out, newest first,
// a page at a time.
func EachVoucher(ctx context.Context, db *store.DB, batchID string, fn func(*Voucher) error) error {
	active := VoucherFilter{Status: VoucherActive, BatchID: batchID}
	return store.EachPage(func(after *store.Cursor) ([]StaffVoucher, *store.Cursor, error) {
		return Vouchers(ctx, db, active, store.Page{After: after, Limit: store.ExportPage})
	}, func(v *StaffVoucher) error { return fn(&v.Voucher) })
}

// VoucherRecord is the staff view of a redemption.
type VoucherRecord struct {
	Events    []casework.StoredEvent
	Decisions []casework.CaseDecision
	Postings  []ledger.StoredPosting
	Transfers []execution.Withdrawal
}

// ReadVoucherRecord reads all of it.
func ReadVoucherRecord(ctx context.Context, db *store.DB, redemptionID string) (record VoucherRecord, err error) {
	if record.Events, err = casework.CaseEvents(ctx, db, KindVoucher, redemptionID); err != nil {
		return record, err
	}
	if record.Decisions, err = casework.CaseDecisions.Of(KindVoucher).List(ctx, db, redemptionID); err != nil {
		return record, err
	}
	if record.Postings, err = ledger.PostingsOf(ctx, db, string(KindVoucher), redemptionID); err != nil {
		return record, err
	}
	if err := db.ORM(ctx).Where("redemption_id = ?", redemptionID).Order("generation").Find(&record.Transfers).Error; err != nil {
		return record, fmt.Errorf("read transfers: %w", err)
	}
	return record, nil
}

// UnhandledVoucherSignals finds webhooks about open redemptions without effect yet.
func UnhandledVoucherSignals(ctx context.Context, db *store.DB, grace time.Duration, limit int) ([]casework.OrphanCase, error) {
	var found []casework.OrphanCase
	err := db.ORM(ctx).Raw(`
		SELECT DISTINCT CAST(? AS text) AS matter, r.id, 'webhook' AS reason FROM webhook_inbox i JOIN voucher_redemptions r ON r.id = i.redemption_id
		 WHERE i.handled_at IS NULL AND i.received_at < clock_now() - CAST(? AS interval) AND r.closed_at IS NULL AND NOT `+webhook.DeadNotice+` LIMIT ?`,
		KindVoucher, store.Seconds(grace), limit).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("find unheard webhooks about vouchers: %w", err)
	}
	return found, nil
}
