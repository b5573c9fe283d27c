package voucher

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// VoidVoucher ends a voucher that is not redeemed. One admin ends as many in a day as they may alone of a batch:
// voiding one by one does not bypass the second admin.
func VoidVoucher(ctx context.Context, db *store.DB, id, reason string, alone money.Units, who store.Actor) error {
	if reason = strings.TrimSpace(reason); reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	return changeVoucher(ctx, db, id, func(tx *store.DB, v *Voucher, _ time.Time) error {
		beside, err := voidedAlone(ctx, tx, who.ActorID, alone)
		if err != nil {
			return err
		}
		if v.Status == VoucherActive && beside.Add(v.USDValue).Cmp(alone) > 0 {
			return store.Conflict("second_person", "This is above the daily limit for one admin. Void its batch, with the approval of another admin.")
		}
		return void(ctx, tx, v, reason, who)
	})
}

// voidedAlone is what an admin voided within a day, under whatever account and without another one's approval, in
// cents: single vouchers, and batches of no more than that. Vouchers that were restored after their batch was voided do
// not count.
func voidedAlone(ctx context.Context, db *store.DB, adminID string, alone money.Units) (sum money.Units, err error) {
	if err := db.LockKey(ctx, "voids"); err != nil {
		return sum, fmt.Errorf("lock voids: %w", err)
	}
	mine, err := people.AccountsOf(ctx, db, adminID)
	if err != nil {
		return sum, err
	}
	err = db.Row(ctx, `SELECT coalesce(sum(v.usd_value), 0) FROM vouchers v LEFT JOIN voucher_batches b ON b.id = v.batch_id AND b.voided_at = v.updated_at
		WHERE v.status = 'voided' AND v.ended_by = ANY($1::uuid[]) AND v.updated_at > clock_now() - interval '1 day'
		  AND NOT EXISTS (SELECT FROM voucher_batches e WHERE e.id = v.batch_id AND e.voided_at < v.updated_at)
		  AND (b.id IS NULL OR (SELECT sum(w.usd_value) FROM vouchers w WHERE w.batch_id = b.id AND w.status = 'voided' AND w.updated_at = b.voided_at) <= $2)`,
		mine, alone).Scan(&sum)
	if err != nil {
		return sum, fmt.Errorf("sum voids: %w", err)
	}
	return sum, nil
}

// void ends a voucher that is locked: what could be redeemed is owed no more.
// Its caller stores it.
func void(ctx context.Context, db *store.DB, v *Voucher, reason string, who store.Actor) error {
	issued := v.Status == VoucherActive
	if err := v.move(VoucherVoided); err != nil {
		return err
	}
	v.EndedBy, v.EndReason = &who.ActorID, &reason
	if issued {
		if err := postVoucher(ctx, db, v, "voucher_ended", "ended", VoucherEndedPostings(v)...); err != nil {
			return err
		}
	}
	return auditVoucher(ctx, db, v, who, "voucher.void", reason)
}

// voidWithBatch voids the restored voucher if its batch was voided while it was being redeemed, and reports whether it
// was. The caller holds the voucher's lock. The batch is read without a lock, because VoidBatch locks the batch before
// its vouchers: a void that has not committed finds this voucher active once it gets the lock.
func (c *RedemptionChange) voidWithBatch() (voided bool, err error) {
	batch, err := voidedBatch(c.ctx, c.Tx, c.Voucher.BatchID)
	if err != nil || batch == nil {
		return false, err
	}
	v := c.Voucher
	if err := v.move(VoucherVoided); err != nil {
		return false, err
	}
	v.EndedBy, v.EndReason = batch.VoidedBy, &batch.VoidReason
	return true, postVoucher(c.ctx, c.Tx, v, "voucher_ended", "ended", VoucherEndedPostings(v)...)
}

// voidedBatch returns a batch that was voided, or nil.
func voidedBatch(ctx context.Context, db *store.DB, id string) (*VoucherBatch, error) {
	var rows []VoucherBatch
	if err := db.ORM(ctx).Where("id = ? AND voided_at IS NOT NULL", id).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// VoucherBatch is vouchers that one person made together. AskedBy is who asked
// for it to be voided, while another admin has yet to agree.
type VoucherBatch struct {
	ID         string `gorm:"primaryKey"`
	CreatedBy  string
	CreatedAt  time.Time
	ApprovedBy *string
	ApprovedAt *time.Time
	AskedBy    *string
	AskedAt    *time.Time
	AskedWhy   string
	VoidedBy   *string
	VoidedAt   *time.Time
	VoidReason string
	Purpose    string // empty: the batch was made voucher by voucher
}

// VoidedBatch is the result of voiding a batch.
type VoidedBatch struct {
	Asked  bool // it waits for another admin: nothing was voided yet
	Voided int
	Value  money.Units // of what could be redeemed, in cents
	Left   int         // redeemed, being redeemed, or ended before
}

// batchChange is one transaction on one batch and all of its vouchers.
type batchChange struct {
	*VoucherBatch
	vouchers []Voucher
	who      store.Actor
	now      time.Time

	ctx context.Context
	tx  *store.DB
}

// changeBatch locks a batch and its vouchers, a hundred at most, and runs fn on
// them; the batch's row commits with what fn did. Who redeems one of them
// meanwhile comes before, and it is left, or after, and it is void.
func changeBatch(ctx context.Context, db *store.DB, id string, who store.Actor, fn func(c *batchChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		batch, now, err := store.LockedRow[VoucherBatch](ctx, tx, "voucher_batches", id, "Batch")
		if err != nil {
			return err
		}
		vouchers, err := lockBatch(ctx, tx, id)
		if err != nil {
			return err
		}
		c := &batchChange{VoucherBatch: batch, vouchers: vouchers, who: who, now: now, ctx: ctx, tx: tx}
		if err := fn(c); err != nil {
			return err
		}
		if err := tx.ORM(ctx).Select("*").Omit("id", "created_by", "created_at", "purpose").Updates(batch).Error; err != nil {
			return fmt.Errorf("store batch: %w", err)
		}
		return nil
	})
}

// lockBatch reads a batch's vouchers until the transaction ends.
func lockBatch(ctx context.Context, db *store.DB, id string) ([]Voucher, error) {
	var vouchers []Voucher
	err := db.ORM(ctx).Clauses(clause.Locking{Strength: "UPDATE"}).Where("batch_id = ?", id).Order("id").Find(&vouchers).Error
	if err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	return vouchers, nil
}

// shareBatch reads a batch that a voucher is about to be made in, nil when it
// begins with that one. It is voided before or after, not meanwhile.
func shareBatch(ctx context.Context, db *store.DB, id string) (*VoucherBatch, error) {
	var rows []VoucherBatch
	if err := db.ORM(ctx).Clauses(clause.Locking{Strength: "SHARE"}).Where("id = ?", id).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// VoidBatch ends all unredeemed vouchers of a batch. Above what one admin makes alone it is asked for, and another
// one agrees.
func VoidBatch(ctx context.Context, db *store.DB, id, reason string, alone money.Units, who store.Actor) (out VoidedBatch, err error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return out, store.Invalid("reason", "required", "Enter a reason")
	}
	err = changeBatch(ctx, db, id, who, func(c *batchChange) error {
		if err := c.mayVoid(); err != nil {
			return err
		}
		if c.AskedBy != nil {
			return store.Conflict("batch_state", "This was already requested. Another admin must agree.")
		}
		beside, err := voidedAlone(ctx, c.tx, who.ActorID, alone)
		if err != nil {
			return err
		}
		if c.owed().Add(beside).Cmp(alone) > 0 {
			c.AskedBy, c.AskedAt, c.AskedWhy = &who.ActorID, &c.now, reason
			out = VoidedBatch{Asked: true, Value: c.owed()}
			return c.audit("voucher_batch.void_asked", reason, nil)
		}
		out, err = c.void(reason)
		return err
	})
	return out, err
}

// AgreeToVoid is another admin's answer to a proposal to void a batch: it is voided for the reason that was given.
// Refused, nothing happens; so the proposer may withdraw it.
func AgreeToVoid(ctx context.Context, db *store.DB, id string, agrees bool, who store.Actor) (out VoidedBatch, err error) {
	err = changeBatch(ctx, db, id, who, func(c *batchChange) error {
		if c.AskedBy == nil {
			return store.Conflict("batch_state", "This is no longer requested. Refresh the page.")
		}
		reason := c.AskedWhy
		if agrees {
			err := dualcontrol.CheckRelease(ctx, c.tx, dualcontrol.Release{Action: dualcontrol.VoidVoucher, Actors: []string{who.ActorID}, First: *c.AskedBy})
			if err = store.FirstError(err, casework.CheckApproval(ctx, c.tx, KindVoid, id, who.Seen)); err != nil {
				return err
			}
		}
		c.AskedBy, c.AskedAt, c.AskedWhy = nil, nil, ""
		if !agrees {
			return c.audit("voucher_batch.void_refused", reason, nil)
		}
		if err := c.mayVoid(); err != nil {
			return err
		}
		out, err = c.void(reason)
		return err
	})
	return out, err
}

// unredeemed reports whether a voucher can be voided.
func (v *Voucher) unredeemed() bool { return v.Status == VoucherAwaiting || v.Status == VoucherActive }

func (c *batchChange) mayVoid() error {
	for i := range c.vouchers {
		if c.vouchers[i].unredeemed() {
			return nil
		}
	}
	return store.Conflict("batch_state", "No voucher of this batch can be voided")
}

// owed is what can be redeemed of the batch, in cents as it was made.
func (c *batchChange) owed() (sum money.Units) {
	for i := range c.vouchers {
		if c.vouchers[i].Status == VoucherActive {
			sum = sum.Add(c.vouchers[i].USDValue)
		}
	}
	return sum
}

// void ends what can be voided, each as a single one is, and counts the rest.
func (c *batchChange) void(reason string) (VoidedBatch, error) {
	out := VoidedBatch{Value: c.owed()}
	for i := range c.vouchers {
		v := &c.vouchers[i]
		if !v.unredeemed() {
			out.Left++
			continue
		}
		was := *v
		if err := void(c.ctx, c.tx, v, reason, c.who); err != nil {
			return out, err
		}
		if err := storeVoucher(c.ctx, c.tx, &was, v, c.now); err != nil {
			return out, err
		}
		out.Voided++
	}
	c.VoidedBy, c.VoidedAt, c.VoidReason = &c.who.ActorID, &c.now, reason
	return out, c.audit("voucher_batch.void", reason, map[string]any{"voided": out.Voided, "left": out.Left, "value": money.USD.Format(out.Value)})
}

func (c *batchChange) audit(action, reason string, after map[string]any) error {
	return audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: c.who.ActorID, ActorRole: c.who.ActorRole, Action: action, ObjectKind: "voucher_batch", ObjectID: c.ID,
		After: after, Reason: reason, RequestID: c.who.RequestID})
}

// WithdrawVoids withdraws a person's proposals to void batches, and gives the batches.
func WithdrawVoids(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE voucher_batches SET asked_by = NULL, asked_at = NULL, asked_why = '' WHERE asked_by = ? RETURNING id`, by)
}
