package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	bitcoinAddress  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	ethereumAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// order is what the tests read of an order.
type order struct {
	ID, Reference, Status, LegacyStatus, TxID, QuoteFiat string
	Metadata                                             struct {
		Resolution, FulfillmentError string
		RetryCount                   int
	}
	Attention *struct{ Reason string }
	Payment   struct {
		Status, AuthorisedAt, CardBrand, CardLast4, DeclineCode string
		Checkout                                                *struct{ State, URL string }
		Instructions                                            []struct{ Label, Value string }
	}
	Events  []struct{ Kind string }
	Choices []string
}

// buy asks for a price and orders at it.
func (v *visitor) buy(asset, amount, address, method string) order {
	v.t.Helper()
	var price struct{ QuoteID, Total, Network string }
	v.post("/api/orders/calculate-pricing", map[string]string{
		"asset": asset, "amountAsset": amount, "paymentMethod": method, "destAddress": address}, &price)
	var made order
	v.post("/api/orders", map[string]string{
		"asset": asset, "amountAsset": amount, "paymentMethod": method, "destAddress": address, "quoteId": price.QuoteID}, &made)
	require.Equal(v.t, "pending", made.Status)
	require.Equal(v.t, price.Total, made.QuoteFiat, "the order is made at the price that was shown")
	return made
}

func (v *visitor) order(id string) order {
	v.t.Helper()
	var o order
	v.get("/api/orders/"+id, &o)
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

// authorise pays by a card that is good, and comes back to the order.
func (v *visitor) authorise(id string) {
	v.t.Helper()
	p := v.pay(v.checkout(id), goodCard)
	require.True(v.t, strings.HasPrefix(p.address.String(), stack.SiteURL()+"/orders/"+id), "paying leads back to the order, not to %s", p.address)
	until(v.t, "the authorised payment", func() bool { return v.order(id).Payment.AuthorisedAt != "" })
}

// pending is what an admin sees of a payment.
type pending struct {
	ID, OrderID, TradeHash, CardBrand, CardLast4, StripePaymentIntentID, AdminApprovalStatus string
	Actions                                                                                  []string
}

// payment finds an order's payment on the admin's page.
func (v *visitor) payment(orderID string) pending {
	v.t.Helper()
	var list struct{ Payments []pending }
	v.get("/api/admin/payments/pending", &list)
	for _, p := range list.Payments {
		if p.OrderID == orderID {
			return p
		}
	}
	require.FailNow(v.t, "the admin does not see the payment of order "+orderID)
	return pending{}
}

// paid is an order whose card payment an admin has processed.
func paid(t *testing.T, customer, staff *visitor, asset, amount, address string) order {
	t.Helper()
	o := customer.buy(asset, amount, address, "card")
	customer.authorise(o.ID)
	staff.post("/api/admin/payments/"+staff.payment(o.ID).ID+"/process", nil, nil)
	return customer.reaches(o.ID, "payment_approved")
}

// The story of the product, as its pages would live it: sign up, verify, price,
// order, pay by card, process, fulfil, sent.
func TestCardOrderReachesTheCustomersWallet(t *testing.T) {
	balanceBooks(t)
	before := effects(t)
	customer, staff := verified(t), admin(t)
	o := customer.buy("BTC", "0.01", bitcoinAddress, "card")
	require.Regexp(t, `^TP-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`, o.Reference)
	customer.authorise(o.ID)

	p := staff.payment(o.ID)
	require.Equal(t, "visa 4242", strings.ToLower(p.CardBrand)+" "+p.CardLast4)
	require.Equal(t, o.Reference, p.TradeHash)
	require.True(t, strings.HasPrefix(p.StripePaymentIntentID, "pi_"), p.StripePaymentIntentID)
	staff.post("/api/admin/payments/"+p.ID+"/process", nil, nil)
	customer.reaches(o.ID, "payment_approved")
	staff.post("/api/admin/orders/"+o.ID+"/fulfill", map[string]string{}, nil)
	sent := customer.reaches(o.ID, "sent")

	require.Equal(t, "completed", sent.LegacyStatus)
	require.NotEmpty(t, sent.TxID)
	require.Equal(t, map[string]int{"stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}, pick(since(t, before), "stripe/capture", "kraken/fill", "bitgo/send"))

	var seen struct{ KrakenOrderID, BitGoTransferID string }
	staff.get("/api/admin/orders/"+o.ID, &seen)
	require.NotEmpty(t, seen.KrakenOrderID)
	require.NotEmpty(t, seen.BitGoTransferID)

	var withdrawals []struct{ OrderID, TxID, Amount string }
	customer.get("/api/withdrawals", &withdrawals)
	require.Len(t, withdrawals, 1)
	require.Equal(t, sent.TxID, withdrawals[0].TxID)
	var transactions []struct{ OrderID, LegacyStatus, Status string }
	customer.get("/api/transactions", &transactions)
	require.Len(t, transactions, 1)
	require.Equal(t, "completed", transactions[0].Status)
	var orders []order
	customer.get("/api/orders", &orders)
	require.Len(t, orders, 1)
	require.Equal(t, "sent", orders[0].Status)

	stranger := signedUp(t)
	require.Equal(t, http.StatusNotFound, stranger.call(http.MethodGet, "/api/orders/"+o.ID, nil, nil))
	require.Equal(t, http.StatusNotFound, stranger.call(http.MethodGet, "/api/orders/"+o.ID+"/receipt", nil, nil))
}

// pick keeps the named counts.
func pick(counts map[string]int, names ...string) map[string]int {
	kept := map[string]int{}
	for _, name := range names {
		if counts[name] != 0 {
			kept[name] = counts[name]
		}
	}
	return kept
}

// A token goes another way: ether pays the network's fee.
func TestTokenOrderIsSentOnEthereum(t *testing.T) {
	balanceBooks(t)
	customer, staff := verified(t), admin(t)
	o := paid(t, customer, staff, "USDC", "250", ethereumAddress)
	staff.post("/api/admin/orders/"+o.ID+"/fulfill", map[string]string{}, nil)
	require.NotEmpty(t, customer.reaches(o.ID, "sent").TxID)
}

func TestDeclinedCardIsFollowedByAnother(t *testing.T) {
	balanceBooks(t)
	customer := verified(t)
	o := customer.buy("ETH", "0.05", ethereumAddress, "card")
	checkout := customer.checkout(o.ID)
	p := customer.pay(checkout, declinedCard)
	require.Contains(t, string(p.body), "another card")
	require.Equal(t, "pending", customer.order(o.ID).Status)
	require.Empty(t, customer.order(o.ID).Payment.AuthorisedAt)
	customer.authorise(o.ID)
}

func TestCustomerCancelsBeforePaying(t *testing.T) {
	balanceBooks(t)
	before := effects(t)
	customer := verified(t)
	o := customer.buy("BTC", "0.002", bitcoinAddress, "card")
	checkout := customer.checkout(o.ID)
	customer.post("/api/orders/"+o.ID+"/cancel", nil, nil)
	ended := customer.reaches(o.ID, "failed")
	require.Equal(t, "cancelled", ended.Metadata.Resolution)
	require.Equal(t, "cancelled", ended.LegacyStatus)
	until(t, "a payment page that takes no money", func() bool { return customer.open(checkout).status == http.StatusGone })
	require.Empty(t, pick(since(t, before), "stripe/capture", "kraken/fill", "bitgo/send"))
}

func TestAdminDeclinesAndNothingIsCaptured(t *testing.T) {
	balanceBooks(t)
	before := effects(t)
	customer, staff := verified(t), admin(t)
	o := customer.buy("BTC", "0.002", bitcoinAddress, "card")
	customer.authorise(o.ID)
	p := staff.payment(o.ID)
	status, _ := staff.refused("/api/admin/payments/"+p.ID+"/reject", map[string]string{"reason": ""})
	require.Equal(t, http.StatusUnprocessableEntity, status, "a decline needs a reason")
	staff.post("/api/admin/payments/"+p.ID+"/reject", map[string]string{"reason": "name differs"}, nil)
	ended := customer.reaches(o.ID, "failed")
	require.Equal(t, "declined", ended.Metadata.Resolution)
	require.Empty(t, pick(since(t, before), "stripe/capture", "kraken/fill", "bitgo/send"))
}

func TestWireOrderIsConfirmedAndSent(t *testing.T) {
	balanceBooks(t)
	customer, staff := verified(t), admin(t)
	o := customer.buy("BTC", "0.004", bitcoinAddress, "domestic_wire")
	detail := customer.order(o.ID)
	require.NotEmpty(t, detail.Payment.Instructions, "a wire has instructions")
	var reference bool
	for _, line := range detail.Payment.Instructions {
		reference = reference || strings.Contains(line.Value, o.Reference)
	}
	require.True(t, reference, "the instructions name the reference")

	p := staff.payment(o.ID)
	receipt := map[string]string{"amount": o.QuoteFiat, "receivedOn": today(t), "bankReference": "WIRE-" + o.Reference}
	staff.post("/api/admin/payments/"+p.ID+"/confirm", receipt, nil)
	customer.reaches(o.ID, "payment_approved")
	staff.post("/api/admin/orders/"+o.ID+"/fulfill", map[string]string{}, nil)
	customer.reaches(o.ID, "sent")
}

func TestUnverifiedCustomerCannotOrder(t *testing.T) {
	balanceBooks(t)
	customer := signedUp(t)
	status, p := customer.refused("/api/orders", map[string]string{
		"asset": "BTC", "amountAsset": "0.01", "paymentMethod": "card", "destAddress": bitcoinAddress})
	require.Equal(t, http.StatusForbidden, status)
	require.NotEmpty(t, p.Message)
	var orders []order
	customer.get("/api/orders", &orders)
	require.Empty(t, orders)
}
