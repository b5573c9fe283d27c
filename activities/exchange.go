package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Exchange are the steps that buy coin.
type Exchange struct {
	DB          *store.DB
	Exchange    provider.Exchange
	Timing      Timing
	SlippageBPS int64
}

// errGone stops a step because the customer's money has been returned.
var errGone = errors.New("the money has gone")

// maxRounds bounds the exchange orders of one attempt.
const maxRounds = 5

// buying is what coin is bought for: an order, or the redemption of a voucher.
type buying interface {
	// Start commits that coin is about to be bought, and returns what to send or look up.
	Start(ctx context.Context) (execution.BuyJob, error)
	// Resend gives an exchange order that was never placed a new deadline; none means that
	// it is over.
	Resend(ctx context.Context, generation int) (time.Time, error)
	// Record books what an exchange order executed.
	Record(ctx context.Context, generation int, exchangeID string, fill execution.Fill) error
}

// forOrder is coin for an order.
type forOrder struct {
	a  *Exchange
	id string
}

// Start implements buying.
func (o forOrder) Start(ctx context.Context) (execution.BuyJob, error) {
	return order.StartBuy(ctx, o.a.DB, o.id, o.a.SlippageBPS, o.a.Timing.OrderLife)
}

// Resend implements buying.
func (o forOrder) Resend(ctx context.Context, generation int) (time.Time, error) {
	return order.ResendBuy(ctx, o.a.DB, o.id, generation, o.a.Timing.OrderLife)
}

// Record implements buying.
func (o forOrder) Record(ctx context.Context, generation int, exchangeID string, fill execution.Fill) error {
	return order.RecordFill(ctx, o.a.DB, o.id, generation, exchangeID, fill)
}

// forVoucher is coin for a redemption.
type forVoucher struct {
	a  *Exchange
	id string
}

// Start implements buying.
func (v forVoucher) Start(ctx context.Context) (execution.BuyJob, error) {
	return voucher.StartVoucherBuy(ctx, v.a.DB, v.id, v.a.SlippageBPS, v.a.Timing.OrderLife)
}

// Resend implements buying.
func (v forVoucher) Resend(ctx context.Context, generation int) (time.Time, error) {
	return voucher.ResendVoucherBuy(ctx, v.a.DB, v.id, generation, v.a.Timing.OrderLife)
}

// Record implements buying.
func (v forVoucher) Record(ctx context.Context, generation int, exchangeID string, fill execution.Fill) error {
	return voucher.RecordVoucherFill(ctx, v.a.DB, v.id, generation, exchangeID, fill)
}

// Buy buys the coin of a reserved order.
func (a *Exchange) Buy(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, a.buy(ctx, forOrder{a, orderID}))
}

// BuyForVoucher buys what is missing for a redemption.
func (a *Exchange) BuyForVoucher(ctx context.Context, redemptionID string) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, redemptionID, a.buy(ctx, forVoucher{a, redemptionID}))
}

// buy places limit orders that fill at once, in part or not at all, until
// nothing is missing (providers §2.7).
func (a *Exchange) buy(ctx context.Context, what buying) error {
	for range maxRounds {
		job, err := what.Start(ctx)
		if err != nil || job.Done {
			return err
		}
		placed, err := a.place(ctx, what, job)
		if errors.Is(err, errGone) {
			return nil
		}
		if err != nil {
			return err
		}
		fill := execution.Fill{Filled: placed.Filled, Cost: placed.Cost, Fee: placed.Fee}
		if err := what.Record(ctx, job.Order.Generation, placed.ID, fill); err != nil {
			return err
		}
		if placed.Filled.Cmp(job.Order.Asked) >= 0 {
			return nil // only the missing part was ordered; the row says whether that is still so
		}
		if placed.Filled.IsZero() {
			return Failure{Class: Retry, Code: "nothing_filled"}.Error()
		}
	}
	return Failure{Class: Retry, Code: "filled_in_part"}.Error()
}

// place gets one exchange order to its end: found by our id, or sent.
func (a *Exchange) place(ctx context.Context, what buying, job execution.BuyJob) (provider.ExchangeOrder, error) {
	row := job.Order
	if job.SentBefore {
		found, err := a.lookUp(ctx, row)
		if err == nil {
			return a.finished(ctx, found)
		}
		if !errors.Is(err, provider.ErrNotFound) {
			return provider.ExchangeOrder{}, unsure(err)
		}
		deadline, err := what.Resend(ctx, row.Generation)
		if err != nil {
			return provider.ExchangeOrder{}, err
		}
		if deadline.IsZero() { // it is over: the money has been returned meanwhile
			return provider.ExchangeOrder{}, errGone
		}
		row.Deadline = &deadline
	}
	id, err := a.Exchange.Buy(ctx, provider.BuyInput{ClientID: row.ClientID, Asset: row.Asset, Amount: row.Asked, Limit: row.LimitPrice, Deadline: *row.Deadline})
	if err != nil && provider.ClassOf(err) == provider.Refused {
		// Definitely not placed: this generation is over, and bought nothing.
		if noted := what.Record(ctx, row.Generation, "", execution.Fill{}); noted != nil {
			return provider.ExchangeOrder{}, noted
		}
	}
	if err != nil {
		return provider.ExchangeOrder{}, err
	}
	placed, err := a.read(ctx, id)
	if err != nil {
		return provider.ExchangeOrder{}, unsure(err)
	}
	return a.finished(ctx, placed)
}

// find and read return the state of an exchange order.
func (a *Exchange) find(ctx context.Context, row execution.ExchangeOrder) (provider.ExchangeOrder, error) {
	return a.patiently(ctx, func() (provider.ExchangeOrder, error) {
		return a.Exchange.FindOrder(ctx, row.ClientID, *row.SendStartedAt)
	})
}

func (a *Exchange) read(ctx context.Context, id string) (provider.ExchangeOrder, error) {
	return a.patiently(ctx, func() (provider.ExchangeOrder, error) { return a.Exchange.ReadOrder(ctx, id) })
}

// patiently repeats a read, within the same attempt, when the exchange limits the rate. A
// new attempt would repeat all its lookups and add to the load: after a crash with several
// orders under way none would complete.
func (a *Exchange) patiently(ctx context.Context, fetch func() (provider.ExchangeOrder, error)) (provider.ExchangeOrder, error) {
	for {
		found, err := fetch()
		var said *provider.Error
		if !errors.As(err, &said) || said.Code != "rate_limited" {
			return found, err
		}
		if err := wait(ctx, max(a.Timing.LookupGap, said.RetryAfter)); err != nil {
			return found, err
		}
	}
}

// lookUp returns ErrNotFound only when the order's deadline passed a while ago and several
// lookups in a row found nothing: then it was never placed.
func (a *Exchange) lookUp(ctx context.Context, row execution.ExchangeOrder) (provider.ExchangeOrder, error) {
	found, err := a.find(ctx, row)
	if err == nil || !errors.Is(err, provider.ErrNotFound) {
		return found, err
	}
	now, err := a.DB.Now(ctx)
	if err != nil {
		return provider.ExchangeOrder{}, err
	}
	if err := wait(ctx, row.Deadline.Sub(now)+a.Timing.LookupGrace); err != nil {
		return provider.ExchangeOrder{}, err
	}
	for range a.Timing.LookupTries {
		found, err = a.find(ctx, row)
		if err == nil || !errors.Is(err, provider.ErrNotFound) {
			return found, err
		}
		if err := wait(ctx, a.Timing.LookupGap); err != nil {
			return provider.ExchangeOrder{}, err
		}
	}
	return provider.ExchangeOrder{}, provider.ErrNotFound
}

// finished waits for an order that the exchange still works on.
func (a *Exchange) finished(ctx context.Context, placed provider.ExchangeOrder) (provider.ExchangeOrder, error) {
	for tries := 0; !placed.Done; tries++ {
		if tries == a.Timing.LookupTries {
			return placed, Failure{Class: Unknown, Code: "order_still_open"}.Error()
		}
		if err := wait(ctx, a.Timing.LookupGap); err != nil {
			return placed, err
		}
		read, err := a.read(ctx, placed.ID)
		if err != nil {
			return placed, unsure(err)
		}
		placed = read
	}
	return placed, nil
}

// wait sleeps, and ends early when the worker stops: the next attempt continues.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-activity.GetWorkerStopChannel(ctx):
		return context.Canceled
	}
}
