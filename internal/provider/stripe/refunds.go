package stripe

import (
	"context"
	"strconv"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
)

var _ provider.Givebacks = (*Client)(nil)

// PaymentRefunds lists the refunds of a payment.
func (c *Client) PaymentRefunds(ctx context.Context, paymentID string) ([]provider.CardRefund, error) {
	params := &api.RefundListParams{PaymentIntent: api.String(paymentID)}
	params.Limit = api.Int64(pageSize)
	return c.refunds("list_refunds", c.api.V1Refunds.List(ctx, params).All(ctx))
}

// RecentRefunds lists the refunds of all payments, newest first.
func (c *Client) RecentRefunds(ctx context.Context, since time.Time) ([]provider.CardRefund, error) {
	if c.key == "" {
		return nil, nil
	}
	params := &api.RefundListParams{CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: since.Unix()}}
	params.Limit = api.Int64(pageSize)
	return c.refunds("list_refunds", c.api.V1Refunds.List(ctx, params).All(ctx))
}

func (c *Client) refunds(operation string, list api.Seq2[*api.Refund, error]) ([]provider.CardRefund, error) {
	var found []provider.CardRefund
	for r, err := range list {
		if err != nil {
			return nil, c.readFailure(operation, err)
		}
		read, err := c.refund(operation, r)
		out := provider.CardRefund{Refund: read, OrderID: r.Metadata[metaOrder], CreatedAt: unixOrZero(r.Created)}
		if err != nil {
			out.ID, out.Unread = r.ID, provider.DetailOf(err)
		}
		out.Sequence, _ = strconv.Atoi(r.Metadata[metaRefundSeq]) // none is not ours
		if r.PaymentIntent != nil {
			out.PaymentID = r.PaymentIntent.ID
		}
		found = append(found, out)
	}
	return found, nil
}
