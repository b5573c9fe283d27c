package voucher

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// RedemptionChange is one transaction on one redemption and its voucher. Nothing
// it does is visible until all of it is.
type RedemptionChange struct {
	Redemption *Redemption
	Voucher    *Voucher
	Now        time.Time

	ctx context.Context
	Tx  *store.DB
	was Redemption // as it was read

	stop execution.Stop
}

// ChangeRedemption locks a redemption and its voucher, the voucher first as everywhere, and runs fn on them. It is
// the only way a redemption changes.
func ChangeRedemption(ctx context.Context, db *store.DB, id string, fn func(c *RedemptionChange) error) error {
	if !store.IsID(id) {
		return store.NotFound("Redemption")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		c, err := lockRedemption(ctx, tx, id)
		if err != nil {
			return err
		}
		was := *c.Voucher
		return tx.Together(ctx, func() error {
			if err := fn(c); err != nil {
				return err
			}
			if c.Voucher.Status != was.Status {
				if err := storeVoucher(ctx, tx, &was, c.Voucher, c.Now); err != nil {
					return err
				}
			}
			return c.store()
		})
	})
}

// lockRedemption reads a redemption and its voucher until the transaction ends, with
// the database's time once both are locked. The redemption is locked as it is joined
// to the voucher, which is locked by then.
func lockRedemption(ctx context.Context, db *store.DB, id string) (*RedemptionChange, error) {
	type both struct {
		Redemption Redemption `gorm:"embedded"`
		Voucher    Voucher    `gorm:"embedded;embeddedPrefix:v_"`
	}
	names, err := db.Columns(&Voucher{})
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, name := range names {
		columns = append(columns, "v."+name+" AS v_"+name)
	}
	row, now, err := store.OneLocked[both](ctx, db, `WITH v AS (SELECT * FROM vouchers WHERE id = (SELECT voucher_id FROM voucher_redemptions WHERE id = $1) FOR UPDATE),
		locked AS (SELECT r.*, `+strings.Join(columns, ", ")+` FROM v JOIN voucher_redemptions r ON r.id = $1 FOR UPDATE OF r)
		SELECT *, clock_timestamp() + (SELECT ahead FROM clock) AS db_now FROM locked`, id)
	if store.IsMissing(err) {
		return nil, store.NotFound("Voucher")
	}
	if err != nil {
		return nil, fmt.Errorf("read redemption: %w", err)
	}
	return &RedemptionChange{Redemption: &row.Redemption, Voucher: &row.Voucher, Now: now, ctx: ctx, Tx: db, was: row.Redemption}, nil
}

func (c *RedemptionChange) store() error {
	if err := c.keepReview(); err != nil {
		return err
	}
	if r := c.Redemption; r.Status != c.was.Status || store.Text(r.AttentionReason) != store.Text(c.was.AttentionReason) || r.ResumedAt != c.was.ResumedAt {
		r.MovedAt = &c.Now
	}
	return store.StoreChanged(c.ctx, c.Tx, &c.was, c.Redemption, c.Now, store.Conflict("redemption_moved", "The redemption has changed. Refresh the page."), nil)
}

// move changes the redemption's status; a move the table does not list is
// refused.
func (c *RedemptionChange) move(to RedemptionStatus) error {
	if !slices.Contains(redemptionTransitions[c.Redemption.Status], to) {
		return store.Conflict("redemption_state", fmt.Sprintf("A redemption that is %s can't become %s", c.Redemption.Status, to))
	}
	c.Redemption.Status = to
	return nil
}

func (c *RedemptionChange) event(e casework.Event) error {
	return casework.Append(c.ctx, c.Tx, c.Redemption.About(), e)
}

func (c *RedemptionChange) post(event, group string, lines ...ledger.Posting) error {
	return ledger.PostAbout(c.ctx, c.Tx, ledger.About(string(KindVoucher), c.Redemption.ID, event, group), lines)
}

// Escalate marks that the redemption waits for a person, and notifies staff each time, its customer once until it
// continues.
func (c *RedemptionChange) Escalate(reason string) error {
	r := c.Redemption
	if !slices.Contains(RedemptionReasons, reason) {
		return fmt.Errorf("a redemption cannot wait for %s", reason)
	}
	if store.Text(r.AttentionReason) == reason {
		return nil
	}
	r.AttentionReason, r.AttentionSince = &reason, &c.Now
	if err := c.event(casework.Event{Kind: "attention", Internal: true, Data: map[string]any{"reason": reason},
		Dedupe: c.stop.Dedupe()}); err != nil || !r.Waits() {
		return err
	}
	since := ""
	if r.ResumedAt != nil {
		since = r.ResumedAt.UTC().Format(time.RFC3339Nano)
	}
	return c.event(casework.Event{Kind: "delayed", Dedupe: "delayed:" + since})
}

func (c *RedemptionChange) clearAttention() {
	c.Redemption.AttentionReason, c.Redemption.AttentionSince = nil, nil
}

// BeginVoucher records that a redemption's workflow runs, and reserves coin for one that nothing was done for yet.
func BeginVoucher(ctx context.Context, db *store.DB, id string, slippageBPS int64) (VoucherState, error) {
	return reserveVoucher(ctx, db, id, slippageBPS, func(c *RedemptionChange) bool {
		c.Redemption.WorkflowStartedAt = &c.Now
		return !c.Redemption.Waits()
	})
}

// ReserveVoucher promises coin of the wallet float to a redemption, and allocates what it can from stock, after
// checking again what may have changed. A failed check sends the redemption to review.
func ReserveVoucher(ctx context.Context, db *store.DB, id string, slippageBPS int64) (VoucherState, error) {
	return reserveVoucher(ctx, db, id, slippageBPS, func(*RedemptionChange) bool { return true })
}

func reserveVoucher(ctx context.Context, db *store.DB, id string, slippageBPS int64, may func(c *RedemptionChange) bool) (state VoucherState, err error) {
	err = ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if may(c) {
			if err := c.reserve(slippageBPS); err != nil {
				return err
			}
		}
		state, err = voucherState(ctx, c.Tx, c.Redemption)
		return err
	})
	return state, err
}

func (c *RedemptionChange) reserve(slippageBPS int64) error {
	if c.Redemption.Status != RedemptionAccepted {
		return nil
	}
	reason, err := c.unfit(slippageBPS)
	if err != nil {
		return err
	}
	if reason != "" {
		return c.Escalate(reason)
	}
	if err := c.move(RedemptionFulfilling); err != nil {
		return err
	}
	c.clearAttention()
	if err := c.post("reserved", "reserved", execution.ReservePostings(c.Redemption.Delivery())...); err != nil {
		return err
	}
	if err := c.event(casework.Event{Kind: "reserved", Dedupe: "reserved"}); err != nil {
		return err
	}
	return c.takeStock()
}

// unfit returns why the redemption must not continue now; "" when it may.
func (c *RedemptionChange) unfit(slippageBPS int64) (string, error) {
	r := c.Redemption
	if reason, err := c.pausedNow(); reason != "" || err != nil {
		return reason, err
	}
	customer, _, err := kyc.ReadTerms(c.ctx, c.Tx, r.UserID)
	switch {
	case err != nil:
		return "", err
	case customer.Disabled || customer.Frozen:
		return casework.AttentionFrozen, nil
	case r.NeedsIdentity && !customer.Verified():
		return casework.AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if blocked, err := c.blocked(); blocked || err != nil {
		return casework.AttentionBlocked, err
	}
	market, err := pricing.ReadMarket(c.ctx, c.Tx, r.Asset)
	if err != nil {
		return "", err
	}
	if market.Quotable(c.Now) != nil {
		return casework.AttentionNoPrice, nil
	}
	if !r.OwnCoin() && market.Ask.GreaterThan(pricing.WithSlippage(r.PriceLimit, slippageBPS)) {
		return casework.AttentionPrice, nil
	}
	return execution.ShortFloat(c.ctx, c.Tx, r.Network, r.Asset, r.Amount)
}

// takeStock allocates coin that was bought for others and not sold, so that only what our inventory lacks is bought.
func (c *RedemptionChange) takeStock() error {
	r := c.Redemption
	if err := c.Tx.LockKey(c.ctx, "stock:"+string(r.Asset)); err != nil {
		return fmt.Errorf("lock stock: %w", err)
	}
	unsold, err := ledger.AccountBalance(c.ctx, c.Tx, ledger.AccountTrading, r.Asset)
	if err != nil {
		return err
	}
	if unsold = unsold.Neg(); unsold.Sign() <= 0 {
		return nil
	}
	market, err := pricing.ReadMarket(c.ctx, c.Tx, r.Asset)
	if err != nil {
		return err
	}
	r.FromStock = unsold.Min(r.Amount)
	r.StockCost = money.USD.FromDecimal(market.Ask.Mul(r.Asset.Decimal(r.FromStock)), money.HalfUp)
	if err := c.post("stock_taken", "stock", StockPostings(r)...); err != nil {
		return err
	}
	return c.WhenFilled(execution.Fill{})
}

// Enough reports whether nothing is missing.
func (c *RedemptionChange) Enough(bought execution.Fill) bool {
	return bought.Filled.Add(c.Redemption.FromStock).Cmp(c.Redemption.Amount) >= 0
}

// WhenFilled moves the redemption on when nothing is missing any more.
func (c *RedemptionChange) WhenFilled(bought execution.Fill) error {
	if c.Redemption.Status != RedemptionFulfilling || !c.Enough(bought) {
		return nil
	}
	if err := c.move(RedemptionFilled); err != nil {
		return err
	}
	c.clearAttention()
	return c.event(casework.Event{Kind: "filled", Dedupe: "filled"})
}

// Subject implements execution.Change.
func (c *RedemptionChange) Subject() *execution.Subject {
	r := c.Redemption
	return &execution.Subject{Ctx: c.ctx, Tx: c.Tx, Now: c.Now, Delivery: r.Delivery(), Of: string(KindVoucher), Sequence: "vou", ID: r.ID, UserID: r.UserID,
		Address: r.DestAddress, CreatedAt: r.CreatedAt, RestoredAt: r.RestoredAt}
}

// StartVoucherBuy is StartBuy for a redemption.
func StartVoucherBuy(ctx context.Context, db *store.DB, id string, slippageBPS int64, life time.Duration) (execution.BuyJob, error) {
	var job execution.BuyJob
	err := ChangeRedemption(ctx, db, id, func(c *RedemptionChange) (err error) {
		r := c.Redemption
		if r.Status != RedemptionFulfilling || r.Waits() {
			job.Done = true
			return nil
		}
		job, err = execution.StartBuy(c, r.ResumedAt, slippageBPS, life)
		return err
	})
	return job, err
}

// Missing implements execution.Change: at the price that was locked, or when the
// voucher is in coin, whatever that costs now.
func (c *RedemptionChange) Missing(bought execution.Fill) (money.Units, decimal.Decimal, error) {
	r := c.Redemption
	missing := r.Amount.Sub(r.FromStock).Sub(bought.Filled)
	if !r.OwnCoin() {
		return missing, r.PriceLimit, nil
	}
	market, err := pricing.ReadMarket(c.ctx, c.Tx, r.Asset)
	if err != nil {
		return missing, r.PriceLimit, err
	}
	return missing, market.Ask, nil
}

// ResendVoucherBuy is ResendBuy for a redemption.
func ResendVoucherBuy(ctx context.Context, db *store.DB, id string, generation int, life time.Duration) (deadline time.Time, err error) {
	err = ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		deadline, err = execution.ResendBuy(c, generation, life)
		return err
	})
	return deadline, err
}

// RecordVoucherFill is RecordFill for a redemption.
func RecordVoucherFill(ctx context.Context, db *store.DB, id string, generation int, exchangeID string, fill execution.Fill) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		row, sum, err := c.Subject().Executed(generation, exchangeID, fill)
		if err != nil || row == nil {
			return err
		}
		if err := c.event(casework.Event{Kind: "exchange_placed", Internal: true, Actor: casework.ByProvider, Dedupe: fmt.Sprintf("placed:%d", generation)}); err != nil {
			return err
		}
		return c.WhenFilled(sum)
	})
}

// stoppedAt is the status of a redemption whose step did not succeed for a reason; for other reasons it may be any.
var stoppedAt = map[string]RedemptionStatus{
	AttentionBuy:                  RedemptionFulfilling,
	casework.AttentionBuyUnknown:  RedemptionFulfilling,
	AttentionRefused:              RedemptionFilled,
	casework.AttentionAddress:     RedemptionFilled,
	casework.AttentionSendUnknown: RedemptionFilled,
	casework.AttentionUnconfirmed: RedemptionSent,
}

// VoucherNeedsPerson marks that a redemption waits for a person because a step did not succeed. One whose step
// succeeded meanwhile continues.
func VoucherNeedsPerson(ctx context.Context, db *store.DB, id, reason string, stop execution.Stop) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if noted, err := stop.Recorded(ctx, c.Tx, "matter_events", "matter_id", id); noted || err != nil {
			return err
		}
		c.stop = stop
		at, known := stoppedAt[reason]
		if c.Redemption.ClosedAt != nil || known && c.Redemption.Status != at {
			return nil
		}
		return c.Escalate(reason)
	})
}

// RecordVoucherAttempt adds a failed attempt to the redemption's timeline; the same
// attempt counts once.
func RecordVoucherAttempt(ctx context.Context, db *store.DB, id string, a execution.Attempt) error {
	return ChangeRedemption(ctx, db, id, func(c *RedemptionChange) error {
		if recorded, err := a.Recorded(ctx, c.Tx, "matter_events", "matter_id", id); recorded || err != nil {
			return err
		}
		message := a.Message()
		c.Redemption.RetryCount++
		c.Redemption.LastError, c.Redemption.LastErrorAt = &message, &c.Now
		return c.event(a.Event())
	})
}

// MarkRestored marks open redemptions as restored from a backup, and counts them.
func MarkRestored(ctx context.Context, tx *store.DB) (int64, error) {
	result := tx.ORM(ctx).Exec("UPDATE voucher_redemptions SET restored_at = clock_now() WHERE closed_at IS NULL AND restored_at IS NULL")
	return result.RowsAffected, result.Error
}
