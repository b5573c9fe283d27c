package models

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
)

// ExchangeOrder is one order of ours at the exchange, made for a customer's
// order or for the redemption of a voucher. What fills in part gets another
// generation for the remainder. Amounts are base units of Asset; Cost (without
// fee) and Fee are cents.
type ExchangeOrder struct {
	ClientID      string `gorm:"primaryKey"`
	OrderID       *string
	RedemptionID  *string
	Generation    int
	Asset         money.Currency
	Asked         money.Units
	LimitPrice    decimal.Decimal
	SendStartedAt *time.Time
	Deadline      *time.Time
	ExchangeID    *string
	Filled        money.Units
	Cost, Fee     money.Units
	DoneAt        *time.Time
	CreatedAt     time.Time `gorm:"default:clock_now()"`
}

// exchangeNamespace makes client order ids from business ids (PROVIDERS §2.7).
var exchangeNamespace = uuid.MustParse("0f6a3f6e-6b0b-4c87-9a35-5d4b5d1f2f10")

// maxUnfilled is how many exchange orders in a row may fill nothing at our
// limit before a person is asked: the price has gone.
const maxUnfilled = 3

// BuyJob is an exchange order to be sent, or looked up.
type BuyJob struct {
	Done       bool // nothing is left to buy, or a person is asked
	SentBefore bool // look up before sending
	Order      ExchangeOrder
}

// StartBuy commits that coin for a reserved order is about to be bought: the
// current exchange order while its outcome is open, else the next one for what
// is missing. life is how long the exchange may take to accept it.
func (db *DB) StartBuy(ctx context.Context, orderID string, slippageBPS int64, life time.Duration) (BuyJob, error) {
	var job BuyJob
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) (err error) {
		if c.Order.Status != StatusFulfilling {
			job.Done = true
			return nil
		}
		job, err = startBuy(c, c.Order.ResumedAt, slippageBPS, life)
		return err
	})
	return job, err
}

// buyer is what coin is bought for: an order, or the redemption of a voucher, each
// under the lock of its row.
type buyer interface {
	exchangeOrders() ([]ExchangeOrder, error)
	nextExchangeOrder(past []ExchangeOrder, slippageBPS int64, life time.Duration) (ExchangeOrder, error)
	// enough reports whether nothing is missing; whenFilled moves it on then.
	enough(bought Fill) bool
	whenFilled(bought Fill) error
	// halted says why nothing new may begin for it; "" when it may.
	halted() (string, error)
	attend(reason string) error
}

// startBuy gives the exchange order whose outcome is open, to be looked up, or
// else commits the next one. resumed is when its buyer was last put back to try
// again.
func startBuy(b buyer, resumed *time.Time, slippageBPS int64, life time.Duration) (BuyJob, error) {
	past, err := b.exchangeOrders()
	if err != nil {
		return BuyJob{}, err
	}
	if n := len(past); n > 0 && past[n-1].DoneAt == nil {
		return BuyJob{SentBefore: true, Order: past[n-1]}, nil
	}
	if bought := fillOf(past); b.enough(bought) { // told late, when it had failed
		return BuyJob{Done: true}, b.whenFilled(bought)
	}
	if reason, err := b.halted(); reason != "" || err != nil {
		return BuyJob{Done: true}, firstError(err, b.attend(reason))
	}
	if unfilled(past, resumed) >= maxUnfilled {
		return BuyJob{Done: true}, b.attend(AttentionPrice)
	}
	next, err := b.nextExchangeOrder(past, slippageBPS, life)
	if err != nil {
		return BuyJob{}, err
	}
	return BuyJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Order: next}, nil
}

// exchangeOrders are those of the order.
func (c *OrderChange) exchangeOrders() ([]ExchangeOrder, error) {
	return c.tx.exchangeOrders(c.ctx, "order_id = ?", c.Order.ID)
}

// exchangeOrders reads all exchange orders of an order or of a redemption; whose is the column.
func (db *DB) exchangeOrders(ctx context.Context, whose, id string) ([]ExchangeOrder, error) {
	var rows []ExchangeOrder
	if err := db.orm(ctx).Where(whose, id).Order("generation").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read exchange orders: %w", err)
	}
	return rows, nil
}

// unfilled counts the last exchange orders in a row that filled nothing, since
// whatever they are for was last put back to try again.
func unfilled(past []ExchangeOrder, since *time.Time) int {
	count := 0
	for i := len(past) - 1; i >= 0 && past[i].ExchangeID != nil && past[i].Filled.IsZero() && (since == nil || past[i].CreatedAt.After(*since)); i-- {
		count++
	}
	return count
}

// nextExchangeOrder is the one that buys what is still missing.
func (c *OrderChange) nextExchangeOrder(past []ExchangeOrder, slippageBPS int64, life time.Duration) (ExchangeOrder, error) {
	return c.tx.nextExchangeOrder(c.ctx, c.Now, purchase{subject: c.Order.ID, since: maybeSince(c.Now, c.Order.CreatedAt, c.Order.RestoredAt), price: c.Order.UnitPrice, missing: c.Order.Amount.Sub(fillOf(past).Filled),
		slippageBPS: slippageBPS, life: life, row: ExchangeOrder{OrderID: &c.Order.ID, Asset: c.Order.Asset, Generation: len(past) + 1}})
}

// purchase is coin that is missing for something, and what it may cost.
type purchase struct {
	subject     string    // the id of what it is for
	since       time.Time // when it may have been sent first
	price       decimal.Decimal
	missing     money.Units
	slippageBPS int64
	life        time.Duration
	row         ExchangeOrder // whose it is, and which generation
}

// nextExchangeOrder asks for what is missing, rounded up to what the exchange
// sells: what it buys too much stays in our inventory there.
func (db *DB) nextExchangeOrder(ctx context.Context, now time.Time, p purchase) (ExchangeOrder, error) {
	row := p.row
	market, err := db.market(ctx, row.Asset)
	if err != nil {
		return ExchangeOrder{}, err
	}
	limit := withSlippage(p.price, p.slippageBPS)
	if market.TickSize.IsPositive() {
		limit = limit.Div(market.TickSize).Floor().Mul(market.TickSize)
	}
	coins := decimal.Max(row.Asset.Decimal(p.missing), market.MinAmount, market.MinCost.DivRound(limit, 18)).RoundUp(market.LotDecimals)
	deadline := now.Add(p.life)
	row.Asked, row.LimitPrice, row.SendStartedAt, row.Deadline, row.CreatedAt = row.Asset.FromDecimal(coins, money.Up), limit, &p.since, &deadline, now
	row.ClientID = uuid.NewSHA1(exchangeNamespace, fmt.Appendf(nil, "%s/%d", p.subject, row.Generation)).String()
	if err := db.laterORM(ctx, write{table: "exchange_orders"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
		return ExchangeOrder{}, fmt.Errorf("store exchange order: %w", err)
	}
	return row, nil
}

// fillOf sums what exchange orders executed.
func fillOf(rows []ExchangeOrder) Fill {
	var sum Fill
	for _, row := range rows {
		sum.Filled, sum.Cost, sum.Fee = sum.Filled.Add(row.Filled), sum.Cost.Add(row.Cost), sum.Fee.Add(row.Fee)
	}
	return sum
}

// ResendBuy commits a new deadline for an exchange order that, as repeated
// look-ups after the old one showed, was never placed. When the money has gone
// meanwhile, somebody has paused it, or the customer is frozen, that exchange
// order is over instead, and the order waits.
func (db *DB) ResendBuy(ctx context.Context, orderID string, generation int, life time.Duration) (time.Time, error) {
	var deadline time.Time
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		reason, err := c.halted()
		if err != nil {
			return err
		}
		if reason != "" {
			return c.giveUpBuy(generation, reason)
		}
		deadline = c.Now.Add(life)
		return c.tx.orm(ctx).Model(&ExchangeOrder{}).Where("order_id = ? AND generation = ? AND done_at IS NULL", orderID, generation).
			Update("deadline", deadline).Error
	})
	return deadline, err
}

func (c *OrderChange) giveUpBuy(generation int, reason string) error {
	err := c.tx.orm(c.ctx).Model(&ExchangeOrder{}).Where("order_id = ? AND generation = ? AND done_at IS NULL", c.Order.ID, generation).Update("done_at", c.Now).Error
	return firstError(err, c.attend(reason))
}

// RecordFill books what a finished exchange order executed; when nothing is
// missing any more, the order is filled. An exchange order that was refused has
// no id and executed nothing. Telling it twice is telling it once.
func (db *DB) RecordFill(ctx context.Context, orderID string, generation int, exchangeID string, fill Fill) error {
	return db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		rows, err := c.exchangeOrders()
		if err != nil {
			return err
		}
		row, err := c.tx.executed(ctx, rows, generation, exchangeID, fill, c.Now)
		if err != nil || row == nil {
			return err
		}
		if err := c.Post("filled", fmt.Sprintf("fill:%d", generation), FilledPostings(c.Order.Delivery(), fill)...); err != nil {
			return err
		}
		return c.noteFill(row, fillOf(rows))
	})
}

// executed notes what a finished exchange order executed, in the rows too. It gives
// the row when there is something to book: not when it was told before, or was
// refused and executed nothing.
func (db *DB) executed(ctx context.Context, rows []ExchangeOrder, generation int, exchangeID string, fill Fill, now time.Time) (*ExchangeOrder, error) {
	if generation > len(rows) || rows[generation-1].DoneAt != nil {
		return nil, nil
	}
	row := &rows[generation-1]
	was := *row
	row.Filled, row.Cost, row.Fee, row.DoneAt = fill.Filled, fill.Cost, fill.Fee, &now
	if exchangeID != "" {
		row.ExchangeID = &exchangeID
	}
	if err := saveChanged(ctx, db, &was, row, nil); err != nil || exchangeID == "" {
		return nil, err
	}
	return row, nil
}

func (c *OrderChange) noteFill(row *ExchangeOrder, sum Fill) error {
	generation := fmt.Sprint(row.Generation)
	if err := c.Event(Event{Kind: "exchange_placed", Actor: ByProvider, Dedupe: "placed:" + generation}); err != nil {
		return err
	}
	if !row.Filled.IsZero() {
		c.Order.KrakenOrderID = row.ExchangeID
	}
	if c.Order.Status == StatusFulfilling && !c.enough(sum) {
		return c.Event(Event{Kind: "exchange_part_filled", Actor: ByProvider, Dedupe: "part:" + generation,
			Data: map[string]any{"filled": c.Order.Asset.Format(sum.Filled), "of": c.Order.Asset.Format(c.Order.Amount)}})
	}
	return c.whenFilled(sum)
}

// enough reports whether nothing is missing.
func (c *OrderChange) enough(bought Fill) bool { return bought.Filled.Cmp(c.Order.Amount) >= 0 }

// whenFilled moves the order on when nothing is missing any more.
func (c *OrderChange) whenFilled(bought Fill) error {
	if c.Order.Status != StatusFulfilling || !c.enough(bought) {
		return nil
	}
	if err := c.Move(StatusFilled); err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	return c.Event(Event{Kind: "filled", Actor: ByProvider, Dedupe: "filled"})
}
