package stripe

import (
	"context"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Disputes = (*Client)(nil)

// disputeStatuses maps Stripe's statuses of a dispute to ours. A warning is a bank's
// question before a dispute; one that is closed cost nothing.
var disputeStatuses = map[api.DisputeStatus]provider.DisputeStatus{
	api.DisputeStatusNeedsResponse:        provider.DisputeOpen,
	api.DisputeStatusWarningNeedsResponse: provider.DisputeOpen,
	api.DisputeStatusUnderReview:          provider.DisputeUnderReview,
	api.DisputeStatusWarningUnderReview:   provider.DisputeUnderReview,
	api.DisputeStatusWon:                  provider.DisputeWon,
	api.DisputeStatusWarningClosed:        provider.DisputeWon,
	api.DisputeStatusPrevented:            provider.DisputeWon,
	api.DisputeStatusLost:                 provider.DisputeLost,
}

// PaymentDisputes lists the disputes of a payment.
func (c *Client) PaymentDisputes(ctx context.Context, paymentID string) ([]provider.Dispute, error) {
	params := &api.DisputeListParams{PaymentIntent: api.String(paymentID)}
	params.Limit = api.Int64(pageSize)
	return c.disputes("list_disputes", c.api.V1Disputes.List(ctx, params).All(ctx))
}

// RecentDisputes lists disputes of all payments, newest first.
func (c *Client) RecentDisputes(ctx context.Context, since time.Time) ([]provider.Dispute, error) {
	if c.key == "" {
		return nil, nil
	}
	params := &api.DisputeListParams{CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: since.Unix()}}
	params.Limit = api.Int64(pageSize)
	return c.disputes("list_disputes", c.api.V1Disputes.List(ctx, params).All(ctx))
}

func (c *Client) disputes(operation string, list api.Seq2[*api.Dispute, error]) ([]provider.Dispute, error) {
	var found []provider.Dispute
	for d, err := range list {
		if err != nil {
			return nil, c.readFailure(operation, err)
		}
		read, err := c.dispute(operation, d)
		if err != nil {
			read = provider.Dispute{ID: d.ID, PaymentID: paymentOf(d), Unread: provider.DetailOf(err)}
		}
		found = append(found, read)
	}
	return found, nil
}

// ReadDispute reads one dispute.
func (c *Client) ReadDispute(ctx context.Context, disputeID string) (provider.Dispute, error) {
	const operation = "read_dispute"
	d, err := c.api.V1Disputes.Retrieve(ctx, disputeID, nil)
	if err != nil {
		return provider.Dispute{}, c.readFailure(operation, err)
	}
	return c.dispute(operation, d)
}

// Contest submits our evidence to the bank.
func (c *Client) Contest(ctx context.Context, disputeID, key string, e provider.Evidence) (provider.Dispute, error) {
	const operation = "contest_dispute"
	params := &api.DisputeUpdateParams{Submit: api.Bool(true), Evidence: &api.DisputeUpdateEvidenceParams{
		ProductDescription:   optional(e.Product),
		CustomerEmailAddress: optional(e.CustomerEmail),
		ServiceDate:          optional(e.ServiceDate),
		UncategorizedText:    optional(e.Story),
	}}
	params.SetIdempotencyKey(key)
	d, err := c.api.V1Disputes.Update(ctx, disputeID, params)
	if err != nil {
		return provider.Dispute{}, c.fail(operation, err)
	}
	return c.dispute(operation, d)
}

// Accept closes a dispute as lost.
func (c *Client) Accept(ctx context.Context, disputeID, key string) (provider.Dispute, error) {
	const operation = "close_dispute"
	params := &api.DisputeCloseParams{}
	params.SetIdempotencyKey(key)
	d, err := c.api.V1Disputes.Close(ctx, disputeID, params)
	if err != nil {
		return provider.Dispute{}, c.fail(operation, err)
	}
	return c.dispute(operation, d)
}

// dispute converts Stripe's dispute. What moved on our account is in its balance
// transactions, never in its amount.
func (c *Client) dispute(operation string, d *api.Dispute) (provider.Dispute, error) {
	status, known := disputeStatuses[d.Status]
	if !known || d.ID == "" {
		return provider.Dispute{}, c.unreadable(operation, "dispute status %q", d.Status)
	}
	if d.Currency != api.CurrencyUSD {
		return provider.Dispute{}, c.unreadable(operation, "dispute in %q", d.Currency)
	}
	out := provider.Dispute{ID: d.ID, Status: status, Amount: money.FromInt(d.Amount), Reason: string(d.Reason), CreatedAt: unixOrZero(d.Created)}
	out.PaymentID = paymentOf(d)
	if d.EvidenceDetails != nil {
		out.DueBy = unixOrZero(d.EvidenceDetails.DueBy)
	}
	for _, line := range d.BalanceTransactions {
		switch amount := money.FromInt(line.Amount); amount.Sign() {
		case -1:
			out.Withdrawn = out.Withdrawn.Sub(amount)
		case 1:
			out.Reinstated = out.Reinstated.Add(amount)
		}
		out.Fee = out.Fee.Add(money.FromInt(line.Fee))
	}
	return out, nil
}

// paymentOf is the payment that a dispute is of; "" when none of our pages began it.
func paymentOf(d *api.Dispute) string {
	if d.PaymentIntent == nil {
		return ""
	}
	return d.PaymentIntent.ID
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
