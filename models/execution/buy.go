package execution

import (
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

// maxUnfilled is how many exchange orders in a row may fill nothing at our limit before staff review it: the market
// left the price.
const maxUnfilled = 3

// BuyJob is an exchange order to be sent, or read.
type BuyJob struct {
	Done       bool // nothing is left to buy, or staff have to decide
	SentBefore bool // read before sending
	Order      ExchangeOrder
}

// StartBuy gives the exchange order whose outcome is open, to be read, or else commits the next one. resumed is when
// its subject was last resumed.
func StartBuy(c Change, resumed *time.Time, slippageBPS int64, life time.Duration) (BuyJob, error) {
	s := c.Subject()
	past, err := s.ExchangeOrders()
	if err != nil {
		return BuyJob{}, err
	}
	if n := len(past); n > 0 && past[n-1].DoneAt == nil {
		return BuyJob{SentBefore: true, Order: past[n-1]}, nil
	}
	bought := FillOf(past)
	if c.Enough(bought) { // reported late, when it had failed
		return BuyJob{Done: true}, c.WhenFilled(bought)
	}
	if reason, err := c.Halted(); reason != "" || err != nil {
		return BuyJob{Done: true}, store.FirstError(err, c.Escalate(reason))
	}
	if unfilled(past, resumed) >= maxUnfilled {
		return BuyJob{Done: true}, c.Escalate(casework.AttentionPrice)
	}
	missing, price, err := c.Missing(bought)
	if err != nil {
		return BuyJob{}, err
	}
	next, err := s.nextExchangeOrder(len(past)+1, missing, pricing.WithSlippage(price, slippageBPS), life)
	if err != nil {
		return BuyJob{}, err
	}
	return BuyJob{SentBefore: next.SendStartedAt.Before(next.CreatedAt), Order: next}, nil
}

// ResendBuy gives an exchange order that was never placed another deadline. Where
// nothing new may begin it is over instead, and its subject waits.
func ResendBuy(c Change, generation int, life time.Duration) (deadline time.Time, err error) {
	s := c.Subject()
	reason, err := c.Halted()
	if err != nil {
		return deadline, err
	}
	undone := s.Tx.ORM(s.Ctx).Model(&ExchangeOrder{}).Where(s.column()+" = ? AND generation = ? AND done_at IS NULL", s.ID, generation)
	if reason != "" {
		return deadline, store.FirstError(undone.Update("done_at", s.Now).Error, c.Escalate(reason))
	}
	deadline = s.Now.Add(life)
	return deadline, undone.Update("deadline", deadline).Error
}

// ExchangeOrders reads all exchange orders of the subject.
func (s *Subject) ExchangeOrders() ([]ExchangeOrder, error) {
	var rows []ExchangeOrder
	if err := s.Tx.ORM(s.Ctx).Where(s.column()+" = ?", s.ID).Order("generation").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read exchange orders: %w", err)
	}
	return rows, nil
}

// unfilled counts the last exchange orders in a row that filled nothing, since their subject was last resumed.
func unfilled(past []ExchangeOrder, since *time.Time) int {
	count := 0
	for i := len(past) - 1; i >= 0 && past[i].ExchangeID != nil && past[i].Filled.IsZero() && (since == nil || past[i].CreatedAt.After(*since)); i-- {
		count++
	}
	return count
}

// nextExchangeOrder makes the order for what is missing, rounded up to what the exchange sells: the surplus stays in
// our inventory there.
func (s *Subject) nextExchangeOrder(generation int, missing money.Units, limit decimal.Decimal, life time.Duration) (ExchangeOrder, error) {
	market, err := pricing.ReadMarket(s.Ctx, s.Tx, s.Asset)
	if err != nil {
		return ExchangeOrder{}, err
	}
	if market.TickSize.IsPositive() {
		limit = limit.Div(market.TickSize).Floor().Mul(market.TickSize)
	}
	coins := decimal.Max(s.Asset.Decimal(missing), market.MinAmount, market.MinCost.DivRound(limit, 18)).RoundUp(market.LotDecimals)
	since, deadline := s.maybeSince(), s.Now.Add(life)
	row := ExchangeOrder{Asset: s.Asset, Generation: generation, Asked: s.Asset.FromDecimal(coins, money.Up), LimitPrice: limit, SendStartedAt: &since,
		Deadline: &deadline, CreatedAt: s.Now, ClientID: uuid.NewSHA1(exchangeNamespace, fmt.Appendf(nil, "%s/%d", s.ID, generation)).String()}
	s.name(&row.OrderID, &row.RedemptionID)
	if err := s.Tx.LaterORM(s.Ctx, store.Write{Table: "exchange_orders"}, func(orm *gorm.DB) *gorm.DB { return orm.Create(&row) }); err != nil {
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

// Executed books what a finished exchange order executed, and gives its row and the sum
// of all. The row is nil when there is nothing to book: it was recorded before, or
// was refused and executed nothing.
func (s *Subject) Executed(generation int, exchangeID string, fill Fill) (row *ExchangeOrder, sum Fill, err error) {
	rows, err := s.ExchangeOrders()
	if err != nil || generation > len(rows) || rows[generation-1].DoneAt != nil {
		return nil, sum, err
	}
	row = &rows[generation-1]
	was := *row
	row.Filled, row.Cost, row.Fee, row.DoneAt = fill.Filled, fill.Cost, fill.Fee, &s.Now
	if exchangeID != "" {
		row.ExchangeID = &exchangeID
	}
	if err := store.SaveChanged(s.Ctx, s.Tx, &was, row, nil); err != nil || exchangeID == "" {
		return nil, sum, err
	}
	return row, FillOf(rows), s.post("filled", fmt.Sprintf("fill:%d", generation), FilledPostings(s.Delivery, fill))
}
