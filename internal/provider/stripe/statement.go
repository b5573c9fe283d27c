package stripe

import (
	"context"
	"slices"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Statements = (*Client)(nil)

// lineKinds are the types of balance transactions that have a counterpart in the books.
// "payment" is Stripe's type of charges of other means than cards.
var lineKinds = map[api.BalanceTransactionType]provider.LineKind{
	api.BalanceTransactionTypeCharge:               provider.LineCharge,
	api.BalanceTransactionTypePayment:              provider.LineCharge,
	api.BalanceTransactionTypeRefund:               provider.LineRefund,
	api.BalanceTransactionTypePaymentRefund:        provider.LineRefund,
	api.BalanceTransactionTypeRefundFailure:        provider.LineRefund,
	api.BalanceTransactionTypePaymentFailureRefund: provider.LineRefund,
	api.BalanceTransactionTypeStripeFee:            provider.LineFee,
	api.BalanceTransactionTypeTaxFee:               provider.LineFee,
	api.BalanceTransactionTypePayout:               provider.LinePayout,
	api.BalanceTransactionTypePayoutCancel:         provider.LinePayout,
	api.BalanceTransactionTypePayoutFailure:        provider.LinePayout,
}

// Statement lists the balance transactions in US dollars: the balance is their
// sum (docs.stripe.com/reports/balance-transaction-types). A fee that is charged
// with a payment or a refund is a line of its own, so that the payment can be
// held against what was captured.
func (c *Client) Statement(ctx context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	const operation = "list_balance_transactions"
	if c.key == "" {
		return nil, nil
	}
	params := &api.BalanceTransactionListParams{Currency: api.String("usd"),
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: from.Unix(), LesserThanOrEqual: to.Unix()}}
	params.Limit = api.Int64(pageSize)
	params.AddExpand("data.source")
	var lines []provider.StatementLine
	for t, err := range c.api.V1BalanceTransactions.List(ctx, params).All(ctx) {
		if err != nil {
			return nil, c.readFailure(operation, err)
		}
		lines = append(lines, linesOf(t)...)
	}
	slices.Reverse(lines) // Stripe lists the newest first
	return lines, nil
}

// linesOf reads one balance transaction.
func linesOf(t *api.BalanceTransaction) []provider.StatementLine {
	kind, subject := subjectOf(t)
	line := func(id string, kind provider.LineKind, subject string, amount int64) provider.StatementLine {
		return provider.StatementLine{ID: id, Kind: kind, Subject: subject, At: unixOrZero(t.Created), State: string(t.Type), Settled: true,
			Moved: map[money.Currency]money.Units{money.USD: money.FromInt(amount)}}
	}
	if t.Fee == 0 || kind == provider.LineDispute || kind == provider.LineFee {
		return []provider.StatementLine{line(t.ID, kind, subject, t.Net)}
	}
	fee := t.ID + ":fee"
	return []provider.StatementLine{line(fee, provider.LineFee, fee, -t.Fee), line(t.ID, kind, subject, t.Amount)}
}

// subjectOf returns the object of a balance transaction. An adjustment is a dispute's when
// its source is one.
func subjectOf(t *api.BalanceTransaction) (provider.LineKind, string) {
	kind, known := lineKinds[t.Type]
	source := t.Source
	switch {
	case source != nil && source.Type == api.BalanceTransactionSourceTypeDispute:
		return provider.LineDispute, source.ID
	case !known || source == nil:
		return provider.LineOther, t.ID
	case kind == provider.LineFee:
		return kind, t.ID
	case kind == provider.LineCharge && (source.Charge == nil || source.Charge.PaymentIntent == nil):
		return provider.LineOther, t.ID // a payment that none of our pages began
	case kind == provider.LineCharge:
		return kind, source.Charge.PaymentIntent.ID
	}
	return kind, source.ID
}
