package stripe

import (
	"context"
	"errors"
	"strconv"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
)

// searchBack is how far before the first send a lookup begins, for clocks that disagree.
const searchBack = 5 * time.Minute

// CreateCheckout makes a hosted page that authorises a card and captures
// nothing.
func (c *Client) CreateCheckout(ctx context.Context, in provider.CheckoutInput) (provider.Checkout, error) {
	params := checkoutParams(in)
	params.SetIdempotencyKey(in.Key)
	session, err := c.api.V1CheckoutSessions.Create(ctx, params)
	if err != nil {
		return provider.Checkout{}, c.fail("create_checkout", err)
	}
	return c.checkout("create_checkout", session)
}

func checkoutParams(in provider.CheckoutInput) *api.CheckoutSessionCreateParams {
	metadata := orderMetadata(in.OrderID, in.Generation)
	return &api.CheckoutSessionCreateParams{
		Mode:               api.String("payment"),
		PaymentMethodTypes: []*string{api.String("card")},
		ClientReferenceID:  api.String(in.OrderID),
		CustomerEmail:      textOrNone(in.CustomerEmail),
		SuccessURL:         api.String(in.SuccessURL),
		CancelURL:          api.String(in.CancelURL),
		ExpiresAt:          api.Int64(in.ExpiresAt.Unix()),
		Metadata:           metadata,
		LineItems: []*api.CheckoutSessionCreateLineItemParams{{
			Quantity: api.Int64(1),
			PriceData: &api.CheckoutSessionCreateLineItemPriceDataParams{
				Currency:   api.String("usd"),
				UnitAmount: cents(in.Amount),
				ProductData: &api.CheckoutSessionCreateLineItemPriceDataProductDataParams{
					Name: api.String(in.Description),
				},
			},
		}},
		PaymentIntentData: &api.CheckoutSessionCreatePaymentIntentDataParams{
			CaptureMethod: api.String("manual"),
			Description:   api.String(in.Reference),
			Metadata:      metadata,
		},
	}
}

func textOrNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// FindCheckout searches the pages made since shortly before the first send. Should a lost
// key have made two, the one furthest along is returned.
func (c *Client) FindCheckout(ctx context.Context, orderID string, generation int, since time.Time) (provider.Checkout, error) {
	const operation = "find_checkout"
	params := &api.CheckoutSessionListParams{
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: since.Add(-searchBack).Unix()},
	}
	params.Limit = api.Int64(pageSize)
	params.Expand = expansions("data.payment_intent")
	var best *api.CheckoutSession
	for session, err := range c.api.V1CheckoutSessions.List(ctx, params).All(ctx) {
		if err != nil {
			return provider.Checkout{}, c.fail(operation, err)
		}
		if isOurs(session, orderID, generation) && (best == nil || progress(session) > progress(best)) {
			best = session
		}
	}
	if best == nil {
		return provider.Checkout{}, provider.ErrNotFound
	}
	return c.checkout(operation, best)
}

func isOurs(s *api.CheckoutSession, orderID string, generation int) bool {
	return s.ClientReferenceID == orderID && s.Metadata[metaGeneration] == strconv.Itoa(generation)
}

func progress(s *api.CheckoutSession) int {
	switch s.Status {
	case api.CheckoutSessionStatusComplete:
		return 2
	case api.CheckoutSessionStatusOpen:
		return 1
	}
	return 0
}

// ReadCheckout reads a page, its payment and the payment's charge.
func (c *Client) ReadCheckout(ctx context.Context, checkoutID string) (provider.Checkout, error) {
	const operation = "read_checkout"
	params := &api.CheckoutSessionRetrieveParams{Expand: expansions("payment_intent")}
	session, err := c.api.V1CheckoutSessions.Retrieve(ctx, checkoutID, params)
	if err != nil {
		return provider.Checkout{}, c.readFailure(operation, err)
	}
	return c.checkout(operation, session)
}

// ExpireCheckout closes an open page. A page that had already expired is no
// error; one on which the customer has finished is refused with the code
// checkout_complete.
func (c *Client) ExpireCheckout(ctx context.Context, checkoutID string) error {
	const operation = "expire_checkout"
	_, err := c.api.V1CheckoutSessions.Expire(ctx, checkoutID, &api.CheckoutSessionExpireParams{})
	if err == nil {
		return nil
	}
	var refused *api.Error
	if !errors.As(err, &refused) || refused.HTTPStatusCode != 400 {
		return c.fail(operation, err)
	}
	now, readErr := c.ReadCheckout(ctx, checkoutID)
	switch {
	case readErr == nil && now.Status == provider.CheckoutExpired:
		return nil
	case readErr == nil && now.Status == provider.CheckoutComplete:
		return &provider.Error{
			Class: provider.Refused, Provider: providerName, Operation: operation,
			Code: "checkout_complete", Detail: provider.CleanText(refused.Msg, c.key),
		}
	}
	return c.fail(operation, err)
}

// expansions request a payment with what screens show of its card.
func expansions(payment string) []*string {
	return []*string{
		api.String(payment + ".latest_charge"),
		api.String(payment + ".payment_method"),
	}
}

// checkout converts Stripe's session.
func (c *Client) checkout(operation string, s *api.CheckoutSession) (provider.Checkout, error) {
	out := provider.Checkout{ID: s.ID, URL: s.URL, ExpiresAt: unixOrZero(s.ExpiresAt)}
	switch s.Status {
	case api.CheckoutSessionStatusOpen:
		out.Status = provider.CheckoutOpen
	case api.CheckoutSessionStatusComplete:
		out.Status = provider.CheckoutComplete
	case api.CheckoutSessionStatusExpired:
		out.Status = provider.CheckoutExpired
	default:
		return provider.Checkout{}, c.unreadable(operation, "session status %q", s.Status)
	}
	if s.ID == "" {
		return provider.Checkout{}, c.unreadable(operation, "a session without an id")
	}
	if s.PaymentIntent == nil {
		return out, nil
	}
	if s.PaymentIntent.Status == "" { // an id that was not expanded
		out.Payment = &provider.Payment{ID: s.PaymentIntent.ID, Status: provider.PaymentAwaiting}
		return out, nil
	}
	payment, err := c.payment(operation, s.PaymentIntent)
	if err != nil {
		return provider.Checkout{}, err
	}
	out.Payment = &payment
	return out, nil
}
