package models

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/money"
)

// redemptionChange is one transaction on one redemption and its voucher. Nothing
// it does is visible until all of it is.
type redemptionChange struct {
	Redemption *Redemption
	Voucher    *Voucher
	Now        time.Time

	ctx context.Context
	tx  *DB
	was Redemption // as it was read
}

// changeRedemption locks a redemption and its voucher, the voucher first as
// everybody does, and runs fn on them. It is the only way a redemption changes.
func (db *DB) changeRedemption(ctx context.Context, id string, fn func(c *redemptionChange) error) error {
	if !IsID(id) {
		return NotFound("Redemption")
	}
	return db.Tx(ctx, func(tx *DB) error {
		c, err := tx.lockRedemption(ctx, id)
		if err != nil {
			return err
		}
		was := *c.Voucher
		return tx.together(ctx, func() error {
			if err := fn(c); err != nil {
				return err
			}
			if c.Voucher.Status != was.Status {
				if err := tx.storeVoucher(ctx, &was, c.Voucher, c.Now); err != nil {
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
func (db *DB) lockRedemption(ctx context.Context, id string) (*redemptionChange, error) {
	type both struct {
		Redemption Redemption `gorm:"embedded"`
		Voucher    Voucher    `gorm:"embedded;embeddedPrefix:v_"`
	}
	names, err := db.columns(&Voucher{})
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, name := range names {
		columns = append(columns, "v."+name+" AS v_"+name)
	}
	row, now, err := oneLocked[both](ctx, db, `WITH v AS (SELECT * FROM vouchers WHERE id = (SELECT voucher_id FROM voucher_redemptions WHERE id = $1) FOR UPDATE),
		locked AS (SELECT r.*, `+strings.Join(columns, ", ")+` FROM v JOIN voucher_redemptions r ON r.id = $1 FOR UPDATE OF r)
		SELECT *, clock_timestamp() + (SELECT ahead FROM clock) AS db_now FROM locked`, id)
	if isMissing(err) {
		return nil, NotFound("Voucher")
	}
	if err != nil {
		return nil, fmt.Errorf("read redemption: %w", err)
	}
	return &redemptionChange{Redemption: &row.Redemption, Voucher: &row.Voucher, Now: now, ctx: ctx, tx: db, was: row.Redemption}, nil
}

func (c *redemptionChange) store() error {
	if err := c.keepReview(); err != nil {
		return err
	}
	if r := c.Redemption; r.Status != c.was.Status || text(r.AttentionReason) != text(c.was.AttentionReason) || r.ResumedAt != c.was.ResumedAt {
		r.MovedAt = &c.Now
	}
	return storeChanged(c.ctx, c.tx, &c.was, c.Redemption, c.Now, Conflict("redemption_moved", "The redemption has changed. Refresh the page."), nil)
}

// move changes the redemption's status; a move the table does not list is
// refused.
func (c *redemptionChange) move(to RedemptionStatus) error {
	if !slices.Contains(redemptionTransitions[c.Redemption.Status], to) {
		return Conflict("redemption_state", fmt.Sprintf("A redemption that is %s can't become %s", c.Redemption.Status, to))
	}
	c.Redemption.Status = to
	return nil
}

func (c *redemptionChange) event(e Event) error { return c.tx.tell(c.ctx, c.Redemption.about(), e) }

func (c *redemptionChange) post(event, group string, lines ...Posting) error {
	return c.tx.postMatter(c.ctx, c.Redemption.about(), event, group, lines...)
}

// attend marks that the redemption waits for a person, and tells so: staff each
// time, its customer once until it goes on.
func (c *redemptionChange) attend(reason string) error {
	r := c.Redemption
	if !slices.Contains(RedemptionReasons, reason) {
		return fmt.Errorf("a redemption cannot wait for %s", reason)
	}
	if text(r.AttentionReason) == reason {
		return nil
	}
	r.AttentionReason, r.AttentionSince = &reason, &c.Now
	if err := c.event(Event{Kind: "attention", Internal: true, Data: map[string]any{"reason": reason}}); err != nil || !r.Waits() {
		return err
	}
	since := ""
	if r.ResumedAt != nil {
		since = r.ResumedAt.UTC().Format(time.RFC3339Nano)
	}
	return c.event(Event{Kind: "delayed", Dedupe: "delayed:" + since})
}

func (c *redemptionChange) clearAttention() {
	c.Redemption.AttentionReason, c.Redemption.AttentionSince = nil, nil
}

// BeginVoucher notes that a redemption's workflow runs, and reserves coin for one
// that nothing was done for yet.
func (db *DB) BeginVoucher(ctx context.Context, id string, slippageBPS int64) (VoucherState, error) {
	return db.reserveVoucher(ctx, id, slippageBPS, func(c *redemptionChange) bool {
		c.Redemption.WorkflowStartedAt = &c.Now
		return !c.Redemption.Waits()
	})
}

// ReserveVoucher promises coin of the wallet float to a redemption, and takes
// what it can out of stock, after checking again what may have changed. What
// does not hold any more asks for a person's attention.
func (db *DB) ReserveVoucher(ctx context.Context, id string, slippageBPS int64) (VoucherState, error) {
	return db.reserveVoucher(ctx, id, slippageBPS, func(*redemptionChange) bool { return true })
}

func (db *DB) reserveVoucher(ctx context.Context, id string, slippageBPS int64, may func(c *redemptionChange) bool) (state VoucherState, err error) {
	err = db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if may(c) {
			if err := c.reserve(slippageBPS); err != nil {
				return err
			}
		}
		state, err = c.tx.voucherState(ctx, c.Redemption)
		return err
	})
	return state, err
}

func (c *redemptionChange) reserve(slippageBPS int64) error {
	if c.Redemption.Status != RedemptionAccepted {
		return nil
	}
	reason, err := c.unfit(slippageBPS)
	if err != nil {
		return err
	}
	if reason != "" {
		return c.attend(reason)
	}
	if err := c.move(RedemptionFulfilling); err != nil {
		return err
	}
	c.clearAttention()
	if err := c.post("reserved", "reserved", ReservePostings(c.Redemption.Delivery())...); err != nil {
		return err
	}
	if err := c.event(Event{Kind: "reserved", Dedupe: "reserved"}); err != nil {
		return err
	}
	return c.takeStock()
}

// unfit says why the redemption must not go on now; "" when it may.
func (c *redemptionChange) unfit(slippageBPS int64) (string, error) {
	r := c.Redemption
	if reason, err := c.pausedNow(); reason != "" || err != nil {
		return reason, err
	}
	customer, _, err := c.tx.customerTerms(c.ctx, r.UserID)
	switch {
	case err != nil:
		return "", err
	case customer.Disabled || customer.Frozen:
		return AttentionFrozen, nil
	case r.NeedsIdentity && !customer.verified():
		return AttentionKYC, nil
	}
	if reason, err := c.reviewed(); reason != "" || err != nil {
		return reason, err
	}
	if blocked, err := c.blocked(); blocked || err != nil {
		return AttentionBlocked, err
	}
	market, err := c.tx.market(c.ctx, r.Asset)
	if err != nil {
		return "", err
	}
	if market.Quotable(c.Now) != nil {
		return AttentionNoPrice, nil
	}
	if !r.OwnCoin() && market.Ask.GreaterThan(withSlippage(r.PriceLimit, slippageBPS)) {
		return AttentionPrice, nil
	}
	return c.tx.shortFloat(c.ctx, r.Network, r.Asset, r.Amount)
}

// takeStock takes coin that was bought for others and not sold, so that only
// what our inventory lacks is bought.
func (c *redemptionChange) takeStock() error {
	r := c.Redemption
	if err := c.tx.lockKey(c.ctx, "stock:"+string(r.Asset)); err != nil {
		return fmt.Errorf("lock stock: %w", err)
	}
	unsold, err := c.tx.AccountBalance(c.ctx, AccountTrading, r.Asset)
	if err != nil {
		return err
	}
	if unsold = unsold.Neg(); unsold.Sign() <= 0 {
		return nil
	}
	market, err := c.tx.market(c.ctx, r.Asset)
	if err != nil {
		return err
	}
	r.FromStock = unsold.Min(r.Amount)
	r.StockCost = money.USD.FromDecimal(market.Ask.Mul(r.Asset.Decimal(r.FromStock)), money.HalfUp)
	if err := c.post("stock_taken", "stock", StockPostings(r)...); err != nil {
		return err
	}
	return c.whenFilled(Fill{})
}

// enough reports whether nothing is missing.
func (c *redemptionChange) enough(bought Fill) bool {
	return bought.Filled.Add(c.Redemption.FromStock).Cmp(c.Redemption.Amount) >= 0
}

// whenFilled moves the redemption on when nothing is missing any more.
func (c *redemptionChange) whenFilled(bought Fill) error {
	if c.Redemption.Status != RedemptionFulfilling || !c.enough(bought) {
		return nil
	}
	if err := c.move(RedemptionFilled); err != nil {
		return err
	}
	c.clearAttention()
	return c.event(Event{Kind: "filled", Dedupe: "filled"})
}

// exchangeOrders are those of the redemption.
func (c *redemptionChange) exchangeOrders() ([]ExchangeOrder, error) {
	return c.tx.exchangeOrders(c.ctx, "redemption_id = ?", c.Redemption.ID)
}

// StartVoucherBuy is StartBuy for a redemption.
func (db *DB) StartVoucherBuy(ctx context.Context, id string, slippageBPS int64, life time.Duration) (BuyJob, error) {
	var job BuyJob
	err := db.changeRedemption(ctx, id, func(c *redemptionChange) (err error) {
		r := c.Redemption
		if r.Status != RedemptionFulfilling || r.Waits() {
			job.Done = true
			return nil
		}
		job, err = startBuy(c, r.ResumedAt, slippageBPS, life)
		return err
	})
	return job, err
}

// nextExchangeOrder asks for what is missing: at the price that was locked, or
// when the voucher is in coin, whatever that costs now.
func (c *redemptionChange) nextExchangeOrder(past []ExchangeOrder, slippageBPS int64, life time.Duration) (ExchangeOrder, error) {
	r := c.Redemption
	price := r.PriceLimit
	if r.OwnCoin() {
		market, err := c.tx.market(c.ctx, r.Asset)
		if err != nil {
			return ExchangeOrder{}, err
		}
		price = market.Ask
	}
	return c.tx.nextExchangeOrder(c.ctx, c.Now, purchase{subject: r.ID, since: maybeSince(c.Now, r.CreatedAt, r.RestoredAt), price: price, missing: r.Amount.Sub(r.FromStock).Sub(fillOf(past).Filled),
		slippageBPS: slippageBPS, life: life, row: ExchangeOrder{RedemptionID: &r.ID, Asset: r.Asset, Generation: len(past) + 1}})
}

// ResendVoucherBuy is ResendBuy for a redemption.
func (db *DB) ResendVoucherBuy(ctx context.Context, id string, generation int, life time.Duration) (time.Time, error) {
	var deadline time.Time
	err := db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		open := c.tx.orm(ctx).Model(&ExchangeOrder{}).Where("redemption_id = ? AND generation = ? AND done_at IS NULL", id, generation)
		reason, err := c.halted()
		if err != nil {
			return err
		}
		if reason != "" {
			return firstError(open.Update("done_at", c.Now).Error, c.attend(reason))
		}
		deadline = c.Now.Add(life)
		return open.Update("deadline", deadline).Error
	})
	return deadline, err
}

// RecordVoucherFill is RecordFill for a redemption.
func (db *DB) RecordVoucherFill(ctx context.Context, id string, generation int, exchangeID string, fill Fill) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		rows, err := c.exchangeOrders()
		if err != nil {
			return err
		}
		row, err := c.tx.executed(ctx, rows, generation, exchangeID, fill, c.Now)
		if err != nil || row == nil {
			return err
		}
		if err := c.post("filled", fmt.Sprintf("fill:%d", generation), FilledPostings(c.Redemption.Delivery(), fill)...); err != nil {
			return err
		}
		if err := c.event(Event{Kind: "exchange_placed", Internal: true, Actor: ByProvider, Dedupe: fmt.Sprintf("placed:%d", generation)}); err != nil {
			return err
		}
		return c.whenFilled(fillOf(rows))
	})
}

// stoppedAt is where a redemption stands whose step did not succeed for a reason;
// for others, it may stand anywhere.
var stoppedAt = map[string]RedemptionStatus{
	AttentionBuy:         RedemptionFulfilling,
	AttentionBuyUnknown:  RedemptionFulfilling,
	AttentionRefused:     RedemptionFilled,
	AttentionAddress:     RedemptionFilled,
	AttentionSendUnknown: RedemptionFilled,
	AttentionUnconfirmed: RedemptionSent,
}

// VoucherNeedsPerson marks that a redemption waits for a person because a step
// did not succeed. One that has moved on, while the step was thought to be stuck,
// goes on.
func (db *DB) VoucherNeedsPerson(ctx context.Context, id, reason string) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		at, known := stoppedAt[reason]
		if c.Redemption.ClosedAt != nil || known && c.Redemption.Status != at {
			return nil
		}
		return c.attend(reason)
	})
}

// RecordVoucherAttempt adds a failed attempt to the redemption's story; the same
// attempt counts once.
func (db *DB) RecordVoucherAttempt(ctx context.Context, id string, a Attempt) error {
	return db.changeRedemption(ctx, id, func(c *redemptionChange) error {
		if told, err := a.isTold(ctx, c.tx, "matter_events", "matter_id", id); told || err != nil {
			return err
		}
		message := a.message()
		c.Redemption.RetryCount++
		c.Redemption.LastError, c.Redemption.LastErrorAt = &message, &c.Now
		return c.event(a.event())
	})
}
