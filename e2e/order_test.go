package e2e

import (
	"context"
	"crypto/rand"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"
)

// order is what the tests read of an order, as its customer or as staff.
type order struct {
	ID, Reference, Status, LegacyStatus, TxID, QuoteFiat string
	Metadata                                             struct {
		Resolution, FailedStep, FulfillmentError, FulfillmentCode, LastError string
		RetryCount                                                           int
	}
	Attention *struct{ Reason string }
	Payment   struct {
		Status, AuthorisedAt, CardBrand, CardLast4, DeclineCode string
		Checkout                                                *struct{ State, URL string }
		Instructions                                            []struct{ Label, Value string }
	}
	Events           []struct{ Kind string }
	Choices, Actions []string

	KrakenOrderID, BitGoTransferID string // staff only
}

// countEvents counts the events of a kind in an order's timeline.
func (o order) countEvents(kind string) int {
	n := 0
	for _, event := range o.Events {
		if event.Kind == kind {
			n++
		}
	}
	return n
}

// purchase is what to order. Amount and address belong to one order only, so
// that a fault can be meant for it.
type purchase struct{ asset, amount, address, method string }

// some is a purchase by card of about so much coin: "0.00" is followed by unique digits.
func some(t *testing.T, asset, about string) purchase {
	t.Helper()
	address := bitcoinAddress(t)
	if asset != "BTC" {
		address = ethereumAddress(t)
	}
	return purchase{asset, about + digits(t, 4), address, "card"}
}

func (p purchase) by(method string) purchase {
	p.method = method
	return p
}

// digits are random ones from 1 to 9.
func digits(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	for range n {
		digit, err := rand.Int(rand.Reader, big.NewInt(9))
		require.NoError(t, err)
		text.WriteByte(byte('1' + digit.Int64()))
	}
	return text.String()
}

// bitcoinAddress is a new segwit address.
func bitcoinAddress(t *testing.T) string {
	t.Helper()
	key := make([]byte, 20)
	_, _ = rand.Read(key) // never fails
	groups, err := bech32.ConvertBits(key, 8, 5, true)
	require.NoError(t, err)
	address, err := bech32.Encode("bc", append([]byte{0}, groups...))
	require.NoError(t, err)
	return address
}

// ethereumAddress is a new one with its checksum.
func ethereumAddress(t *testing.T) string {
	t.Helper()
	key := make([]byte, 20)
	_, _ = rand.Read(key) // never fails
	return common.BytesToAddress(key).Hex()
}

// quote requests a price.
func (v *visitor) quote(p purchase) (id, total string) {
	v.t.Helper()
	var price struct{ QuoteID, Total string }
	v.post("/api/orders/calculate-pricing", map[string]string{
		"asset": p.asset, "amountAsset": p.amount, "paymentMethod": p.method, "destAddress": p.address}, &price)
	return price.QuoteID, price.Total
}

// buy requests a price and orders at it.
func (v *visitor) buy(p purchase) order {
	v.t.Helper()
	quote, total := v.quote(p)
	var made order
	status := v.call(http.MethodPost, "/api/orders", map[string]string{
		"asset": p.asset, "amountAsset": p.amount, "paymentMethod": p.method, "destAddress": p.address, "quoteId": quote}, &made)
	require.Equal(v.t, http.StatusCreated, status)
	require.Equal(v.t, "pending", made.Status)
	require.Equal(v.t, total, made.QuoteFiat, "the order is made at the price that was shown")
	v.t.Cleanup(func() { explain(v.t, made.ID) })
	return made
}

// explain says, of an order in a test that failed, what it went through.
func explain(t *testing.T, orderID string) {
	if !t.Failed() {
		return
	}
	rows, err := database.Query(context.WithoutCancel(t.Context()), `
		SELECT at, 'event ' || kind || ' (' || status || ') ' || data::text FROM order_events WHERE order_id = $1
		UNION ALL SELECT created_at, 'decision ' || kind || ': ' || coalesce(outcome, 'open') || ' ' || coalesce(outcome_code, '') FROM decisions WHERE order_id = $1
		UNION ALL SELECT received_at, 'webhook ' || type || CASE WHEN handled_at IS NULL THEN ' (open)' ELSE '' END FROM webhook_inbox WHERE order_id = $1
		UNION ALL SELECT updated_at, 'now ' || status || ', attention ' || coalesce(attention_reason, 'none') || ', last error ' || coalesce(last_error, 'none')
			FROM orders WHERE id = $1 ORDER BY 1`, orderID)
	if err != nil {
		t.Log(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var at time.Time
		var what string
		if rows.Scan(&at, &what) == nil {
			t.Logf("order %s %s %s", orderID, at.Format("15:04:05.000"), what)
		}
	}
}

func (v *visitor) order(id string) order {
	v.t.Helper()
	var o order
	v.get("/api/orders/"+id, &o)
	return o
}

// asStaff is an order as its admin's card shows it.
func (v *visitor) asStaff(id string) order {
	v.t.Helper()
	var o order
	v.get("/api/admin/orders/"+id, &o)
	return o
}

// reaches waits until an order of the customer is in a status.
func (v *visitor) reaches(id, status string) order {
	v.t.Helper()
	var o order
	until(v.t, "order "+id+" to be "+status, func() bool {
		o = v.order(id)
		if o.Status == "failed" && status != "failed" {
			require.FailNow(v.t, "the order failed: "+o.Metadata.Resolution+" "+o.Metadata.FulfillmentError)
		}
		return o.Status == status
	})
	return o
}

// ends waits until an order has ended without coin, for a reason.
func (v *visitor) ends(id, resolution string) order {
	v.t.Helper()
	var o order
	until(v.t, "order "+id+" to end as "+resolution, func() bool {
		o = v.order(id)
		return o.Status == "failed" && o.Metadata.Resolution == resolution
	})
	return o
}

// checkout waits for the address of the hosted payment page.
func (v *visitor) checkout(id string) string {
	v.t.Helper()
	var url string
	until(v.t, "the payment page", func() bool {
		if page := v.order(id).Payment.Checkout; page != nil && page.State == "ready" {
			url = page.URL
		}
		return url != ""
	})
	return url
}

// authorise pays by a good card, and returns to the order.
func (v *visitor) authorise(id string) {
	v.t.Helper()
	v.returned(v.pay(v.checkout(id), goodCard), id)
}

// returned checks that a payment page led back to the order, and waits until the site has recorded it.
func (v *visitor) returned(p page, id string) {
	v.t.Helper()
	require.True(v.t, strings.HasPrefix(p.address.String(), stack.SiteURL()+"/orders/"+id), "paying leads back to the order, not to %s", p.address)
	until(v.t, "the authorised payment", func() bool { return v.order(id).Payment.AuthorisedAt != "" })
}

// pending is what an admin sees of a payment.
type pending struct {
	ID, OrderID, TradeHash, CardBrand, CardLast4, StripePaymentIntentID, AdminApprovalStatus string
	CustomerSubmittedAt                                                                      string
	Actions                                                                                  []string
	Validation                                                                               struct{ ReceiptURL string }
}

// payment finds an order's payment on the admin's page.
func (v *visitor) payment(orderID string) pending {
	v.t.Helper()
	var list struct{ Payments []pending }
	v.get("/api/admin/payments/pending?limit=100", &list)
	for _, p := range list.Payments {
		if p.OrderID == orderID {
			return p
		}
	}
	require.FailNow(v.t, "the admin does not see the payment of order "+orderID)
	return pending{}
}

// process captures an order's authorised card.
func (v *visitor) process(orderID string) {
	v.t.Helper()
	v.post("/api/admin/payments/"+v.payment(orderID).ID+"/process", nil, nil)
}

// decide presses one of the buttons of an admin's order card.
func (v *visitor) decide(orderID, kind, reason string) {
	v.t.Helper()
	v.post("/api/admin/orders/"+orderID+"/"+kind, map[string]string{"reason": reason}, nil)
}

// paid is an order whose card payment an admin has processed.
func paid(t *testing.T, customer, staff *visitor, p purchase) order {
	t.Helper()
	o := customer.buy(p)
	customer.authorise(o.ID)
	staff.process(o.ID)
	return customer.reaches(o.ID, "payment_approved")
}
