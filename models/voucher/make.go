package voucher

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Sealed columns of a voucher, and the domain of its code's hash. They are part
// of every stored value: never change one.
const (
	voucherTable = "vouchers"
	voucherHash  = "vouchers.code"
)

// VoucherCodeDigits is how long a code is (specification §9).
const VoucherCodeDigits = 16

// VoucherLimits are what admins of an installation may make, in cents.
type VoucherLimits struct {
	Value money.Units // of one voucher
	Alone money.Units // what one admin makes within a day without a second one
	// StaffAlone is how many cents may rest on one admin's statement in a day, over everything they do. Nil is no limit.
	StaffAlone *money.Units
	Offer      money.Offer // what they are paid in
}

// NewVoucher is a voucher about to be made.
type NewVoucher struct {
	Actor     store.Actor
	BatchID   string // empty: a batch of one
	Amount    money.Units
	Currency  money.Currency
	ExpiresAt *time.Time // nil: as late as it may be
	Limits    VoucherLimits
}

// MakeVoucher makes a voucher, in the transaction it is given. Beyond what its
// admin may make alone it waits for another one's approval; else it is owed from
// now on. The code is known to who reads it back with VoucherCode.
func MakeVoucher(ctx context.Context, db *store.DB, keys *secret.Keys, in NewVoucher) (*Voucher, error) {
	// Vouchers are made one after another, so that two together cannot exceed what
	// one admin may, nor a batch its size.
	if err := db.LockKey(ctx, "vouchers"); err != nil {
		return nil, fmt.Errorf("lock vouchers: %w", err)
	}
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	v := &Voucher{ID: store.NewID(), BatchID: in.BatchID, Amount: in.Amount, Currency: in.Currency, Status: VoucherAwaiting, CreatedBy: in.Actor.ActorID,
		CreatedAt: now, UpdatedAt: now}
	if err := store.FirstError(v.expire(in.ExpiresAt, now), valueVoucher(ctx, db, v, in.Limits, now), checkBatch(ctx, db, v)); err != nil {
		return nil, err
	}
	if v.Status, err = madeStatus(ctx, db, in.Actor.ActorID, v.USDValue, in.Limits, now); err != nil {
		return nil, err
	}
	return v, storeNew(ctx, db, keys, v, in.Actor, "")
}

// madeStatus returns the status of vouchers that an admin is about to make: active if the admin may make as much alone.
// usd is the sum of their value in cents.
func madeStatus(ctx context.Context, db *store.DB, by string, usd money.Units, limits VoucherLimits, now time.Time) (VoucherStatus, error) {
	alone, err := madeAlone(ctx, db, by, now)
	if err != nil {
		return "", err
	}
	err = dualcontrol.CheckStaffLimit(ctx, db, by, usd, limits.StaffAlone)
	if err != nil && !errors.Is(err, dualcontrol.ErrSecondPerson) {
		return "", err
	}
	if err == nil && alone.Add(usd).Cmp(limits.Alone) <= 0 {
		return VoucherActive, nil
	}
	return VoucherAwaiting, nil
}

// storeNew stores a new voucher with its attestation, its postings if it is active, and its audit entry.
func storeNew(ctx context.Context, db *store.DB, keys *secret.Keys, v *Voucher, who store.Actor, purpose string) error {
	if err := v.attest(ctx, db); err != nil {
		return err
	}
	if err := insertVoucher(ctx, db, keys, v); err != nil {
		return err
	}
	if v.Status == VoucherActive {
		if err := postVoucher(ctx, db, v, "voucher_issued", "issued", VoucherIssuedPostings(v)...); err != nil {
			return err
		}
	}
	return auditVoucher(ctx, db, v, who, "voucher.generate", purpose)
}

// NewBatch is a batch of equal vouchers about to be made. NewVoucher.BatchID is ignored.
type NewBatch struct {
	NewVoucher
	Quantity int
	Purpose  string
}

// MadeBatch is a batch that was made. Value is the sum of its vouchers in cents.
type MadeBatch struct {
	ID        string
	Quantity  int
	Status    VoucherStatus
	Value     money.Units
	ExpiresAt time.Time
	CreatedAt time.Time
}

// MakeBatch makes all vouchers of a batch in the transaction it is given. The batch is active or awaits approval as a
// whole: its total counts towards what its admin may make alone.
func MakeBatch(ctx context.Context, db *store.DB, keys *secret.Keys, in NewBatch) (*MadeBatch, error) {
	purpose := strings.TrimSpace(in.Purpose)
	if purpose == "" {
		return nil, store.Invalid("purpose", "required", "Enter a purpose")
	}
	if in.Quantity < 1 || in.Quantity > MaxVoucherBatch {
		return nil, store.Invalid("quantity", "too_many", "Quantity must be between 1 and 100")
	}
	if err := db.LockKey(ctx, "vouchers"); err != nil {
		return nil, fmt.Errorf("lock vouchers: %w", err)
	}
	now, err := db.Now(ctx)
	if err != nil {
		return nil, err
	}
	first := Voucher{BatchID: store.NewID(), Amount: in.Amount, Currency: in.Currency, CreatedBy: in.Actor.ActorID, CreatedAt: now, UpdatedAt: now}
	if err := first.expire(in.ExpiresAt, now); err != nil {
		return nil, err
	}
	if err := valueVoucher(ctx, db, &first, in.Limits, now); err != nil {
		return nil, err
	}
	out := &MadeBatch{ID: first.BatchID, Quantity: in.Quantity, ExpiresAt: first.ExpiresAt, CreatedAt: now}
	for range in.Quantity {
		out.Value = out.Value.Add(first.USDValue)
	}
	if out.Status, err = madeStatus(ctx, db, in.Actor.ActorID, out.Value, in.Limits, now); err != nil {
		return nil, err
	}
	first.Status = out.Status
	for range in.Quantity {
		v := first
		v.ID = store.NewID()
		if err := storeNew(ctx, db, keys, &v, in.Actor, purpose); err != nil {
			return nil, err
		}
	}
	// The insert of the first voucher made the batch's row.
	if err := db.ORM(ctx).Model(&VoucherBatch{ID: out.ID}).Update("purpose", purpose).Error; err != nil {
		return nil, fmt.Errorf("store the purpose: %w", err)
	}
	return out, audit.Audit(ctx, db, audit.AuditEntry{ActorID: in.Actor.ActorID, ActorRole: in.Actor.ActorRole, Action: "voucher_batch.generate",
		ObjectKind: "voucher_batch", ObjectID: out.ID, Reason: purpose, RequestID: in.Actor.RequestID,
		After: map[string]any{"status": out.Status, "quantity": out.Quantity, "amount": in.Currency.Format(in.Amount), "currency": in.Currency,
			"total": money.USD.Format(out.Value)}})
}

// attest notes who makes the voucher. One that awaits approval has no value before another admin approves it.
func (v *Voucher) attest(ctx context.Context, db *store.DB) error {
	return dualcontrol.Attest(ctx, db, dualcontrol.Attestation{Kind: dualcontrol.Batch, By: v.CreatedBy, Subject: dualcontrol.Ref{Kind: "voucher", ID: v.ID}, Amount: &v.USDValue,
		Source: v.source(), Proposed: v.Status == VoucherAwaiting})
}

func (v *Voucher) source() dualcontrol.Ref { return dualcontrol.Ref{Kind: voucherTable, ID: v.ID} }

// expire sets until when the voucher can be redeemed.
func (v *Voucher) expire(at *time.Time, now time.Time) error {
	last := now.Add(MaxVoucherLife)
	switch {
	case at == nil:
		v.ExpiresAt = last
	case !at.After(now):
		return store.Invalid("expiresAt", "expired", "Enter an expiry date in the future")
	case at.After(last.Add(24 * time.Hour)): // a screen's clock may be ahead of ours
		return store.Invalid("expiresAt", "too_late", "Enter an expiry date within 365 days")
	default:
		v.ExpiresAt = *at
		if at.After(last) {
			v.ExpiresAt = last
		}
	}
	return nil
}

// CheckCurrency refuses a currency that no offered coin is paid for.
func CheckCurrency(offer money.Offer, currency money.Currency) error {
	if len(VoucherTypes(offer, currency)) == 0 {
		return store.Invalid("currency", "unknown_currency", "Choose another currency")
	}
	return nil
}

// valueVoucher says what the voucher is worth in dollars, and refuses what is
// too much or nothing.
func valueVoucher(ctx context.Context, db *store.DB, v *Voucher, limits VoucherLimits, now time.Time) error {
	if err := CheckCurrency(limits.Offer, v.Currency); err != nil {
		return err
	}
	if v.Amount.Sign() <= 0 {
		return store.Invalid("amount", "invalid_amount", "Please enter a valid amount")
	}
	v.USDValue = v.Amount
	if v.Currency != money.USD {
		market, err := pricing.ReadMarket(ctx, db, v.Currency)
		if err == nil {
			err = market.Quotable(now)
		}
		if err != nil {
			return err
		}
		v.USDValue = money.USD.FromDecimal(market.Ask.Mul(v.Currency.Decimal(v.Amount)), money.Up)
	}
	if v.USDValue.Cmp(limits.Value) > 0 {
		return store.Invalid("amount", "above_maximum", fmt.Sprintf("The maximum is %s per voucher", money.Dollars(limits.Value)))
	}
	return nil
}

// checkBatch finds room for one more in the voucher's batch, which is one
// person's and of one kind.
func checkBatch(ctx context.Context, db *store.DB, v *Voucher) error {
	if v.BatchID == "" {
		v.BatchID = store.NewID()
		return nil
	}
	if !store.IsID(v.BatchID) {
		return store.Invalid("batchId", "bad_id", "Enter a batch's UUID")
	}
	batch, err := shareBatch(ctx, db, v.BatchID)
	if err != nil {
		return err
	}
	var n int64
	if err := db.ORM(ctx).Model(&Voucher{}).Where("batch_id = ?", v.BatchID).Count(&n).Error; err != nil {
		return fmt.Errorf("count the batch: %w", err)
	}
	switch {
	case batch != nil && batch.CreatedBy != v.CreatedBy:
		return store.Invalid("batchId", "bad_id", "This batch belongs to someone else")
	case batch != nil && batch.Purpose != "":
		return store.Conflict("batch_complete", "This batch was made as a whole. Start another one.")
	case batch != nil && batch.VoidedAt != nil:
		return store.Conflict("batch_voided", "This batch was voided. Start another one.")
	case n >= MaxVoucherBatch:
		return store.Invalid("quantity", "too_many", "Quantity must be between 1 and 100")
	}
	return nil
}

// madeAlone is what an admin made within a day, under whatever account, without another admin's approval, in cents.
func madeAlone(ctx context.Context, db *store.DB, userID string, now time.Time) (sum money.Units, err error) {
	mine, err := people.AccountsOf(ctx, db, userID)
	if err != nil {
		return sum, err
	}
	err = db.ORM(ctx).Raw(`SELECT coalesce(sum(usd_value), 0) FROM vouchers
		WHERE created_by IN ? AND approved_by IS NULL AND created_at > ? AND status <> ?`, mine, now.Add(-24*time.Hour), VoucherAwaiting).Row().Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum what was made alone: %w", err)
	}
	return sum, nil
}

// insertVoucher stores the voucher under a fresh code and reference: one in use is drawn again.
func insertVoucher(ctx context.Context, db *store.DB, keys *secret.Keys, v *Voucher) error {
	for {
		code, err := drawCode()
		if err != nil {
			return err
		}
		v.Reference = store.Reference("VC-")
		if err := v.seal(keys, code); err != nil {
			return err
		}
		result := db.ORM(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(v)
		if result.Error != nil {
			return fmt.Errorf("store voucher: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}

// drawCode draws the digits of a code, all equally likely.
func drawCode() (string, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Exp(big.NewInt(10), big.NewInt(VoucherCodeDigits), nil))
	if err != nil {
		return "", fmt.Errorf("draw a code: %w", err)
	}
	return fmt.Sprintf("%0*s", VoucherCodeDigits, n.String()), nil
}

func (v *Voucher) place() secret.Place {
	return secret.Place{Table: voucherTable, Column: "sealed_code", ID: v.ID}
}

func (v *Voucher) seal(keys *secret.Keys, code string) (err error) {
	if v.CodeHash, err = keys.Index(voucherHash, []byte(code)); err != nil {
		return fmt.Errorf("hash the code: %w", err)
	}
	if v.SealedCode, err = keys.Seal(v.place(), []byte(code)); err != nil {
		return fmt.Errorf("seal the code: %w", err)
	}
	last4 := code[VoucherCodeDigits-4:]
	v.Last4 = &last4
	return nil
}

// VoucherCode opens a voucher's code, in groups of four; it is "" when the voucher cannot be redeemed any more.
func VoucherCode(keys *secret.Keys, v *Voucher) (string, error) {
	if len(v.SealedCode) == 0 {
		return "", nil
	}
	code, err := keys.Open(v.place(), v.SealedCode)
	if err != nil {
		return "", fmt.Errorf("open the code of %s: %w", v.Reference, err)
	}
	return FormatVoucherCode(string(code)), nil
}

// FormatVoucherCode puts dashes between groups of four.
func FormatVoucherCode(digits string) string {
	var groups []string
	for ; len(digits) > 4; digits = digits[4:] {
		groups = append(groups, digits[:4])
	}
	return strings.Join(append(groups, digits), "-")
}

func auditVoucher(ctx context.Context, db *store.DB, v *Voucher, who store.Actor, action, reason string) error {
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: action, ObjectKind: "voucher", ObjectID: v.ID,
		After:  map[string]any{"status": v.Status, "amount": v.Currency.Format(v.Amount), "currency": v.Currency, "batch": v.BatchID},
		Reason: reason, RequestID: who.RequestID})
}

// ApproveVouchers executes a second admin's approval of what waits in a batch. It returns how many vouchers it made
// redeemable.
func ApproveVouchers(ctx context.Context, db *store.DB, batchID string, who store.Actor) (approved int, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		approved = 0
		_, now, err := store.LockedRow[VoucherBatch](ctx, tx, "voucher_batches", batchID, "Batch")
		if err != nil {
			return err
		}
		waiting, err := lockBatch(ctx, tx, batchID)
		if err == nil && slices.ContainsFunc(waiting, func(v Voucher) bool { return v.Status == VoucherAwaiting }) {
			err = casework.CheckApproval(ctx, tx, KindBatch, batchID, who.Seen)
		}
		if err != nil {
			return err
		}
		for i := range waiting {
			if waiting[i].Status != VoucherAwaiting {
				continue
			}
			if err := approveVoucher(ctx, tx, &waiting[i], who, now); err != nil {
				return err
			}
			approved++
		}
		if approved == 0 {
			return store.Conflict("voucher_state", "No voucher of this batch needs approval")
		}
		return tx.ORM(ctx).Model(&VoucherBatch{ID: batchID}).Updates(map[string]any{"approved_by": who.ActorID, "approved_at": now}).Error
	})
	return approved, err
}

func approveVoucher(ctx context.Context, db *store.DB, v *Voucher, who store.Actor, now time.Time) error {
	err := dualcontrol.CheckRelease(ctx, db, dualcontrol.Release{Action: dualcontrol.ApproveVoucher, Actors: []string{who.ActorID}, First: v.CreatedBy})
	if err != nil {
		return err
	}
	if err := dualcontrol.Second(ctx, db, v.source(), who.ActorID); err != nil {
		return err
	}
	was := *v
	if err := v.move(VoucherActive); err != nil {
		return err
	}
	v.ApprovedBy, v.ApprovedAt = &who.ActorID, &now
	if err := storeVoucher(ctx, db, &was, v, now); err != nil {
		return err
	}
	if err := postVoucher(ctx, db, v, "voucher_issued", "issued", VoucherIssuedPostings(v)...); err != nil {
		return err
	}
	return auditVoucher(ctx, db, v, who, "voucher.approve", "")
}

// ExpireVouchers ends vouchers that were not redeemed in time: we owe nothing for them any more.
func ExpireVouchers(ctx context.Context, db *store.DB, limit int) error {
	var ids []string
	err := db.ORM(ctx).Raw("SELECT id FROM vouchers WHERE status = ANY(?) AND expires_at <= clock_now() ORDER BY expires_at LIMIT ?",
		pq.StringArray{string(VoucherAwaiting), string(VoucherActive)}, limit).Scan(&ids).Error
	if err != nil {
		return fmt.Errorf("find expired vouchers: %w", err)
	}
	var failures []error
	for _, id := range ids {
		err := changeVoucher(ctx, db, id, func(tx *store.DB, v *Voucher, now time.Time) error {
			if v.ExpiresAt.After(now) { // a restore gave it more time
				return nil
			}
			issued := v.Status == VoucherActive
			if err := v.move(VoucherExpired); err != nil || !issued {
				return err
			}
			return postVoucher(ctx, tx, v, "voucher_ended", "ended", VoucherEndedPostings(v)...)
		})
		if store.CodeOf(err) != store.CodeConflict { // redeemed or voided in the meantime
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// ResealVouchers seals and hashes with the current key what an earlier one did, so that the earlier one can be
// removed, and notes the last digits of codes from before those were kept. It returns how many it changed.
func ResealVouchers(ctx context.Context, db *store.DB, keys *secret.Keys) (changed int, err error) {
	after := uuid.Nil.String()
	for {
		var ids []string
		err := db.ORM(ctx).Model(&Voucher{}).Where("sealed_code IS NOT NULL AND id > ?", after).Order("id").Limit(store.ResealBatch).Pluck("id", &ids).Error
		if err != nil {
			return changed, fmt.Errorf("find sealed vouchers: %w", err)
		}
		for _, id := range ids {
			after = id
			err := changeVoucher(ctx, db, id, func(_ *store.DB, v *Voucher, _ time.Time) error {
				if len(v.SealedCode) == 0 || v.Last4 != nil && !keys.Stale(v.SealedCode) {
					return nil
				}
				code, err := keys.Open(v.place(), v.SealedCode)
				if err != nil {
					return fmt.Errorf("open the code of %s: %w", v.Reference, err)
				}
				changed++
				return v.seal(keys, string(code))
			})
			if err != nil {
				return changed, err
			}
		}
		if len(ids) < store.ResealBatch {
			return changed, nil
		}
	}
}

// VoucherIssuedPostings are for a voucher that can be redeemed from now on: we
// owe it, and giving it away is an expense until what it cost is known.
func VoucherIssuedPostings(v *Voucher) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountVouchers, To: ledger.AccountPromotions, Currency: v.Currency, Amount: v.Amount}}
}

// VoucherEndedPostings are for a voucher that cannot be redeemed any more.
func VoucherEndedPostings(v *Voucher) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPromotions, To: ledger.AccountVouchers, Currency: v.Currency, Amount: v.Amount}}
}

// WithdrawVouchers voids a person's vouchers that no second admin has approved yet, and gives the vouchers.
func WithdrawVouchers(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE vouchers SET status = 'voided', sealed_code = NULL, end_reason = 'the admin who made it lost the role or was frozen', updated_at = clock_now() WHERE created_by = ? AND status = 'awaiting_approval' RETURNING id`, by)
}
