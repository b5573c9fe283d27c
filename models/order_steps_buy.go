package models

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
)

// ExchangeOrder is one order of ours at the exchange. A customer's order that
// fills in part gets another generation for the remainder. Amounts are base
// units of Asset; Cost (without fee) and Fee are cents.
type ExchangeOrder struct {
	OrderID       string `gorm:"primaryKey"`
	Generation    int    `gorm:"primaryKey;autoIncrement:false"`
	ClientID      string
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
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		if c.Order.Status != StatusFulfilling {
			job.Done = true
			return nil
		}
		past, err := c.exchangeOrders()
		if err != nil {
			return err
		}
		if n := len(past); n > 0 && past[n-1].DoneAt == nil {
			job.SentBefore, job.Order = true, past[n-1]
			return nil
		}
		if gone, err := c.moneyGone(); gone != "" || err != nil {
			job.Done = true
			return firstError(err, c.attend(gone))
		}
		if len(past) >= maxUnfilled {
			if c.unfilled(past) >= maxUnfilled {
				job.Done = true
				return c.attend(AttentionPrice)
			}
		}
		job.Order, err = c.nextExchangeOrder(past, slippageBPS, life)
		return err
	})
	return job, err
}

func (c *OrderChange) exchangeOrders() ([]ExchangeOrder, error) {
	var rows []ExchangeOrder
	if err := c.tx.orm(c.ctx).Where("order_id = ?", c.Order.ID).Order("generation").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read exchange orders: %w", err)
	}
	return rows, nil
}

// unfilled counts the last exchange orders in a row that filled nothing, since
// the order was last put back to try again.
func (c *OrderChange) unfilled(past []ExchangeOrder) int {
	since, count := c.Order.ResumedAt, 0
	for i := len(past) - 1; i >= 0 && past[i].ExchangeID != nil && past[i].Filled.IsZero() && (since == nil || past[i].CreatedAt.After(*since)); i-- {
		count++
	}
	return count
}

// nextExchangeOrder asks for what is missing, rounded up to what the exchange
// sells: what it buys too much stays in our inventory there.
func (c *OrderChange) nextExchangeOrder(past []ExchangeOrder, slippageBPS int64, life time.Duration) (ExchangeOrder, error) {
	market, err := c.market()
	if err != nil {
		return ExchangeOrder{}, err
	}
	missing := c.Order.Amount.Sub(fillOf(past).Filled)
	limit := withSlippage(c.Order.UnitPrice, slippageBPS)
	if market.TickSize.IsPositive() {
		limit = limit.Div(market.TickSize).Floor().Mul(market.TickSize)
	}
	coins := decimal.Max(c.Order.Asset.Decimal(missing), market.MinAmount, market.MinCost.DivRound(limit, 18)).RoundUp(market.LotDecimals)
	deadline := c.Now.Add(life)
	row := ExchangeOrder{OrderID: c.Order.ID, Generation: len(past) + 1, Asset: c.Order.Asset,
		Asked: c.Order.Asset.FromDecimal(coins, money.Up), LimitPrice: limit, SendStartedAt: &c.Now, Deadline: &deadline, CreatedAt: c.Now}
	row.ClientID = uuid.NewSHA1(exchangeNamespace, fmt.Appendf(nil, "%s/%d", c.Order.ID, row.Generation)).String()
	if err := c.tx.orm(c.ctx).Create(&row).Error; err != nil {
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
// meanwhile, that exchange order is over instead, and a person is asked.
func (db *DB) ResendBuy(ctx context.Context, orderID string, generation int, life time.Duration) (time.Time, error) {
	var deadline time.Time
	err := db.ChangeOrder(ctx, orderID, func(c *OrderChange) error {
		gone, err := c.moneyGone()
		if err != nil {
			return err
		}
		if gone != "" {
			return c.giveUpBuy(generation, gone)
		}
		deadline = c.Now.Add(life)
		return c.tx.orm(ctx).Model(&ExchangeOrder{}).Where("order_id = ? AND generation = ? AND done_at IS NULL", orderID, generation).
			Update("deadline", deadline).Error
	})
	return deadline, err
}

func (c *OrderChange) giveUpBuy(generation int, gone string) error {
	err := c.tx.orm(c.ctx).Model(&ExchangeOrder{}).Where("order_id = ? AND generation = ? AND done_at IS NULL", c.Order.ID, generation).Update("done_at", c.Now).Error
	return firstError(err, c.attend(gone))
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
		if generation > len(rows) || rows[generation-1].DoneAt != nil {
			return nil
		}
		row := &rows[generation-1]
		row.Filled, row.Cost, row.Fee, row.DoneAt = fill.Filled, fill.Cost, fill.Fee, &c.Now
		if exchangeID == "" {
			return c.Save(row)
		}
		row.ExchangeID = &exchangeID
		if err := c.Save(row); err != nil {
			return err
		}
		if err := c.Post("filled", fmt.Sprintf("fill:%d", generation), FilledPostings(c.Order, fill)...); err != nil {
			return err
		}
		return c.noteFill(row, fillOf(rows))
	})
}

func (c *OrderChange) noteFill(row *ExchangeOrder, sum Fill) error {
	generation := fmt.Sprint(row.Generation)
	if err := c.Event(Event{Kind: "exchange_placed", Actor: ByProvider, Dedupe: "placed:" + generation}); err != nil {
		return err
	}
	if !row.Filled.IsZero() {
		c.Order.KrakenOrderID = row.ExchangeID
	}
	if c.Order.Status != StatusFulfilling {
		return nil
	}
	if sum.Filled.Cmp(c.Order.Amount) < 0 {
		return c.Event(Event{Kind: "exchange_part_filled", Actor: ByProvider, Dedupe: "part:" + generation,
			Data: map[string]any{"filled": c.Order.Asset.Format(sum.Filled), "of": c.Order.Asset.Format(c.Order.Amount)}})
	}
	if err := c.Move(StatusFilled); err != nil {
		return err
	}
	if err := c.clearAttention(); err != nil {
		return err
	}
	return c.Event(Event{Kind: "filled", Actor: ByProvider, Dedupe: "filled"})
}
