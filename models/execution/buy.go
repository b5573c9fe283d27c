package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
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

// exchangeNamespace makes client order ids from business ids (providers §2.7).
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

// buyer is what coin is bought for: an order, or the redemption of a voucher, each
// under the lock of its row.
type buyer interface {
	ExchangeOrders() ([]ExchangeOrder, error)
	NextExchangeOrder(past []ExchangeOrder, slippageBPS int64, life time.Duration) (ExchangeOrder, error)
	// enough reports whether nothing is missing; whenFilled moves it on then.
	Enough(bought Fill) bool
	WhenFilled(bought Fill) error
	// halted says why nothing new may begin for it; "" when it may.
	Halted() (string, error)
	Escalate(reason string) error
}

// StartBuy gives the exchange order whose outcome is open, to be looked up, or
// else commits the next one. resumed is when its buyer was last put back to try
// again.
func StartBuy(b buyer, resumed *time.Time, slippageBPS int64, life time.Duration) (BuyJob, error) {
	past, err := b.ExchangeOrders()
	if err != nil {
		return BuyJob{}, err
	}
	if n := len(past); n > 0 && past[n-1].DoneAt == nil {
		return BuyJob{SentBefore: true, Order: past[n-1]}, nil
	}
	if bought := FillOf(past); b.Enough(bought) { // told late, when it had failed
		return BuyJob{Done: true}, b.WhenFilled(bought)
	}
	if reason, err := b.Halted(); reason != "" || err != nil {
		return BuyJob{Done: true}, store.FirstError(err, b.Escalate(reason))
	}
	if unfilled(past, resumed) >= maxUnfilled {
		return BuyJob{Done: true}, b.Escalate(casework.AttentionPrice)
	}
	next, err := b.NextExchangeOrder(past, slippageBPS, life)
	if err != nil {
		return BuyJob{}, err
	}
	return BuyJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Order: next}, nil
}

// ExchangeOrders reads all exchange orders of an order or of a redemption; whose is the column.
func ExchangeOrders(ctx context.Context, db *store.DB, whose, id string) ([]ExchangeOrder, error) {
	var rows []ExchangeOrder
	if err := db.ORM(ctx).Where(whose, id).Order("generation").Find(&rows).Error; err != nil {
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

// Purchase is coin that is missing for something, and what it may cost.
type Purchase struct {
	Subject     string    // the id of what it is for
	Since       time.Time // when it may have been sent first
	Price       decimal.Decimal
	Missing     money.Units
	SlippageBPS int64
	Life        time.Duration
	Row         ExchangeOrder // whose it is, and which generation
}

// NextExchangeOrder asks for what is missing, rounded up to what the exchange
// sells: what it buys too much stays in our inventory there.
func NextExchangeOrder(ctx context.Context, db *store.DB, now time.Time, p Purchase) (ExchangeOrder, error) {
	row := p.Row
	market, err := pricing.ReadMarket(ctx, db, row.Asset)
	if err != nil {
		return ExchangeOrder{}, err
	}
	limit := pricing.WithSlippage(p.Price, p.SlippageBPS)
	if market.TickSize.IsPositive() {
		limit = limit.Div(market.TickSize).Floor().Mul(market.TickSize)
	}
	coins := decimal.Max(row.Asset.Decimal(p.Missing), market.MinAmount, market.MinCost.DivRound(limit, 18)).RoundUp(market.LotDecimals)
	deadline := now.Add(p.Life)
	row.Asked, row.LimitPrice, row.SendStartedAt, row.Deadline, row.CreatedAt = row.Asset.FromDecimal(coins, money.Up), limit, &p.Since, &deadline, now
	row.ClientID = uuid.NewSHA1(exchangeNamespace, fmt.Appendf(nil, "%s/%d", p.Subject, row.Generation)).String()
	if err := db.LaterORM(ctx, store.Write{Table: "exchange_orders"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
		return ExchangeOrder{}, fmt.Errorf("store exchange order: %w", err)
	}
	return row, nil
}

// FillOf sums what exchange orders executed.
func FillOf(rows []ExchangeOrder) Fill {
	var sum Fill
	for _, row := range rows {
		sum.Filled, sum.Cost, sum.Fee = sum.Filled.Add(row.Filled), sum.Cost.Add(row.Cost), sum.Fee.Add(row.Fee)
	}
	return sum
}

// Executed notes what a finished exchange order executed, in the rows too. It gives
// the row when there is something to book: not when it was told before, or was
// refused and executed nothing.
func Executed(ctx context.Context, db *store.DB, rows []ExchangeOrder, generation int, exchangeID string, fill Fill, now time.Time) (*ExchangeOrder, error) {
	if generation > len(rows) || rows[generation-1].DoneAt != nil {
		return nil, nil
	}
	row := &rows[generation-1]
	was := *row
	row.Filled, row.Cost, row.Fee, row.DoneAt = fill.Filled, fill.Cost, fill.Fee, &now
	if exchangeID != "" {
		row.ExchangeID = &exchangeID
	}
	if err := store.SaveChanged(ctx, db, &was, row, nil); err != nil || exchangeID == "" {
		return nil, err
	}
	return row, nil
}

// ProlongBuy gives an exchange order that is not done another deadline; whose column says
// what it is for.
func ProlongBuy(ctx context.Context, tx *store.DB, whose, id string, generation int, deadline time.Time) error {
	return tx.ORM(ctx).Model(&ExchangeOrder{}).Where(whose+undone, id, generation).Update("deadline", deadline).Error
}

// GiveUpBuy ends an exchange order that is not done.
func GiveUpBuy(ctx context.Context, tx *store.DB, whose, id string, generation int, now time.Time) error {
	return tx.ORM(ctx).Model(&ExchangeOrder{}).Where(whose+undone, id, generation).Update("done_at", now).Error
}

// undone is the condition, after the column that says what they are for, of exchange orders
// of a generation that are not done.
const undone = " = ? AND generation = ? AND done_at IS NULL"
